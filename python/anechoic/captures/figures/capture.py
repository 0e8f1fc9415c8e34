"""The figures of a whole capture: its transfers by station over time, and its losses."""

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing
from numpy.typing import ArrayLike

from anechoic.captures.figures.drawing import (
    POWERS,
    REGIME_LOOKS,
    STATION_COLOURS,
    Numbers,
    amount_axis,
    column,
    counts_axis,
    points,
    spread,
    where,
)
from anechoic.captures.figures.layout import Heading, lay_out, time_axis
from anechoic.captures.text.durations import duration
from anechoic.captures.text.ends import by_number
from anechoic.report.palette import FAINT, MARKERS
from anechoic.report.style import from_zero, house_style

if TYPE_CHECKING:
    import pyarrow

REGIME_NAMES = {
    "again": "the same segment again",
    "same_window": "in the window of the last",
    "air": "given up on the air",
    "upstream": "before the point of capture",
    "full_queue": "full queue (inferred)",
    "path": "the path itself (inferred)",
    "undecided": "full queue or path: undecided",
}
_SMALL = 0.01
"""Transfers below this part of the largest are left out: their throughput is that of a request."""
MOST_POINTS = 2_000
"""Transfers and losses that a figure shows: more would cover each other."""
_MOST_STATIONS = len(STATION_COLOURS)


def worth_showing(transfers: "pyarrow.Table") -> "pyarrow.Table":
    """Give the transfers worth a point: those of some size that took some time."""
    sizes = column(transfers, "bytes")
    is_rated = ~np.isnan(column(transfers, "throughput_mbps"))
    return transfers.filter(
        _mask(is_rated & (sizes >= _SMALL * float(sizes[is_rated].max(initial=0.0))))
    )


def largest_of(transfers: "pyarrow.Table") -> "pyarrow.Table":
    """Give as many transfers as a figure shows: the largest, and of equal ones some all along."""
    sizes = column(transfers, "bytes")
    if len(sizes) <= MOST_POINTS:
        return transfers
    last = np.sort(sizes)[-MOST_POINTS]
    larger, equal = np.flatnonzero(sizes > last), np.flatnonzero(sizes == last)
    chosen = equal[spread(len(equal), MOST_POINTS - len(larger))]
    return transfers.take(np.sort([*larger, *chosen]))


def draw_transfers(transfers: "pyarrow.Table", stations: Mapping[int, str], about: str) -> Drawing:
    """Draw throughput, mean RTT, largest flight and retransmissions of each transfer.

    A line lasts as long as the transfer, with a point at its end, in the colour of its station;
    ``stations`` gives the station of each connection. Of too many the largest are drawn.
    """
    count, transfers = transfers.num_rows, largest_of(transfers)
    left_out = count - transfers.num_rows
    groups = _by_station(transfers, stations)
    with house_style():
        drawing = Drawing()
        grid = drawing.subplots(4, 1, sharex=True, squeeze=False)
        rate, trip, flight, again = grid[:, 0]
        panels = (
            (rate, "throughput_mbps", 1.0, "Throughput\n(Mbit/s)"),
            (trip, "rtt_mean_ms", 1.0, "Mean RTT from\nthe capture (ms)"),
            (flight, "flight_max", *_flight_scale(transfers)),
        )
        for at, (station, rows) in enumerate(groups.items()):
            look: Any = {"color": STATION_COLOURS[at], "marker": MARKERS[at]}
            for axes, name, divisor, _ in panels:
                _lasting(axes, rows, column(rows, name) / divisor, look)
            _lasting(again, rows, _retransmitted(rows), look)
            rate.plot([], [], ls="", label=station, **look)
        if left_out:
            rate.plot([], [], ls="", label=f"{left_out:,} more, not larger, not drawn")
        for axes, _, _, label in panels:
            axes.set_ylabel(label)
            if axes is rate and _is_wide(column(transfers, "throughput_mbps")):
                _log(axes, "y")
            else:
                from_zero(axes)
        again.set_ylabel("Retransmitted or late\n(segments)")
        counts_axis(again)
        last_s = float(column(transfers, "end_s").max(initial=0.0))
        time_axis(grid, "Time since the capture's first segment (s)", last_s)
        lay_out(drawing, grid, [1.5] * 4, Heading("Transfers", about))
    return drawing


def _lasting(axes: Axes, rows: "pyarrow.Table", values: Numbers, look: dict[str, Any]) -> None:
    """Draw values that hold from the begin of each transfer to its end."""
    starts, ends = column(rows, "start_s"), column(rows, "end_s")
    is_known = ~np.isnan(values)
    axes.hlines(
        values[is_known], starts[is_known], ends[is_known], color=look["color"], lw=0.8, alpha=0.5
    )
    points(axes, ends, values, **look)


