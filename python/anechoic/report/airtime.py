"""The airtime ledger as a figure: where the channel's time went, cell by cell."""

from collections.abc import Sequence
from math import isnan

from anechoic.campaign.cells import Cell
from anechoic.campaign.results import Results
from anechoic.report.axes import axis_title
from anechoic.report.chart import Chart, Panel, Scale, Series, View
from anechoic.report.palette import AIRTIME_COLOURS
from anechoic.report.slugs import slug_of
from anechoic.scenario.catalogue import airtime_labels


def has_ledger(results: Results) -> bool:
    """Say whether the results hold how the channel's time was spent."""
    return any(_share_name("", "payload") in cell.metrics for cell in results.cells)


def categories_of(cells: Sequence[Cell], vantage: str = "") -> list[str]:
    """Give the categories that took any time in these cells, in the ledger's order."""
    return [
        category
        for category in airtime_labels()
        if any(_share(cell, vantage, category) > 0 for cell in cells)
    ]


def ledger(results: Results) -> Chart:
    """Describe the ledgers: a bar for each cell, of the access points and of each who keeps one."""
    cells = results.cells
    names = [" · ".join(map(str, cell.parameters.values())) for cell in cells]
    vantages = _vantages(cells)
    return Chart(
        title="Where the airtime went",
        form="stack",
        x=Scale(" · ".join(axis_title(axis.name) for axis in results.axes), names=names),
        left=Scale("Share of the measured time", "%", most=100),
        views=[_view(cells, vantage) for vantage in ("", *vantages)],
        caption="The parts of each bar add up to the measured time."
        + (" Each ledger tells what its radio senses." if vantages else ""),
        note=_note(cells),
        choices=["At"] if vantages else [],
    )


def _view(cells: Sequence[Cell], vantage: str) -> View:
    """Give the bars of a ledger; without a name those of the access points."""
    parts = [
        Series(
            airtime_labels()[category],
            AIRTIME_COLOURS[category],
            [100 * _share(cell, vantage, category) for cell in cells],
        )
        for category in categories_of(cells, vantage)
    ]
    places = [float(place) for place in range(len(cells))]
    slug = slug_of(f"airtime {vantage}")
    choice = (vantage or "access points",) if _vantages(cells) else ()
    return View(places, [Panel(parts)], choice, slug)


def _vantages(cells: Sequence[Cell]) -> list[str]:
    """Name who keeps a ledger, where there are several."""
    held = {name for cell in cells for name in cell.metrics}
    end = ".airtime.idle_share"
    return sorted(
        name.removeprefix("node.").removesuffix(end) for name in held if name.endswith(end)
    )


def _share(cell: Cell, vantage: str, category: str) -> float:
    """Give the mean share of a category, 0 where there is none."""
    summary = cell.metrics.get(_share_name(vantage, category))
    return 0.0 if summary is None or isnan(summary.mean) else summary.mean


def _share_name(vantage: str, category: str) -> str:
    whose = f"node.{vantage}." if vantage else ""
    return f"{whose}airtime.{category}_share"


def _note(cells: Sequence[Cell]) -> str:
    counts = sorted({cell.replications for cell in cells})
    n = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    return f"means, n = {n}; their intervals stand in the report's table"
