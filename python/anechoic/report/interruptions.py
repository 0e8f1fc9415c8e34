"""What changes of access points took, as a figure: a bar for each cell, part behind part."""

from collections.abc import Iterator
from math import isnan

from anechoic.campaign.cells import Cell
from anechoic.campaign.results import Results
from anechoic.report.axes import axis_title
from anechoic.report.chart import Chart, Panel, Scale, Series, View
from anechoic.report.palette import DISTINCT, FAINT
from anechoic.report.slugs import slug_of
from anechoic.scenario.catalogue import metric

PARTS = ("unheard", "scan", "join", "register", "resume")
"""In the order of time."""

_COLOURS = dict(
    zip(PARTS, (FAINT, DISTINCT[5], DISTINCT[2], DISTINCT[3], DISTINCT[0]), strict=True)
)


def interruptions(results: Results) -> Iterator[Chart]:
    """Describe the interruptions of each station that changed its access point."""
    names = {name for cell in results.cells for name in cell.metrics}
    stations = sorted(
        name.removeprefix("node.").removesuffix(".roam_scan_s")
        for name in names
        if name.endswith(".roam_scan_s")
    )
    for station in stations:
        yield _chart(results, station)


def _chart(results: Results, station: str) -> Chart:
    cells = results.cells
    parts = [
        Series(
            metric(_name(station, part)).label.partition(",")[0],
            _COLOURS[part],
            [_mean(cell, _name(station, part)) for cell in cells],
        )
        for part in PARTS
        if any(_mean(cell, _name(station, part)) > 0 for cell in cells)
    ]
    names = [" · ".join(map(str, cell.parameters.values())) for cell in cells]
    places = [float(place) for place in range(len(cells))]
    return Chart(
        title=f"What a change of access point took, {station}",
        form="stack",
        x=Scale(" · ".join(axis_title(axis.name) for axis in results.axes), names=names),
        left=Scale("Time from the last frame heard of the old one", "s"),
        views=[View(places, [Panel(parts)], slug=slug_of(f"interruptions {station}"))],
        caption="Mean of the changes that were over, each part behind the one below it. The table "
        "roams has a row for each.",
        note="no bar: no change was over",
    )


def _name(station: str, part: str) -> str:
    return f"node.{station}.roam_{part}_s"


def _mean(cell: Cell, name: str) -> float:
    summary = cell.metrics.get(name)
    return 0.0 if summary is None or isnan(summary.mean) else summary.mean
