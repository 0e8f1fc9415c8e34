"""What a campaign found: cells, summaries and the differences between cells."""

import itertools
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import pydantic_core

from anechoic.campaign.cell_run import CellRun, finished_runs
from anechoic.campaign.cells import SUMMARY_FIELDS, Axis, Cell, Parameters, Summaries, Value
from anechoic.campaign.replication import Summary, summarise
from anechoic.campaign.store import Store
from anechoic.csv_text import csv_text
from anechoic.libraries import library
from anechoic.scenario.errors import MissingName, Problem
from anechoic.scenario.load import from_data
from anechoic.scenario.model import Scenario

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow
    from matplotlib.figure import Figure

    from anechoic.campaign.answer import Answer
    from anechoic.campaign.in_short import Finding
    from anechoic.campaign.steps import Steps
    from anechoic.tables.table import Table

_SEVERAL = 2
"""Windows of which the answer tells one, and the findings each."""


@dataclass(frozen=True, repr=False)
class Results:
    """The cells of a finished campaign."""

    campaign: dict[str, Any]
    scenario: Scenario
    axes: list[Axis]
    cells: list[Cell]
    out: Path | None = None

    drawn_by: ClassVar["Callable[[Results], str] | None"] = None
    """What a notebook shows of results, in HTML; whoever can draw says so here."""

    plotted_by: ClassVar["Callable[[Results, str | None], Figure]"]
    """What draws a figure of results; likewise."""

    @classmethod
    def load(cls, out: str | Path) -> "Results":
        """Read a finished campaign from its folder, without running anything."""
        store = Store.open(Path(out))
        campaign = store.manifest["campaign"]
        scenario = from_data(store.manifest["scenario"], campaign["file"], store.manifest["text"])
        return results_of(store, scenario, finished_runs(store))

    def __repr__(self) -> str:
        """Name the campaign and count what it holds."""
        axes = "".join(f", {axis.name} × {len(axis.values)}" for axis in self.axes)
        cells = f"{len(self.cells)} cell{'s' if len(self.cells) != 1 else ''}"
        return f"<Results of {self.campaign.get('name')}: {cells}{axes}>"

    def cell(self, **parameters: Value) -> Cell:
        """Give the one cell whose parameters have these values."""
        return self.select(parameters)

    def select(self, parameters: Parameters) -> Cell:
        """Give the one cell whose parameters have these values, whatever their names."""
        found = [cell for cell in self.cells if parameters.items() <= cell.parameters.items()]
        if len(found) == 1:
            return found[0]
        axes = "; ".join(f"{axis.name} = {', '.join(map(str, axis.values))}" for axis in self.axes)
        asked = ", ".join(f"{name} = {value}" for name, value in parameters.items()) or "any values"
        what = f"{len(found)} cells have {asked}, one was asked for"
        raise MissingName("results", [Problem("", what, axes or "no parameters")])

    def difference(self, first: Cell, second: Cell, metric: str) -> Summary:
        """Summarise first - second, paired by seed: replication r of one with r of the other."""
        pairs = zip(first[metric].values, second[metric].values, strict=False)
        return summarise([a - b for a, b in pairs])

    @cached_property
    def answer(self) -> "Answer":
        """What the scenario asked for: a sentence along one axis, and the quantities by cell."""
        from anechoic.campaign.answer import answer

        return answer(self.scenario, self.axes, self.cells)

    def in_short(self) -> "list[Finding]":
        """Say in sentences what failed, who got what, what took how long, and where it waited."""
        from anechoic.campaign.in_short import Finding, in_short
        from anechoic.campaign.not_given import not_given
        from anechoic.campaign.on_the_air import on_the_air
        from anechoic.campaign.periods import windows

        missing = [Finding("not_given", text) for text in not_given(self.scenario, self.cells)]
        compared, periods = self.answer.compared.cells, windows(self.scenario)
        found = in_short(self.cells, compared, self.scenario.traffic, periods)
        told = [each for each in found if not self._is_answered(each, len(periods))]
        failed = [each for each in told if each.about in ("failures", "starvation")]
        others = [each for each in told if each not in failed]
        return [*missing, *failed, *on_the_air(compared, self._plan, self._left_s), *others]

    def _plan(self, cell: Cell) -> dict[str, Any] | None:
        if self.out is None:
            return None
        return dict(json.loads(Store.open(self.out).plan(self.cells.index(cell))))

    def _left_s(self, cell: Cell) -> list[float]:
        """Return when stations left access points in the first run of a cell."""
        try:
            return [float(each) for each in self.stored(cell, 0, "roams")["left_s"]]
        except LookupError:
            return []

    def _is_answered(self, finding: "Finding", windows: int) -> bool:
        """Say whether the answer tells it already, or tells what people feel of it instead."""
        if finding.about == "transfers":
            return self.answer.tells("transfer_s")
        if finding.about == "datagrams":
            return self.answer.tells("mos")
        is_other = not self.answer.is_goodput_alone
        return finding.about == "round_trips" and is_other and windows < _SEVERAL

    def rows(self) -> list[dict[str, Any]]:
        """Give one row for each cell and metric."""
        return [
            {
                **cell.parameters,
                "metric": name,
                **{field: getattr(summary, field) for field in SUMMARY_FIELDS},
                "replications": cell.replications,
                "limit_reached": cell.limit_reached,
            }
            for cell in self.cells
            for name, summary in cell.metrics.items()
        ]

    def columns(self) -> dict[str, list[Any]]:
        """Give the rows as columns."""
        rows = self.rows()
        names = [
            *(axis.name for axis in self.axes),
            "metric",
            *SUMMARY_FIELDS,
            "replications",
            "limit_reached",
        ]
        return {name: [row[name] for row in rows] for name in names}

    def to_polars(self) -> "polars.DataFrame":
        """Give one row for each cell and metric as a polars frame."""
        frames = library("polars", "to_polars")
        frame: polars.DataFrame = frames.DataFrame(self.columns(), strict=False)
        return frame

    def to_pandas(self) -> "pandas.DataFrame":
        """Give one row for each cell and metric as a pandas frame."""
        frame: pandas.DataFrame = library("pandas", "to_pandas").DataFrame(self.columns())
        return frame

    def wide(self) -> "pandas.DataFrame":
        """Give one row for each cell as a pandas frame: its axes, and a column for each mean."""
        names = dict.fromkeys(itertools.chain.from_iterable(cell.metrics for cell in self.cells))
        rows: list[dict[str, Any]] = [
            {**cell.parameters, "replications": cell.replications}
            | {name: cell.metrics[name].mean if name in cell.metrics else None for name in names}
            for cell in self.cells
        ]
        frame: pandas.DataFrame = library("pandas", "wide").DataFrame(rows)
        return frame

    def plot(self, title: str | None = None) -> "Figure":
        """Draw a figure of the report, called by its title, else the first, with matplotlib.

        Raises LookupError with the titles that there are.
        """
        return type(self).plotted_by(self, title)

    def to_csv(self) -> str:
        """Give one row for each cell and metric as comma-separated text."""
        return "".join(self.csv_parts())

    def csv_parts(self) -> Iterator[str]:
        """Give that text in parts, one for each cell."""
        axes = [axis.name for axis in self.axes]
        yield csv_text([[*axes, "metric", *SUMMARY_FIELDS, "replications", "limit_reached"]])
        for cell in self.cells:
            place, about = [*cell.parameters.values()], [cell.replications, cell.limit_reached]
            yield csv_text(
                [*place, name, *_given(summary, ""), *about]
                for name, summary in cell.metrics.items()
            )

    def document(self) -> dict[str, Any]:
        """Give the results document, ready for JSON."""
        return {**self._about(), "cells": [_cell_document(cell) for cell in self.cells]}

    def to_json(self) -> str:
        """Give the results document as JSON."""
        return "".join(self.json_parts())

    def json_parts(self) -> Iterator[str]:
        """Give that JSON in parts, one for each cell: a large sweep has hundreds of megabytes."""
        about = pydantic_core.to_json(self._about(), indent=2).decode()
        yield about.removesuffix("\n}") + ',\n  "cells": ['
        for place, cell in enumerate(self.cells):
            text = pydantic_core.to_json(_cell_document(cell), indent=2).decode()
            yield f"{',' * bool(place)}\n    {text.replace(chr(10), chr(10) + '    ')}"
        yield "\n  ]\n}\n"

    def _about(self) -> dict[str, Any]:
        in_short = [{"about": each.about, "text": each.text} for each in self.in_short()]
        answer = self.answer.document(self.cells)
        return {"answer": answer, "campaign": self.campaign, "in_short": in_short}

    def records(self) -> "pyarrow.Table":
        """Give every value, as ``metrics.parquet`` holds it: a row each, null for one not given.

        The columns are the axes, ``replication``, ``scope`` (run, channel, flow, node or wire),
        ``of`` (the name of the flow, node or wire), ``metric`` (its name there) and ``value``.
        """
        from anechoic.tables.arrow import arrow
        from anechoic.tables.table import joined

        return arrow(joined(list(self.records_parts())))

    def records_parts(self) -> "Iterator[Table]":
        """Give that table in parts, each of some cells."""
        from anechoic.campaign.tidy import tidy

        return tidy(self.axes, self.cells)

    def timing_records(self, cell: Cell, replication: int = 0) -> "pyarrow.Table":
        """Give the timing records of one replication of a cell."""
        return _arrow(self.stored(cell, replication, "timing"))

    def series(self, cell: Cell, replication: int = 0) -> "pyarrow.Table":
        """Give the time series of one replication of a cell: a row for each step."""
        return _arrow(self.steps(cell, replication).table())

    def steps(self, cell: Cell, replication: int = 0) -> "Steps":
        """Give the time series of one replication of a cell as one array."""
        # Loads NumPy, which a command that reads none shall not wait for.
        from anechoic.campaign.steps import Steps

        return Steps.of(self.stored(cell, replication, "series"))

    def distributions(self, cell: Cell, replication: int = 0) -> "pyarrow.Table":
        """Give how often each value was measured in one replication of a cell: a row a bucket.

        The columns are ``distribution`` (its full name, as ``flow.up-1.rtt_ms``), ``from`` and
        ``to`` (the bucket, in the unit of the name) and ``count``. A bucket is at most 1/128 of its
        lower end wide.
        """
        return _arrow(self.stored(cell, replication, "distributions"))

    def tcp_info(self, cell: Cell, replication: int = 0) -> "pyarrow.Table":
        """Give the samples of TCP_INFO of one replication of a cell.

        A row for each step of ``run.tcp_info_step`` and for the run's end, flow and end of it.
        """
        return _arrow(self.stored(cell, replication, "tcp_info"))

    def transfers(self, cell: Cell, replication: int = 0) -> "pyarrow.Table":
        """Give both ends of every connection of one replication of a cell."""
        return _arrow(self.stored(cell, replication, "transfers"))

    def datagrams(self, cell: Cell, replication: int = 0) -> "pyarrow.Table":
        """Give the datagrams and pings of one replication, kept with ``run.datagrams``."""
        return _arrow(self.stored(cell, replication, "datagrams"))

    def attempts(self, cell: Cell, replication: int = 0) -> "pyarrow.Table":
        """Give the data frames and RTS of one replication, kept with ``run.attempts``."""
        return _arrow(self.stored(cell, replication, "attempts"))

    def roams(self, cell: Cell, replication: int = 0) -> "pyarrow.Table":
        """Give each time that a station left an access point in one replication of a cell."""
        return _arrow(self.stored(cell, replication, "roams"))

    def handovers(self, cell: Cell, replication: int = 0) -> "pyarrow.Table":
        """Give each change of a mobile node's agent in one replication of a cell."""
        return _arrow(self.stored(cell, replication, "handovers"))

    def connections(self) -> "pyarrow.Table":
        """Give what TCP_INFO said at the end of every run.

        A row for each cell, replication, flow and end; empty without ``run.tcp_info_step``.
        """
        return _arrow(self.samples_of_the_end())

    def samples_of_the_end(self) -> "Table":
        """Give that table as the program has it."""
        import numpy

        from anechoic.campaign.tidy import parameters
        from anechoic.tables.table import Table, joined

        axes, tables = parameters(self.axes, self.cells), []
        for place, cell in enumerate(self.cells):
            for replication in range(cell.replications):
                try:
                    last = _of_the_end(self.stored(cell, replication, "tcp_info"))
                except LookupError:
                    continue
                rows = [place] * len(last)
                mine = {name: column[rows] for name, column in axes.items()}
                mine["replication"] = numpy.full(len(last), replication)
                tables.append(Table({**mine, **last.columns}))
        return joined(tables) if tables else Table({})

    def stored(self, cell: Cell, replication: int, kind: str) -> "Table":
        """Give a table of one replication of a cell as the program has it; LookupError for none."""
        return self._store.read_table(self.cells.index(cell), replication, kind)

    @cached_property
    def _store(self) -> Store:
        if self.out is None:
            raise LookupError("these results are not tied to a folder; load them from one")
        return Store.open(self.out)

    def _repr_html_(self) -> str | None:
        drawn_by = type(self).drawn_by
        return None if drawn_by is None else drawn_by(self)


