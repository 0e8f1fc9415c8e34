"""The stations of a capture: who talked to whom, station by station.

A capture of one link has a hub, the host with the most connections (a server, a router, the host
where it was taken), and around it the stations.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Any

from anechoic.captures.fields.field import schema
from anechoic.captures.fields.transfers import STATIONS

if TYPE_CHECKING:
    import pyarrow

Row = dict[str, Any]


def station_of(connections: Sequence[Mapping[str, Any]]) -> dict[int, str]:
    """Give the station of each connection, by the connection's number: the end that is not the hub.

    Where neither or both are it, that is the client.
    """
    ends = [(each["client"]["address"], each["server"]["address"]) for each in connections]
    counts = Counter(address for pair in ends for address in set(pair))
    hub = max(counts, key=lambda address: (counts[address], address), default=None)
    return {
        number: server if client == hub else client
        for number, (client, server) in enumerate(ends, start=1)
    }


def stations_table(
    transfers: "pyarrow.Table", connections: Sequence[Mapping[str, Any]]
) -> "pyarrow.Table":
    """Give a row for each station and direction: how many transfers, and how they went."""
    import pyarrow

    stations = station_of(connections)
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in transfers.to_pylist():
        station = stations[row["connection"]]
        direction = "up" if row[row["sender"]] == station else "down"
        groups.setdefault((station, direction), []).append(row)
    rows = [_summary(*key, group) for key, group in sorted(groups.items())]
    return pyarrow.Table.from_pylist(rows, schema=schema(STATIONS))


def _summary(station: str, direction: str, transfers: Sequence[Row]) -> Row:
    def total(name: str) -> int:
        return sum(row[name] for row in transfers)

    def mean(name: str) -> float | None:
        values = [row[name] for row in transfers if row[name] is not None]
        return fmean(values) if values else None

    return {
        "station": station,
        "direction": direction,
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
