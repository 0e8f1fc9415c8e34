"""A scenario in closed forms: every cell of its sweep, without a run.

Here scenarios meet closed forms, which know nothing of each other but the plan.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anechoic.calc.answer import Answer, FlowAnswer
from anechoic.calc.plan import solve
from anechoic.campaign.api import prepared
from anechoic.campaign.cells import Value
from anechoic.campaign.numbers import NOTHING, plain
from anechoic.campaign.options import source_name
from anechoic.campaign.sweep import axes_of, cells_of
from anechoic.campaign.table import fitted
from anechoic.fitting import wrapped
from anechoic.running import located
from anechoic.scenario.emulation import check_is_simulated
from anechoic.scenario.model import Scenario

NUMBERS = (
    "goodput_mbps",
    "capacity_mbps",
    "rtt_ms",
    "idle_rtt_ms",
    "window_over_rtt_mbps",
    "airtime_share",
)
"""What is told of a flow."""


@dataclass(frozen=True)
class CalculatedCell:
    """One combination of the swept parameters, and what is worked out of it."""

    parameters: dict[str, Value]
    answer: Answer

    @property
    def metrics(self) -> dict[str, float]:
        """Give what a run measures too, by the names that it has there."""
        return self.answer.metrics()

    @property
    def flows(self) -> tuple[FlowAnswer, ...]:
        """Give the answers of all flows."""
        return self.answer.flows


@dataclass(frozen=True, repr=False)
class Calculation:
    """What closed forms answer for a scenario."""

    title: str
    axes: tuple[str, ...]
    cells: tuple[CalculatedCell, ...]

    def __repr__(self) -> str:
        """Count what it holds."""
        answered = sum(each.is_answered for cell in self.cells for each in cell.flows)
        flows = sum(len(cell.flows) for cell in self.cells)
        return f"<Calculation: {len(self.cells)} cells, {answered} of {flows} flows answered>"

    def rows(self) -> list[dict[str, Any]]:
        """Give a row for each cell and flow."""
        return [
            {**cell.parameters, **each.document()} for cell in self.cells for each in cell.flows
        ]

    def document(self) -> dict[str, Any]:
        """Give everything, ready for JSON."""
        return {
            "title": self.title,
            "cells": [
                {
                    "parameters": cell.parameters,
                    "metrics": cell.metrics,
                    "flows": [each.document() for each in cell.flows],
                }
                for cell in self.cells
            ],
        }

    def to_json(self) -> str:
        """Give the document as JSON."""
        return json.dumps(self.document(), indent=2, allow_nan=False, ensure_ascii=False) + "\n"

    def text(self) -> str:
        """Write a table, alike flows in one line, and below what was used and left out."""
        given = [
            name
            for name in NUMBERS
            if any(getattr(each, name) is not None for cell in self.cells for each in cell.flows)
        ]
        rows = [
            [*(str(cell.parameters[axis]) for axis in self.axes), label, *numbers]
            for cell in self.cells
            for label, numbers in _lines(cell, given)
        ]
        first = len(self.axes) + 1
        lines = fitted([*self.axes, "flow", *given], rows, range(first + 1, first + len(given)))
        title = [wrapped(self.title)] if self.title else []
        return "\n".join([*title, *lines, *map(wrapped, self._notes())])

    def _notes(self) -> Iterator[str]:
        yield "calculated, not run"
        yield from dict.fromkeys(each.told for cell in self.cells for each in cell.flows)


def calculate(
    source: str | Path | Scenario,
    *,
    set: Mapping[str, Any] | None = None,  # noqa: A002 (as the command line calls it)
    sweep: Mapping[str, Sequence[Any]] | None = None,
) -> Calculation:
    """Work a scenario out in closed forms, every cell of its sweep, without a run.

    ``source``, ``set`` and ``sweep`` are those of ``run``. What no form is known of has no number,
    and says why.
    """
    source, _ = located(source)
    scenario = prepared(source, set=set, sweep=sweep)
    check_is_simulated(scenario, source_name(source))
    axes = tuple(axis.name for axis in axes_of(scenario))
    cells = (CalculatedCell(cell.parameters, solve(cell.plan)) for cell in cells_of(scenario))
    return Calculation(scenario.title, axes, tuple(cells))


def _lines(cell: CalculatedCell, names: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Give the lines of a cell: flows of one traffic that are alike together, and all of them."""
    alike: dict[tuple[str, ...], list[FlowAnswer]] = {}
    for each in cell.flows:
        told = (each.flow.rpartition("-")[0], each.form, *map(str, _numbers(each)))
        alike.setdefault(told, []).append(each)
    for flows in alike.values():
        yield _label(flows), [_shown(getattr(flows[0], name)) for name in names]
    total = cell.metrics.get("goodput_mbps")
    if total is not None and sum(each.goodput_mbps is not None for each in cell.flows) > 1:
        yield "all", [_shown(total if name == "goodput_mbps" else None) for name in names]


def _label(flows: Sequence[FlowAnswer]) -> str:
    """Name one flow, or how many they are."""
    traffic, _, _ = flows[0].flow.rpartition("-")
    return flows[0].flow if len(flows) == 1 else f"{traffic} × {len(flows)}, each"


def _numbers(flow: FlowAnswer) -> list[float | None]:
    return [getattr(flow, name) for name in NUMBERS]


def _shown(value: float | None) -> str:
    return NOTHING if value is None else plain(value)
