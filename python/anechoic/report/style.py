"""The look of figures for papers: fonts and lines."""

from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from anechoic.report.palette import FAINT, INK, RULE

_HEADROOM = 1.06
"""How much higher than the highest mark an axis goes: a mark is about a twentieth of a panel."""

_SETTINGS: Any = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9.5,
    "text.color": INK,
    "text.parse_math": False,  # a dollar in a title is a dollar
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.labelsize": 9.5,
    "axes.labelcolor": INK,
    "axes.edgecolor": FAINT,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "grid.color": RULE,
    "grid.linewidth": 0.7,
    "xtick.color": FAINT,
    "ytick.color": FAINT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5,
    "ytick.major.size": 0,
    "lines.linewidth": 1.6,
    "lines.markersize": 4.2,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "legend.title_fontsize": 8.5,
    "figure.dpi": 100,
    "savefig.dpi": 160,
    "pdf.fonttype": 42,  # fonts as publishers ask for them, no shapes drawn by a program
    "svg.fonttype": "none",  # text stays text: it can be searched, read aloud and recoloured
    "svg.hashsalt": "anechoic",  # identifiers depend on the drawing alone
}


@contextmanager
def house_style() -> Iterator[None]:
    """Draw in the house style within this block."""
    with mpl.rc_context(_SETTINGS):
        yield


class Drawing(Figure):
    """A figure that a notebook shows, whether or not matplotlib was told that it is in one."""

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        """Give the picture, fine enough for any screen, and its size there."""
        data = BytesIO()
        with house_style():
            self.savefig(data, format="png")
        width, height = (round(inches * self.dpi) for inches in self.get_size_inches())
        return data.getvalue(), {"width": width, "height": height}


def new_figure(width: float, height: float) -> Figure:
    """Give an empty figure, in inches, that no global state holds on to."""
    return Drawing(figsize=(width, height), layout="constrained")


def from_zero(axes: Axes) -> None:
    """Let the vertical axis begin at 0, with room for whole marks above what is highest.

    Left to itself it leaves a part of the range of the values, which is nothing where they are
    nearly the same.
    """
    highest = float(axes.dataLim.y1)
    if highest > 0:
        axes.set_ylim(0, _HEADROOM * highest)
    else:
        axes.set_ylim(bottom=0)
