"""The cells of a sweep: its axes, their values, and what the replications of a cell gave."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from anechoic.campaign.measured import Measured, names_of
from anechoic.campaign.replication import Summary, summarise
from anechoic.scenario.errors import MissingName, unknown_name

Value = bool | int | float | str
Parameters = Mapping[str, Value]

_MOST_NAMES = 4
"""Cells named in a sentence; the others are counted."""

SUMMARY_FIELDS = ("mean", "ci95", "sd", "min", "max", "n")
OWN_COLUMNS = frozenset(
    {*SUMMARY_FIELDS, "metric", "replications", "limit_reached"}  # of a table of summaries
    | {"replication", "scope", "of", "window", "value"}  # of the table of values
)
"""Columns that the tables of a campaign have beside its axes."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A swept parameter and its values."""

    name: str
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Calculated:
    """What closed forms say of a cell."""

    metrics: Mapping[str, float] = field(default_factory=dict)
    """By the names of what a run measures."""
    by: tuple[str, ...] = ()
    """Which forms they are and what these leave out, traffic by traffic."""


class Summaries(Mapping[str, Summary]):
    """The metrics of a cell, each summarised when it is asked for.

    A cell may have thousands of them, of which a claim asks for a handful, and a sweep thousands
    of cells: only the numbers themselves are kept.
    """

    def __init__(self, replications: Sequence[Measured]) -> None:
        """Take what each replication gave; a metric may be missing in some."""
        self._replications = replications
        self._names = names_of(replications)

    def __getitem__(self, metric: str) -> Summary:
        """Give the summary of a metric."""
        if metric not in self._names:
            raise KeyError(metric)
        return summarise([each.number(metric) for each in self._replications])

    def __contains__(self, metric: object) -> bool:
        """Say whether any replication gave it."""
        return metric in self._names

    def __iter__(self) -> Iterator[str]:
        """Go through the names."""
        return iter(self._names)

    def __len__(self) -> int:
        """Count them."""
        return len(self._names)


@dataclass(frozen=True, slots=True, repr=False)
class Cell:
    """One combination of the swept parameters, and what its replications gave."""

    parameters: dict[str, Value]
    replications: int
    limit_reached: bool
    metrics: Mapping[str, Summary]
    calculated: dict[str, float] = field(default_factory=dict)
    """What closed forms say of the same metrics, of those that they answer."""
    calculated_by: tuple[str, ...] = ()
    """Which forms those are and what they leave out, traffic by traffic."""

    def __getitem__(self, metric: str) -> Summary:
        """Give the summary of a metric."""
        if metric not in self.metrics:
            where = f"the cell {self.name}" if self.parameters else "the cell"
            problem = unknown_name("", metric, self.metrics, "metric")
            raise MissingName(where, [problem])
        return self.metrics[metric]

    @property
    def name(self) -> str:
        """Name the cell by its parameters."""
        return ", ".join(f"{name} = {quoted(value)}" for name, value in self.parameters.items())

    def __repr__(self) -> str:
        """Name the cell and count what it holds."""
        name = f"{self.name}: " if self.parameters else ""
        return f"<Cell {name}n = {self.replications}, {len(self.metrics)} metrics>"


def quoted(value: Value) -> str:
    """Write a value of an axis, in quotation marks where a comma in it would end it in a list."""
    return f"“{value}”" if "," in str(value) else str(value)


def is_ping(cell: Cell, flow: str) -> bool:
    """Say whether a flow is a ping: round trips are timed, of echoes, or without data."""
    of = f"flow.{flow}"
    return f"{of}.rtt_ms_mean" in cell.metrics and (
        f"{of}.replies" in cell.metrics or f"{of}.goodput_mbps" not in cell.metrics
    )


def of_all(found: Sequence[Cell], cells: Sequence[Cell]) -> str:
    """Say which of all cells are meant: each by its name, unless it is all of them."""
    count = f"{len(found)} of {len(cells)} cells"
    if len(found) == len(cells):
        return count
    left = len(found) - _MOST_NAMES
    names = "; ".join(cell.name for cell in found[:_MOST_NAMES])
    return f"{count} ({names}{f'; and {left} more' if left > 0 else ''})"
