"""The difference between two means, with its interval."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from anechoic.campaign.replication import Summary, standard_deviation, summarise, t_quantile


@dataclass(frozen=True, slots=True)
class Difference:
    """Second less first: its mean, the half-width of its 95 % interval, and what it rests on.

    ``n`` counts pairs where it is paired by seed, and the fewer of both sides' values elsewhere;
    ``ci95`` is NaN where either side has too few.
    """

    mean: float
    ci95: float
    n: int
    is_paired: bool
    percent: float
    """Of the first's mean; NaN where that is zero."""

    @property
    def is_clear(self) -> bool:
        """Say whether the interval leaves out zero."""
        return abs(self.mean) > self.ci95


def paired(first: Summary, second: Summary) -> Difference:
    """Compare replication by replication: those of one seed share their random numbers."""
    pairs = zip(first.values, second.values, strict=False)
    found = summarise([b - a for a, b in pairs])
    return Difference(found.mean, found.ci95, found.n, True, _percent(found.mean, first))


def unpaired(first: Summary, second: Summary) -> Difference:
    """Compare means of values that have nothing in common (Welch 1947)."""
    mean = second.mean - first.mean
    sides = [[value for value in each.values if not math.isnan(value)] for each in (first, second)]
    n = min(map(len, sides))
    return Difference(mean, _welch(*sides), n, False, _percent(mean, first))


def _welch(first: Sequence[float], second: Sequence[float]) -> float:
    if min(len(first), len(second)) < 2:
        return math.nan
    parts = [standard_deviation(values) ** 2 / len(values) for values in (first, second)]
    variance = sum(parts)
    if variance == 0:
        return 0.0
    counts = (len(first), len(second))
    weights = (part**2 / (n - 1) for part, n in zip(parts, counts, strict=True))
    # Rounded down to whole degrees, which makes the interval no narrower.
    degrees = math.floor(variance**2 / sum(weights))
    return t_quantile(max(degrees, 1)) * math.sqrt(variance)


def _percent(mean: float, first: Summary) -> float:
    return 100 * mean / abs(first.mean) if first.n and first.mean else math.nan
