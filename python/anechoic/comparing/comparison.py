"""Campaigns side by side, and what they differ by."""

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anechoic.campaign.cells import Cell, Value
from anechoic.campaign.replication import Summary
from anechoic.campaign.results import Results
from anechoic.campaign.table import fitted
from anechoic.comparing.differences import Difference, paired, unpaired
from anechoic.comparing.round_trips import PING, TCP
from anechoic.comparing.rows import Row, axes_of, metrics_of, notes, share_draws
from anechoic.comparing.side import Side, side_of
from anechoic.fitting import wrapped
from anechoic.scenario.errors import Problem, ScenarioError, unknown_name

_USUAL = ("goodput_mbps", "rtt_ms_mean", "tcp.retransmissions")
_MOST = 6
"""Metrics that are compared where none is named."""


@dataclass(frozen=True, repr=False)
class Comparison:
    """Sides, of which the first is what the others are held against."""

    sides: Sequence[Side]
    rows: Sequence[Row]

    def __repr__(self) -> str:
        """Name the sides."""
        return f"<Comparison of {', '.join(side.name for side in self.sides)}>"

    @property
    def metrics(self) -> list[str]:
        """Name the metrics compared, in their order."""
        return metrics_of(self.rows)

    def document(self) -> dict[str, Any]:
        """Give everything, ready for JSON; what is not known is null."""
        return {
            "sides": [
                {"name": each.name, "kind": each.kind, "path": each.path, "seed": each.seed}
                for each in self.sides
            ],
            "rows": [
                {
                    "parameters": row.parameters,
                    "metric": row.metric,
                    "sides": [_summary(each) for each in row.summaries],
                    "differences": [_difference(each) for each in row.differences],
                }
                for row in self.rows
            ],
        }

    def to_json(self) -> str:
        """Give the document as JSON."""
        return json.dumps(self.document(), indent=2, allow_nan=False, ensure_ascii=False) + "\n"

    def columns(self) -> dict[str, list[Any]]:
        """Give a row for each cell, metric and side as columns, for data frames."""
        names = dict.fromkeys(name for row in self.rows for name in row.parameters)
        table: dict[str, list[Any]] = {name: [] for name in names}
        own = ("metric", "side", "mean", "ci95", "n", "difference", "difference_ci95", "paired")
        table |= {name: [] for name in own}
        for row in self.rows:
            differences = [None, *row.differences]
            for side, found, less in zip(self.sides, row.summaries, differences, strict=True):
                values = {**dict.fromkeys(names), **row.parameters, "metric": row.metric}
                values |= {"side": side.name}
                values |= dict.fromkeys(("mean", "ci95", "n"))
                values |= dict.fromkeys(("difference", "difference_ci95", "paired"))
                if found is not None:
                    values |= {"mean": found.mean, "ci95": found.ci95, "n": found.n}
                if less is not None:
                    values |= {"difference": less.mean, "difference_ci95": less.ci95}
                    values |= {"paired": less.is_paired}
                for name, column in table.items():
                    column.append(values[name])
        return table

    def text(self) -> str:
        """Write a table for each metric, and what the numbers are."""
        parts = [f"{metric}\n" + "\n".join(self._table(metric)) for metric in self.metrics]
        return "\n\n".join([*parts, "\n".join(map(wrapped, notes(self.sides, self.rows)))])

    def write(self, out: str | Path) -> Path:
        """Write ``comparison.html``, one page, and ``comparison.json`` into a folder."""
        from anechoic.comparing.page import write

        return write(self.sides, self.rows, self.to_json(), Path(out))

    def _repr_html_(self) -> str:
        from anechoic.comparing.page import tables

        return tables(self.sides, self.rows)

    def _table(self, metric: str) -> list[str]:
        """Give a line for each cell and side; what is said of a cell stands at its first."""
        found = [row for row in self.rows if row.metric == metric]
        axes, names = axes_of(found), [side.name for side in self.sides]
        rows = []
        for row in found:
            texts = row.texts()
            values, differences = texts[: len(names)], ["", *texts[len(names) :]]
            cell = [str(row.parameters.get(axis, "")) for axis in axes]
            for name, value, less in zip(names, values, differences, strict=True):
                rows.append([*cell, name, value, less])
                cell = [""] * len(axes)
        return fitted([*axes, "side", "mean", f"− {names[0]}"], rows)


