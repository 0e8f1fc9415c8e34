"""Decidable checks that the claims are made of.

Each gives the verdict of its own part. A comparison is of means; where intervals must be
disjoint the check says so. A part is *refuted* when the opposite holds with disjoint intervals.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from anechoic.papers.claim import Figure, Status, Verdict
from anechoic.papers.points import Point

_SHOWN = 3
"""Reasons of one kind that a verdict spells out; the scorecard has a line for each claim."""

_BY_SEVERITY = (Status.PASS, Status.AMBIGUOUS, Status.NOT_RUN, Status.FAIL, Status.REFUTED)


def figures(*points: Point) -> tuple[Figure, ...]:
    """Give the points as the figures of a verdict."""
    return tuple(Figure(p.what, p.mean, p.summary.ci95, p.summary.n, p.unit) for p in points)


def below(low: Point, high: Point, *, disjoint: bool = False) -> Verdict:
    """Decide whether one mean is lower than another, where asked with disjoint intervals."""
    shown = figures(low, high)
    if high.surely_below(low):
        return Verdict(Status.REFUTED, shown, f"{low.what} is above {high.what}")
    if not low.mean < high.mean:
        return Verdict(Status.FAIL, shown, f"{low.what} is not below {high.what}")
    if disjoint and not low.surely_below(high):
        return Verdict(Status.FAIL, shown, f"the intervals of {low.what} and {high.what} touch")
    return Verdict(Status.PASS, shown)


def not_above(point: Point, reference: Point) -> Verdict:
    """Decide whether a mean is lower than another, or their intervals meet."""
    shown = figures(point, reference)
    if reference.surely_below(point):
        return Verdict(Status.REFUTED, shown, f"{point.what} is above {reference.what}")
    if point.mean <= reference.mean or point.low <= reference.high:
        return Verdict(Status.PASS, shown)
    return Verdict(Status.FAIL, shown, f"{point.what} has no interval and is above")


def non_increasing(points: Sequence[Point], tolerance: float = 0.02) -> Verdict:
    """Decide whether each point is at most the one before it times 1 + tolerance."""
    rising = [
        f"{after.what} is {after.step_from(before):.1%} above the step before"
        for before, after in pairwise(points)
        if after.mean > before.mean * (1 + tolerance)
    ]
    return _from_problems(points, rising)


def non_decreasing(points: Sequence[Point], tolerance: float = 0.01) -> Verdict:
    """Decide whether each point is at least the one before it times 1 - tolerance."""
    falling = [
        f"{after.what} is {-after.step_from(before):.1%} below the step before"
        for before, after in pairwise(points)
        if after.mean < before.mean * (1 - tolerance)
    ]
    return _from_problems(points, falling)


def strictly_decreasing(points: Sequence[Point]) -> Verdict:
    """Decide whether every step goes down, and first and last have disjoint intervals."""
    level = [
        f"{after.what} is not below the step before"
        for before, after in pairwise(points)
        if not after.mean < before.mean
    ]
    ends = below(points[-1], points[0], disjoint=True)
    return all_of([_from_problems(points, level), ends])


def equal_within(points: Sequence[Point], tolerance: float) -> Verdict:
    """Decide whether the largest mean is at most the smallest times 1 + tolerance."""
    smallest = min(points, key=lambda point: point.mean)
    largest = max(points, key=lambda point: point.mean)
    spread = largest.step_from(smallest)
    reason = f"{smallest.what} and {largest.what} differ by {spread:.2%}"
    status = Status.PASS if spread <= tolerance else Status.FAIL
    return Verdict(status, figures(*points), reason)


def rises_by(before: Point, after: Point, at_least: float) -> Verdict:
    """Decide whether the step from one mean to another is at least this part of the first."""
    step = after.step_from(before)
    reason = f"{after.what} is {step:+.1%} on the step before, {at_least:+.0%} asked"
    shown = figures(before, after)
    if after.surely_below(before):
        return Verdict(Status.REFUTED, shown, reason)
    return Verdict(Status.PASS if step >= at_least else Status.FAIL, shown, reason)


def in_band(point: Point, low: float, high: float) -> Verdict:
    """Decide whether a mean lies in a closed interval."""
    shown = figures(point)
    reason = f"{shown[0]}, {low:.4g} to {high:.4g} asked"
    status = Status.PASS if low <= point.mean <= high else Status.FAIL
    return Verdict(status, shown, reason)


def same_order(what: str, first: Sequence[Point], second: Sequence[Point]) -> Verdict:
    """Decide whether Spearman's rank correlation of two sets of means is at least 0.9."""
    from scipy.stats import spearmanr

    correlation = float(spearmanr([p.mean for p in first], [p.mean for p in second]).statistic)
    reason = f"{what}: rank correlation {correlation:.3f}, 0.9 asked"
    status = Status.PASS if correlation >= 0.9 else Status.FAIL
    return Verdict(status, (Figure(f"rank correlation {what}", correlation),), reason)


def all_of(parts: Sequence[Verdict], reason: str = "") -> Verdict:
    """Join parts that must all hold: the worst one decides, and its reasons are given."""
    worst = max((part.status for part in parts), key=_BY_SEVERITY.index)
    decisive = [part for part in parts if part.status is worst]
    reasons = [part.reason for part in decisive if part.reason]
    found = reason if worst is Status.PASS and reason else _shortened(reasons)
    return Verdict(worst, _distinct([*decisive, *parts]), found)


def readings(by_reading: Mapping[str, Verdict]) -> Verdict:
    """Join what the readings of an unclear text give: ambiguous when they disagree."""
    passing = [name for name, part in by_reading.items() if part.status is Status.PASS]
    if not passing or len(passing) == len(by_reading):
        return all_of(list(by_reading.values()))
    others = [
        f"{part.status} with {name}: {part.reason}"
        for name, part in by_reading.items()
        if part.status is not Status.PASS
    ]
    reason = "; ".join([f"pass with {', '.join(passing)}", *others])
    return Verdict(Status.AMBIGUOUS, _distinct(list(by_reading.values())), reason)


def _from_problems(points: Sequence[Point], problems: list[str]) -> Verdict:
    status = Status.FAIL if problems else Status.PASS
    return Verdict(status, figures(*points), _shortened(problems))


def _shortened(reasons: list[str]) -> str:
    distinct = list(dict.fromkeys(reasons))
    more = len(distinct) - _SHOWN
    return "; ".join([*distinct[:_SHOWN], *([f"and {more} more"] if more > 0 else [])])


def _distinct(parts: Sequence[Verdict]) -> tuple[Figure, ...]:
    return tuple({figure.what: figure for part in parts for figure in part.figures}.values())
