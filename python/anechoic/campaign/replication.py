"""How often a cell is run, with which seeds, and what its values amount to."""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

Verdict = Literal["more", "precise", "limit"]

CONFIDENCE = 0.95
NORMAL_QUANTILE = 1.959963984540054
"""The two-sided quantile of the normal distribution at this confidence."""
SEED_BITS = 63


@dataclass(frozen=True, slots=True)
class Summary:
    """One metric of one cell over its replications.

    A replication that cannot give the metric (no ping was answered, say) has NaN in
    ``values``; ``n`` counts the others. With one value there is no interval: ``ci95`` and
    ``sd`` are NaN then, and null in JSON.
    """

    mean: float
    ci95: float
    sd: float
    min: float
    max: float
    n: int
    values: tuple[float, ...]


def replication_seed(campaign_seed: int, replication: int) -> int:
    """Derive a replication's seed from the campaign's seed.

    The cell takes no part in it, so that replication r of every cell meets the same random numbers
    (common random numbers) and cells can be compared pair by pair.
    """
    text = f"anechoic replication {campaign_seed} {replication}".encode()
    digest = hashlib.blake2b(text, digest_size=8).digest()
    return int.from_bytes(digest, "little") >> (64 - SEED_BITS)


@lru_cache(maxsize=256)
def t_quantile(degrees_of_freedom: int) -> float:
    """Give the two-sided 95 % quantile of Student's t.

    Newton's method from the normal distribution's, which lies below: the probability is concave
    from 0 on, so that every step stays below too. Loading scipy for its `stdtrit`, which gives
    the same to twelve digits, would take a third of the time of a small campaign.
    """
    t, step = NORMAL_QUANTILE, 1.0
    while step > 1e-14 * t:
        missing = CONFIDENCE - _probability_within(t, degrees_of_freedom)
        step = missing / (2 * _density(t, degrees_of_freedom))
        t += step
    return t


def _probability_within(t: float, degrees_of_freedom: int) -> float:
    """Give the probability of -t to t: Abramowitz and Stegun 26.7.3 and 26.7.4."""
    angle = math.atan(t / math.sqrt(degrees_of_freedom))
    cosine, is_odd = math.cos(angle), degrees_of_freedom % 2
    term = cosine if is_odd else 1.0
    terms = []
    for last in range(2 + is_odd, degrees_of_freedom + 1, 2):
        terms.append(term)
        term *= cosine * cosine * (last - 1) / last
    total = math.sin(angle) * math.fsum(terms)
    return 2 / math.pi * (angle + total) if is_odd else total


def _density(t: float, degrees_of_freedom: int) -> float:
    half = degrees_of_freedom / 2
    height = math.exp(math.lgamma(half + 0.5) - math.lgamma(half))
    return height / math.sqrt(2 * math.pi * half) * math.pow(1 + t * t / (2 * half), -half - 0.5)


def standard_deviation(values: Sequence[float]) -> float:
    """Give the sample standard deviation: the root of the whole fraction, over n - 1.

    Two passes, because the sum of squares loses every digit when the spread is small
    against the mean.
    """
    if len(values) < 2:
        return math.nan
    mean = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))


def half_width(values: Sequence[float]) -> float:
    """Give the half-width of the 95 % Student-t interval of the mean."""
    return _half_width(standard_deviation(values), len(values))


def _half_width(sd: float, n: int) -> float:
    return t_quantile(n - 1) * sd / math.sqrt(n) if n > 1 else math.nan


def summarise(values: Sequence[float]) -> Summary:
    """Summarise a metric's values, one for each replication."""
    given = [value for value in values if not math.isnan(value)]
    nan = math.nan
    if not given:
        return Summary(nan, nan, nan, nan, nan, 0, tuple(values))
    if len(given) == 1:
        return Summary(given[0], nan, nan, given[0], given[0], 1, tuple(values))
    sd = standard_deviation(given)
    return Summary(
        mean=math.fsum(given) / len(given),
        ci95=_half_width(sd, len(given)),
        sd=sd,
        min=min(given),
        max=max(given),
        n=len(given),
        values=tuple(values),
    )


@dataclass(frozen=True, slots=True)
class StoppingRule:
    """When a cell has been run often enough.

    ``precision`` is the relative half-width of the 95 % interval of ``metric``; None stands
    for a fixed number of replications, which no interval shortens or prolongs.
    """

    metric: str
    minimum: int
    maximum: int
    precision: float | None

    @classmethod
    def exactly(cls, metric: str, replications: int) -> "StoppingRule":
        """Give the rule of a fixed number of replications."""
        return cls(metric, replications, replications, None)

    def verdict(self, values: Sequence[float]) -> Verdict:
        """Say whether these values of the metric, in the order of replications, suffice."""
        if len(values) < self.minimum:
            return "more"
        if self.precision is None or self._is_precise(values, self.precision):
            return "precise"
        return "limit" if len(values) >= self.maximum else "more"

    def expected(self, values: Sequence[float]) -> int:
        """Estimate how many replications it will take, from the spread so far."""
        given = [value for value in values if not math.isnan(value)]
        if self.precision is None or len(given) < 2:
            return self.minimum
        mean = abs(math.fsum(given) / len(given))
        if mean == 0:
            return self.maximum
        # The half-width shrinks with the root of n.
        needed = math.ceil(len(given) * (half_width(given) / mean / self.precision) ** 2)
        return min(self.maximum, max(self.minimum, needed))

    def _is_precise(self, values: Sequence[float], precision: float) -> bool:
        given = [value for value in values if not math.isnan(value)]
        if len(given) < 2:
            return False
        mean = math.fsum(given) / len(given)
        return half_width(given) <= precision * abs(mean)
