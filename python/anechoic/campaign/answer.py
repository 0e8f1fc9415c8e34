"""The answer to a scenario's question: a sentence along one axis, and a table of all cells."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from anechoic.campaign.asked import Quantity, asked, window_of
from anechoic.campaign.cells import Axis, Cell
from anechoic.campaign.helping import Comparison, difference_of, helps
from anechoic.campaign.periods import windows
from anechoic.campaign.spans import is_alike, short
from anechoic.scenario.model import Scenario

_MOST_LISTED = 4
"""Values of an axis that a sentence lists; of more it tells the least and the largest."""
_MOST_BESIDE = 3
"""Quantities that a sentence tells beside the first."""

_PAIRS = 2
"""Replications of either cell from which on a difference has an interval."""

Values = Sequence[float | None]


@dataclass(frozen=True, slots=True)
class Answer:
    """What was asked for, in one sentence, and by cell."""

    text: str
    helps: str
    """The values of the axis that help, and their price; empty where none is known to."""
    quantities: Sequence[Quantity]
    compared: Comparison

    def tells(self, measured: str) -> bool:
        """Say whether a quantity of such a metric is in the answer."""
        return any(each.measured.startswith(measured) for each in self.quantities)

    @property
    def is_goodput_alone(self) -> bool:
        """Tells that goodput is all that was asked for, which every table of metrics has."""
        return all(each.measured == "goodput_mbps" for each in self.quantities)

    def document(self, cells: Sequence[Cell]) -> dict[str, Any]:
        """Return it ready for JSON: the sentence, and a row for each cell."""
        rows = [
            {
                "parameters": cell.parameters,
                "quantities": [_for_json(each, cell) for each in self.quantities],
            }
            for cell in cells
        ]
        return {"text": self.text, "helps": self.helps, "cells": rows}


def answer(scenario: Scenario, axes: Sequence[Axis], cells: Sequence[Cell]) -> Answer:
    """Answer what a scenario asks, by the cells of its campaign."""
    wanted = asked(scenario, cells)
    quantities = [each for each in wanted if _is_given(each, cells)]
    rows = _rows(axes, cells)
    said = [each for each in quantities if each.said]
    missing = [each.label for each in wanted if each.said and each not in quantities]
    none = f"No replication gave a value of {_and(missing)}. " if missing else ""
    if not said:
        return Answer(none.strip(), "", quantities, rows[0])
    # Of a call's two ways, or of two pings, the one is told first on which the sweep tells most.
    alike = [each for each in said if (each.unit, each.of) == (said[0].unit, said[0].of)]
    lead, compared = max(
        ((each, row) for each in alike for row in rows), key=lambda pair: _effect(*pair)
    )
    beside = [each for each in said if each is not lead][:_MOST_BESIDE]
    text = none + _sentence(lead, beside, compared, _when(scenario))
    return Answer(text, helps(lead, beside, compared), quantities, compared)


def _is_given(quantity: Quantity, cells: Sequence[Cell]) -> bool:
    return any(quantity.mean(cell) is not None for cell in cells)


def _rows(axes: Sequence[Axis], cells: Sequence[Cell]) -> list[Comparison]:
    """Return the cells along each axis, the others at their first value."""
    first = cells[0].parameters
    rows = []
    for axis in axes:
        held = {name: value for name, value in first.items() if name != axis.name}
        along = [cell for cell in cells if held.items() <= cell.parameters.items()]
        rows.append(Comparison(axis, along))
    return rows or [Comparison(None, cells[:1])]


def _effect(quantity: Quantity, row: Comparison) -> float:
    """Return the part of the largest value by which the least one is below it."""
    given = _given([quantity.mean(cell) for cell in row.cells])
    return (max(given) - min(given)) / max(given) if given and max(given) > 0 else 0.0


def _given(values: Values) -> list[float]:
    return [value for value in values if value is not None]


def _when(scenario: Scenario) -> str:
    window = window_of(scenario)
    return f"in the window {window} ({windows(scenario)[window]})" if window else ""


def _sentence(lead: Quantity, beside: Sequence[Quantity], row: Comparison, when: str) -> str:
    told = _told(lead, row)
    begin = ", ".join(filter(None, [when, row.held and f"with {row.held}"]))
    subject = f"{begin}, {lead.said}" if begin else lead.said
    values = _listed(lead, told, row.axis, len(row.cells))
    others = "".join(f"; {each.said} {_in_order(each, told)}" for each in beside)
    doubt = _doubt(lead, told)
    return f"{subject[0].upper()}{subject[1:]} {values}{others}.{doubt}"


def _doubt(lead: Quantity, told: Sequence[Cell]) -> str:
    """Say that the least and the largest value differ by chance, as far as their pairs tell."""
    given = [cell for cell in told if lead.mean(cell) is not None]
    low, high = min(given, key=lead.known), max(given, key=lead.known)
    if is_alike(lead.known(low), lead.known(high)):
        return ""
    difference = difference_of(lead, high, low)
    if difference.n < _PAIRS or difference.mean > difference.ci95:
        return ""
    ends = " and ".join(lead.written(lead.known(cell)) for cell in (low, high))
    return (
        f" With {difference.n} replications the difference between {ends} is not significant; more "
        "(--reps) may tell."
    )


def _told(lead: Quantity, row: Comparison) -> list[Cell]:
    """Choose the cells that a sentence names: all, or those of the least and largest value."""
    if len(row.cells) <= _MOST_LISTED:
        return list(row.cells)
    given = [cell for cell in row.cells if lead.mean(cell) is not None]
    least, largest = min(given, key=lead.known), max(given, key=lead.known)
    return [cell for cell in row.cells if cell is least or cell is largest]


def _listed(lead: Quantity, told: Sequence[Cell], axis: Axis | None, count: int) -> str:
    values = [lead.mean(cell) for cell in told]
    if axis is None or len(told) == 1:
        return _written(lead, values[0])
    if _are_alike(values):
        return f"{_written(lead, values[0])} with each of {count} values of {short(axis.name)}"
    texts = []
    for place, (value, cell) in enumerate(zip(values, told, strict=True)):
        name = "" if place else f"{short(axis.name)} = "
        rank = ""
        if len(told) < count:
            rank = ", the least" if value == min(_given(values)) else ", the most"
        texts.append(f"{_written(lead, value)} ({name}{cell.parameters[axis.name]}{rank})")
    return _and(texts)


def _in_order(quantity: Quantity, told: Sequence[Cell]) -> str:
    values = [quantity.mean(cell) for cell in told]
    texts = [_written(quantity, value) for value in values]
    if len(set(texts)) == 1:
        return texts[0] + (" with each" if len(texts) > 1 else "")
    return f"{_and(_with_one_unit(texts))}, respectively"


def _with_one_unit(texts: Sequence[str]) -> list[str]:
    """Leave the unit to the last value where all have the same."""
    numbers, units = zip(*(text.partition(" ")[::2] for text in texts), strict=True)
    return [*numbers[:-1], texts[-1]] if len(set(units)) == 1 else list(texts)


def _are_alike(values: Values) -> bool:
    given = _given(values)
    return len(given) == len(values) and is_alike(min(given), max(given))


def _written(quantity: Quantity, value: float | None) -> str:
    return "unknown" if value is None else quantity.written(value)


def _and(texts: Sequence[str]) -> str:
    *others, last = texts
    return f"{', '.join(others)} and {last}" if others else last


def _for_json(quantity: Quantity, cell: Cell) -> dict[str, Any]:
    found = quantity.summary(cell)
    return {
        "label": quantity.label,
        "unit": quantity.unit,
        "mean": found.mean if found.n else None,
        "ci95": found.ci95 if found.n > 1 else None,
        "n": found.n,
    }
