"""Data files of Flent (`.flent`, also compressed), by the names of our metrics.

Version 4 of the format: ``metadata`` tells each series' units in ``SERIES_META``, ``x_values`` the
seconds, ``results`` the values of each series, null where there is none.
"""

from collections.abc import Mapping
from typing import Any

_RATE = "mbits/s", "mbit/s"


def is_flent(document: Mapping[str, Any]) -> bool:
    """Say whether a document is one of Flent."""
    return "x_values" in document and "results" in document and "metadata" in document


def metrics(document: Mapping[str, Any]) -> dict[str, float]:
    """Give the mean of what all flows got together, and of the round trips of its pings.

    A series that Flent made out of others, a sum or a mean, is left out: it would count twice.
    """
    goodput: list[float] = []
    trips: list[float] = []
    for name, values in document["results"].items():
        given = [value for value in values if value is not None]
        if not given or name.endswith((" sum", " avg", " totals")) or name == "TCP totals":
            continue
        mean = sum(given) / len(given)
        if _is_rate(name, document):
            goodput.append(mean)
        elif name.startswith("Ping"):
            trips.append(mean)
    if not goodput and not trips:
        raise ValueError("it holds neither throughput of flows nor pings")
    found = {"goodput_mbps": sum(goodput)} if goodput else {}
    return {**found, **({"rtt_ms_mean": sum(trips) / len(trips)} if trips else {})}


def _is_rate(name: str, document: Mapping[str, Any]) -> bool:
    meta = document["metadata"].get("SERIES_META", {}).get(name, {})
    units = str(meta.get("UNITS", "")).lower()
    transport = name.startswith(("TCP", "UDP", "SCTP"))
    return units in _RATE or (not units and transport and "ping" not in name.lower())
