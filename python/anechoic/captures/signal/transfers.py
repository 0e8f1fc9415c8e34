"""Transfers beside the signal: each with the levels during it, and how the two go together."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from statistics import fmean, median
from typing import TYPE_CHECKING, Any

from anechoic.libraries import library
from anechoic.scenario.errors import Problem, ScenarioError
from anechoic.scenario.signal_log import Reading

if TYPE_CHECKING:
    import pyarrow

COMPARED = {
    "throughput_mbps": "Throughput",
    "rtt_mean_ms": "Mean RTT",
    "again_share": "Share of segments retransmitted",
    "flight_max": "Largest flight",
}
"""What of a transfer is compared with the signal."""

_FEWEST = 4
"""Pairs of which a correlation is told: fewer always seem to go together."""


def with_signal(
    transfers: "pyarrow.Table",
    readings: Sequence[Reading],
    offset_s: float,
    stations: Mapping[int, str],
    source: str,
) -> "pyarrow.Table":
    """Give the transfers with the signal during each, in dBm.

    ``offset_s`` is added to the log's times to have the capture's. A transfer between two readings
    has the nearer one, if that is as near as readings usually are.
    """
    import pyarrow

    rows = transfers.to_pylist()
    by_station = _by_station(readings, source)
    usual_s = _usual_gap(readings)
    found = []
    for row in rows:
        # What the log names is a station, whatever else the capture takes for one.
        ends = (stations[row["connection"]], row["client"], row["server"], None)
        own = next((by_station[end] for end in ends if end in by_station), [])
        start, end = (row[name] / 1e9 - offset_s for name in ("start_ns", "end_ns"))
        found.append(_during(own, start, end, usual_s))
    if rows and not any(found):
        raise ScenarioError(source, [_no_overlap(rows, readings, offset_s)])
    again = [
        (row["segments_retransmitted"] + row["segments_out_of_order"]) / max(row["segments"], 1)
        for row in rows
    ]
    given: dict[str, list[float | None]] = {
        "again_share": list(again),
        "signal_dbm_mean": [fmean(_signals(part)) if part else None for part in found],
        "signal_dbm_min": [min(_signals(part)) if part else None for part in found],
        "signal_dbm_max": [max(_signals(part)) if part else None for part in found],
        "noise_dbm_mean": [_mean_noise(part) for part in found],
    }
    for name, values in given.items():
        transfers = transfers.append_column(name, pyarrow.array(values, type=pyarrow.float64()))
    counts = pyarrow.array([len(part) for part in found], type=pyarrow.int64())
    return transfers.append_column("signal_readings", counts)


def correlations(joined: "pyarrow.Table") -> "pyarrow.Table":
    """Give a row for each quantity of the transfers: how it goes with their mean signal.

    ``pearson`` tells of a straight line, ``spearman`` of any that only rises or falls;
    ``spearman_p`` is the probability of as strong a one by chance. ``n`` counts the transfers.
    """
    import pyarrow

    stats = library("scipy.stats", "--signal")
    rows = []
    for name in COMPARED:
        pairs = [
            (signal, value)
            for signal, value in zip(
                joined["signal_dbm_mean"].to_pylist(), joined[name].to_pylist(), strict=True
            )
            if signal is not None and value is not None
        ]
        row: dict[str, Any] = {"quantity": name, "n": len(pairs)}
        row |= {"pearson": None, "spearman": None, "spearman_p": None}
        xs, ys = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        if len(pairs) >= _FEWEST and len(set(xs)) > 1 and len(set(ys)) > 1:
            rank = stats.spearmanr(xs, ys)
            row["pearson"] = float(stats.pearsonr(xs, ys).statistic)
            row |= {"spearman": float(rank.statistic), "spearman_p": float(rank.pvalue)}
        rows.append(row)
    return pyarrow.table({name: [row[name] for row in rows] for name in rows[0]})


def _by_station(readings: Sequence[Reading], source: str) -> dict[str | None, list[Reading]]:
    groups: dict[str | None, list[Reading]] = {}
    for reading in readings:
        station = reading.station
        # A card knows stations by their MAC addresses, the capture by those of IP.
        is_mac = station is not None and station.count(":") == 5
        groups.setdefault(station, []).append(reading)
        if is_mac and len(groups) > 1:
            what = "it holds the levels of several stations by MAC address"
            allowed = "one station, or CSV with their IP addresses in a column station"
            raise ScenarioError(source, [Problem("", what, allowed)])
    if len(groups) == 1 and next(iter(groups)) is not None:
        (station, only), *_ = groups.items()
        if station is not None and station.count(":") == 5:
            return {None: only}
    return groups


def _usual_gap(readings: Sequence[Reading]) -> float:
    gaps = [b.time_s - a.time_s for a, b in pairwise(readings)]
    positive = [gap for gap in gaps if gap > 0]
    return median(positive) if positive else 0.0


def _during(
    readings: Sequence[Reading], start_s: float, end_s: float, usual_s: float
) -> list[Reading]:
    within = [reading for reading in readings if start_s <= reading.time_s <= end_s]
    if within or not readings:
        return within
    middle = (start_s + end_s) / 2
    nearest = min(readings, key=lambda reading: abs(reading.time_s - middle))
    return [nearest] if abs(nearest.time_s - middle) <= usual_s else []


def _signals(readings: Sequence[Reading]) -> list[float]:
    return [reading.signal_dbm for reading in readings]


def _mean_noise(readings: Sequence[Reading]) -> float | None:
    known = [reading.noise_dbm for reading in readings if reading.noise_dbm is not None]
    return fmean(known) if known else None


def _no_overlap(
    rows: Sequence[Mapping[str, Any]], readings: Sequence[Reading], offset_s: float
) -> Problem:
    log = (readings[0].time_s + offset_s, readings[-1].time_s + offset_s)
    capture = (min(row["start_ns"] for row in rows) / 1e9, max(row["end_ns"] for row in rows) / 1e9)
    what = (
        f"no transfer falls into its time, {log[0]:.3f} to {log[1]:.3f} s since 1970; those of the "
        f"capture are from {capture[0]:.3f} to {capture[1]:.3f} s"
    )
    return Problem("", what, "a log on the capture's clock, or the difference by --signal-offset")