def compare(*sources: "str | Path | Results", metrics: Sequence[str] | None = None) -> Comparison:
    """Set campaigns side by side: each metric of each cell, with differences from the first.

    A source is the folder of a campaign, its ``Results``, a file of ``iperf3 --json``, Flent, irtt,
    crusader or ndt7, or a folder of such files, which are then replications of one measurement.
    Cells go together that have the same values of the axes that all campaigns have; differences
    between campaigns of one seed are paired by it.
    """
    if len(sources) < 2:
        raise ScenarioError(
            "compare", [Problem("", "there is nothing to compare with", "two or more")]
        )
    sides = _named([side_of(source) for source in sources])
    chosen = _metrics(sides, metrics)
    rows = [
        _row(parameters, metric, cells, sides)
        for parameters, cells in _together(sides)
        for metric in chosen
    ]
    return Comparison(sides, [row for row in rows if any(row.summaries)])


def _named(sides: Sequence[Side]) -> list[Side]:
    """Give each side a name of its own: its folder's, or else the whole path."""
    from dataclasses import replace

    names = [side.name for side in sides]
    paths = [side.path for side in sides]
    named = []
    for place, side in enumerate(sides):
        name = side.name if names.count(side.name) == 1 else side.path
        if not name or paths.count(side.path) > 1:
            name = f"{side.name} {place + 1}"
        named.append(replace(side, name=name))
    return named


def _metrics(sides: Sequence[Side], asked: Sequence[str] | None) -> list[str]:
    held = [side.metrics() for side in sides]
    known = dict.fromkeys(name for each in held for name in each)
    if asked is not None:
        unknown = [name for name in asked if name not in known]
        if unknown:
            raise ScenarioError("compare", [unknown_name("--metric", unknown[0], known, "metric")])
        return list(dict.fromkeys(asked))
    is_of_others = any(side.kind != "campaign" for side in sides)
    usual = (*_USUAL, PING, TCP) if is_of_others else _USUAL
    wanted = dict.fromkeys([*(name for side in sides for name in side.headline), *usual])
    shared = [name for name in wanted if sum(name in each for each in held) > 1]
    if not shared:
        what = "they have none of the metrics in common that matter to them"
        raise ScenarioError("compare", [Problem("", what, "--metric NAME")])
    return shared[:_MOST]


def _together(sides: Sequence[Side]) -> Iterator[tuple[dict[str, Value], list[Cell | None]]]:
    """Give the cells that belong together, by the axes that every side with several cells has."""
    many = [side for side in sides if len(side.cells) > 1]
    common = (
        [axis for axis in many[0].axes if all(axis in side.axes for side in many)] if many else []
    )
    keyed = [_by_key(side, common) for side in sides]
    keys = dict.fromkeys(key for each in keyed for key in each if key is not None)
    for key in keys or [()]:
        cells = [each.get(None) or each.get(key) for each in keyed]
        yield dict(zip(common, key, strict=True)), cells


def _by_key(side: Side, common: Sequence[str]) -> "dict[tuple[Value, ...] | None, Cell]":
    """Give the cells by their values of the common axes; a single one goes with every other."""
    if len(side.cells) == 1:
        return {None: side.cells[0]}
    found: dict[tuple[Value, ...] | None, Cell] = {}
    for cell in side.cells:
        key = tuple(cell.parameters[axis] for axis in common)
        if key in found:
            own = [axis for axis in side.axes if axis not in common]
            what = f"the others do not have its axis {', '.join(own)}"
            allowed = "campaigns of the same axes, or one cell of them (run --set)"
            raise ScenarioError(side.name, [Problem("", what, allowed)])
        found[key] = cell
    return found


def _row(
    parameters: dict[str, Value],
    metric: str,
    cells: Sequence[Cell | None],
    sides: Sequence[Side],
) -> Row:
    summaries = [None if cell is None else cell.metrics.get(metric) for cell in cells]
    first, *others = summaries
    differences = [
        _less(first, other, is_paired=share_draws(sides[0], side))
        for other, side in zip(others, sides[1:], strict=True)
    ]
    return Row(parameters, metric, summaries, differences)


def _less(first: Summary | None, other: Summary | None, *, is_paired: bool) -> Difference | None:
    if first is None or other is None or not first.n or not other.n:
        return None
    return (paired if is_paired else unpaired)(first, other)


def _summary(found: Summary | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {"mean": _known(found.mean), "ci95": _known(found.ci95), "n": found.n}


def _difference(found: Difference | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "mean": _known(found.mean),
        "ci95": _known(found.ci95),
        "n": found.n,
        "paired": found.is_paired,
        "percent": _known(found.percent),
    }


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
