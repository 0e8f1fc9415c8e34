"""The look of figures: colours, fonts and lines.

Colours are those of Okabe and Ito (2008), which people with any colour vision tell apart; the
yellow is left out, since a line of it is lost on white. Ordered series take a ramp instead.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

INK = "#1f2328"
"""Text."""
FAINT = "#8b949e"
"""Notes, ticks and axes."""
RULE = "#d8dee4"
"""Grid lines."""
STRIPE = "#fdfdfd"
"""The lines of a hatch; not quite white, which a dark page takes for its ground."""
DISTINCT = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#5c636b")
MARKERS = ("o", "s", "D", "^", "v", "P", "X")

AIRTIME_COLOURS = {
    "payload": "#0072b2",
    "header": "#56b4e9",
    "preamble": "#a6d5ef",
    "ack": "#009e73",
    "rts_cts": "#7fcfb6",
    "ifs": "#b8a98c",
    "backoff": "#e69f00",
    "collision": "#d55e00",
    "error": "#a63d00",
    "duplicate": "#e8926a",
    "timeout": "#f3c3a5",
    "beacon": "#cc79a7",
    "idle": "#dfe3e8",
}
"""Blue carries data, green answers, ochre waits, red is lost."""

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
    "svg.fonttype": "none",  # text stays text: it can be searched, read aloud and recoloured
    "svg.hashsalt": "anechoic",  # identifiers depend on the drawing alone
}


@contextmanager
def house_style() -> Iterator[None]:
    """Draw in the house style within this block."""
    with mpl.rc_context(_SETTINGS):
        yield


def new_figure(width: float, height: float) -> Figure:
    """Give an empty figure, in inches, that no global state holds on to."""
    return Figure(figsize=(width, height), layout="constrained")


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


def colours(values: Sequence[object]) -> list[str]:
    """Give a colour for each series: a ramp if more than two are ordered by a number."""
    ordered = all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values)
    if (ordered and len(values) > 2) or len(values) > len(DISTINCT):
        ramp = mpl.colormaps["viridis"]
        steps = max(len(values) - 1, 1)
        return [to_hex(ramp(0.05 + 0.8 * i / steps)) for i in range(len(values))]
    return [DISTINCT[i] for i in range(len(values))]
