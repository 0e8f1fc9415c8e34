"""The tables of the report on two captures of one path."""

from html import escape
from typing import TYPE_CHECKING, Any

from anechoic.captures.html.html_table import (
    Cell,
    arrow_cell,
    count_cell,
    html_table,
    number_cell,
    text_cell,
)
from anechoic.captures.pair.screen import has_large
from anechoic.captures.text.counts import times
from anechoic.captures.text.ends import end_name

if TYPE_CHECKING:
    import pyarrow

MOST_ROWS = 200
"""Connections on the page; more would make it slow, and stand in connections.csv."""

FATES = {
    "passed": "In both captures",
    "lost": "Lost between the points",
    "uncaptured": "Missed by the capture they arrived at",
    "appeared": "Missed by the capture they came from",
    "doubled": "Second copies",
    "outside": "While the other capture did not run",
}
"""What became of segments."""
_OUTCOMES = {"lost_times": "came through", "lost_for_good_times": "never came through"}
_SPREAD = ("min", "median", "mean", "p95", "p99", "max")

Ways = dict[str, dict[str, Any]]
"""What is told of each way, by its name on the page."""


def clock_table(clock: dict[str, Any]) -> str:
    """Give the estimate of the clocks and its bounds."""
    low, high = clock["drift_bounds_ppm"] or (None, None)
    heads = (
        *("Second clock ahead by (ms)", "± (ms)", "Runs faster by (ppm)"),
        *("At least (ppm)", "At most (ppm)"),
    )
    error_ns = clock["error_ns"]
    row = (
        number_cell(clock["offset_ns"] / 1e6),
        number_cell(None if error_ns is None else error_ns / 1e6),
        *(number_cell(value) for value in (clock["drift_ppm"], low, high)),
    )
    return html_table(heads, [row], texts=set())


def delays_table(ways: Ways) -> str:
    """Give the spread of the delays of each way."""
    heads = ("Way", "Packets", *(f"{name.capitalize()} (ms)" for name in _SPREAD))
    rows = (
        [
            text_cell(name),
            count_cell(way["delay"]["count"]),
            *(number_cell(way["delay"][f"{part}_ns"] / 1e6) for part in _SPREAD),
        ]
        for name, way in ways.items()
    )
    return html_table(heads, rows, texts={0})


def fates_table(ways: Ways) -> str:
    """Give what became of each way's segments; large packets count as those they are cut into."""
    heads = ("Segments on the path", *(escape(name) for name in ways))
    rows = [
        [text_cell(what), *(count_cell(way["segments"][fate]) for way in ways.values())]
        for fate, what in FATES.items()
    ]
    if any(has_large(way) for way in ways.values()):
        whole = [count_cell(way["passed"]) for way in ways.values()]
        rows.insert(1, [text_cell("The same in packets, as captured"), *whole])
    return html_table(heads, rows, texts={0}) + (
        '<p class="faint">Every packet is in <a href="packets.csv">packets.csv</a>, those that '
        'were lost in <a href="losses.csv">losses.csv</a>.</p>'
    )


def times_table(ways: Ways) -> str:
    """Give how many segments were lost once, twice and so on; nothing if none was."""
    rows = [
        [text_cell(name), (times(often), often), text_cell(outcome), count_cell(count)]
        for name, way in ways.items()
        for key, outcome in _OUTCOMES.items()
        for often, count in enumerate(way[key], start=1)
        if count
    ]
    heads = ("Way", "Copies of a segment lost", "And then", "Segments")
    return html_table(heads, rows, texts={0, 1, 2}) if rows else ""


def air_table(ways: Ways) -> str:
    """Give what the packets of each way met on the air; nothing if none went there."""
    heads = (
        *("Way", "Packets", "Frames", "Retries", "Never acknowledged"),
        *("On the air: median (ms)", "p99 (ms)", "Wire to acknowledgment: median (ms)", "p99 (ms)"),
    )
    rows = [[text_cell(name), *_air(air)] for name, air in ways.items()]
    return html_table(heads, rows, texts={0}) if rows else ""


def _air(air: dict[str, Any]) -> list[Cell]:
    counts = [count_cell(air[name]) for name in ("packets", "frames", "retries", "unacknowledged")]
    spreads = (air["exchange"], air["wire_to_acknowledgment"])
    return counts + [
        number_cell(spread[f"{part}_ns"] / 1e6 if spread else None)
        for spread in spreads
        for part in ("median", "p99")
    ]


def connections_part(connections: "pyarrow.Table") -> str:
    """Give two rows, one for each sender, of each of the largest connections."""
    rows = connections.to_pylist()
    ranked = sorted(rows, key=lambda row: -_bytes(row))[:MOST_ROWS]
    heads = (
        *("#", "Sender and receiver", "Packets at the first", "at the second"),
        *("Segments lost", "Tails lost whole"),
        *("Bytes at the first", "at the second", "Retransmitted at the first", "at the second"),
        *("Delay: min (ms)", "mean (ms)", "max (ms)"),
    )
    shown = sorted(ranked, key=lambda row: int(row["connection"]))
    body = [_row(row, *ends) for row in shown for ends in _BOTH if row[f"{ends[0]}_packets_first"]]
    note = "All, with every counter," if len(shown) == len(rows) else "The largest; all"
    link = f'<p class="faint">{note} are in <a href="connections.csv">connections.csv</a>.</p>'
    return html_table(heads, body, texts={1}) + link


_BOTH = (("client", "server"), ("server", "client"))


def _row(row: dict[str, Any], sender: str, receiver: str) -> list[Cell]:
    counts = [
        count_cell(row[f"{sender}_{name}"])
        for name in (
            *("packets_first", "packets_second", "segments_lost", "tails_lost"),
            *("bytes_first", "bytes_second"),
        )
    ]
    again = [
        count_cell(row[f"{sender}_again_{point}"] + row[f"{sender}_again_needless_{point}"])
        for point in ("first", "second")
    ]
    delays = [number_cell(row[f"{sender}_delay_{name}_ms"]) for name in ("min", "mean", "max")]
    ends = arrow_cell(f"{_end(row, sender)} → {_end(row, receiver)}")
    return [count_cell(row["connection"]), ends, *counts, *again, *delays]


def _end(row: dict[str, Any], end: str) -> str:
    return end_name({"address": row[f"{end}_address"], "port": row[f"{end}_port"]})


def _bytes(row: dict[str, Any]) -> int:
    total: int = row["client_bytes_first"] + row["server_bytes_first"]
    return total
