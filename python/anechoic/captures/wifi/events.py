"""Who joined, left and moved, in words."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from anechoic.captures.text.durations import duration
from anechoic.captures.wifi.codes import meaning

Event = dict[str, Any]

_BY_STATION = {
    "authentication": "asks to authenticate",
    "association_request": "asks to join",
    "reassociation_request": "asks to move",
    "disassociation": "disassociated itself",
    "deauthentication": "deauthenticated itself",
    "roamed": "roamed",
}
_BY_ACCESS_POINT = {
    "authentication": "is answered on authentication",
    "association_response": "is answered on joining",
    "reassociation_response": "is answered on moving",
    "disassociation": "was disassociated",
    "deauthentication": "was deauthenticated",
}
_EVERYONE = "ff:ff:ff:ff:ff:ff"

_SAME = ("what", "station", "bssid", "is_by_station", "previous_bssid", "code")
_SERIES_NS = 10_000_000_000
"""Events that are the same and no further apart are told as one."""


def series(events: Iterable[Event]) -> list[Event]:
    """Put what happens again and again together: each first event, its "times" and "last_ns".

    A flood of deauthentications, or a station that asks in vain for minutes, is one line of a
    table. Each roaming is told, as each has its own interruption.
    """
    told: list[Event] = []
    latest: dict[tuple[Any, ...], Event] = {}
    for event in events:
        key = tuple(event[name] for name in _SAME)
        same = latest.get(key)
        is_near = same is not None and event["time_ns"] - same["last_ns"] <= _SERIES_NS
        if same is not None and is_near and event["what"] != "roamed":
            same["times"] += 1
            same["last_ns"] = event["time_ns"]
            continue
        latest[key] = {**event, "times": 1, "last_ns": event["time_ns"]}
        told.append(latest[key])
    return told


def line(event: Event) -> str:
    """Tell an event of a series in a line."""
    facts = [f"{_clock(event['time_ns'])}  {who(event)} {happening(event)}, cell {event['bssid']}"]
    if event["previous_bssid"]:
        facts.append(f"from {event['previous_bssid']}")
    if (code := meaning(event)) is not None:
        facts.append(code)
    if event["interruption_ms"] is not None:
        facts.append(f"{duration(1e6 * event['interruption_ms'])} without data")
    if event["times"] > 1:
        facts.append(f"{event['times']:,} times until {_clock(event['last_ns'])}")
    return ", ".join(facts)


def who(event: Event) -> str:
    """Name the station of an event."""
    return "everyone" if event["station"] == _EVERYONE else str(event["station"])


def happening(event: Event) -> str:
    """Say what a station did, or what was done to it."""
    said = _BY_STATION if event["is_by_station"] else _BY_ACCESS_POINT
    # Anybody may send anything: an answer by a station, say.
    return said.get(event["what"], str(event["what"]).replace("_", " "))


def _clock(time_ns: int) -> str:
    return datetime.fromtimestamp(time_ns / 1e9, UTC).strftime("%H:%M:%S.%f")[:-3]