def _arrow(table: "Table") -> "pyarrow.Table":
    # Loads NumPy, which a command that reads no table shall not wait for.
    from anechoic.tables.arrow import arrow

    return arrow(table)


def _of_the_end(samples: "Table") -> "Table":
    """Give what TCP_INFO said last, without the bytes that a kernel said it in.

    In a simulation all ends are sampled at the end of the run; in a measurement, each when its
    endpoint ended.
    """
    from anechoic.tables.table import Table

    told = Table({name: each for name, each in samples.columns.items() if name != "raw"})
    if "connection" not in told:
        return told.taken(told["time_s"] == told["time_s"][-1])
    rows = zip(*(told[name].tolist() for name in ("flow", "end", "connection")), strict=True)
    last = {row: place for place, row in enumerate(rows)}
    return told.taken(sorted(last.values()))


def results_of(store: Store, scenario: Scenario, runs: list[CellRun]) -> Results:
    """Summarise the replications that were counted."""
    manifest = store.manifest
    formulas = [store.calculated(place) for place in range(len(runs))]
    cells = [
        Cell(
            parameters=dict(about["parameters"]),
            replications=len(cell.counted),
            limit_reached=cell.verdict == "limit",
            metrics=Summaries(cell.counted),
            calculated=dict(formula.metrics),
            calculated_by=formula.by,
        )
        for about, cell, formula in zip(manifest["cells"], runs, formulas, strict=True)
    ]
    axes = [Axis(axis["name"], tuple(axis["values"])) for axis in manifest["axes"]]
    return Results(dict(manifest["campaign"]), scenario, axes, cells, store.root)


def _cell_document(cell: Cell) -> dict[str, Any]:
    return {
        "parameters": cell.parameters,
        "replications": cell.replications,
        "limit_reached": cell.limit_reached,
        "metrics": {name: _for_json(summary) for name, summary in cell.metrics.items()},
        "calculated": cell.calculated,
        "calculated_by": cell.calculated_by,
    }


def _for_json(summary: Summary) -> dict[str, Any]:
    return dict(zip(SUMMARY_FIELDS, _given(summary, None), strict=True))


def _given(summary: Summary, nothing: str | None) -> list[Any]:
    """Give the fields of a summary, with what stands for a number that there is none of."""
    numbers = (summary.mean, summary.ci95, summary.sd, summary.min, summary.max)
    # What is no number is not equal to itself.
    return [*(value if value == value else nothing for value in numbers), summary.n]
