"""The figures of a whole capture: its transfers by station over time, and its losses."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing
from numpy.typing import ArrayLike

from anechoic.captures.drawing import (
    PLAIN,
    REGIME_COLOURS,
    STATION_COLOURS,
    Numbers,
    amount_axis,
    column,
    points,
    thinned,
    title,
    where,
)
from anechoic.report.style import FAINT, MARKERS, from_zero, house_style, new_figure

if TYPE_CHECKING:
    import pyarrow

REGIME_NAMES = {
    "again": "the same segment again",
    "same_window": "in the window of the last",
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


def shown_transfers(transfers: "pyarrow.Table") -> "pyarrow.Table":
    """Give the transfers worth a point: those of some size that took some time, the largest."""
    sizes = column(transfers, "bytes")
    is_rated = ~np.isnan(column(transfers, "throughput_mbps"))
    is_worth = is_rated & (sizes >= _SMALL * float(sizes[is_rated].max(initial=0.0)))
    places = np.flatnonzero(is_worth)
    largest = places[np.argsort(-sizes[places], kind="stable")[:MOST_POINTS]]
    return transfers.take(np.sort(largest))


def draw_transfers(transfers: "pyarrow.Table", stations: Mapping[int, str]) -> Drawing:
    """Draw throughput, mean RTT, largest flight and retransmissions of each transfer.

    A point stands at the transfer's end, in the colour of its station; ``stations`` gives the
    station of each connection.
    """
    groups = _by_station(transfers, stations)
    with house_style():
        drawing = new_figure(8.6, 8.6)
        rate, trip, flight, again = drawing.subplots(4, 1, sharex=True)
        panels = (
            (rate, "throughput_mbps", 1.0, "Throughput\n(Mbit/s)"),
            (trip, "rtt_mean_ms", 1.0, "Mean RTT\n(ms)"),
            (flight, "flight_max", *_flight_scale(transfers)),
        )
        for at, (station, rows) in enumerate(groups.items()):
            look: Any = {"color": STATION_COLOURS[at], "marker": MARKERS[at], "label": station}
            ends = column(rows, "end_s")
            for axes, name, divisor, _ in panels:
                points(axes, ends, column(rows, name) / divisor, **look)
            points(again, ends, _sent_again(rows), **look)
        for axes, _, _, label in panels:
            axes.set_ylabel(label)
            from_zero(axes)
        _log_if_wide(rate, column(transfers, "throughput_mbps"))
        again.set_ylabel("Sent again or late\n(segments)")
        from_zero(again)
        again.set_xlim(left=0)
        again.set_xlabel("End of the transfer: time since the capture's first segment (s)")
        if len(groups) > 1:
            drawing.legend(*rate.get_legend_handles_labels(), loc="outside right upper")
        only = f"station {next(iter(groups))}" if len(groups) == 1 else ""
        title(drawing, "Transfers", only)
    return drawing


def _flight_scale(transfers: "pyarrow.Table") -> tuple[float, str]:
    divisor, unit = amount_axis(float(column(transfers, "flight_max").max(initial=1.0)))
    return divisor, f"Largest flight\n({unit})"


def _sent_again(rows: "pyarrow.Table") -> Numbers:
    return column(rows, "segments_retransmitted") + column(rows, "segments_out_of_order")


def _log_if_wide(axes: Axes, values: Numbers) -> None:
    positive = values[values > 0]
    if len(positive) and float(positive.max()) > 10**1.5 * float(positive.min()):
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(PLAIN)


def _by_station(
    transfers: "pyarrow.Table", stations: Mapping[int, str]
) -> "dict[str, pyarrow.Table]":
    """Give the transfers of each station, those with the most first; the last few together."""
    names = [stations[number] for number in transfers["connection"].to_pylist()]
    order = sorted(dict.fromkeys(names), key=lambda name: (-names.count(name), name))
    shown = order[:_MOST_STATIONS]
    if len(order) > _MOST_STATIONS:
        shown = [*order[: _MOST_STATIONS - 1], ""]
        names = [name if name in shown else "" for name in names]
    groups = {}
    for station in shown:
        group = transfers.filter(_mask(np.array([name == station for name in names])))
        groups[station or f"{len(order) - len(shown) + 1} others"] = group
    return groups


def draw_losses(losses: "pyarrow.Table") -> Drawing:
    """Draw how the time between losses is distributed, and what was sent meanwhile by regime."""
    known = losses.filter(_mask(~np.isnan(column(losses, "since_last_s"))))
    with house_style():
        drawing = new_figure(8.6, 4.2)
        spread, scatter = drawing.subplots(1, 2)
        _distribution(spread, _event_gaps(losses))
        _clusters(scatter, known.take(_spread_over(known.num_rows)))
        drawing.legend(*scatter.get_legend_handles_labels(), loc="outside lower center", ncols=3)
        title(drawing, "Time between losses")
    return drawing


def _spread_over(count: int) -> "pyarrow.Array":
    """Give the places of all, or of as many as a figure shows, evenly spread."""
    import pyarrow

    return pyarrow.array(np.unique(np.linspace(0, count - 1, min(count, MOST_POINTS)).astype(int)))


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
    above = 1 - np.arange(len(ordered) + 1) / len(ordered)
    shown = thinned(np.insert(ordered, 0, 0), above)
    axes.step(*shown, where="post", color=STATION_COLOURS[0])
    _log_x_if_wide(axes, ordered)
    mean = float(ordered.mean())
    axes.axvline(mean, color=FAINT, lw=1, ls=":")
    # Above the axes, where no curve runs.
    axes.annotate(
        f"mean {mean:.3g} s",
        (mean, 1.0),
        xytext=(0, 2),
        textcoords="offset points",
        xycoords=("data", "axes fraction"),
        ha="center",
        va="bottom",
        color=FAINT,
        fontsize=8.5,
    )


def _log_x_if_wide(axes: Axes, values: Numbers) -> None:
    positive = values[values > 0]
    if len(positive) and float(positive.max()) > 10**1.5 * float(positive.min()):
        axes.set_xscale("log", nonpositive="clip")
        axes.xaxis.set_major_formatter(PLAIN)
        axes.set_xlim(left=float(positive.min()) * 0.8)
    else:
        axes.set_xlim(left=0)


def _clusters(axes: Axes, losses: "pyarrow.Table") -> None:
    for regime, colour in REGIME_COLOURS.items():
        is_of = where(losses, "regime", regime)
        if not is_of.any():
            continue
        gaps = column(losses, "since_last_s")[is_of]
        sent = column(losses, "segments_since_last")[is_of]
        label = REGIME_NAMES[regime]
        axes.plot(gaps, sent, ls="", marker="o", ms=3.4, mec="none", color=colour, label=label)
    axes.set_xlabel("Time since the last loss (s)")
    axes.set_ylabel("Segments sent since")
    axes.set_yscale("symlog", linthresh=1)
    axes.yaxis.set_major_formatter(PLAIN)
    axes.set_ylim(bottom=0)
    _log_x_if_wide(axes, column(losses, "since_last_s"))


def _mask(chosen: ArrayLike) -> "pyarrow.Array":
    import pyarrow

    return pyarrow.array(np.asarray(chosen, dtype=bool))
