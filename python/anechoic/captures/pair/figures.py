"""The figures of two captures of one path: delays, losses over time, the queue before the air."""

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from anechoic.captures.figures.drawing import (
    MARKS,
    Numbers,
    column,
    points,
    shortened,
    spread,
    thinned,
    where,
)
from anechoic.captures.figures.layout import WIDTH, Heading, lay_out, time_axis
from anechoic.captures.pair.comparison import WAYS
from anechoic.report.palette import DISTINCT, MARKERS
from anechoic.report.style import from_zero, house_style

if TYPE_CHECKING:
    import pyarrow

_COLOURS = dict(zip(WAYS, DISTINCT, strict=False))
_MARKERS = dict(zip(WAYS, MARKERS, strict=False))
_DELAYS, _LOSSES = 1.7, 1.1
"""Heights of a way's delays and of the losses, in inches."""
_LETTERS = int(5.5 * WIDTH)
"""Letters of a title that have room over half of the width, beside a key or another title
(inferred: 10 pt, 13 to an inch, less the ticks)."""
_MOST_POINTS = 2_000
"""Steps of a distribution: more than a panel is high."""
_FEWEST = 2
"""Points of which there is a course or a distribution."""
_MS = 1e6

Places = NDArray[np.intp]
Mask = NDArray[np.bool_]


def draw_delays(
    over_time: "pyarrow.Table", start_ns: int, step_ns: int, names: dict[str, str], about: str
) -> Drawing:
    """Draw the delay of each way over time, and below what was lost.

    A line is the mean of each step of ``step_ns``, and the band is from its least to its longest;
    both end where a step has no packet. ``start_ns`` is 0 s; ``names`` has the ways that any
    packet went.
    """
    has_losses = bool(column(over_time, "segments_lost").any())
    heights = [_DELAYS] * len(names) + [_LOSSES] * has_losses
    with house_style():
        drawing = Drawing()
        grid = drawing.subplots(len(heights), 1, sharex=True, squeeze=False)
        for axes, (way, name) in zip(grid[:, 0], names.items(), strict=False):
            _delay(axes, over_time.filter(_is(over_time, way)), start_ns, step_ns, way)
            axes.set_title(_short(name, _LETTERS))
        if has_losses:
            _lost(grid[-1, 0], over_time, start_ns, names)
        time_axis(grid, "Time since the first TCP segment (s)")
        lay_out(drawing, grid, heights, Heading("One-way delays", about))
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
    axes.set_ylabel("Delay\n(ms)")
    from_zero(axes)
    if (least := float(low.min(initial=0.0))) < 0:
        axes.set_ylim(bottom=1.06 * least)


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
        label = f"lost {_short(names[way], _LETTERS)}"
        axes.vlines(times, 0, lost[some], color=_COLOURS[way], lw=1.0)
        look: Any = {"color": _COLOURS[way], "marker": _MARKERS[way], "ms": 3.6, "mec": "none"}
        points(axes, times, lost[some], label=label, **look)
    axes.set_ylabel("Lost\n(segments)")
    from_zero(axes)
    axes.yaxis.set_major_locator(MaxNLocator(nbins=4, integer=True))


def draw_distribution(packets: "pyarrow.Table", names: dict[str, str], about: str) -> Drawing:
    """Draw which share of each way's packets was under way for longer than a time."""
    with house_style():
        drawing = Drawing()
        grid = drawing.subplots(1, len(names), squeeze=False, sharey=True)
        for axes, (way, name) in zip(grid[0], names.items(), strict=True):
            delays = column(packets.filter(_is(packets, way)), "delay_ns")
            _longer(axes, delays[~np.isnan(delays)] / _MS, _COLOURS[way])
            axes.set_title(_short(name, _LETTERS))
            axes.set_xlabel("Delay d (ms)")
        grid[0, 0].set_ylabel("Share of packets with\na delay longer than d")
        lay_out(drawing, grid, [2.4], Heading("Distribution of delays", about))
    return drawing


def _longer(axes: Axes, delays: Numbers, colour: str) -> None:
    ordered = np.sort(delays)
    above = 1 - np.arange(1, len(ordered) + 1) / max(len(ordered), 1)
    shown = spread(len(ordered), _MOST_POINTS)
    # All are longer than any time before the shortest.
    xs, ys = np.append(ordered[:1], ordered[shown]), np.append(1.0, above[shown])
    axes.step(xs, ys[: len(xs)], where="post", color=colour, lw=1.4)
    axes.set_ylim(0, 1)


def on_air(packets: "pyarrow.Table") -> "pyarrow.Table":
    """Give the packets that were acknowledged on the air, which have a wait before it."""
    import pyarrow

    has_both = ~np.isnan(column(packets, "delay_ns")) & ~np.isnan(
        column(packets, "acknowledged_ns")
    )
    return packets.filter(pyarrow.array(has_both))


def draw_air(
    packets: "pyarrow.Table", start_ns: int, way: str, air: str, about: str
) -> Drawing | None:
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
        (column(sent, "frames"), "Frames for\nthe packet", DISTINCT[1]),
    )
    with house_style():
        drawing = Drawing()
        grid = drawing.subplots(len(panels), 1, sharex=True, squeeze=False)
        for axes, (values, label, colour) in zip(grid[:, 0], panels, strict=True):
            xs, ys = thinned(times[order], values[order], MARKS)
            axes.plot(xs, ys, ls="", marker=".", ms=2.6, mec="none", color=colour)
            axes.set_ylabel(label)
            from_zero(axes)
        grid[-1, 0].yaxis.set_major_locator(MaxNLocator(nbins=4, integer=True))
        time_axis(grid, "When it passed the wire: time since the first TCP segment (s)")
        heading = Heading("From the wire to the acknowledgment on the air", about)
        lay_out(drawing, grid, [1.4] * len(panels), heading)
    return drawing
