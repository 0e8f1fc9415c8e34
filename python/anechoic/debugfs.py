"""Saying of a campaign what debugfs of Linux's mac80211 would say of its stations at the end.

The columns are those of `rc_stats` (from 5.12 on), `aqm` and `airtime` in
`/sys/kernel/debug/ieee80211/PHY/netdev:IF/stations/MAC`.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anechoic.campaign.results import Results
from anechoic.scenario.errors import Problem, ScenarioError, listing, nearest_name

if TYPE_CHECKING:
    from anechoic.campaign.cells import Cell

CATEGORIES = ("VO", "VI", "BE", "BK")
TIDS = (6, 4, 0, 1)
"""The first TID of each category."""

RATES_ABOVE = """\
              best    ____________rate__________    ____statistics___    _____last____    ______sum-of________
mode guard #  rate   [name   idx airtime  max_tp]  [avg(tp) avg(prob)]  [retry|suc|att]  [#success | #attempts]
"""  # noqa: E501 (as wide as there)
QUEUES_ABOVE = (
    "tid ac backlog-bytes backlog-packets new-flows drops marks overlimit collisions tx-bytes "
    "tx-packets"
)
FORMATS = {"ht": "HT", "vht": "VHT", "he": "HE"}
INTERVALS = {400: "SGI", 800: "LGI", 1600: "1.6", 3200: "3.2"}

Row = dict[str, Any]


def debugfs(folder: Path, node: str | None = None) -> str:
    """Say it of the first replication of each cell, of all that send or of one.

    Raises ScenarioError where nothing of that kind has been kept, or the node has none of it.
    """
    results = Results.load(folder)
    parts: list[str] = []
    senders: dict[str, None] = {}
    for cell in results.cells:
        rates, queues = (_rows(results, cell, kind) for kind in ("rc_stats", "station_queues"))
        senders.update(dict.fromkeys(row["node"] for row in [*queues, *rates]))
        told = [text for of, text in _stations(rates, queues) if node in (None, of)]
        if told and cell.parameters:
            values = ", ".join(f"{name} = {value}" for name, value in cell.parameters.items())
            parts.append(f"== {values} ==\n")
        parts += told
    if not senders:
        what = "no queue mac80211 and no rate control minstrel or minstrel-ht has been run"
        raise ScenarioError(
            str(folder), [Problem("", what, 'ap.NAME.profile = "linux-5", to begin')]
        )
    if not parts:
        what = f"nothing is told of {node}"
        raise ScenarioError(
            str(folder),
            [Problem("--path", what, listing(list(senders)), nearest_name(str(node), senders))],
        )
    return "\n".join(parts)


def _rows(results: Results, cell: "Cell", kind: str) -> list[Row]:
    """Give a table row by row; nothing where there is none."""
    try:
        table = results.stored(cell, 0, kind)
    except LookupError:
        return []
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows()]


def _stations(rates: list[Row], queues: list[Row]) -> Iterator[tuple[str, str]]:
    """Give what there is of each station, and whose it is."""
    ways = dict.fromkeys((row["node"], row["station"], row["ac"]) for row in [*queues, *rates])
    for way in ways:
        mine = [[row for row in of if _way(row) == way] for of in (rates, queues)]
        node, station, category = way
        lines = [f"{node} to {station}, {CATEGORIES[category]}\n"]
        lines += [_rc_stats(mine[0])] if mine[0] else []
        lines += [_aqm(mine[1][0]) + _airtime(mine[1][0])] if mine[1] else []
        yield node, "\n".join(lines)


def _way(row: Row) -> tuple[str, str, int]:
    return row["node"], row["station"], row["ac"]


def _rc_stats(rows: list[Row]) -> str:
    """Give the rates that have been sent at, or would be."""
    used = [row for row in rows if row["sent"] or row["tries"]]
    first, left = rows[0], len(rows) - len(used)
    lines = [RATES_ABOVE.rstrip("\n"), *map(_rate, used)]
    if left:
        lines.append(f"({left} others, none of which has been sent at)")
    total = f"ideal {first['ideal']}      lookaround {first['lookaround']}"
    lines += [
        "",
        f"Total packet count::    {total}",
        f"Average # of aggregated frames per A-MPDU: {first['aggregate']:.1f}",
    ]
    return "\n".join(lines) + "\n"


def _rate(row: Row) -> str:
    place, surest = row["place"], "P" if row["surest"] else " "
    best = "".join("ABC"[at] if place == at + 1 else " " for at in range(3)) + " " + surest
    return (
        f"{_group(row):<13}{best}  {_name(row):<8}{row['index']:>5} {1e6 * row['packet_s']:7.0f}"
        f" {row['most'] / 10:7.1f}   {row['yields'] / 10:7.1f} {100 * row['probability']:9.1f} "
        f"    {row['tries']:>5} {row['last_arrived']:>4} {row['last_sent']:<5}"
        f" {row['arrived']:>9}   {row['sent']:<9}"
    ).rstrip()


def _group(row: Row) -> str:
    if row["format"] in FORMATS:
        mode = f"{FORMATS[row['format']]}{row['width_mhz']}"
        return f"{mode:<6}{INTERVALS[row['guard_ns']]:<4}{row['streams']}"
    return "CCK    LP  1" if row["format"] == "cck" else "OFDM       1"


def _name(row: Row) -> str:
    match row["format"]:
        case "ht":
            return f"MCS{8 * (row['streams'] - 1) + row['mcs']}"
        case "vht" | "he":
            return f"MCS{row['mcs']}/{row['streams']}"
        case _:
            return f"{row['rate_mbps']:.1f}M"


def _aqm(row: Row) -> str:
    # Flows of different stations share no queue here, so that none meets another's.
    counts = (
        *(row[name] for name in ("backlog_bytes", "backlog_packets", "new_flows", "drops")),
        *(row["marks"], row["overlimit"], 0, row["sent_bytes"], row["sent"]),
    )
    values = (TIDS[row["ac"]], row["ac"], *counts)
    widths = map(len, QUEUES_ABOVE.split())
    cells = (f"{value:<{width}}" for value, width in zip(values, widths, strict=True))
    return f"{QUEUES_ABOVE}\n{' '.join(cells).rstrip()}\n"


def _airtime(row: Row) -> str:
    return (
        f"RX: {1e6 * row['rx_s']:.0f} us\n"
        f"TX: {1e6 * row['tx_s']:.0f} us\n"
        f"Weight: {row['weight']}\n"
        f"Deficit: {CATEGORIES[row['ac']]}: {row['deficit_us']:.0f} us\n"
        f"Pending: {1e6 * row['pending_s']:.0f} us\n"
    )
