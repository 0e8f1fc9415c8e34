"""Who got what: a bar for each station, group, traffic and flow, and how fair that is."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import fsum, isnan

from anechoic.campaign.cells import Cell, is_ping
from anechoic.campaign.in_short import jain
from anechoic.campaign.numbers import with_interval
from anechoic.campaign.replication import Summary, summarise
from anechoic.campaign.results import Results
from anechoic.report.chart import Chart, Panel, Scale, Series, View, count_note
from anechoic.report.choices import drawn_of, needed
from anechoic.report.owners import EACH_FLOW, MOST, Owners, owners_of
from anechoic.report.palette import DISTINCT

_METRIC = "goodput_mbps"
_READ = 40
"""So many names along x are read at a glance."""


def who_got_what(results: Results) -> list[Chart]:
    """Describe the goodput of everybody, if there are several."""
    if results.out is None:
        return []
    views = [
        view
        for cell, kinds in zip(results.cells, owners_of(results), strict=True)
        for owners in _finest_first(kinds)
        for view in _view(cell, owners)
    ]
    if not views:
        return []
    views, choices = needed(views, ["Cell", "Of"])
    views = [replace(view, slug="" if i else "who-got-what") for i, view in enumerate(views)]
    return [
        Chart(
            "Who got what",
            "bar",
            Scale(""),
            Scale("Goodput", "Mbit/s"),
            views,
            caption="Application bytes that each received over the measured time; of several "
            "flows the sum." + drawn_of(MOST, _count(results)),
            note=count_note([cell.replications for cell in results.cells]),
            choices=choices,
        )
    ]


def _count(results: Results) -> int:
    """Count the flows of the cell that has the most."""
    return max(
        sum(name.startswith("flow.") and name.endswith(f".{_METRIC}") for name in cell.metrics)
        for cell in results.cells
    )


def _finest_first(kinds: Sequence[Owners]) -> list[Owners]:
    """Put first what has the most bars that are still read, and is not each flow by itself."""
    few = [
        owners for owners in kinds if owners.title != EACH_FLOW and len(owners.members) <= _READ
    ] or list(kinds[-1:])
    return few and [few[-1], *(owners for owners in kinds if owners is not few[-1])]


def _view(cell: Cell, owners: Owners) -> Iterator[View]:
    rows = [
        (name, found) for name, flows in owners.flows().items() if (found := _goodputs(cell, flows))
    ]
    if len(rows) < 2:
        return
    summaries = [summarise(values) for _, values in rows]
    series = Series(
        "Goodput",
        DISTINCT[0],
        ys=[each.mean for each in summaries],
        halves=[each.ci95 for each in summaries],
    )
    yield View(
        xs=[float(place) for place in range(len(rows))],
        panels=[Panel([series])],
        choice=(cell.name, owners.title),
        names=[name for name, _ in rows],
        note=_said(rows),
    )


def _goodputs(cell: Cell, flows: Sequence[str]) -> list[float]:
    """Give the goodput of these flows, pings left out, together in each replication."""
    # What pings carry is no goodput.
    names = (f"flow.{flow}.{_METRIC}" for flow in flows if not is_ping(cell, flow))
    found = [cell.metrics[name].values for name in names if name in cell.metrics]
    return [fsum(values) for values in zip(*found, strict=True)] if found else []


def _said(rows: Sequence[tuple[str, Sequence[float]]]) -> str:
    each = list(zip(*(values for _, values in rows), strict=True))
    together = summarise([fsum(values) for values in each])
    fairness = summarise([jain(values) for values in each])
    least, most = (pick(rows, key=lambda row: fsum(row[1])) for pick in (min, max))
    parts = [
        f"Together {with_interval(together)} Mbit/s",
        f"Jain's index {with_interval(fairness)}",
    ]
    shares = [_share(values, together) for _, values in (most, least)]
    if shares[0] != shares[1]:
        parts += [f"most for {most[0]} ({shares[0]})", f"least for {least[0]} ({shares[1]})"]
    return ", ".join(parts) + "."


def _share(values: Sequence[float], together: Summary) -> str:
    if isnan(together.mean) or not together.mean:
        return "nothing"
    return f"{100 * fsum(values) / len(values) / together.mean:.3g} %"
