"""The tables of a capture's report."""

from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from statistics import median
from typing import TYPE_CHECKING, Any

from anechoic.campaign.numbers import NOTHING
from anechoic.captures.figures.capture import REGIME_NAMES
from anechoic.captures.html.html_table import Cell, arrow_cell, count_cell, html_table, number_cell
from anechoic.captures.signal.transfers import COMPARED
from anechoic.captures.tables.which_station import EVIDENCE
from anechoic.captures.text.counts import counted, times
from anechoic.captures.text.ends import title
from anechoic.captures.verdicts.direction import rate_mbps
from anechoic.captures.verdicts.verdict import LIMITS, UNTOLD, doubt, percent, shares

if TYPE_CHECKING:
    import pyarrow

MOST_ROWS = 200
"""Connections on the page; more would make it slow, and stand in connections.csv."""

PATH_OR_QUEUE = (
    "where a queue drops as well, its losses may be among those of the path: one capture does not "
    "tell which is whose"
)
"""What is to be known of losses that are told to be the path's, see `queue_or_path.py`."""

Connection = Mapping[str, Any]


def connections_table(connections: Sequence[Connection], looked_at: Sequence[int]) -> str:
    """Give a row for each of the largest connections; those with a closer look link to it."""
    numbers = range(1, len(connections) + 1)
    ranked = sorted(numbers, key=lambda number: -_bytes(connections[number - 1]))
    shown = sorted({*ranked[:MOST_ROWS], *looked_at})
    heads = (
        *("#", "Connection", "End", "Time (s)", "Bytes", "Mbit/s", "RTT (ms)"),
        *("Retransmitted", "Late", "Timeouts", "Held up most by"),
    )
    rows = (_row(number, connections[number - 1], number in looked_at) for number in shown)
    part = f"The {len(shown):,} largest of {len(connections):,}."
    less = f'<p class="faint">{part}</p>' if len(shown) < len(connections) else ""
    far = _FAR_NOTE if any(_busier(connections[number - 1])["is_far"] for number in shown) else ""
    return html_table(heads, rows, texts={1, 2}, wrapped={10}) + far + less


_FAR = "†"
_FAR_NOTE = (
    f'<p class="faint">{_FAR} From the point of capture to the receiver and back alone: more of '
    "the path lies before it, or may.</p>"
)
"""What is to be known of the round trips of a sender that is far from the capture."""


def _busier(connection: Connection) -> Mapping[str, Any]:
    return max(connection["client"], connection["server"], key=lambda end: end["bytes_unique"])


def _row(number: int, connection: Connection, is_looked_at: bool) -> list[Cell]:
    ends = (connection["client"], connection["server"])
    sent = _busier(connection)
    seconds = (connection["last_ns"] - connection["first_ns"]) / 1e9
    link = f"#connection-{number}" if is_looked_at else ""
    return [
        (str(number), number),
        arrow_cell(title(connection), link),
        (connection["outcome"], connection["outcome"]),
        (f"{seconds:.3f}", seconds),
        count_cell(_bytes(connection)),
        number_cell(rate_mbps(sent)),
        _round_trip(sent),
        count_cell(sum(end["packets_retransmitted"] for end in ends)),
        count_cell(sum(end["packets_out_of_order"] for end in ends)),
        count_cell(sum(end["timeouts"] for end in ends)),
        _largest_limit(sent),
    ]


def _round_trip(sent: Mapping[str, Any]) -> Cell:
    shown, by = number_cell(sent["rtt"]["mean_ms"] if sent["rtt"] else None)
    return (f"{shown} {_FAR}" if sent["rtt"] and sent["is_far"] else shown), by


def _largest_limit(sent: Mapping[str, Any]) -> Cell:
    held = shares(sent)
    untold = held.pop(UNTOLD, 0.0)
    doubtful = ", in doubt" if doubt(sent) else ""
    for limit, share in held.items():
        rest = f"; {percent(untold)} cannot be told" if untold else ""
        return f"{LIMITS[limit]}, {percent(share)}{rest}{doubtful}", share
    return ("cannot be told from here", 0) if untold else (NOTHING, 0)