def _flight_scale(transfers: "pyarrow.Table") -> tuple[float, str]:
    divisor, unit = amount_axis(float(np.nanmax(column(transfers, "flight_max"), initial=1.0)))
    return divisor, f"Largest flight\n({unit})"


def _retransmitted(rows: "pyarrow.Table") -> Numbers:
    return column(rows, "segments_retransmitted") + column(rows, "segments_out_of_order")


def _by_station(
    transfers: "pyarrow.Table", stations: Mapping[int, str]
) -> "dict[str, pyarrow.Table]":
    """Give the transfers of each station, those with the most first; the last few together."""
    names = [stations[number] for number in transfers["connection"].to_pylist()]
    counts = Counter(names)
    order = sorted(counts, key=lambda name: (-counts[name], by_number(name)))
    shown = order[:_MOST_STATIONS]
    if len(order) > _MOST_STATIONS:
        shown = [*order[: _MOST_STATIONS - 1], ""]
        names = [name if name in shown else "" for name in names]
    groups = {}
    for station in shown:
        group = transfers.filter(_mask(np.array([name == station for name in names])))
        groups[station or f"{len(order) - len(shown) + 1} others"] = group
    return groups


def draw_losses(losses: "pyarrow.Table", about: str) -> Drawing:
    """Draw how the time between losses is distributed, and what was sent meanwhile by regime."""
    known = losses.filter(_mask(~np.isnan(column(losses, "since_last_s"))))
    with house_style():
        drawing = Drawing()
        grid = drawing.subplots(1, 2, squeeze=False)
        _distribution(grid[0, 0], _event_gaps(losses))
        _clusters(grid[0, 1], known.take(spread(known.num_rows, MOST_POINTS)))
        lay_out(drawing, grid, [2.9], Heading("Time between losses", about))
    return drawing


def _event_gaps(losses: "pyarrow.Table") -> Numbers:
    """Give the times between losses; those of the same window are one."""
    events = losses.filter(_mask(~where(losses, "regime", "same_window")))
    keys = list(zip(events["connection"].to_pylist(), events["sender"].to_pylist(), strict=True))
    times = column(events, "lost_s")
    gaps = [times[at] - times[at - 1] for at in range(1, len(keys)) if keys[at] == keys[at - 1]]
    return np.array(gaps)


def _distribution(axes: Axes, gaps: Numbers) -> None:
    axes.set_xlabel("Time between losses τ (s)")
    axes.set_ylabel("Share of gaps longer than τ")
    axes.set_ylim(0, 1)
    if not len(gaps):
        return
    ordered = np.sort(gaps)
    above = 1 - np.arange(1, len(ordered) + 1) / len(ordered)
    is_log = _is_wide(ordered)
    # All are longer than what is left of the shortest.
    start = 0.8 * float(ordered[ordered > 0].min()) if is_log else 0.0
    shown = spread(len(ordered), MOST_POINTS)
    axes.step(
        np.insert(ordered[shown], 0, start),
        np.insert(above[shown], 0, 1.0),
        where="post",
        color=STATION_COLOURS[0],
    )
    mean = float(ordered.mean())
    axes.axvline(mean, color=FAINT, lw=1, ls=":", label=f"mean: {duration(1e9 * mean)}")
    if is_log:
        _log(axes, "x")
    axes.set_xlim(left=start)


def _is_wide(values: Numbers) -> bool:
    """Say whether values are spread so much that a linear axis shows the large ones only."""
    positive = values[values > 0]
    return len(positive) > 0 and float(positive.max()) > 10**1.5 * float(positive.min())


def _log(axes: Axes, which: Literal["x", "y"]) -> None:
    axes.set(**{f"{which}scale": "log"})
    axis = axes.xaxis if which == "x" else axes.yaxis
    axis.set_major_formatter(POWERS)


def _clusters(axes: Axes, losses: "pyarrow.Table") -> None:
    gaps, sent = column(losses, "since_last_s"), column(losses, "segments_since_last")
    for regime, look in REGIME_LOOKS.items():
        is_of = where(losses, "regime", regime)
        if is_of.any():
            label = REGIME_NAMES[regime]
            points(axes, gaps[is_of], sent[is_of], ms=4, mec="none", label=label, **look)
    axes.set_xlabel("Time since the last loss (s)")
    axes.set_ylabel("Segments sent since")
    is_off = np.zeros(len(gaps), dtype=bool)
    known: tuple[tuple[Literal["x", "y"], Numbers], ...] = (("x", gaps), ("y", sent))
    for which, values in known:
        if _is_wide(values):
            _log(axes, which)
            is_off |= values <= 0
        else:
            axes.set(**{f"{which}lim": (0, None)})
    if is_off.any():
        axes.plot([], [], ls="", label=f"{int(is_off.sum()):,} more at 0, off these axes")


def _mask(chosen: ArrayLike) -> "pyarrow.Array":
    import pyarrow

    return pyarrow.array(np.asarray(chosen, dtype=bool))
