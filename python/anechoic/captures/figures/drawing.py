"""What the figures of a capture have in common."""

from math import log10
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator
from numpy.typing import ArrayLike, NDArray

from anechoic.report.palette import DISTINCT
from anechoic.report.style import from_zero

COLUMNS = 750
"""Columns of a panel in which points are told apart: of 7.5 inches, each is narrower than a line
(a point, 1/72 inch)."""
MARKS = 300
"""The same of marks: each column is narrower than a mark (two points or more)."""

CAUSE_LOOKS: dict[str, Any] = {
    "timeout": {"color": "#d55e00", "marker": "X"},
    "fast": {"color": "#0072b2", "marker": "o"},
    "rack": {"color": "#56b4e9", "marker": "s"},
    "tail_probe": {"color": "#009e73", "marker": "^"},
    "reordering": {"color": "#5c636b", "marker": "v"},
    "network_duplicate": {"color": "#8b949e", "marker": "D"},
    "window_probe": {"color": "#e69f00", "marker": "P"},
    "needless_timeout": {"color": "#a63d00", "marker": "*"},
    "needless_fast": {"color": "#cc79a7", "marker": "p"},
    "needless_probe": {"color": "#00664b", "marker": "<"},
    "unknown": {"color": "#1f2328", "marker": "h"},
    "needless": {"color": "#8f4a78", "marker": "d"},
}
"""Vermilion waited for the timer, blue was told by the receiver; pink, plum, brown and dark green
were in vain. In grey the marks tell them apart."""

REGIME_LOOKS: dict[str, Any] = {
    "again": {"color": "#d55e00", "marker": "X"},
    "same_window": {"color": "#56b4e9", "marker": "s"},
    "air": {"color": "#009e73", "marker": "P"},
    "upstream": {"color": "#5c636b", "marker": "v"},
    "full_queue": {"color": "#0072b2", "marker": "o"},
    "path": {"color": "#cc79a7", "marker": "D"},
    "undecided": {"color": "#e69f00", "marker": "^"},
}
STATION_COLOURS = DISTINCT

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
POWERS = FuncFormatter(lambda value, _: "10" + str(round(log10(value))).translate(_RAISED))
"""Ticks of a log axis, which stand at powers of ten; mathematical text would take longer to
draw."""

Numbers = NDArray[np.float64]


def numbers(values: ArrayLike) -> Numbers:
    """Give values as floats, with NaN for what is missing."""
    return np.asarray(values, dtype=np.float64)


def thinned(xs: Numbers, ys: Numbers, columns: int = COLUMNS) -> tuple[Numbers, Numbers]:
    """Give of each of so many columns of x the first point, the lowest, the highest and the last.

    A line through them covers what the line through all points does, and points of one column
    cover each other but for these.
    """
    span = float(np.ptp(xs)) if len(xs) else 0.0
    if len(xs) <= 4 * columns or span == 0:
        return xs, ys
    at = np.minimum((xs - xs.min()) * (columns / span), columns - 1).astype(int)
    places = np.unique([*_ends(at, np.arange(len(xs))), *_ends(at, ys)])
    return xs[places], ys[places]


def _ends(at: NDArray[np.int_], by: ArrayLike) -> NDArray[np.int_]:
    """Give the places of the least and the largest in each column."""
    order = np.lexsort((np.asarray(by), at))
    changes = np.flatnonzero(np.diff(at[order]))
    ends: NDArray[np.int_] = order[np.concatenate(([0], changes, changes + 1, [-1]))]
    return ends


def spread(count: int, most: int) -> NDArray[np.int_]:
    """Give the places of so many at most, evenly spread from the first to the last."""
    places: NDArray[np.int_] = np.unique(np.linspace(0, count - 1, min(count, most)).astype(int))
    return places


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


def amount_axis(largest: float) -> tuple[float, str]:
    """Give the divisor and the unit in which bytes up to so many read well."""
    for divisor, unit in ((1e9, "Gbyte"), (1e6, "Mbyte"), (1e3, "kbyte")):
        if largest >= divisor:
            return divisor, unit
    return 1.0, "bytes"


def counts_axis(axes: Axes) -> None:
    """Let the vertical axis begin at 0 and have ticks at whole numbers, at 1 if all are 0."""
    from_zero(axes)
    if axes.dataLim.y1 <= 0:
        axes.set_ylim(0, 1)
    axes.yaxis.set_major_locator(MaxNLocator(nbins=4, integer=True))


def column(table: Any, name: str) -> Numbers:
    """Give a column of an Arrow table as floats."""
    return numbers(table.column(name).to_numpy(zero_copy_only=False))


def where(table: Any, name: str, value: str) -> NDArray[np.bool_]:
    """Say for each row whether a column has this value."""
    import pyarrow.compute as pc

    equal = pc.fill_null(pc.equal(table.column(name).cast("string"), value), False)
    found: NDArray[np.bool_] = equal.to_numpy(zero_copy_only=False).astype(bool)
    return found
