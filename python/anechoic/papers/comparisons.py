"""What is asked of points: which lies above which, how they lie in a line, how near they are.

What is asked is that a margin is not below zero, or above it: of one mean over another, or over
the end of a band. The margin has its own 95 % interval, of the differences by replication. Where
that lies above zero the part agrees, where below it disagrees, and else it is unresolved. A single
run has no interval, and decides by its value.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from math import ceil, nan, sqrt

from anechoic.campaign.numbers import of_interval, plain
from anechoic.libraries import library
from anechoic.papers.points import Point
from anechoic.papers.verdict import Figure, Status, Verdict, all_of

Z95 = 1.959963984540054
"""Two-sided 95 % quantile of the normal law, which Wilson's interval is made with."""
_MOST_RUNS = 1_000_000
"""Replications beyond which nobody goes to decide anything."""


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


def margin_is_positive(margin: Point, *, or_zero: bool = False) -> Verdict:
    """Decide whether a margin lies above zero, or at it; if it is open, say what would decide."""
    low, high = margin.low, margin.high
    if low > 0 or (or_zero and low >= 0):
        return Verdict(Status.AGREES)
    if high < 0 or (high <= 0 and not or_zero):
        return Verdict(Status.UNEXPLAINED)
    needs = _needed(margin)
    said = of_interval(margin.mean, margin.half_width, (0.0,))
    reason = f"{margin.what} is {said}, and {_many(needs)} replications would decide"
    return Verdict(Status.UNRESOLVED, (), reason, (), needs)


def _needed(margin: Point) -> int | None:
    """Give how many replications would bring the interval to where the mean is.

    The half-width falls with the root of their number; None stands for more than a million.
    """
    mean, n = abs(margin.mean), margin.summary.n
    if margin.half_width > mean * sqrt(_MOST_RUNS / n):
        return None
    return max(n + 1, ceil(n * (margin.half_width / mean) ** 2))


def _many(replications: int | None) -> str:
    return "more than a million" if replications is None else f"about {replications:,}"


def _told(found: Verdict, shown: tuple[Figure, ...], agreeing: str, otherwise: str) -> Verdict:
    """Give a decision its figures, and words for what it came to."""
    if found.status is Status.UNRESOLVED:
        names = " and ".join(map(str, shown))
        return replace(found, figures=shown, reason=f"{names}: {found.reason}")
    reason = agreeing if found.status is Status.AGREES else otherwise
    return replace(found, figures=shown, reason=reason)


def below(low: Point, high: Point) -> Verdict:
    """Decide whether one mean is lower than another."""
    first, second = shown = _two(low, high)
    found = margin_is_positive(high.above(low))
    return _told(found, shown, f"{first} is below {second}", f"{first} is not below {second}")


def not_above(low: Point, high: Point, tolerance: float = 0) -> Verdict:
    """Decide whether a mean is at most another times 1 + tolerance."""
    first, second = shown = _two(low, high)
    found = margin_is_positive(_leeway(low, high, tolerance), or_zero=True)
    allowed = f" by more than {tolerance:.0%}" if tolerance else ""
    return _told(
        found,
        shown,
        f"{first} is not above {second}{allowed}",
        f"{first} is above {second}{allowed}",
    )


def _leeway(low: Point, high: Point, tolerance: float) -> Point:
    """Give how far one lies below another, and that part of the size of the other."""
    size = tolerance if high.mean > 0 else -tolerance
    return low.above(high, 1 + size).negated


def never_rises(points: Sequence[Point], tolerance: float) -> Verdict:
    """Decide whether each point is at most the one before it times 1 + tolerance."""
    return _steps(
        points,
        lambda before, after: _leeway(after, before, tolerance),
        lambda before, after: (
            f"{after.what} is {after.step_from(before):.1%} above the step before"
        ),
        or_zero=True,
    )


def never_falls(points: Sequence[Point], tolerance: float) -> Verdict:
    """Decide whether each point is at least the one before it times 1 - tolerance."""
    return _steps(
        points,
        lambda before, after: after.above(before, 1 - tolerance),
        lambda before, after: (
            f"{after.what} is {-after.step_from(before):.1%} below the step before"
        ),
        or_zero=True,
    )


def every_step(points: Sequence[Point], sign: int) -> Verdict:
    """Decide whether every mean lies above the one before it (sign 1) or below (-1)."""
    side = "above" if sign > 0 else "below"
    return _steps(
        points,
        lambda before, after: after.above(before) if sign > 0 else before.above(after),
        lambda _, after: f"{after.what} is not {side} the step before",
        or_zero=False,
    )


def _steps(
    points: Sequence[Point],
    margin: Callable[[Point, Point], Point],
    said: Callable[[Point, Point], str],
    *,
    or_zero: bool,
) -> Verdict:
    """Decide each step between two points; those of the steps that decide come first."""
    parts = []
    for before, after in pairwise(points):
        found = margin_is_positive(margin(before, after), or_zero=or_zero)
        name = f"from {before.what} to {after.what}"
        parts.append(_step(found, figures(before, after), name, said(before, after)))
    return all_of([*parts, Verdict(Status.AGREES, figures(*points))])


