"""The figure of transfers beside the signal."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing

from anechoic.captures.figures.drawing import Numbers, column, numbers, thinned
from anechoic.captures.figures.layout import Heading, lay_out
from anechoic.report.palette import DISTINCT, FAINT
from anechoic.report.style import from_zero, house_style
from anechoic.scenario.signal_log import Reading

if TYPE_CHECKING:
    import pyarrow


def draw_signal(
    joined: "pyarrow.Table",
    readings: Sequence[Reading],
    offset_s: float,
    start_ns: int,
    about: str,
) -> Drawing:
    """Draw the signal over time above the transfers' throughput, and one against the other."""
    with house_style():
        drawing = Drawing()
        grid = drawing.subplots(3, 1, squeeze=False)
        level, rate, against = grid[:, 0]
        rate.sharex(level)
        level.tick_params(labelbottom=False)
        times = numbers([reading.time_s + offset_s - start_ns / 1e9 for reading in readings])
        signals = numbers([reading.signal_dbm for reading in readings])
        level.plot(*thinned(times, signals), color=DISTINCT[2], lw=1.0)
        level.set_ylabel("Signal\n(dBm)")
        starts, ends = column(joined, "start_s"), column(joined, "end_s")
        rates, means = column(joined, "throughput_mbps"), column(joined, "signal_dbm_mean")
        rate.hlines(rates, starts, ends, color=DISTINCT[0], lw=2.0)
        rate.set_ylabel("Throughput\n(Mbit/s)")
        from_zero(rate)
        rate.set_xlabel("Time since the capture's first segment (s)")
        _span(level, starts, ends)
        lows, highs = column(joined, "signal_dbm_min"), column(joined, "signal_dbm_max")
        against.hlines(rates, lows, highs, color=FAINT, lw=0.8, label="lowest to highest")
        against.plot(means, rates, ls="", marker="o", ms=4, color=DISTINCT[0], label="mean")
        against.set_xlabel("Signal during the transfer (dBm)")
        against.set_ylabel("Throughput\n(Mbit/s)")
        from_zero(against)
        lay_out(drawing, grid, [1.3, 1.3, 2.2], Heading("Transfers and signal", about))
    return drawing


def _span(axes: Axes, starts: Numbers, ends: Numbers) -> None:
    """Show the time of the capture, which the log may exceed by hours."""
    if len(starts):
        low, high = float(starts.min()), float(ends.max())
        edge = 0.02 * max(high - low, 1e-9)
        axes.set_xlim(low - edge, high + edge)
