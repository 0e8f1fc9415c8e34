"""Where the panels of a capture's figure stand, and what is written around them.

Everything has its place in inches: the panels of all figures are of one width and begin at one
edge, as a page of them wants, and no text is measured. Matplotlib's own layouts measure every text
twice for each file that is drawn, half of the time that drawing took.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from textwrap import wrap
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing
from numpy.typing import NDArray

from anechoic.report.palette import FAINT

WIDTH = 8.6
"""Of a figure, in inches, as all that follow."""
_LEFT, _RIGHT = 1.0, 0.2
"""Beside a panel: its ticks and two lines of its label; half of the last tick below it."""
_LABEL = 0.57
"""From a panel to its label, behind ticks of seven letters."""
_HEAD, _TITLE, _ABOUT = 0.62, 0.1, 0.34
"""The room above all panels of two lines, and how far below the upper edge they begin."""
_GAP, _TICKS, _LINE = 0.17, 0.28, 0.2
"""Below a panel; the ticks of its axis, if it has a label; a line of text."""
_LETTER, _SIGN = 0.073, 0.6
"""Of a key: the mean width of a letter, and that of the sign before it and the gap behind."""
_MOST_LETTERS = 115
"""Letters of small print that have room in a line."""

Grid = NDArray[Any]
"""Panels in rows and columns, as `subplots` gives them if nothing is squeezed."""
Row = NDArray[Any]


@dataclass(frozen=True)
class Heading:
    """What a figure shows, and of which capture, connection and direction."""

    title: str
    about: str

    def lines(self) -> list[str]:
        """Give what stands below the title; the ends of a connection of IPv6 take two lines."""
        return wrap(self.about, _MOST_LETTERS, max_lines=2, placeholder="…")

    def height(self) -> float:
        """Give the room that it takes."""
        return _HEAD + _LINE * (len(self.lines()) - 1)

    def write(self, drawing: Drawing, height: float) -> None:
        """Write it above a figure of this height."""
        at: Any = {"ha": "left", "va": "top"}
        left = 0.1 / WIDTH
        drawing.text(left, 1 - _TITLE / height, self.title, **at).set(
            fontsize=11.5, fontweight="bold"
        )
        about = "\n".join(self.lines())
        drawing.text(left, 1 - _ABOUT / height, about, **at).set(fontsize=8.5, color=FAINT)


def time_axis(grid: Grid, label: str, end_s: float | None = None) -> None:
    """Label the time below panels that share it: that of all they show, or from 0 to an end."""
    for axes in grid[:, 0]:
        if end_s is not None:
            axes.update_datalim([(0.0, 0.0), (end_s, 0.0)], updatey=False)
        axes.margins(x=0.01)
        # Each tick costs a millisecond.
        axes.xaxis.set_visible(axes is grid[-1, 0])
    grid[-1, 0].set_xlabel(label)


def lay_out(drawing: Drawing, grid: Grid, heights: Sequence[float], heading: Heading) -> None:
    """Give each row of panels its height, each panel its key, and all of them the heading."""
    rows = [(row, _above(row), height) for row, height in zip(grid, heights, strict=True)]
    total = heading.height() + sum(above + height + _below(row) for row, above, height in rows)
    drawing.set_size_inches(WIDTH, total)
    heading.write(drawing, total)
    top = total - heading.height()
    for row, above, height in rows:
        width = WIDTH / len(row)
        for at, axes in enumerate(row):
            left = at * width + _LEFT
            right = (at + 1) * width - _RIGHT
            bottom = top - above - height
            _place(axes, (left, bottom, right - left, height), total)
            _write_key(axes, len(row))
        top -= above + height + _below(row)


def _columns(names: Sequence[str], panels: int) -> int:
    """Say how many names have room beside each other above one of so many panels in a row."""
    widest = _SIGN + _LETTER * max(map(len, names))
    return max(1, int((WIDTH / panels - _LEFT - _RIGHT) / widest))


def _above(row: Row) -> float:
    """Give the room for titles and keys, which stand beside each other."""
    lines = 0
    for axes in row:
        _, names = axes.get_legend_handles_labels()
        keys = ceil(len(names) / _columns(names, len(row))) if names else 0
        lines = max(lines, keys, int(bool(_title(axes))))
    return _LINE * lines


def _title(axes: Axes) -> str:
    return axes.get_title(loc="left")


def _below(row: Row) -> float:
    labels = [axes.get_xlabel() for axes in row]
    return _GAP + (_TICKS + _LINE if any(labels) else 0.0)


def _place(axes: Axes, place: tuple[float, float, float, float], total: float) -> None:
    left, bottom, width, height = place
    axes.set_position((left / WIDTH, bottom / total, width / WIDTH, height / total))
    axes.yaxis.set_label_coords(-_LABEL / width, 0.5)
    axes.xaxis.set_label_coords(0.5, -_TICKS / height)


def _write_key(axes: Axes, panels: int) -> None:
    """Write the key above one of so many panels; at the right of its title, if there is one."""
    signs, names = axes.get_legend_handles_labels()
    if not names:
        return
    is_titled = bool(_title(axes))
    axes.legend(
        signs,
        names,
        loc="lower right" if is_titled else "lower left",
        bbox_to_anchor=(1 if is_titled else 0, 1),
        borderpad=0,
        borderaxespad=0.7,
        labelspacing=0.4,
        ncols=_columns(names, panels),
    )
