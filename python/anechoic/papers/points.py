"""The results of a campaign as functions of its parameters."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import inf, nan

from anechoic.campaign.replication import Summary, summarise
from anechoic.campaign.results import Cell, Parameters, Results, Value

Formula = Callable[[Callable[[str], float]], float]
"""A number worked out from the metrics of one replication, which it asks for by name."""


class MissingPoint(LookupError):
    """A check asked for a cell or a metric that the campaign does not hold."""


@dataclass(frozen=True)
class Point:
    """A summary and what it is of."""

    what: str
    summary: Summary
    unit: str = ""

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

    def over(self, other: "Point", what: str) -> "Point":
        """Give the ratio of two points, paired by seed; NaN where the other is zero."""
        return combined(what, lambda mine, others: mine / others, self, other)

    def step_from(self, other: "Point") -> float:
        """Give how far this mean lies above another, relative to it."""
        return self.mean / other.mean - 1 if other.mean else inf


def combined(what: str, formula: Callable[..., float], *points: Point, unit: str = "") -> Point:
    """Give a function of several points, paired by seed; NaN where it would divide by zero."""

    def worked_out(values: tuple[float, ...]) -> float:
        try:
            return formula(*values)
        except ZeroDivisionError:
            return nan

    together = zip(*(point.summary.values for point in points), strict=False)
    return Point(what, summarise([worked_out(values) for values in together]), unit)


class Points:
    """The cells of one campaign, found by their parameters."""

    def __init__(self, results: Results) -> None:
        """Take the cells of these results."""
        self._results = results

    @property
    def fewest_replications(self) -> int:
        """The smallest number of replications that a mean rests on."""
        return min((cell.replications for cell in self._results.cells), default=0)

    def combinations(self) -> list[dict[str, Value]]:
        """Give the parameters of every cell."""
        return [dict(cell.parameters) for cell in self._results.cells]

    def values(self, axis: str) -> list[Value]:
        """Give the swept values of an axis, in the order of the campaign."""
        for swept in self._results.axes:
            if swept.name == axis:
                return list(swept.values)
        raise MissingPoint(f"the campaign does not sweep {axis}")

    def numbers(self, axis: str) -> list[int]:
        """Give the swept values of a numeric axis, ascending."""
        return sorted(int(value) for value in self.values(axis))

    def derived(self, formula: Formula, what: str, parameters: Parameters, unit: str = "") -> Point:
        """Give a function of several metrics of one cell, worked out for each replication."""
        cell = self._cell(parameters)
        values = [_worked_out(formula, cell, r) for r in range(cell.replications)]
        summary = summarise(values)
        if summary.n == 0:
            raise MissingPoint(f"no replication gives a value for {what}")
        return Point(what, summary, unit)

    def _cell(self, parameters: Parameters) -> Cell:
        try:
            return self._results.select(parameters)
        except LookupError as error:
            raise MissingPoint(str(error)) from error


def _worked_out(formula: Formula, cell: Cell, replication: int) -> float:
    try:
        return formula(partial(_value, cell, replication))
    except ZeroDivisionError:
        return nan


def _value(cell: Cell, replication: int, metric: str) -> float:
    if metric not in cell.metrics:
        raise MissingPoint(f"the results hold no metric {metric}")
    return cell.metrics[metric].values[replication]