def stations_table(stations: "pyarrow.Table") -> str:
    """Give a row for each station and direction."""
    heads = (
        *("Station", "Direction", "Connections", "Transfers", "Bytes", "Mean Mbit/s"),
        *("Mean RTT (ms)", "Mean largest flight", "Retransmitted", "Late", "Timeouts"),
    )
    rows = (
        [
            (escape(row["station"]), row["station"]),
            (row["direction"], row["direction"]),
            count_cell(row["connections"]),
            count_cell(row["transfers"]),
            count_cell(row["bytes"]),
            number_cell(row["throughput_mbps_mean"]),
            number_cell(row["rtt_ms_mean"]),
            count_cell(round(row["flight_max_mean"] or 0)),
            count_cell(row["segments_retransmitted"]),
            count_cell(row["segments_out_of_order"]),
            count_cell(row["timeouts"]),
        ]
        for row in stations.to_pylist()
    )
    if not stations.num_rows:
        return ""
    return f"{html_table(heads, rows, texts={0, 1})}{_told_by(stations)}"


def _told_by(stations: "pyarrow.Table") -> str:
    """Say what the stations are told by."""
    found = [name for name in EVIDENCE if name in stations["told_by"].to_pylist()]
    told = "; or by ".join(EVIDENCE[name] for name in found)
    return f'<p class="faint">A station is told by {escape(told)}.</p>\n'


def regimes_table(losses: "pyarrow.Table") -> str:
    """Give the losses by regime, and how often data were lost repeatedly."""
    rows = losses.select(["regime", "since_last_s", "segments_since_last"]).to_pylist()
    heads = (
        "Kind of loss",
        "Losses",
        "Since the last loss: median (ms)",
        "Segments sent since: median",
    )
    table = html_table(heads, (_regime(rows, *item) for item in REGIME_NAMES.items()), texts={0})
    doubt = (
        f"{PATH_OR_QUEUE[:1].upper()}{PATH_OR_QUEUE[1:]}."
        if any(row["regime"] == "path" for row in rows)
        else ""
    )
    return f"{table}<p>{_times_lost(losses['multiplicity'].to_pylist())} {doubt}</p>"


def regimes_line(losses: "pyarrow.Table") -> str:
    """Give the losses by regime in a line; nothing without losses."""
    found = Counter(losses["regime"].to_pylist())
    told = [f"{count:,} {REGIME_NAMES[regime].lower()}" for regime, count in found.most_common()]
    doubt = f" ({PATH_OR_QUEUE})" if found["path"] else ""
    return f"losses: {', '.join(told)}{doubt}" if told else ""


def _regime(rows: Sequence[Mapping[str, Any]], regime: str, name: str) -> list[Cell]:
    own = [row for row in rows if row["regime"] == regime]
    behind = [row for row in own if row["since_last_s"] is not None]
    gaps = [1e3 * row["since_last_s"] for row in behind]
    sent = [row["segments_since_last"] for row in behind]
    medians = [number_cell(median(values) if values else None) for values in (gaps, sent)]
    return [(name, name), count_cell(len(own)), *medians]


def _times_lost(multiplicities: Sequence[int]) -> str:
    """Say of how many segments how many copies were lost; each stands once for every loss."""
    parts = [
        f"{counted(multiplicities.count(count) // count, 'segment')} lost {times(count)}"
        for count in sorted(set(multiplicities))
    ]
    return f"{', '.join(parts)}."


def correlations_table(correlations: "pyarrow.Table") -> str:
    """Give how the transfers' quantities go with the signal."""
    rows = (
        [
            (COMPARED[row["quantity"]], row["quantity"]),
            number_cell(row["pearson"]),
            number_cell(row["spearman"]),
            number_cell(row["spearman_p"]),
            count_cell(row["n"]),
        ]
        for row in correlations.to_pylist()
    )
    heads = ("With the mean signal of a transfer", "Pearson", "Spearman", "p (Spearman)", "n")
    return html_table(heads, rows, texts={0})


def _bytes(connection: Connection) -> int:
    total: int = connection["client"]["bytes_unique"] + connection["server"]["bytes_unique"]
    return total
