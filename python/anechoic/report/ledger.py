"""The airtime ledger as stacked bars of a page: where the channel's time went, cell by cell.

It stands in every report, so it is made without the library that draws figures, which takes
longer to load than a small campaign takes to run.
"""

from collections.abc import Sequence
from html import escape
from math import isnan

from anechoic.campaign.cells import Cell
from anechoic.campaign.results import Results
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
        if any(share(cell, category) > 0 for cell in cells)
    ]


def share(cell: Cell, category: str) -> float:
    """Give the mean share of a category, 0 where there is none."""
    summary = cell.metrics.get(_share_name(category))
    return 0.0 if summary is None or isnan(summary.mean) else summary.mean


def label_of(cell: Cell) -> str:
    """Name a cell by its values."""
    return " · ".join(str(value) for value in cell.parameters.values())


def ledger(results: Results) -> str:
    """Give a bar for each cell, and the key to its colours."""
    categories = categories_of(results.cells)
    rows = "\n".join(
        f'<tr><td class="text word">{escape(label_of(cell))}</td>'
        f"<td>{_bar(cell, categories)}</td></tr>"
        for cell in results.cells
    )
    key = "\n".join(
        f"<span>{_swatch(category)} {airtime_labels()[category]}</span>" for category in categories
    )
    return (
        f'<figure class="ledger">\n<table>\n{rows}\n</table>\n<div class="key">\n{key}\n</div>\n'
        "<figcaption>Where the airtime went: the parts of each bar add up to the measured time. "
        "Means; their intervals stand in the table below.</figcaption>\n</figure>"
    )


def _bar(cell: Cell, categories: Sequence[str]) -> str:
    parts, left = [], 0.0
    for category in categories:
        percent = 100 * share(cell, category)
        title = f"<title>{airtime_labels()[category]}: {percent:.1f} %</title>"
        colour = f"fill: {AIRTIME_COLOURS[category]}"
        parts.append(
            f'<rect x="{left:.3f}" width="{percent:.3f}" height="1" style="{colour}">{title}</rect>'
        )
        left += percent
    shape = 'viewBox="0 0 100 1" preserveAspectRatio="none" width="100%" height="18"'
    return f"<svg {shape}>{''.join(parts)}</svg>"


def _swatch(category: str) -> str:
    colour = f"fill: {AIRTIME_COLOURS[category]}"
    return f'<svg width="12" height="12"><rect width="12" height="12" style="{colour}"/></svg>'


def _share_name(category: str) -> str:
    return f"airtime.{category}_share"
