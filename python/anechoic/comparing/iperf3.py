"""Results of iperf3, as `iperf3 --json` of the client writes them, by the names of our metrics."""

from collections.abc import Iterator, Mapping
from typing import Any

_KINDS = ("", "_bidir_reverse")
"""Endings of the sums of either direction; the second is there with `--bidir`."""


def is_iperf3(document: Mapping[str, Any]) -> bool:
    """Say whether a document is one of iperf3."""
    start = document.get("start")
    return "intervals" in document and isinstance(start, dict) and "end" in document


def metrics(document: Mapping[str, Any]) -> dict[str, float]:
    """Give what was received and, of TCP, what was sent again and the round trips.

    Raises ValueError with iperf3's own words where the test came to nothing.
    """
    if document.get("error"):
        raise ValueError(f"iperf3 says: {document['error']}")
    end = document["end"]
    received = [
        each["bits_per_second"]
        for kind in _KINDS
        for each in [end.get(f"sum_received{kind}") or end.get(f"sum{kind}")]
        if each
    ]
    if not received:
        raise ValueError("it has no sums; did the test end before its time?")
    found = {"goodput_mbps": sum(received) / 1e6}
    sent = [each for kind in _KINDS if (each := end.get(f"sum_sent{kind}"))]
    again = [each["retransmits"] for each in sent if "retransmits" in each]
    if again:
        found["tcp.retransmissions"] = float(sum(again))
    trips = list(_round_trips_us(end))
    if trips:
        found["rtt_ms_mean"] = sum(trips) / len(trips) / 1e3
    return found


def _round_trips_us(end: Mapping[str, Any]) -> Iterator[float]:
    """Give the mean round trip of each stream whose sender told one; receivers tell 0."""
    for stream in end.get("streams", []):
        mean = stream.get("sender", {}).get("mean_rtt", 0)
        if mean:
            yield float(mean)
