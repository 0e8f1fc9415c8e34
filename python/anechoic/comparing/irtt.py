"""Results of irtt, as `irtt client -o FILE` writes them, in our metrics' names.

Durations are nanoseconds. One-way delays are left out: they are differences of two machines'
clocks, of which the file does not say how far they were apart.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from anechoic.comparing.round_trips import PING, PING_LOSS, of_trips

NS_PER_MS = 1e6


def is_irtt(document: Mapping[str, Any]) -> bool:
    """Say whether a document is one of irtt."""
    version = document.get("version")
    return "round_trips" in document and isinstance(version, dict) and "irtt" in version


def metrics(document: Mapping[str, Any]) -> dict[str, float]:
    """Give the round trips, and the share of requests without a reply."""
    stats = document["stats"]
    found: dict[str, float] = {}
    if stats["packets_sent"]:
        found[PING_LOSS] = 1 - stats["packets_received"] / stats["packets_sent"]
    trips = list(_trips_ms(document["round_trips"]))
    if trips:
        found |= of_trips(trips)
    elif stats["rtt"]["n"]:
        # Results that were thinned out keep their statistics.
        found[PING] = stats["rtt"]["mean"] / NS_PER_MS
    if not found:
        raise ValueError("it holds no round trips; did the server answer?")
    return found


def _trips_ms(trips: list[Mapping[str, Any]]) -> Iterator[float]:
    for trip in trips:
        took = trip["delay"].get("rtt")
        if took is not None:
            yield took / NS_PER_MS
