"""The airtime ledger as a figure for paper: where the channel's time went, cell by cell."""

from math import ceil

from matplotlib.figure import Figure as Drawing

from anechoic.campaign.cells import Cell
from anechoic.campaign.results import Results
from anechoic.report.axes import axis_title
from anechoic.report.ledger import categories_of, label_of, share
from anechoic.report.palette import AIRTIME_COLOURS, FAINT
from anechoic.report.style import house_style, new_figure
from anechoic.scenario.catalogue import airtime_labels

_CELLS_PER_FIGURE = 40
"""More rows than this do not fit on a printed page."""
_ROW_INCHES = 0.25
_FRAME_INCHES = 1.4
"""Height of a bar's row, and of the title, one row and the scale together."""
_KEYS_PER_LINE = 5
_KEY_INCHES = 0.19
"""Entries of the legend side by side, and the height of a line of them in its font."""


def draw_ledgers(results: Results) -> list[Drawing]:
    """Draw the ledger of every cell, on as many figures as their number needs."""
    cells = results.cells
    step = _CELLS_PER_FIGURE
    return [_draw(results, cells[i : i + step]) for i in range(0, len(cells), step)]


def _draw(results: Results, cells: list[Cell]) -> Drawing:
    with house_style():
        places, categories = _places(cells), categories_of(cells)
        lines = ceil(len(categories) / _KEYS_PER_LINE)
        height = _FRAME_INCHES + _ROW_INCHES * places[-1] + _KEY_INCHES * lines
        drawing = new_figure(8.6, height)
        axes = drawing.subplots()
        left = [0.0] * len(cells)
        for category in categories:
            shares = [100 * share(cell, category) for cell in cells]
            axes.barh(
                places,
                shares,
                0.78,
                left=left,
                color=AIRTIME_COLOURS[category],
                label=airtime_labels()[category],
            )
            left = [start + share for start, share in zip(left, shares, strict=True)]
        axes.set_yticks(places, [label_of(cell) for cell in cells])
        axes.set_ylim(places[-1] + 0.6, -0.6)
        axes.set_ylabel(" · ".join(axis_title(axis.name) for axis in results.axes))
        axes.set_xlim(0, 100)
        axes.set_xlabel("Share of the measured time (%)")
        axes.grid(visible=False)
        axes.spines["left"].set_visible(False)
        drawing.suptitle(
            "Where the airtime went", x=0.01, ha="left", fontsize=11.5, fontweight="bold"
        )
        # Beside the title, which makes the room, because the legend stands below.
        note = drawing.text(0.99, 0.98, _note(cells), ha="right", va="top")
        note.set(fontsize=7.5, color=FAINT)
        drawing.legend(loc="outside lower center", ncols=_KEYS_PER_LINE)
    return drawing


def _places(cells: list[Cell]) -> list[float]:
    """Give each bar's place; where the first of several axes moves on there is a gap."""
    places: list[float] = []
    for i, cell in enumerate(cells):
        first = next(iter(cell.parameters.values()), None)
        before = next(iter(cells[i - 1].parameters.values()), None)
        gap = 0.6 if i and len(cell.parameters) > 1 and first != before else 0.0
        places.append(places[-1] + 1 + gap if places else 0.0)
    return places


def _note(cells: list[Cell]) -> str:
    counts = sorted({cell.replications for cell in cells})
    n = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    return f"means, n = {n}; their intervals stand in the report's table"
