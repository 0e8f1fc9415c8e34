"""Numbers with their intervals, as comparisons take them."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isnan

from anechoic.campaign.replication import Summary, summarise

_NO_SPREAD = 1e-9
"""A half-width below this part of the values is no spread."""


class MissingPoint(LookupError):
    """A check asked for a cell or a metric that the campaign does not hold."""


@dataclass(frozen=True)
class Point:
    """A summary and what it is of."""

    what: str
    summary: Summary
    unit: str = ""
    is_exact: bool = False
    """No mean of replications, but a bound or a cell's own parameter."""

    @classmethod
    def of(cls, what: str, values: Sequence[float], unit: str = "") -> "Point":
        """Summarise the values of replications; raise MissingPoint if none gave one."""
        summary = summarise(values)
        if summary.n == 0:
            raise MissingPoint(f"no replication gives a value for {what}")
        return cls(what, summary, unit)

    @classmethod
    def exactly(cls, what: str, value: float) -> "Point":
        """Give a number that no replication changes."""
        return cls(what, Summary(value, 0.0, 0.0, value, value, 1, (value,)), is_exact=True)

    @property
    def mean(self) -> float:
        """The mean over the replications."""
        return self.summary.mean

    @property
    def half_width(self) -> float:
        """Half of the width of the 95 % interval; nothing for a single run, which has none.

        What is left of numbers that are all the same is the rounding of 64 bits, and no spread.
        """
        half, size = self.summary.ci95, max(abs(self.summary.min), abs(self.summary.max))
        return 0.0 if isnan(half) or half <= _NO_SPREAD * size else half

    @property
    def low(self) -> float:
        """Lower end of the 95 % interval."""
        return self.summary.mean - self.half_width

    @property
    def high(self) -> float:
        """Upper end of the 95 % interval."""
        return self.summary.mean + self.half_width

    def above(self, other: "Point", times: float = 1.0) -> "Point":
        """Give how far this lies above so many times another, replication by replication.

        Replications share their seed, so that their difference is sharper than either.
        """
        ours, theirs = self.summary.values, other.summary.values
        if self.is_exact:
            ours *= len(theirs)
        if other.is_exact:
            theirs *= len(ours)
        pairs = zip(ours, theirs, strict=False)  # One of the two may have been run less often.
        difference = summarise([_less(one, times * two) for one, two in pairs])
        if difference.n == 0:
            raise MissingPoint(f"no replication gives {self.what} and {other.what}")
        return Point("the difference", difference, self.unit, self.is_exact and other.is_exact)

    @property
    def negated(self) -> "Point":
        """The same on the other side of zero."""
        values = [-value for value in self.summary.values]
        return Point(self.what, summarise(values), self.unit, self.is_exact)

    def step_from(self, other: "Point") -> float:
        """Give how far this mean lies above another, relative to it."""
        return self.mean / other.mean - 1 if other.mean else inf


def _less(one: float, other: float) -> float:
    """Give the difference of two numbers; what rounding leaves of the same is none."""
    difference = one - other
    return 0.0 if abs(difference) <= _NO_SPREAD * max(abs(one), abs(other)) else difference
