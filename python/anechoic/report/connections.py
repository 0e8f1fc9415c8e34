"""Congestion window, slow start threshold and RTT of connections over time, from TCP_INFO."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, nan

from anechoic.campaign.cells import Cell
from anechoic.campaign.results import Results
from anechoic.report.chart import Chart, Panel, Scale, Series, Shade, View
from anechoic.report.palette import DISTINCT, FAINT
from anechoic.report.slugs import numbered
from anechoic.tables.table import Table

CELLS, FLOWS = 8, 4
"""More than these would make the page long and the panels narrow; the tables hold all."""
_POINTS = 1_000
"""More points on a line are not told apart on the page, and weigh."""
_INFINITE = 0x7FFF_FFFF
"""TCP_INFINITE_SSTHRESH: there has been no loss."""
_RECOVERY, _LOSS = 3, 4
"""TCP_CA_Recovery and TCP_CA_Loss, of `enum tcp_ca_state`."""
_BLUE, _RED, _GREEN = DISTINCT[:3]
_SHADES = ((_RECOVERY, "#e69f00", "fast recovery"), (_LOSS, _RED, "after a timeout"))
_CAPTION = (
    "What TCP_INFO says at the senders, first replication; "
    f"drawn are the first {FLOWS} connections of the first {CELLS} cells."
)


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


def histories(results: Results) -> list[Chart]:
    """Describe windows and RTTs of the first cells that have a TCP connection."""
    found = [(cell, each) for cell in results.cells[:CELLS] if (each := _histories(results, cell))]
    if not found:
        return []
    windows = Scale("Window", "segments")
    rtt = Scale("Smoothed RTT", "ms")
    return [
        _chart("Windows of connections", "connections", windows, found, _windows),
        _chart("Smoothed RTT of connections", "connections-rtt", rtt, found, _rtt),
    ]


def _histories(results: Results, cell: Cell) -> list[History]:
    try:
        table = results.stored(cell, 0, "tcp_info")
    except LookupError:
        return []
    table = table.taken(table["end"].are("sender"))
    flows = list(dict.fromkeys(table["flow"].tolist()))[:FLOWS]
    return [_history(flow, table.taken(table["flow"].are(flow))) for flow in flows]


def _history(flow: str, samples: Table) -> History:
    step = ceil(len(samples) / _POINTS)
    columns = {
        name: samples[f"tcpi_{name}"][::step].tolist()
        for name in ("snd_cwnd", "snd_ssthresh", "rtt", "ca_state")
    }
    return History(
        flow,
        samples["time_s"][::step].tolist(),
        columns["snd_cwnd"],
        [nan if value == _INFINITE else value for value in columns["snd_ssthresh"]],
        # Before the first measurement there is none, and the kernel says 0.
        [value / 1000 if value else nan for value in columns["rtt"]],
        columns["ca_state"],
    )


def _chart(
    title: str,
    slug: str,
    left: Scale,
    found: Sequence[tuple[Cell, list[History]]],
    panel: Callable[[History], Panel],
) -> Chart:
    has_choice = len(found) > 1
    views = [
        View(
            each[0].time_s,
            [panel(history) for history in each],
            choice=(cell.name,) if has_choice else (),
            slug=numbered(slug, number),
        )
        for number, (cell, each) in enumerate(found, start=1)
    ]
    choices = ["Cell"] if has_choice else []
    x = Scale("Time", "s")
    return Chart(title, "line", x, left, views, caption=_CAPTION, choices=choices)


def _windows(history: History) -> Panel:
    lines = [
        Series("cwnd", _BLUE, history.cwnd, is_step=True),
        Series("ssthresh", FAINT, history.ssthresh, is_step=True, is_quiet=True),
    ]
    shades = [Shade(label, colour, _spans(history, state)) for state, colour, label in _SHADES]
    return Panel(lines, history.flow, [shade for shade in shades if shade.spans])


def _rtt(history: History) -> Panel:
    return Panel([Series("Smoothed RTT", _GREEN, history.rtt_ms)], history.flow)


def _spans(history: History, state: int) -> list[tuple[float, float]]:
    """Give the times from which to which a connection was in a state."""
    spans: list[tuple[float, float]] = []
    after = [*history.time_s[1:], history.time_s[-1]]
    for start, end, each in zip(history.time_s, after, history.ca_state, strict=True):
        if each == state and spans and spans[-1][1] == start:
            spans[-1] = (spans[-1][0], end)
        elif each == state:
            spans.append((start, end))
    return spans
