"""Data files of Flent (`.flent`, also compressed), by the names of our metrics.

Versions 1 to 4 of the format: ``x_values`` are the seconds, ``results`` the values of each series,
null where there is none; ``raw_values`` hold what was measured, and so nothing for what Flent has
made out of other series. ``metadata`` tells each series' units in ``SERIES_META``, and the mean of
the whole test where the tool that measured it gives one.
"""

from collections.abc import Container, Mapping
from ipaddress import IPv6Address
from typing import Any

_RATE = "mbits/s", "mbit/s"
_MADE = " sum", " avg", " totals", " fairness"
"""How series end that Flent has made out of others, where raw values are not kept."""


def is_flent(document: Mapping[str, Any]) -> bool:
    """Say whether a document is one of Flent."""
    return "x_values" in document and "results" in document and "metadata" in document


def metrics(document: Mapping[str, Any]) -> dict[str, float]:
    """Give the mean of what all flows got together, and of all its pings.

    A series that Flent made out of others, a sum or a mean, is left out: it would count twice. So
    is what it asked of sockets, queues and processors.
    """
    goodput: list[float] = []
    trips: list[float] = []
    for name, values in document["results"].items():
        given = [value for value in values if value is not None]
        if not given or not _is_measured(name, document):
            continue
        if _is_rate(name, document):
            goodput.append(_mean_rate(name, given, document))
        elif name.startswith("Ping"):
            trips += given
    if not goodput and not trips:
        raise ValueError("it holds neither throughput of flows nor pings")
    found = {"goodput_mbps": sum(goodput)} if goodput else {}
    return {**found, **({"ping.rtt_ms_mean": sum(trips) / len(trips)} if trips else {})}


def _is_measured(name: str, document: Mapping[str, Any]) -> bool:
    if _is_statistic(name, document["results"]):
        return False
    if raw := document.get("raw_values"):
        return bool(raw.get(name))
    return not name.endswith(_MADE) and name != "TCP totals"


def _is_statistic(name: str, among: Container[str]) -> bool:
    """Say whether it is what was asked of a flow's socket, as `TCP upload::tcp_rtt`, or a queue.

    Flows of one kind are numbered behind such colons, too, and addresses of IPv6 have them inside.
    """
    flow, mark, last = name.rpartition("::")
    if not mark or last.isdecimal():
        return False
    return flow in among or not any(map(_is_ipv6, name.split()))


def _is_ipv6(text: str) -> bool:
    """Say whether a text is an address of IPv6, perhaps with its zone."""
    try:
        IPv6Address(text)
    except ValueError:
        return False
    return True


def _is_rate(name: str, document: Mapping[str, Any]) -> bool:
    units = str(_about(name, document).get("UNITS") or "").lower()
    transport = name.startswith(("TCP", "UDP", "SCTP"))
    return units in _RATE or (not units and transport and "ping" not in name.lower())


def _mean_rate(name: str, given: list[float], document: Mapping[str, Any]) -> float:
    """Give the tool's own mean; a slow flow has values only now and then, and high ones."""
    told = _about(name, document).get("MEAN_VALUE")
    return float(told) if isinstance(told, int | float) else sum(given) / len(given)


def _about(name: str, document: Mapping[str, Any]) -> Mapping[str, Any]:
    about: Mapping[str, Any] = document["metadata"].get("SERIES_META", {}).get(name, {})
    return about
