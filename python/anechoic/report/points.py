"""Figures of points: one for every replication, or over time for every ping or transfer."""

from collections.abc import Iterator, Mapping, Sequence
from math import isnan, nan
from typing import NamedTuple

import numpy

from anechoic.campaign.cells import Value
from anechoic.campaign.results import Results
from anechoic.report.axes import axis_title, scale_along
from anechoic.report.chart import Chart, Panel, Scale, Series, View
from anechoic.report.choices import drawn_of
from anechoic.report.each import Each, each_of
from anechoic.report.lines import MOST_LINES, NotDrawn, axis_values, keys_of
from anechoic.report.palette import colours
from anechoic.scenario.experiment import Figure
from anechoic.scenario.figures import EVENTS, metric_in
from anechoic.scenario.quantities import nanoseconds
from anechoic.tables.table import Table

_MOST_POINTS = 20_000
"""So many are about half a megabyte: of more replications the first are drawn."""

Dots = list[tuple[float, float]]
Lines = dict[str, Dots]


class _Event(NamedTuple):
    """Where a table has the times between which something happened, and how many units a second."""

    begin: str
    end: str
    units: float


_TIMES = {
    "rtt_ms": _Event("sent_s", "received_s", 1e3),
    "delay_ms": _Event("sent_s", "received_s", 1e3),
    "transfer_s": _Event("begun_s", "completed_s", 1.0),
}


def chart_of_points(results: Results, figure: Figure, slug: str) -> Chart:
    """Describe a figure of points; raise NotDrawn if the results do not hold it."""
    if results.out is None:
        raise NotDrawn("results without a folder do not say what belongs to whom")
    each = None if figure.each is None else each_of(results, figure.each)
    values = [None] if figure.panel is None else [*axis_values(results, figure.panel)]
    scale, places = Scale("Time", "s"), {}
    if figure.x is not None:
        swept = axis_values(results, figure.x)
        scale, found = scale_along(figure.x, swept)
        places = dict(zip(swept, found, strict=True))
    lines = [_lines(results, figure, each, value, places) for value in values]
    if not any(dots for panel in lines for dots in panel.values()):
        raise NotDrawn(f"the results hold no {', '.join(figure.metrics)} to draw points of")
    of = metric_in(figure, figure.metrics[0])
    shown = list(dict.fromkeys(label for panel in lines for label in panel))
    palette = dict(zip(shown, colours(shown), strict=True))
    end = nanoseconds(results.scenario.run.duration) / 1e9
    ends = sorted(places.values()) or [0.0, end]
    panels = [
        Panel(
            [
                Series(label, palette[label], [nan] * len(ends), dots=dots)
                for label, dots in panel.items()
            ],
            f"{axis_title(figure.panel)}: {value}" if figure.panel else "",
        )
        for value, panel in zip(values, lines, strict=True)
    ]
    most = _most(results, figure)
    counts = [cell.replications for cell in results.cells]
    return Chart(
        figure.title,
        "points",
        scale,
        Scale(figure.y_label or of.label, "" if figure.y_label else of.unit),
        [View(ends, panels, slug=slug)],
        caption=f"{of.label}: {of.description}." + drawn_of(most, len(each.members) if each else 1),
        note=_note(figure, max(counts), _replications(results, figure)),
    )


def _most(results: Results, figure: Figure) -> int:
    """Say of how many owners points can be told apart."""
    return max(MOST_LINES // len(keys_of(results, figure)[1]), 1)


def _lines(
    results: Results,
    figure: Figure,
    each: Each | None,
    panel: Value | None,
    places: Mapping[Value, float],
) -> Lines:
    axes, keys = keys_of(results, figure)
    owners = [""] if each is None else list(each.members)[: _most(results, figure)]
    lines: Lines = {}
    for owner in owners:
        for key in keys:
            where = dict(zip(axes, key, strict=True))
            if figure.panel is not None and panel is not None:
                where[figure.panel] = panel
            label = ", ".join(part for part in (owner, *map(str, key)) if part)
            if figure.x is None:
                dots = _events(results, figure, each, owner, where)
            else:
                dots = [
                    (x, value)
                    for swept, x in places.items()
                    for value in _values(results, figure, each, owner, {**where, figure.x: swept})
                ]
            if dots:
                lines[label] = dots
    return lines


def _values(
    results: Results, figure: Figure, each: Each | None, owner: str, where: Mapping[str, Value]
) -> Iterator[float]:
    """Give the value of each replication."""
    cell = results.select(where)
    name = figure.metrics[0]
    if each is None:
        found = cell.metrics.get(name)
    else:
        found = each.summary(cell, results.cells.index(cell), owner, name)
    yield from (value for value in (found.values if found else ()) if not isnan(value))


def _events(
    results: Results, figure: Figure, each: Each | None, owner: str, where: Mapping[str, Value]
) -> Dots:
    """Give when each began and how long it took."""
    cell = results.select(where)
    quantity = figure.metrics[0]
    flows = [name.split(".")[1] for name in cell.metrics if name.startswith("flow.")]
    own = [flow for flow in dict.fromkeys(flows) if _has(cell.metrics, flow, quantity)]
    if each is not None:
        mine = each.members[owner][results.cells.index(cell)]
        own = [flow for flow in own if f"flow.{flow}" in mine]
    dots: Dots = []
    for replication in range(min(cell.replications, _replications(results, figure))):
        try:
            table = results.stored(cell, replication, EVENTS[quantity])
            dots += _timed(table, own, _TIMES[quantity])
        except LookupError:
            continue
    return dots


def _has(metrics: Mapping[str, object], flow: str, quantity: str) -> bool:
    """Say whether such times of a flow are in a table: of round trips, those of pings are."""
    is_tcp = f"flow.{flow}.transfers" in metrics
    if quantity == "transfer_s":
        return is_tcp
    return not is_tcp and f"flow.{flow}.{quantity}_mean" in metrics


def _timed(table: Table, flows: Sequence[str], event: _Event) -> Iterator[tuple[float, float]]:
    is_own = table["flow"].are(*flows)
    begins, ends = table[event.begin], table[event.end]
    took = event.units * (ends - begins)
    if "bytes_received" in table:
        is_own &= table["bytes_received"] > table["bytes_sent"]
    is_there = is_own & ~numpy.isnan(took)
    yield from zip(begins[is_there].tolist(), took[is_there].tolist(), strict=True)


def _replications(results: Results, figure: Figure) -> int:
    """Say how many replications of each cell are drawn."""
    most = max(cell.replications for cell in results.cells)
    if figure.x is not None:
        return most
    kind = EVENTS[figure.metrics[0]]
    try:
        rows = sum(len(results.stored(cell, 0, kind)) for cell in results.cells)
    except LookupError:
        return most
    return max(min(_MOST_POINTS // max(rows, 1), most), 1)


def _note(figure: Figure, replications: int, drawn: int) -> str:
    if figure.x is not None:
        return "a point for each replication"
    what = "transfer" if figure.metrics[0] == "transfer_s" else "datagram"
    what = "ping" if figure.metrics[0] == "rtt_ms" else what
    if drawn < replications:
        return f"a point for each {what} of the first {drawn} of {replications} replications"
    return f"a point for each {what} of {'all replications' if replications > 1 else 'the run'}"
