"""The Wi-Fi of a capture: tables of stations, cells, events, airtime and bursts, and figures.

Every function takes what is under "wifi" in the analysis's document, which is nothing without
802.11 frames, and gives a pyarrow table, whose columns have the unit at the end of their names.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from anechoic.captures.fields.described import schema

if TYPE_CHECKING:
    import pyarrow

Wifi = dict[str, Any] | None

LEDGER = {
    "payload": "application bytes that arrived",
    "header": "their MAC, IP and transport headers",
    "preamble": "their preambles",
    "ack": "acknowledgments",
    "rts_cts": "RTS and CTS",
    "beacon": "beacons",
    "management": "other management frames",
    "control": "other control frames",
    "ifs": "interframe spaces",
    "backoff": "backoff",
    "collision_or_error": "frames without a response",
    "duplicate": "data acknowledged before",
    "timeout": "waiting for a response in vain",
    "undecodable": "frames with a wrong check sequence or a cut header",
    "missed": "frames told by their response only",
    "idle": "silence",
}
"""The lines of the ledger, in order, and what they mean."""


@dataclass(frozen=True)
class Curve:
    """A curve of a figure: values over time; none where a station sent nothing to tell them."""

    name: str
    time_s: list[float]
    values: list[float | None]


def stations(wifi: Wifi) -> "pyarrow.Table":
    """Give a row for each station: access points first, then by airtime."""
    return _table("wifi/stations", [station_row(each) for each in _list(wifi, "stations")])


def rates(wifi: Wifi) -> "pyarrow.Table":
    """Give a row for each station and rate of its data frames; no rate where none is told."""
    rows = [
        {
            "address": station["address"],
            "rate_mbps": rate["rate_kbps"] / 1e3 if rate["rate_kbps"] else None,
            **{key: rate[key] for key in ("frames", "retries")},
        }
        for station in _list(wifi, "stations")
        for rate in station["rates"]
    ]
    return _table("wifi/rates", rows)


def cells(wifi: Wifi) -> "pyarrow.Table":
    """Give a row for each cell, in the order in which they were first heard of."""
    return _table("wifi/cells", _list(wifi, "cells"))


def events(wifi: Wifi) -> "pyarrow.Table":
    """Give a row for each authentication, association, their ends, and each roaming."""
    return _table("wifi/events", _list(wifi, "events"))


def bursts(wifi: Wifi) -> "pyarrow.Table":
    """Give a row for each TCP segment that was tried four times or more on the air.

    Connections are numbered from 1 in the order of their first packets.
    """
    rows = []
    for burst in _list(wifi, "bursts"):
        again = burst["again"] or {}
        place = burst["connection"]
        number = None if place is None else place + 1
        again = {f"again_{key}": value for key, value in again.items()}
        rows.append({**burst, **again, "connection": number})
    return _table("wifi/bursts", rows)


def ledger(wifi: Wifi) -> "pyarrow.Table":
    """Give a row for each interface and use of its airtime."""
    rows = []
    for channel in _list(wifi, "channels"):
        total_ns = sum(channel["ledger"].values())
        for use in LEDGER:
            spent_ns = channel["ledger"][f"{use}_ns"]
            share = spent_ns / total_ns if total_ns else None
            interface = channel["interface"]
            rows.append(
                {
                    "interface": interface,
                    "use": use,
                    "airtime_s": spent_ns / 1e9,
                    "share": share,
                }
            )
    return _table("wifi/ledger", rows)


def series(wifi: Wifi) -> "pyarrow.Table":
    """Give a row for each station and interval, a second or longer, in which it sent.

    Time is counted from the first frame; means are over the frames whose rate or power is told.
    """
    if wifi is None:
        return _table("wifi/series", [])
    interval_s = wifi["series"]["interval_ns"] / 1e9
    rows = [
        {
            **row,
            "time_s": row["interval"] * interval_s,
            "interval_s": interval_s,
            "airtime_s": row["airtime_ns"] / 1e9,
            "rate_mbps_mean": _mean(row["rate_kbps_sum"], row["rate_frames"], 1e3),
            "signal_dbm_mean": _mean(row["signal_dbm_sum"], row["signal_frames"]),
        }
        for row in wifi["series"]["rows"]
    ]
    return _table("wifi/series", rows)


TABLES = {
    "stations": stations,
    "rates": rates,
    "cells": cells,
    "events": events,
    "bursts": bursts,
    "ledger": ledger,
    "series": series,
}
"""Every table by its name."""


def curves(wifi: Wifi, column: str, most: int = 8) -> list[Curve]:
    """Give a curve over time of a column of the series for each of the busiest stations.

    Shares are given for two names that are no columns: "airtime_share", of the interval, and
    "retry_share", of the data frames. Where a station sent nothing for an interval or longer its
    airtime is 0, and other values are None.
    """
    busiest = [station["address"] for station in _list(wifi, "stations")]
    airtime = {station["address"]: station["airtime_ns"] for station in _list(wifi, "stations")}
    busiest.sort(key=lambda address: -airtime[address])
    rows = series(wifi).to_pylist()
    found = (_curve(column, address, rows) for address in busiest[:most])
    return [curve for curve in found if any(value is not None for value in curve.values)]


def _curve(column: str, address: str, rows: list[dict[str, Any]]) -> Curve:
    silence = 0.0 if column == "airtime_share" else None
    curve = Curve(address, [], [])
    for row in (row for row in rows if row["station"] == address):
        if (value := _value(row, column)) is None:
            continue
        time_s, interval_s = row["time_s"], row["interval_s"]
        since_s = time_s - curve.time_s[-1] if curve.time_s else 0.0
        if since_s > 1.5 * interval_s:
            ends = {curve.time_s[-1] + interval_s, time_s - interval_s}
            curve.time_s.extend(sorted(ends))
            curve.values.extend([silence] * len(ends))
        curve.time_s.append(time_s)
        curve.values.append(value)
    return curve


def _value(row: dict[str, Any], column: str) -> float | None:
    if column == "airtime_share":
        return float(row["airtime_s"] / row["interval_s"])
    if column == "retry_share":
        return _mean(row["retries"], row["data_frames"])
    value = row[column]
    return None if value is None else float(value)


def station_row(station: dict[str, Any]) -> dict[str, Any]:
    """Give a station with its shares and means."""
    signal = station["signal"] or {}
    known = [rate for rate in station["rates"] if rate["rate_kbps"]]
    rate_sum = sum(rate["rate_kbps"] * rate["frames"] for rate in known)
    return {
        **station,
        "ip_addresses": " ".join(station["ip_addresses"]) or None,
        "retry_share": _mean(station["retries"], station["data_frames"]),
        "rate_mbps_mean": _mean(rate_sum, sum(rate["frames"] for rate in known), 1e3),
        **{f"signal_dbm_{key}": signal.get(f"{key}_dbm") for key in ("min", "mean", "max")},
    }


def known_as(row: dict[str, Any]) -> str:
    """Say in parentheses what a station is besides its MAC address, if anything is known."""
    if row["is_access_point"]:
        return " (access point)"
    first, *others = (row["ip_addresses"] or "").split(" ")
    more = f" and {len(others)} more" if others else ""
    return f" ({first}{more})" if first else ""


def _mean(total: float, count: int, unit: float = 1.0) -> float | None:
    return total / count / unit if count else None


def _list(wifi: Wifi, key: str) -> list[dict[str, Any]]:
    return [] if wifi is None else list(wifi[key])


def _table(table: str, rows: list[dict[str, Any]]) -> "pyarrow.Table":
    import pyarrow

    return pyarrow.Table.from_pylist(rows, schema=schema(table))
