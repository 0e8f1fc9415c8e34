"""Results of iperf3, as it writes them with `--json` or `--json-stream`, in our metrics' names.

Versions differ in what they tell, and either end knows only what it sent, what it received, and
what the other told it when the test was over. What a document does not tell has no metric.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nan
from typing import Any

Table = Mapping[str, Any]


@dataclass(frozen=True)
class Transfer:
    """What went in one direction, or in one stream; None for what the document does not tell."""

    received_bps: float | None
    retransmissions: float | None


def is_iperf3(document: Table) -> bool:
    """Say whether a document is one of iperf3, or an event of its `--json-stream`."""
    if "event" in document:
        return "data" in document
    return "intervals" in document and isinstance(document.get("start"), dict) and "end" in document


def tests(found: Sequence[Table]) -> list[Table]:
    """Give the document of each test in a file.

    The events of `--json-stream` become one, and one that stands there again is left out: iperf3
    3.16 wrote each twice (esnet/iperf issue 1688), and `--json-stream-full-output` repeats the
    events as a whole.
    """
    tests: list[Table] = []
    for document in _whole(found):
        ends = [(each["start"], each["end"], each.get("error")) for each in tests]
        if (document["start"], document["end"], document.get("error")) not in ends:
            tests.append(document)
    return tests


def metrics(document: Table) -> dict[str, float]:
    """Give what was received and, of TCP, what was retransmitted and the round trips.

    Raises ValueError with iperf3's own words where the test came to nothing.
    """
    if document.get("error"):
        raise ValueError(f"iperf3 says: {document['error']}")
    transfers = list(_transfers(document))
    if not transfers:
        raise ValueError("it has no sums; did the test end before its time?")
    found = {
        "goodput_mbps": _total(each.received_bps for each in transfers) / 1e6,
        "tcp.retransmissions": _total(each.retransmissions for each in transfers),
        "tcp.rtt_ms_mean": _mean(list(_round_trips_us(document["end"]))) / 1e3,
    }
    known = {name: value for name, value in found.items() if not isnan(value)}
    if not known:
        raise ValueError("it does not tell what was received: this end sent, and the other knows")
    return known


def _whole(found: Sequence[Table]) -> Iterator[Table]:
    """Give whole documents, the events of each test put together."""
    events: dict[str, Any] = {}
    for document in found:
        is_event = "event" in document
        if events and (not is_event or (document["event"] == "start" and "start" in events)):
            yield _of_events(events)
            events = {}
        if is_event:
            events[document["event"]] = document["data"]
        else:
            yield document
    if events:
        yield _of_events(events)


def _of_events(events: Table) -> Table:
    own = {name: events.get(name, {}) for name in ("start", "end")}
    return {**own, "intervals": [], "error": events.get("error")}


def _transfers(document: Table) -> Iterator[Transfer]:
    """Give both directions, or what stands for them.

    With `--bidir`, 3.7 wrote the sums of both directions under one name, of which readers of JSON
    keep one (esnet/iperf issue 952): the streams tell both.
    """
    end = document["end"]
    streams = end.get("streams") or []
    both = any(name.endswith(_REVERSE) for name in end)
    directions = {_is_own(stream) for stream in streams}
    if len(directions) > 1 and not both:
        yield from (_transfer(stream, document) for stream in map(_sums_of, streams))
        return
    for ending in ("", _REVERSE):
        sums = {name: end.get(f"{name}{ending}") for name in _SUMS}
        if any(sums.values()):
            yield _transfer(sums, document)
    if document["start"].get("test_start", {}).get("bidir") and not both:
        yield Transfer(None, None)


_SUMS = "sum_sent", "sum_received", "sum"
_REVERSE = "_bidir_reverse"
"""Ends the names of the second direction's sums."""


def _is_own(stream: Table) -> bool | None:
    """Say whether this end sent a stream, if that is told."""
    return next((part["sender"] for part in stream.values() if "sender" in part), None)


def _sums_of(stream: Table) -> Table:
    """Give what is told of a stream by the names of the sums."""
    return {
        "sum_sent": stream.get("sender"),
        "sum_received": stream.get("receiver"),
        "sum": stream.get("udp"),
    }


def _transfer(sums: Table, document: Table) -> Transfer:
    sent, received, both = (sums[name] for name in _SUMS)
    return Transfer(
        _received_bps(received) if received else _through_bps(both, document) if both else None,
        # Of what the other end sent its number is 0 until it has told its own.
        sent.get("retransmits") if sent and sent["bits_per_second"] else None,
    )


def _received_bps(received: Table) -> float | None:
    """Give what the receiver told; 0 if it told nothing, or of datagrams that all were lost."""
    rate = received["bits_per_second"]
    return rate if rate or received.get("lost_percent") == _ALL else None


_ALL = 100


def _through_bps(both: Table, document: Table) -> float | None:
    """Give what is left of datagrams of which iperf3 before 3.10 or so tells one rate.

    It is the sender's (esnet/iperf issue 584), of which a server does not know what was lost of it.
    """
    if "accepted_connection" in document["start"] or "lost_percent" not in both:
        return None
    return float(both["bits_per_second"] * (1 - both["lost_percent"] / _ALL))


def _total(values: Iterable[float | None]) -> float:
    """Give the sum; NaN if one of them is not known."""
    return sum(nan if each is None else float(each) for each in values)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else nan


def _round_trips_us(end: Table) -> Iterator[float]:
    """Give the mean round trip of each stream whose sender told one; receivers tell 0."""
    for stream in end.get("streams", []):
        mean = stream.get("sender", {}).get("mean_rtt", 0)
        if mean:
            yield float(mean)
