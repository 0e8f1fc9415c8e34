"""The figures of one direction of a connection: its sequence growth, and its life over time."""

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing
from matplotlib.ticker import MaxNLocator

from anechoic.captures.drawing import (
    CAUSE_COLOURS,
    Numbers,
    amount_axis,
    column,
    thinned,
    title,
    where,
)
from anechoic.captures.table import CAUSES, STALLS
from anechoic.report.style import DISTINCT, FAINT, INK, from_zero, house_style, new_figure

if TYPE_CHECKING:
    import pyarrow

_STALL_COLOURS = {
    "timeout": "#f3c3a5",
    "recovery": "#cfe3f2",
    "window": "#fbe3b5",
    "path": "#e9d5e2",
    "application": "#eceff2",
}
_SEEN = 0.01
"""A pause of a smaller part of the time would be a hairline."""
_FAR = 3.0
"""A window so many times larger than the largest flight would flatten it, and limits nothing."""
_BINS = 120
"""Stretches of time over which throughput is averaged."""


def draw_sequence(segments: "pyarrow.Table", losses: "pyarrow.Table", sender: str) -> Drawing:
    """Draw the sequence numbers sent and acknowledged, what was sent again and why, and losses.

    ``losses`` are those of the connection and the sender. The bars below stand where a copy was
    lost, as high as the number of times these data were lost in all.
    """
    with house_style():
        drawing = new_figure(8.6, 5.4)
        if losses.num_rows:
            upper, lower = drawing.subplots(2, 1, sharex=True, height_ratios=[4, 1])
            _multiplicity(lower, losses, segments)
            bottom = lower
        else:
            bottom = upper = drawing.subplots()
        _growth(upper, segments, sender)
        bottom.set_xlabel("Time since the connection's first segment (s)")
        title(drawing, "Sequence numbers and losses")
    return drawing


def _growth(axes: Axes, segments: "pyarrow.Table", sender: str) -> None:
    is_own = where(segments, "sender", sender)
    times, ends = column(segments, "time_s"), column(segments, "seq_end")
    has_data = is_own & (column(segments, "payload") > 0)
    acks = column(segments, "ack")
    largest = np.nanmax(np.where(has_data, ends, np.nan), initial=1.0)
    divisor, unit = amount_axis(float(largest))
    _stalls(axes, segments, is_own)
    is_new = has_data & where(segments, "kind", "new")
    axes.plot(*thinned(times[is_new], ends[is_new] / divisor), color=INK, lw=1.0, label="sent")
    is_ack = ~is_own & ~np.isnan(acks)
    highest = np.maximum.accumulate(acks[is_ack]) / divisor if is_ack.any() else acks[is_ack]
    axes.step(
        *thinned(times[is_ack], highest),
        where="post",
        color=DISTINCT[2],
        lw=1.0,
        label="acknowledged",
    )
    for cause, colour in CAUSE_COLOURS.items():
        of_cause = is_own & where(segments, "cause", cause)
        if of_cause.any():
            label = f"{CAUSES[cause]} ({int(of_cause.sum())})"
            xs, ys = times[of_cause], ends[of_cause] / divisor
            axes.plot(xs, ys, ls="", marker="o", ms=3.6, mec="none", color=colour, label=label)
    axes.set_ylabel(f"Sequence number ({unit})")
    from_zero(axes)
    axes.legend(loc="upper left")


def _stalls(axes: Axes, segments: "pyarrow.Table", is_own: Any) -> None:
    times, pauses = column(segments, "time_s"), column(segments, "stall_s")
    is_seen = is_own & (pauses >= _SEEN * (times[-1] - times[0]))
    for stall, colour in _STALL_COLOURS.items():
        label = f"paused: {STALLS[stall]}"
        for at in np.flatnonzero(is_seen & where(segments, "stall", stall)):
            start = times[at] - pauses[at]
            axes.axvspan(start, times[at], color=colour, lw=0, label=label, zorder=0)
            label = "_nolegend_"


def _multiplicity(axes: Axes, losses: "pyarrow.Table", segments: "pyarrow.Table") -> None:
    times_ns, times = column(segments, "time_ns"), column(segments, "time_s")
    lost = (column(losses, "lost_ns") - times_ns[0]) / 1e9 + times[0]
    counts = column(losses, "multiplicity")
    axes.vlines(lost, 0, counts, color=CAUSE_COLOURS["timeout"], lw=1.1)
    axes.set_ylabel("Times lost")
    axes.set_ylim(0, max(float(counts.max()), 1.0) * 1.15)
    axes.yaxis.set_major_locator(MaxNLocator(nbins=4, integer=True))


def draw_over_time(segments: "pyarrow.Table", sender: str) -> Drawing:
    """Draw throughput, round trips, and data in flight against the receiver's window."""
    with house_style():
        drawing = new_figure(8.6, 6.2)
        rate, trip, flight = drawing.subplots(3, 1, sharex=True)
        is_own = where(segments, "sender", sender)
        _throughput(rate, segments, is_own)
        _round_trips(trip, segments, is_own)
        _flight(flight, segments, is_own)
        flight.set_xlabel("Time since the connection's first segment (s)")
        title(drawing, "Throughput, round trips and data in flight")
    return drawing


def _throughput(axes: Axes, segments: "pyarrow.Table", is_own: Any) -> None:
    times = column(segments, "time_s")
    fresh = column(segments, "payload") - column(segments, "bytes_retransmitted")
    fresh = np.where(is_own, np.maximum(fresh, 0), 0)
    span = float(times[-1]) if len(times) else 0.0
    if span > 0:
        sums, edges = np.histogram(times, bins=_BINS, range=(0, span), weights=fresh)
        step_s = span / _BINS
        axes.stairs(sums * 8e-6 / step_s, edges, color=DISTINCT[0], fill=False, lw=1.2)
        axes.set_ylabel(f"Mbit/s\n({step_s * 1e3:.3g} ms each)")
    from_zero(axes)


def _round_trips(axes: Axes, segments: "pyarrow.Table", is_own: Any) -> None:
    times, trips = column(segments, "time_s"), column(segments, "rtt_ms")
    known = ~is_own & ~np.isnan(trips)
    xs, ys = thinned(times[known], trips[known])
    axes.plot(xs, ys, ls="", marker=".", ms=3, color=DISTINCT[1])
    axes.set_ylabel("RTT (ms)")
    from_zero(axes)


def _flight(axes: Axes, segments: "pyarrow.Table", is_own: Any) -> None:
    times = column(segments, "time_s")
    flights = np.where(is_own, column(segments, "flight"), column(segments, "flight_other"))
    largest = float(flights.max(initial=1.0))
    divisor, unit = amount_axis(largest)
    axes.plot(*thinned(times, flights / divisor), color=DISTINCT[0], lw=1.0, label="in flight")
    windows = column(segments, "window")
    is_advertised = ~is_own & ~where(segments, "answer", "strange") & ~np.isnan(windows)
    windows = windows[is_advertised]
    if len(windows) and float(np.median(windows)) <= _FAR * largest:
        xs, ys = thinned(times[is_advertised], windows / divisor)
        axes.step(xs, ys, where="post", color=FAINT, lw=1.0, label="receiver's window")
        axes.legend(loc="upper right")
    axes.set_ylabel(unit)
    from_zero(axes)


def busiest_sender(segments: "pyarrow.Table") -> str:
    """Give the end that sent more payload."""
    payload: Numbers = column(segments, "payload")
    by_client = float(payload[where(segments, "sender", "client")].sum())
    return "client" if by_client * 2 > float(payload.sum()) else "server"
