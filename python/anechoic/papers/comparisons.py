"""What is asked of points: which lies above which, how they lie in a line, how near they are.

Each comparison gives the verdict of its own part. A comparison is of means; where intervals
must be disjoint it says so. A part is *refuted* when the opposite holds with disjoint intervals.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import nan, sqrt

from anechoic.campaign.numbers import plain
from anechoic.libraries import library
from anechoic.papers.points import Point
from anechoic.papers.verdict import Figure, Status, Verdict, all_of, shortened

Z95 = 1.959963984540054
"""Two-sided 95 % quantile of the normal law, which Wilson's interval is made with."""


def figures(*points: Point, beside: Sequence[float] = ()) -> tuple[Figure, ...]:
    """Give the points as the figures of a verdict; ``beside`` are numbers they are held against."""
    held = tuple(beside)
    return tuple(
        Figure(p.what, p.mean, beside=held)
        if p.is_exact
        else Figure(p.what, p.mean, p.summary.ci95, p.summary.n, p.unit, held)
        for p in points
    )


def _two(low: Point, high: Point) -> tuple[Figure, Figure]:
    """Give two points as figures in which rounding does not hide which is the lower."""
    [first], [second] = figures(low, beside=(high.mean,)), figures(high, beside=(low.mean,))
    return first, second


def below(low: Point, high: Point, *, disjoint: bool = False) -> Verdict:
    """Decide whether one mean is lower than another, where asked with disjoint intervals."""
    first, second = shown = _two(low, high)
    if high.surely_below(low):
        return Verdict(Status.REFUTED, shown, f"{first} is above {second}")
    if not low.mean < high.mean:
        return Verdict(Status.FAIL, shown, f"{first} is not below {second}")
    if disjoint and not low.surely_below(high):
        return Verdict(Status.FAIL, shown, f"the intervals of {first} and {second} touch")
    return Verdict(Status.PASS, shown, f"{first} is below {second}")


def not_above(low: Point, high: Point, tolerance: float = 0, *, touching: bool = False) -> Verdict:
    """Decide whether a mean is at most another times 1 + tolerance, or the intervals touch."""
    first, second = shown = _two(low, high)
    if low.mean <= high.mean + tolerance * abs(high.mean) or (touching and low.low <= high.high):
        if low.mean <= high.mean:
            reason = f"{first} is not above {second}"
        elif low.mean <= high.mean + tolerance * abs(high.mean):
            reason = f"{first} is not above {second} by more than is allowed"
        else:
            reason = f"{first} is above {second}, and their intervals touch"
        return Verdict(Status.PASS, shown, reason)
    status = Status.REFUTED if high.surely_below(low) else Status.FAIL
    return Verdict(status, shown, f"{first} is above {second}")


def never_rises(points: Sequence[Point], tolerance: float) -> Verdict:
    """Decide whether each point is at most the one before it times 1 + tolerance."""
    rising = {
        (before, after): f"{after.what} is {after.step_from(before):.1%} above the step before"
        for before, after in pairwise(points)
        if after.mean > before.mean * (1 + tolerance)
    }
    return _from_problems(points, rising)


def never_falls(points: Sequence[Point], tolerance: float) -> Verdict:
    """Decide whether each point is at least the one before it times 1 - tolerance."""
    falling = {
        (before, after): f"{after.what} is {-after.step_from(before):.1%} below the step before"
        for before, after in pairwise(points)
        if after.mean < before.mean * (1 - tolerance)
    }
    return _from_problems(points, falling)


def every_step(points: Sequence[Point], sign: int) -> Verdict:
    """Decide whether every mean lies above the one before it (sign 1) or below (-1)."""
    side = "above" if sign > 0 else "below"
    level = {
        (before, after): f"{after.what} is not {side} the step before"
        for before, after in pairwise(points)
        if not sign * after.mean > sign * before.mean
    }
    return _from_problems(points, level)


def equal_within(points: Sequence[Point], tolerance: float) -> Verdict:
    """Decide whether the largest mean is at most the smallest times 1 + tolerance."""
    smallest = min(points, key=lambda point: point.mean)
    largest = max(points, key=lambda point: point.mean)
    spread = largest.step_from(smallest)
    reason = f"{smallest.what} and {largest.what} differ by {spread:.2%}"
    status = Status.PASS if spread <= tolerance else Status.FAIL
    return Verdict(status, figures(*points), reason)


def steps_by(before: Point, after: Point, at_least: float) -> Verdict:
    """Decide whether the step from one mean to another is at least this part of the first.

    A negative part asks for a step down.
    """
    step = after.step_from(before)
    reason = f"{after.what} is {step:+.1%} on the step before, {at_least:+.0%} asked"
    shown = figures(before, after)
    is_down = at_least < 0
    if before.surely_below(after) if is_down else after.surely_below(before):
        return Verdict(Status.REFUTED, shown, reason)
    is_met = step <= at_least if is_down else step >= at_least
    return Verdict(Status.PASS if is_met else Status.FAIL, shown, reason)


def in_band(point: Point, low: float | None, high: float | None) -> Verdict:
    """Decide whether a mean lies in a closed interval; an absent end leaves it open."""
    ends = [end for end in (low, high) if end is not None]
    shown = figures(point, beside=ends)
    return _banded(point.mean, low, high, shown, str(shown[0]))


