"""The airtime ledger as a figure: where the channel's time went, cell by cell."""

from collections.abc import Sequence
from math import isnan

from anechoic.campaign.cells import Cell
from anechoic.campaign.results import Results
from anechoic.report.axes import axis_title
from anechoic.report.chart import Chart, Panel, Scale, Series, View
from anechoic.report.palette import AIRTIME_COLOURS
from anechoic.scenario.catalogue import airtime_labels


def has_ledger(results: Results) -> bool:
    """Say whether the results hold how the channel's time was spent."""
    return any(_share_name("payload") in cell.metrics for cell in results.cells)


def categories_of(cells: Sequence[Cell]) -> list[str]:
    """Give the categories that took any time in these cells, in the ledger's order."""
    return [
        category
        for category in airtime_labels()
        if any(_share(cell, category) > 0 for cell in cells)
    ]


def ledger(results: Results) -> Chart:
    """Describe the ledger: a bar for each cell."""
    cells = results.cells
    parts = [
        Series(
            airtime_labels()[category],
            AIRTIME_COLOURS[category],
            [100 * _share(cell, category) for cell in cells],
        )
        for category in categories_of(cells)
    ]
    names = [" · ".join(map(str, cell.parameters.values())) for cell in cells]
    places = [float(place) for place in range(len(cells))]
    return Chart(
        title="Where the airtime went",
        form="stack",
        x=Scale(" · ".join(axis_title(axis.name) for axis in results.axes), names=names),
        left=Scale("Share of the measured time", "%", most=100),
        views=[View(places, [Panel(parts)], slug="airtime")],
        caption="The parts of each bar add up to the measured time.",
        note=_note(cells),
    )


def _share(cell: Cell, category: str) -> float:
    """Give the mean share of a category, 0 where there is none."""
    summary = cell.metrics.get(_share_name(category))
    return 0.0 if summary is None or isnan(summary.mean) else summary.mean


def _share_name(category: str) -> str:
    return f"airtime.{category}_share"


def _note(cells: Sequence[Cell]) -> str:
    counts = sorted({cell.replications for cell in cells})
    n = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    return f"means, n = {n}; their intervals stand in the report's table"
