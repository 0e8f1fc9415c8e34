"""The figures of one direction of a connection: its sequence growth, and its life over time."""

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing
from numpy.typing import NDArray

from anechoic.captures.figures.drawing import (
    CAUSE_LOOKS,
    COLUMNS,
    MARKS,
    Numbers,
    amount_axis,
    column,
    counts_axis,
    thinned,
    where,
)
from anechoic.captures.figures.layout import Heading, lay_out, time_axis
from anechoic.captures.text.durations import duration
from anechoic.captures.verdicts.causes import CAUSES, STALLS
from anechoic.report.palette import DISTINCT, FAINT, INK
from anechoic.report.style import from_zero, house_style

if TYPE_CHECKING:
    import pyarrow

_STALL_LOOKS: dict[str, Any] = {
    "timeout": {"facecolor": "#f3c3a5", "hatch": "////"},
    "recovery": {"facecolor": "#cfe3f2", "hatch": "\\\\\\\\"},
    "window": {"facecolor": "#fbe3b5", "hatch": "||||"},
    "path": {"facecolor": "#e9d5e2", "hatch": "...."},
    "pace": {"facecolor": "#d3e8d6", "hatch": "----"},
    "application": {"facecolor": "#dde2e7"},
}
"""In grey the hatches tell them apart."""
_SEEN = 1 / COLUMNS
"""A pause of a smaller part of the time would be narrower than a line."""
Steps = tuple[Numbers, Numbers]
"""Times and values that hold from then on."""

_FAR = 3.0
"""A window so many times larger than the largest flight would flatten it, and limits nothing:
there its line leaves the panel."""
_NEAR = 0.01
"""A window that is near for a smaller part of the time is not drawn, as one that soon grows."""
_SINCE = "Time since the connection's first segment (s)"
_BINS = 120
"""Stretches of time over which throughput is averaged, at most: of less than a round trip the mean
tells of the sender's bursts."""


def draw_sequence(
    segments: "pyarrow.Table", losses: "pyarrow.Table", sender: str, about: str
) -> Drawing:
    """Draw the sequence numbers sent and acknowledged, what was retransmitted and why, and losses.

    ``losses`` are those of the connection and the sender. The bars below stand where a copy was
    lost, as high as the number of times these data were lost in all.
    """
    heights = [3.6, 0.9] if losses.num_rows else [3.6]
    with house_style():
        drawing = Drawing()
        grid = drawing.subplots(len(heights), 1, sharex=True, squeeze=False)
        _growth(grid[0, 0], segments, sender)
        if losses.num_rows:
            _multiplicity(grid[1, 0], losses, segments)
        time_axis(grid, _SINCE, float(column(segments, "time_s")[-1]))
        lay_out(drawing, grid, heights, Heading("Sequence numbers and losses", about))
    return drawing


def _growth(axes: Axes, segments: "pyarrow.Table", sender: str) -> None:
    is_own = where(segments, "sender", sender)
    times, ends = column(segments, "time_s"), column(segments, "seq_end")
    has_data = is_own & (column(segments, "payload") > 0)
    acks = column(segments, "ack")
    largest = np.nanmax(np.where(has_data, ends, np.nan), initial=1.0)
    divisor, unit = amount_axis(float(largest))
    is_new = has_data & where(segments, "kind", "new")
    sent = _to_the_end(times, is_new, ends / divisor)
    axes.step(*sent, where="post", color=INK, lw=1.0, label="sent")
    is_ack = ~is_own & ~np.isnan(acks)
    highest = np.fmax.accumulate(np.where(is_ack, acks, np.nan)) / divisor
    acknowledged = _to_the_end(times, is_ack, highest)
    axes.step(*acknowledged, where="post", color=DISTINCT[2], lw=1.0, label="acknowledged")
    for cause, look in CAUSE_LOOKS.items():
        of_cause = is_own & where(segments, "cause", cause)
        if of_cause.any():
            label = f"{CAUSES[cause]} ({int(of_cause.sum()):,})"
            marks = thinned(times[of_cause], ends[of_cause] / divisor, MARKS)
            axes.plot(*marks, ls="", ms=4, mec="none", label=label, **look)
    _stalls(axes, segments, is_own)
    axes.set_ylabel(f"Sequence number\n({unit})")
    from_zero(axes)


def _to_the_end(times: Numbers, is_shown: NDArray[np.bool_], values: Numbers) -> Steps:
    """Give the steps of some values, the last of which stays until the connection's end."""
    if not is_shown.any():
        return times[is_shown], values[is_shown]
    shown = values[is_shown]
    return thinned(np.append(times[is_shown], times[-1]), np.append(shown, shown[-1]))