def best(points: Sequence[Point], wanted: Sequence[Point], within: float, sign: int) -> Verdict:
    """Decide whether the highest mean (sign 1) or the lowest (-1) is among those wanted.

    A point that is better by no more than this part of its mean is forgiven.
    """
    champion = max(wanted, key=lambda point: sign * point.mean)
    parts = [
        _beaten(point, champion, within, sign)
        for point in points
        if all(point is not each for each in wanted)
    ]
    return all_of(parts, f"{champion.what} is the {'highest' if sign > 0 else 'lowest'}")


def _beaten(other: Point, champion: Point, within: float, sign: int) -> Verdict:
    low, high = (other, champion) if sign > 0 else (champion, other)
    found = below(low, high)
    lead = sign * (other.mean - champion.mean)
    if found.status is not Status.PASS and within and lead <= within * abs(other.mean):
        return Verdict(Status.PASS, found.figures)
    return Verdict(found.status, figures(other, champion), found.reason)


def same_order(
    first: Sequence[Point], second: Sequence[Point], low: float | None, high: float | None
) -> Verdict:
    """Decide whether Spearman's rank correlation of two sets of means lies in a band."""
    spearmanr = library("scipy.stats", "rank correlation").spearmanr
    means = [[point.mean for point in points] for points in (first, second)]
    is_ranked = all(len(set(each)) > 1 for each in means)
    correlation = float(spearmanr(*means).statistic) if is_ranked else nan
    what = f"rank correlation of {first[0].what} … {first[-1].what} and {second[0].what} …"
    return _banded(
        correlation, low, high, (Figure(what, correlation),), f"{what} is {correlation:.3f}"
    )


def probable(point: Point, low: float | None, high: float | None) -> Verdict:
    """Decide whether the part of the replications in which something is so lies in a band.

    Refuted where Wilson's interval lies outside of the band altogether.
    """
    n, part = point.summary.n, point.mean
    least, most = wilson(round(part * n), n)
    shown = (Figure(f"part of the replications with {point.what}", part, None, n),)
    said = (
        f"{point.what} in {round(part * n)} of {n} replications (95 %: {least:.3f} to {most:.3f})"
    )
    found = _banded(part, low, high, shown, said)
    is_outside = (low is not None and most < low) or (high is not None and least > high)
    status = Status.REFUTED if is_outside else found.status
    return Verdict(status, shown, found.reason)


def wilson(count: int, n: int) -> tuple[float, float]:
    """Give Wilson's 95 % score interval of a probability (E. B. Wilson, JASA 22, 1927)."""
    part, z2 = count / n, Z95**2
    middle = (part + z2 / (2 * n)) / (1 + z2 / n)
    half = Z95 / (1 + z2 / n) * sqrt(part * (1 - part) / n + z2 / (4 * n * n))
    return max(0.0, middle - half), min(1.0, middle + half)


def straight(
    xs: Sequence[float],
    points: Sequence[Point],
    bands: Mapping[str, tuple[float, float]],
    *,
    through_origin: bool,
) -> Verdict:
    """Decide whether least squares through the means has slope, intercept and R² in their bands."""
    fitted = fit(xs, [point.mean for point in points], through_origin=through_origin)
    name = f"{points[0].what} … {points[-1].what}"
    parts = [
        _banded(
            fitted[key],
            *band,
            (Figure(f"{key} of {name}", fitted[key]),),
            f"{key} {plain(fitted[key])}",
        )
        for key, band in bands.items()
    ]
    return all_of([*parts, Verdict(Status.PASS, figures(*points))])


def fit(xs: Sequence[float], ys: Sequence[float], *, through_origin: bool) -> dict[str, float]:
    """Fit a line by least squares: slope, intercept and R², which is 1 - residual / total squares.

    Through the origin the total is taken about zero, as is usual for such a line.
    """
    middle_x, middle_y = (0.0, 0.0) if through_origin else (sum(xs) / len(xs), sum(ys) / len(ys))
    square = sum((x - middle_x) ** 2 for x in xs)
    product = sum((x - middle_x) * (y - middle_y) for x, y in zip(xs, ys, strict=True))
    slope = product / square if square else nan
    intercept = middle_y - slope * middle_x
    left = sum((y - intercept - slope * x) ** 2 for x, y in zip(xs, ys, strict=True))
    total = sum((y - middle_y) ** 2 for y in ys)
    return {"slope": slope, "intercept": intercept, "r2": 1 - left / total if total else 1.0}


def _banded(
    value: float, low: float | None, high: float | None, shown: tuple[Figure, ...], said: str
) -> Verdict:
    is_in = (low is None or low <= value) and (high is None or value <= high)
    return Verdict(
        Status.PASS if is_in else Status.FAIL, shown, f"{said}, {_asked(low, high)} asked"
    )


def _asked(low: float | None, high: float | None) -> str:
    ends = [None if end is None else plain(end) for end in (low, high)]
    if ends[0] == ends[1]:
        return f"exactly {ends[0]}"
    if None in ends:
        return f"at least {ends[0]}" if high is None else f"at most {ends[1]}"
    return f"{ends[0]} to {ends[1]}"


def _from_problems(points: Sequence[Point], problems: Mapping[tuple[Point, Point], str]) -> Verdict:
    """Fail for steps between two points each; these are the first of the figures."""
    status = Status.FAIL if problems else Status.PASS
    decisive = dict.fromkeys(point for step in problems for point in step)
    others = [point for point in points if point not in decisive]
    return Verdict(status, figures(*decisive, *others), shortened(list(problems.values())))
