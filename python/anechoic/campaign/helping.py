"""The values of an axis that help, and what they cost."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from anechoic.campaign.asked import Quantity
from anechoic.campaign.cells import Axis, Cell, quoted
from anechoic.campaign.replication import Summary, summarise
from anechoic.campaign.spans import is_alike, number, short

_MOST_HELPS = 3
"""Values that a sentence names, those that help most."""
_PAIRS = 2
"""Replications of either cell from which on a difference has an interval."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Cells that differ by the value of one axis alone, or a single cell."""

    axis: Axis | None
    cells: Sequence[Cell]

    @property
    def held(self) -> str:
        """Name the values that all of the cells share; nothing where no other axis is swept."""
        own = self.axis.name if self.axis else ""
        shared = [
            f"{short(name)} = {quoted(value)}"
            for name, value in self.cells[0].parameters.items()
            if name != own
        ]
        return ", ".join(shared)


def difference_of(quantity: Quantity, first: Cell, second: Cell) -> Summary:
    """Summarise first - second, paired by seed."""
    pairs = zip(quantity.summary(first).values, quantity.summary(second).values, strict=False)
    return summarise([one - other for one, other in pairs])


def helps(lead: Quantity, beside: Sequence[Quantity], row: Comparison) -> str:
    """Name the values of an axis that are better than the worst, by how much, and their price."""
    given = [cell for cell in row.cells if lead.mean(cell) is not None]
    if row.axis is None or not lead.better or len(given) < _PAIRS:
        return ""
    better = sorted(given, key=lead.known, reverse=lead.better == "more")
    worst = better.pop()
    helping = [cell for cell in better if _is_other(lead, cell, worst)]
    if not helping:
        return ""
    axis = row.axis.name
    told = (
        f"{quoted(cell.parameters[axis])} ({'; '.join(_changes(lead, beside, cell, worst))})"
        for cell in helping[:_MOST_HELPS]
    )
    against = f"{short(axis)} = {quoted(worst.parameters[axis])}"
    return f"What helps, against {against}: {', '.join(told)}."


def _is_other(quantity: Quantity, cell: Cell, worst: Cell) -> bool:
    """Say whether two cells differ by more than anybody would feel, and than chance."""
    values = [quantity.mean(each) for each in (cell, worst)]
    if None in values or is_alike(quantity.known(cell), quantity.known(worst)):
        return False
    found = difference_of(quantity, cell, worst)
    return found.n >= _PAIRS and abs(found.mean) > found.ci95


def _changes(lead: Quantity, beside: Sequence[Quantity], cell: Cell, worst: Cell) -> Iterator[str]:
    for each in (lead, *beside):
        if each is lead or (each.better and _is_other(each, cell, worst)):
            yield f"{each.label} {_change(each, cell, worst)}"


def _change(quantity: Quantity, cell: Cell, worst: Cell) -> str:
    """Write by how much a cell is off the worst one: in points where percent would mislead."""
    value, from_ = quantity.known(cell), quantity.known(worst)
    word = "less" if value < from_ else "more"
    if quantity.unit in ("", "%") or not from_:
        unit = "points" if quantity.unit in ("", "%") else quantity.unit
        return f"{number(abs(value - from_))} {unit} {word}"
    if value >= 2 * from_:
        return f"{number(value / from_)} times as much"
    return f"{number(100 * abs(value - from_) / from_)} % {word}"
