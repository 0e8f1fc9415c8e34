"""What the figures of a capture have in common."""

from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing
from matplotlib.ticker import FuncFormatter
from numpy.typing import ArrayLike, NDArray

from anechoic.report.style import DISTINCT, FAINT

MOST_POINTS = 2_000
"""Points of a line: more than a figure has columns of pixels cannot be told apart."""

CAUSE_COLOURS = {
    "timeout": "#d55e00",
    "fast": "#0072b2",
    "rack": "#56b4e9",
    "tail_probe": "#009e73",
    "reordering": "#5c636b",
    "network_duplicate": "#8b949e",
    "window_probe": "#e69f00",
    "needless_timeout": "#a63d00",
    "needless_fast": "#cc79a7",
    "unknown": "#1f2328",
}
"""Vermilion waited for the timer, blue was told by the receiver, pink and brown were in vain."""

REGIME_COLOURS = {
    "again": "#d55e00",
    "same_window": "#56b4e9",
    "upstream": "#5c636b",
    "full_queue": "#0072b2",
    "path": "#cc79a7",
    "undecided": "#e69f00",
}
STATION_COLOURS = DISTINCT

PLAIN = FuncFormatter(lambda value, _: f"{value:g}")
"""Ticks of a logarithmic axis as plain numbers: powers would need mathematical text."""

Numbers = NDArray[np.float64]


def numbers(values: ArrayLike) -> Numbers:
    """Give values as floats, with NaN for what is missing."""
    return np.asarray(values, dtype=np.float64)


def thinned(xs: Numbers, ys: Numbers, most: int = MOST_POINTS) -> tuple[Numbers, Numbers]:
    """Give so many points at most: of each stretch of x its first, lowest, highest and last."""
    if len(xs) <= most:
        return xs, ys
    edges = np.linspace(0, len(xs), most // 4 + 1).astype(int)
    kept: set[int] = set()
    for start, end in pairwise(edges.tolist()):
        part = ys[start:end]
        if len(part):
            kept |= {start, start + int(part.argmin()), start + int(part.argmax()), int(end) - 1}
    places = np.array(sorted(kept))
    return xs[places], ys[places]


def points(axes: Axes, xs: Numbers, ys: Numbers, **look: Any) -> None:
    """Draw points, whole even at the edge of the axes, where both values are known."""
    is_known = ~(np.isnan(xs) | np.isnan(ys))
    # A line without points counts as one at the figure's corner, for which no layout has room.
    if is_known.any():
        axes.plot(xs[is_known], ys[is_known], ls="", clip_on=False, **look)


def shortened(name: str, most: int) -> str:
    """Leave out the middle of a name that is longer than what there is room for."""
    if len(name) <= most:
        return name
    kept = most - 1
    return f"{name[: kept - kept // 2]}…{name[len(name) - kept // 2 :]}"


def title(drawing: Drawing, text: str, note: str = "") -> None:
    """Write the title above the drawing and a note in small print at its right."""
    drawing.suptitle(text, x=0.01, ha="left", fontsize=11.5, fontweight="bold")
    if note:
        drawing.text(0.99, 0.985, note, ha="right", va="top").set(fontsize=7.5, color=FAINT)


def amount_axis(largest: float) -> tuple[float, str]:
    """Give the divisor and the unit in which bytes up to so many read well."""
    for divisor, unit in ((1e9, "Gbyte"), (1e6, "Mbyte"), (1e3, "kbyte")):
        if largest >= divisor:
            return divisor, unit
    return 1.0, "bytes"


def column(table: Any, name: str) -> Numbers:
    """Give a column of an Arrow table as floats."""
    return numbers(table.column(name).to_numpy(zero_copy_only=False))


def where(table: Any, name: str, value: str) -> NDArray[np.bool_]:
    """Say for each row whether a column has this value."""
    import pyarrow.compute as pc

    equal = pc.fill_null(pc.equal(table.column(name).cast("string"), value), False)
    found: NDArray[np.bool_] = equal.to_numpy(zero_copy_only=False).astype(bool)
    return found