def _stalls(axes: Axes, segments: "pyarrow.Table", is_own: Any) -> None:
    times, pauses = column(segments, "time_s"), column(segments, "stall_s")
    is_seen = is_own & (pauses >= _SEEN * (times[-1] - times[0]))
    for stall, look in _STALL_LOOKS.items():
        label = f"paused: {STALLS[stall]}"
        for at in np.flatnonzero(is_seen & where(segments, "stall", stall)):
            start = times[at] - pauses[at]
            axes.axvspan(start, times[at], edgecolor=FAINT, lw=0, label=label, zorder=0, **look)
            label = "_nolegend_"


def _multiplicity(axes: Axes, losses: "pyarrow.Table", segments: "pyarrow.Table") -> None:
    times_ns, times = column(segments, "time_ns"), column(segments, "time_s")
    lost = (column(losses, "lost_ns") - times_ns[0]) / 1e9 + times[0]
    counts = column(losses, "multiplicity")
    lost, shown = thinned(lost, counts)
    axes.vlines(lost, 0, shown, color=DISTINCT[1], lw=1.1)
    axes.set_ylabel("Copies lost\nof the data")
    counts_axis(axes)


def draw_over_time(
    segments: "pyarrow.Table", sender: str, about: str, round_trip_s: float = 0.0
) -> Drawing:
    """Draw throughput, round trips, and data in flight against the receiver's window."""
    with house_style():
        drawing = Drawing()
        grid = drawing.subplots(3, 1, sharex=True, squeeze=False)
        rate, trip, flight = grid[:, 0]
        is_own = where(segments, "sender", sender)
        _throughput(rate, segments, is_own, round_trip_s)
        _round_trips(trip, segments, is_own)
        _flight(flight, segments, is_own)
        time_axis(grid, _SINCE, float(column(segments, "time_s")[-1]))
        heading = Heading("Throughput, round trips and data in flight", about)
        lay_out(drawing, grid, [1.6] * 3, heading)
    return drawing


def _throughput(axes: Axes, segments: "pyarrow.Table", is_own: Any, round_trip_s: float) -> None:
    times = column(segments, "time_s")
    fresh = column(segments, "payload") - column(segments, "bytes_retransmitted")
    fresh = np.where(is_own, np.maximum(fresh, 0), 0)
    span = float(times[-1]) if len(times) else 0.0
    if span > 0:
        count = max(1, min(_BINS, int(span / round_trip_s))) if round_trip_s else _BINS
        step_s = span / count
        sums, edges = np.histogram(times, bins=count, range=(0, span), weights=fresh)
        label = f"mean of each {duration(1e9 * step_s)}"
        axes.stairs(sums * 8e-6 / step_s, edges, color=DISTINCT[0], lw=1.2, label=label)
    axes.set_ylabel("Throughput\n(Mbit/s)")
    from_zero(axes)


def _round_trips(axes: Axes, segments: "pyarrow.Table", is_own: Any) -> None:
    times, trips = column(segments, "time_s"), column(segments, "rtt_ms")
    known = ~is_own & ~np.isnan(trips)
    xs, ys = thinned(times[known], trips[known], MARKS)
    axes.plot(xs, ys, ls="", marker=".", ms=3, color=DISTINCT[1])
    axes.set_ylabel("Round trip\n(ms)")
    from_zero(axes)


def _flight(axes: Axes, segments: "pyarrow.Table", is_own: Any) -> None:
    times = column(segments, "time_s")
    flights = np.where(is_own, column(segments, "flight"), column(segments, "flight_other"))
    is_known = ~np.isnan(flights)
    largest = float(flights[is_known].max(initial=1.0))
    divisor, unit = amount_axis(largest)
    in_flight = thinned(times[is_known], flights[is_known] / divisor)
    (line,) = axes.step(*in_flight, where="post", color=DISTINCT[0], lw=1.0)
    advertised = _advertised(segments, is_own)
    if _share_below(_FAR * largest, *advertised, float(times[-1])) >= _NEAR:
        line.set_label("in flight")
        windows = thinned(advertised[0], advertised[1] / divisor)
        look: Any = {"color": FAINT, "lw": 1.2, "ls": "--"}
        axes.step(*windows, where="post", label="receiver's window", **look)
    axes.set_ylabel(f"In flight\n({unit})")
    from_zero(axes)
    _, top = axes.get_ylim()
    axes.set_ylim(top=min(top, _FAR * largest / divisor))


def _advertised(segments: "pyarrow.Table", is_own: Any) -> Steps:
    """Give the windows of the receiver, but for those of strange answers."""
    times, windows = column(segments, "time_s"), column(segments, "window")
    is_shown = ~is_own & ~where(segments, "answer", "strange") & ~np.isnan(windows)
    return times[is_shown], windows[is_shown]


def _share_below(most: float, times: Numbers, values: Numbers, end: float) -> float:
    """Give the share of the time until the end in which a value held that is not larger."""
    lasted = np.diff(times, append=end)
    return float(lasted[values <= most].sum()) / max(float(lasted.sum()), 1e-9)
