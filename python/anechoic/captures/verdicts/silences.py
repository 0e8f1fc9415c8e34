"""Pauses in which neither end sent data, in words: whose they were."""

from collections.abc import Mapping
from typing import Any

from anechoic.captures.text.durations import duration

_WHOSE = {
    "client": "the client paused",
    "server": "the server paused",
    "network": "nothing came through for",
}
"""What is said of a pause by whose it was."""
_TRIFLE = 0.01
"""Pauses that take a smaller share of the connection's time are not told."""


def silences(connection: Mapping[str, Any]) -> list[str]:
    """Tell of the pauses of each end, and of those in which the network had what was awaited."""
    least_ns = _TRIFLE * (connection["last_ns"] - connection["first_ns"])
    told = {whose: connection["silences"][whose] for whose in _WHOSE}
    return [
        f"{_WHOSE[whose]} {duration(each['total_ns'])}"
        for whose, each in told.items()
        if each["count"] and each["total_ns"] >= least_ns
    ]
