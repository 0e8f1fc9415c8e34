"""Results of crusader, as `crusader export` writes them, in our metrics' names.

A file holds a download, an upload and both at once, or some of them, one after the other: bytes
that had arrived over each connection, and pings all the while. Times are objects of `secs` and
`nanos`.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy

from anechoic.comparing.phases import named
from anechoic.comparing.round_trips import PING_LOSS, of_trips

Table = Mapping[str, Any]
Span = tuple[float, float]

_PHASES = {(True, False): "download", (False, False): "upload"}
_BOTH, _IDLE = "bidirectional", "idle"


def is_crusader(document: Table) -> bool:
    """Say whether a document is one of crusader."""
    return "stream_groups" in document and "pings" in document


def metrics(document: Table) -> dict[str, float]:
    """Give what arrived in each part, both directions together, and the pings beside it."""
    groups: dict[str, list[Table]] = {}
    for group in document["stream_groups"]:
        phase = _BOTH if group["both"] else _PHASES[group["download"], False]
        groups.setdefault(phase, []).append(group)
    told = {each["kind"].lower(): each for each in document.get("test_data") or ()}
    phases = {}
    spans = []
    for phase, own in groups.items():
        span = _span(told.get(phase), own)
        spans.append(span)
        phases[phase] = {"goodput_mbps": _mbps(own, span), **_pings(document["pings"], span)}
    first = min((begin for begin, _ in spans), default=float("inf"))
    idle = _pings(document["pings"], (0.0, first))
    if idle:
        phases[_IDLE] = idle
    if not phases:
        raise ValueError("it holds neither traffic nor pings")
    found = named(phases)
    loaded = {phase: own for phase, own in phases.items() if phase != _IDLE}
    return {**found, **(named(loaded) if len(loaded) == 1 else {})}


def _span(told: Table | None, groups: Sequence[Table]) -> Span:
    """Say when a part was: older files tell it by their bytes alone."""
    if told is not None:
        return _seconds(told["start"]), _seconds(told["end"])
    times = [_seconds(point["time"]) for stream in _streams(groups) for point in stream["data"]]
    return min(times), max(times)


def _mbps(groups: Sequence[Table], span: Span) -> float:
    arrived = 0.0
    for stream in _streams(groups):
        times = [_seconds(point["time"]) for point in stream["data"]]
        if times:
            totals = [point["bytes"] for point in stream["data"]]
            before, behind = numpy.interp(span, times, totals)
            arrived += float(behind - before)
    return arrived * 8 / 1e6 / (span[1] - span[0])


def _pings(pings: Sequence[Table], span: Span) -> dict[str, float]:
    sent = [each for each in pings if span[0] <= _seconds(each["sent"]) < span[1]]
    if not sent:
        return {}
    # A reply that was lost has no total, if the request is known to have come at all.
    totals = [(each["latency"] or {}).get("total") for each in sent]
    trips = [1e3 * _seconds(total) for total in totals if total is not None]
    return {PING_LOSS: 1 - len(trips) / len(sent), **(of_trips(trips) if trips else {})}


def _streams(groups: Sequence[Table]) -> Iterator[Table]:
    for group in groups:
        yield from group["streams"]


def _seconds(time: Table) -> float:
    return float(time["secs"] + time["nanos"] / 1e9)
