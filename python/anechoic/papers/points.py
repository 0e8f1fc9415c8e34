"""Numbers with their intervals, as comparisons take them."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from anechoic.campaign.replication import Summary, summarise


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
    def low(self) -> float:
        """Lower end of the 95 % interval."""
        return self.summary.mean - self.summary.ci95

    @property
    def high(self) -> float:
        """Upper end of the 95 % interval."""
        return self.summary.mean + self.summary.ci95

    def surely_below(self, other: "Point") -> bool:
        """Whether the intervals do not touch and this one is the lower.

        Never true of a mean without an interval, which is NaN and compares false.
        """
        return self.high < other.low

    def step_from(self, other: "Point") -> float:
        """Give how far this mean lies above another, relative to it."""
        return self.mean / other.mean - 1 if other.mean else inf
