"""The figure of transfers beside the signal."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing

from anechoic.captures.drawing import Numbers, column, numbers, thinned, title
from anechoic.captures.signal_log import Reading
from anechoic.report.style import DISTINCT, FAINT, from_zero, house_style, new_figure

if TYPE_CHECKING:
    import pyarrow


def draw_signal(
    joined: "pyarrow.Table", readings: Sequence[Reading], offset_s: float, start_ns: int
) -> Drawing:
    """Draw the signal over time above the transfers' throughput, and one against the other."""
    with house_style():
        drawing = new_figure(8.6, 4.6)
        grid = drawing.add_gridspec(2, 2, width_ratios=[3, 2])
        level = drawing.add_subplot(grid[0, 0])
        rate = drawing.add_subplot(grid[1, 0], sharex=level)
        against = drawing.add_subplot(grid[:, 1])
        times = numbers([reading.time_s + offset_s - start_ns / 1e9 for reading in readings])
        signals = numbers([reading.signal_dbm for reading in readings])
        level.plot(*thinned(times, signals), color=DISTINCT[2], lw=1.0)
        level.set_ylabel("Signal (dBm)")
        starts, ends = column(joined, "start_s"), column(joined, "end_s")
        rates, means = column(joined, "throughput_mbps"), column(joined, "signal_dbm_mean")
        rate.hlines(rates, starts, ends, color=DISTINCT[0], lw=2.0)
        rate.set_ylabel("Transfer (Mbit/s)")
        from_zero(rate)
        rate.set_xlabel("Time since the capture's first segment (s)")
        _span(level, starts, ends)
        lows, highs = column(joined, "signal_dbm_min"), column(joined, "signal_dbm_max")
        against.hlines(rates, lows, highs, color=FAINT, lw=0.8)
        against.plot(means, rates, ls="", marker="o", ms=4, color=DISTINCT[0])
        against.set_xlabel("Signal during the transfer (dBm)\nmean, and from lowest to highest")
        against.set_ylabel("Throughput (Mbit/s)")
        from_zero(against)
        title(drawing, "Transfers and signal")
    return drawing


def _span(axes: Axes, starts: Numbers, ends: Numbers) -> None:
    """Show the time of the capture, which the log may exceed by hours."""
    if len(starts):
        low, high = float(starts.min()), float(ends.max())
        edge = 0.02 * max(high - low, 1e-9)
        axes.set_xlim(low - edge, high + edge)
