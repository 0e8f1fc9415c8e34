"""The figures of two captures of one path: delays, losses over time, the queue before the air."""

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from anechoic.captures.drawing import (
    Numbers,
    column,
    points,
    shortened,
    thinned,
    title,
    where,
)
from anechoic.captures.pair import WAYS
from anechoic.report.style import DISTINCT, from_zero, house_style, new_figure

if TYPE_CHECKING:
    import pyarrow

_COLOURS = dict(zip(WAYS, DISTINCT, strict=False))
_LOST = "#d55e00"
_HEADROOM = 1.35
"""So much more than the largest value is shown that the legend has room above it."""
_WIDTH = 8.6
"""Of a figure, in inches."""
_ROW, _LAST_ROW, _HEAD = 2.2, 1.5, 0.8
"""Heights of a way's delays, of the losses, and of the title and the axis of time, in inches."""
_LETTERS = 100
"""A title of so many letters has room over the whole width (inferred: 10 pt, 13 to an inch)."""
_FEWEST = 2
"""Points of which there is a course or a distribution."""
_MS = 1e6

Places = NDArray[np.intp]
Mask = NDArray[np.bool_]


def draw_delays(
    over_time: "pyarrow.Table", start_ns: int, step_ns: int, names: dict[str, str]
) -> Drawing:
    """Draw the delay of each way over time, and below what was lost.

    A line is the mean of each step of ``step_ns``, and the band is from its least to its longest;
    both end where a step has no packet. ``start_ns`` is 0 s; ``names`` has the ways that any
    packet went.
    """
    has_losses = bool(column(over_time, "segments_lost").any())
    with house_style():
        heights = [_ROW] * len(names) + [_LAST_ROW] * has_losses
        drawing = new_figure(_WIDTH, sum(heights) + _HEAD)
        rows = drawing.subplots(len(heights), sharex=True, squeeze=False, height_ratios=heights)
        grid = rows[:, 0]
        for axes, (way, name) in zip(grid, names.items(), strict=False):
            _delay(axes, over_time.filter(_is(over_time, way)), start_ns, step_ns, way)
            axes.set_title(_short(name, _LETTERS))
        if has_losses:
            _lost(grid[-1], over_time, start_ns, names)
        grid[-1].set_xlabel("Time since the first TCP segment (s)")
        title(drawing, "One-way delays")
    return drawing


