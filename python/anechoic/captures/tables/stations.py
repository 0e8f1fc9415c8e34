"""The stations of a capture: who talked to whom, station by station."""

from collections.abc import Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Any

from anechoic.captures.fields.described import schema
from anechoic.captures.tables.which_station import EVIDENCE, Station
from anechoic.captures.text.ends import by_number

if TYPE_CHECKING:
    import pyarrow

Row = dict[str, Any]


def stations_table(transfers: "pyarrow.Table", which: Sequence[Station]) -> "pyarrow.Table":
    """Give a row for each station and direction: how many transfers, and how they went.

    ``which`` has the station of each connection, in their order.
    """
    import pyarrow

    groups: dict[tuple[str, str], list[Row]] = {}
    for row in transfers.to_pylist():
        station, told_by = which[row["connection"] - 1]
        direction = "up" if row[row["sender"]] == station else "down"
        groups.setdefault((station, direction), []).append({**row, "told_by": told_by})
    order = sorted(groups, key=lambda key: (by_number(key[0]), key[1]))
    rows = [_summary(*key, groups[key]) for key in order]
    return pyarrow.Table.from_pylist(rows, schema=schema("stations"))


def _summary(station: str, direction: str, transfers: Sequence[Row]) -> Row:
    def total(name: str) -> int:
        return sum(row[name] for row in transfers)

    def mean(name: str) -> float | None:
        values = [row[name] for row in transfers if row[name] is not None]
        return fmean(values) if values else None

    return {
        "station": station,
        "direction": direction,
        "told_by": max((row["told_by"] for row in transfers), key=list(EVIDENCE).index),
        "connections": len({row["connection"] for row in transfers}),
        "transfers": len(transfers),
        "bytes": total("bytes"),
        "segments": total("segments"),
        "segments_retransmitted": total("segments_retransmitted"),
        "segments_out_of_order": total("segments_out_of_order"),
        "timeouts": total("timeouts"),
        "throughput_mbps_mean": mean("throughput_mbps"),
        "rtt_ms_mean": mean("rtt_mean_ms"),
        "flight_max_mean": mean("flight_max"),
    }