def _step(found: Verdict, shown: tuple[Figure, ...], name: str, otherwise: str) -> Verdict:
    if found.status is Status.UNRESOLVED:
        return replace(found, figures=shown, reason=f"{name} {found.reason}")
    is_met = found.status is Status.AGREES
    return replace(found, figures=shown, reason="" if is_met else otherwise)


def equal_within(points: Sequence[Point], tolerance: float) -> Verdict:
    """Decide whether the largest mean is at most the smallest times 1 + tolerance."""
    smallest = min(points, key=lambda point: point.mean)
    largest = max(points, key=lambda point: point.mean)
    found = margin_is_positive(_leeway(largest, smallest, tolerance), or_zero=True)
    spread = largest.step_from(smallest)
    reason = f"{smallest.what} and {largest.what} differ by {spread:.2%}"
    told = f"{reason}: {found.reason}" if found.reason else reason
    return replace(found, figures=figures(*points), reason=told)


def steps_by(before: Point, after: Point, at_least: float) -> Verdict:
    """Decide whether the step from one mean to another is at least this part of the first.

    A negative part asks for a step down.
    """
    step = after.step_from(before)
    reason = f"{after.what} is {step:+.1%} on the step before, {at_least:+.0%} asked"
    beyond = after.above(before, 1 + at_least)
    margin = beyond.negated if at_least < 0 else beyond
    found = margin_is_positive(replace(margin, what="what it is beyond"), or_zero=True)
    told = f"{reason}: {found.reason}" if found.reason else reason
    return replace(found, figures=figures(before, after), reason=told)


def in_band(
    point: Point, low: float | None, high: float | None, printed: float | None = None
) -> Verdict:
    """Decide whether a mean lies in a closed interval; an absent end leaves it open.

    ``printed`` is the number that the paper has for it.
    """
    ends = [end for end in (low, high) if end is not None]
    [shown] = (replace(each, printed=printed) for each in figures(point, beside=ends))
    margins = []
    if low is not None:
        margins.append(point.above(Point.exactly("the end", low)))
    if high is not None:
        margins.append(Point.exactly("the end", high).above(point))
    parts = [
        margin_is_positive(replace(each, what="what it lies within"), or_zero=True)
        for each in margins
    ]
    found = all_of(parts)
    told = f"{shown}, {_asked(low, high)} asked"
    return replace(
        found, figures=(shown,), reason=f"{told}: {found.reason}" if found.reason else told
    )


def best(points: Sequence[Point], wanted: Sequence[Point], within: float, sign: int) -> Verdict:
    """Decide whether the highest mean (sign 1) or the lowest (-1) is among those wanted.

    A point that is better by no more than this part of its mean is forgiven.
    """
    champion = max(wanted, key=lambda point: sign * point.mean)
    parts = [
        _beaten(other, champion, within, sign)
        for other in points
        if all(other is not each for each in wanted)
    ]
    return all_of(parts, f"{champion.what} is the {'highest' if sign > 0 else 'lowest'}")


def _beaten(other: Point, champion: Point, within: float, sign: int) -> Verdict:
    low, high = (other, champion) if sign > 0 else (champion, other)
    found = below(low, high) if not within else not_above(low, high, within)
    return replace(found, figures=figures(other, champion))


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

    By Wilson's interval; where all runs are on the side that is asked for, none speaks against it.
    """
    n, part = point.summary.n, point.mean
    count = round(part * n)
    least, most = wilson(count, n)
    shown = (Figure(f"part of the replications with {point.what}", part, None, n),)
    told = f"{point.what} in {count} of {n} replications (95 %: {least:.3f} to {most:.3f})"
    found = _probable(count, n, low, high)
    needs = _needed_for(part, n, low, high) if found is Status.UNRESOLVED else None
    reason = f"{told}, {_asked(low, high)} asked"
    if found is Status.UNRESOLVED:
        reason += f": {_many(needs)} replications would decide"
    return Verdict(found, shown, reason, (), needs)


def _probable(count: int, n: int, low: float | None, high: float | None) -> Status:
    least, most = wilson(count, n)
    is_all = (low is None or count == n) and (high is None or count == 0)
    if n == 1 or is_all:
        return Status.AGREES if is_all else Status.UNEXPLAINED
    if (low is not None and most < low) or (high is not None and least > high):
        return Status.UNEXPLAINED
    is_within = (low is None or least >= low) and (high is None or most <= high)
    return Status.AGREES if is_within else Status.UNRESOLVED


def _needed_for(part: float, n: int, low: float | None, high: float | None) -> int | None:
    """Give how many replications with this part of them would decide; None for a million."""
    while n < _MOST_RUNS:
        n = ceil(1.1 * n) + 1
        if _probable(round(part * n), n, low, high) is not Status.UNRESOLVED:
            return n
    return None


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
    return all_of([*parts, Verdict(Status.AGREES, figures(*points))])


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
    status = Status.AGREES if is_in else Status.UNEXPLAINED
    return Verdict(status, shown, f"{said}, {_asked(low, high)} asked")


def _asked(low: float | None, high: float | None) -> str:
    ends = [None if end is None else plain(end) for end in (low, high)]
    if ends[0] == ends[1]:
        return f"exactly {ends[0]}"
    if None in ends:
        return f"at least {ends[0]}" if high is None else f"at most {ends[1]}"
    return f"{ends[0]} to {ends[1]}"
