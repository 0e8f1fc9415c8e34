"""What the reader of a figure may choose."""

from collections.abc import Sequence
from dataclasses import replace

from anechoic.campaign.cells import Cell, of_all
from anechoic.report.chart import View


def drawn_of(shown: int, count: int, what: str = "") -> str:
    """Say how many of so many are drawn, if not all of them."""
    return f" Drawn are the first {shown} of {count}{what}." if shown < count else ""


def none_in(cells: Sequence[Cell], all_cells: Sequence[Cell]) -> str:
    """Name the cells that have nothing to draw."""
    return f" There is none in {of_all(cells, all_cells)}." if cells else ""


def needed(views: Sequence[View], names: Sequence[str]) -> tuple[list[View], list[str]]:
    """Give the views and what is chosen between them, without choices between one thing."""
    kept = [i for i in range(len(names)) if len({view.choice[i] for view in views}) > 1]
    fewer = [replace(view, choice=tuple(view.choice[i] for i in kept)) for view in views]
    return fewer, [names[i] for i in kept]
