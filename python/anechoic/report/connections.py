"""Congestion window, slow start threshold and RTT of connections over time."""

from dataclasses import dataclass
from math import ceil, nan
from typing import TYPE_CHECKING

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing

from anechoic.campaign.cells import Cell
from anechoic.campaign.results import Results
from anechoic.report.palette import DISTINCT, FAINT
from anechoic.report.style import house_style, new_figure

if TYPE_CHECKING:
    import pyarrow

CELLS, FLOWS = 8, 4
"""More than these would make the page long and the panels narrow; the tables hold all."""
_POINTS = 2_000
"""More points on a line are not told apart on the page, and weigh."""
_INFINITE = 0x7FFF_FFFF
"""TCP_INFINITE_SSTHRESH: there has been no loss."""
_RECOVERY, _LOSS = 3, 4
"""TCP_CA_Recovery and TCP_CA_Loss, of `enum tcp_ca_state`."""
_PANEL_INCHES = (4.4, 2.3)
_FRAME_INCHES = 1.0
_LEAST_INCHES = 8.0
"""Width of title and legend."""
_BLUE, _RED, _GREEN = DISTINCT[:3]
_SHADES = ((_RECOVERY, "#e69f00", "fast recovery"), (_LOSS, _RED, "after a timeout"))


@dataclass(frozen=True)
class History:
    """What the sender of a flow said of itself, sample by sample; the RTT in ms."""

    flow: str
    time_s: list[float]
    cwnd: list[float]
    ssthresh: list[float]
    rtt_ms: list[float]
    ca_state: list[int]


def has_samples(results: Results) -> bool:
    """Say whether connections were sampled over time."""
    return results.scenario.run.tcp_info_step is not None and results.out is not None


def draw_histories(results: Results) -> list[tuple[Cell, Drawing]]:
    """Draw the first replication of the first cells that have a TCP connection."""
    drawn = []
    for cell in results.cells[:CELLS]:
        histories = _histories(results, cell)
        if histories:
            drawn.append((cell, _draw(cell, histories)))
    return drawn


def _histories(results: Results, cell: Cell) -> list[History]:
    import pyarrow.compute as pc

    try:
        table = results.tcp_info(cell)
    except LookupError:
        return []
    table = table.filter(pc.equal(table["end"], "sender"))
    flows = list(dict.fromkeys(table["flow"].to_pylist()))[:FLOWS]
    return [_history(flow, table.filter(pc.equal(table["flow"], flow))) for flow in flows]


def _history(flow: str, samples: "pyarrow.Table") -> History:
    step = ceil(samples.num_rows / _POINTS)
    columns = {
        name: samples[f"tcpi_{name}"].to_pylist()[::step]
        for name in ("snd_cwnd", "snd_ssthresh", "rtt", "ca_state")
    }
    return History(
        flow,
        samples["time_s"].to_pylist()[::step],
        columns["snd_cwnd"],
        [nan if value == _INFINITE else value for value in columns["snd_ssthresh"]],
        # Before the first measurement there is none, and the kernel says 0.
        [value / 1000 if value else nan for value in columns["rtt"]],
        columns["ca_state"],
    )


def _draw(cell: Cell, histories: list[History]) -> Drawing:
    with house_style():
        width, height = _PANEL_INCHES
        across = max(width * len(histories), _LEAST_INCHES)
        drawing = new_figure(across, 2 * height + _FRAME_INCHES)
        grid = drawing.subplots(2, len(histories), squeeze=False, sharex=True, sharey="row")
        for column, history in enumerate(histories):
            _draw_windows(grid[0][column], history)
            grid[1][column].plot(history.time_s, history.rtt_ms, color=_GREEN, linewidth=1.1)
            grid[1][column].set_xlabel("Time (s)")
            grid[0][column].set_title(history.flow, color=FAINT)
        for row, label in enumerate(("Window (segments)", "Smoothed RTT (ms)")):
            grid[row][0].set_ylabel(label)
            grid[row][0].set_ylim(bottom=0)
        title = f"Connections, {cell.name}" if cell.parameters else "Connections"
        drawing.suptitle(title, x=0.01, ha="left", fontsize=11.5, fontweight="bold")
        handles, labels = grid[0][0].get_legend_handles_labels()
        drawing.legend(handles, labels, loc="outside lower center", ncols=4)
    return drawing


def _draw_windows(axes: Axes, history: History) -> None:
    axes.plot(
        history.time_s,
        history.cwnd,
        color=_BLUE,
        linewidth=1.1,
        drawstyle="steps-post",
        label="cwnd",
    )
    axes.plot(
        history.time_s,
        history.ssthresh,
        color=FAINT,
        linewidth=1.0,
        linestyle="--",
        drawstyle="steps-post",
        label="ssthresh",
    )
    for state, colour, label in _SHADES:
        axes.fill_between(
            history.time_s,
            0,
            1,
            where=[each == state for each in history.ca_state],
            step="post",
            transform=axes.get_xaxis_transform(),
            color=colour,
            alpha=0.3,
            linewidth=0,
            label=label,
        )