def _short(name: str, most: int) -> str:
    """Shorten the files of a way's name so that both are still told."""
    arrow = " → "
    files = name.split(arrow)
    return arrow.join(shortened(file, (most - len(arrow)) // len(files)) for file in files)


def _is(table: "pyarrow.Table", way: str) -> "pyarrow.Array":
    import pyarrow

    return pyarrow.array(where(table, "way", way))


def _seconds(table: "pyarrow.Table", start_ns: int, name: str = "time_ns") -> Numbers:
    # Nanoseconds since 1970 do not fit into a float.
    whole = table[name].to_numpy(zero_copy_only=False)
    since: Numbers = (whole - start_ns) / 1e9
    return since


def _delay(axes: Axes, steps: "pyarrow.Table", start_ns: int, step_ns: int, way: str) -> None:
    has_any = column(steps, "packets_passed") > 0
    times = _seconds(steps, start_ns)[has_any]
    low, mean, high = (
        column(steps, f"delay_{name}_ns")[has_any] / _MS for name in ("min", "mean", "max")
    )
    places, is_alone = _stretches(times, step_ns / 1e9)
    look: Any = {"color": _COLOURS[way], "alpha": 0.25}
    xs, lows, means, highs = (
        np.insert(values, places, np.nan) for values in (times, low, mean, high)
    )
    axes.fill_between(xs, lows, highs, lw=0, label="least to longest", **look)
    axes.plot(xs, means, color=_COLOURS[way], lw=1.2, label="mean")
    axes.vlines(times[is_alone], low[is_alone], high[is_alone], lw=1.2, **look)
    alone: Any = {"marker": "o", "ms": 2.6, "mec": "none", "color": _COLOURS[way]}
    points(axes, times[is_alone], mean[is_alone], **alone)
    axes.set_ylabel("Delay (ms)")
    longest = float(high.max(initial=0.0))
    axes.set_ylim(min(0.0, float(low.min(initial=0.0))), _HEADROOM * longest or None)
    axes.legend(loc="upper right", ncols=2)


def _stretches(times: Numbers, step_s: float) -> tuple[Places, Mask]:
    """Give the places before which steps are missing, and which steps have no neighbour."""
    # Half a step more than one, as times are rounded.
    is_gap = np.diff(times) > 1.5 * step_s
    is_first, is_last = np.append(True, is_gap), np.append(is_gap, True)
    return np.flatnonzero(is_gap) + 1, (is_first & is_last)[: len(times)]


def _lost(axes: Axes, steps: "pyarrow.Table", start_ns: int, names: dict[str, str]) -> None:
    for way in names:
        own = steps.filter(_is(steps, way))
        lost = column(own, "segments_lost")
        some = lost > 0
        if not some.any():
            continue
        times = _seconds(own, start_ns)[some]
        label = _short(names[way], _LETTERS // 2)
        axes.vlines(times, 0, lost[some], color=_COLOURS[way], lw=1.3, label=label)
    axes.set_ylabel("Lost\n(segments)")
    axes.set_ylim(0, _HEADROOM * float(column(steps, "segments_lost").max()))
    axes.yaxis.set_major_locator(MaxNLocator(nbins=4, integer=True))
    axes.legend(loc="upper right", ncols=2)


def draw_distribution(packets: "pyarrow.Table", names: dict[str, str]) -> Drawing:
    """Draw which share of each way's packets was under way for longer than a time."""
    with house_style():
        drawing = new_figure(_WIDTH, 3.6)
        grid = drawing.subplots(1, len(names), squeeze=False, sharey=True)[0]
        for axes, (way, name) in zip(grid, names.items(), strict=True):
            delays = column(packets.filter(_is(packets, way)), "delay_ns")
            _longer(axes, delays[~np.isnan(delays)] / _MS, _COLOURS[way])
            axes.set_title(_short(name, _LETTERS // len(names)))
            axes.set_xlabel("Delay d (ms)")
        grid[0].set_ylabel("Share with a delay longer than d")
        title(drawing, "Distribution of delays")
    return drawing


def _longer(axes: Axes, delays: Numbers, colour: str) -> None:
    ordered = np.sort(delays)
    above = 1 - np.arange(1, len(ordered) + 1) / max(len(ordered), 1)
    axes.step(*thinned(ordered, above), where="post", color=colour, lw=1.4)
    axes.set_ylim(0, 1)


def on_air(packets: "pyarrow.Table") -> "pyarrow.Table":
    """Give the packets that were acknowledged on the air, which have a wait before it."""
    import pyarrow

    has_both = ~np.isnan(column(packets, "delay_ns")) & ~np.isnan(
        column(packets, "acknowledged_ns")
    )
    return packets.filter(pyarrow.array(has_both))


def draw_air(packets: "pyarrow.Table", start_ns: int, way: str, air: str) -> Drawing | None:
    """Draw how long packets waited for the air, were on it, and how often they were sent.

    ``packets`` are those of the way towards the air, ``air`` is ``first`` or ``second``, the
    capture that has the frames. Nothing of too few packets.
    """
    sent = on_air(packets.filter(_is(packets, way)))
    if sent.num_rows < _FEWEST:
        return None
    times = _seconds(sent, start_ns, "aligned_second_ns" if air == "first" else "time_first_ns")
    order = np.argsort(times, kind="stable")
    begun = sent[f"time_{air}_ns"].to_numpy(zero_copy_only=False)
    ended = sent["acknowledged_ns"].to_numpy(zero_copy_only=False)
    panels = (
        (column(sent, "delay_ns") / _MS, "In the queue\n(ms)", DISTINCT[0]),
        ((ended - begun) / _MS, "On the air\n(ms)", DISTINCT[2]),
        (column(sent, "frames"), "Frames for it", _LOST),
    )
    with house_style():
        drawing = new_figure(_WIDTH, 5.4)
        grid = drawing.subplots(len(panels), 1, sharex=True)
        for axes, (values, label, colour) in zip(grid, panels, strict=True):
            xs, ys = thinned(times[order], values[order])
            axes.plot(xs, ys, ls="", marker=".", ms=2.6, mec="none", color=colour)
            axes.set_ylabel(label)
            from_zero(axes)
        grid[-1].yaxis.set_major_locator(MaxNLocator(nbins=4, integer=True))
        grid[-1].set_xlabel("When it passed the wire: time since the first TCP segment (s)")
        title(drawing, "From the wire to the acknowledgment on the air")
    return drawing
