"""An analysis for people."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from anechoic.captures.doubts.link_types import not_read
from anechoic.captures.doubts.notes import notes_on
from anechoic.captures.doubts.unopened import named_unopened
from anechoic.captures.text.counts import counted, times
from anechoic.captures.text.durations import duration, durations, period
from anechoic.captures.text.ends import title
from anechoic.captures.text.rates import rate
from anechoic.captures.verdicts.causes import CAUSES, STALLS
from anechoic.captures.verdicts.direction import is_small, rate_mbps, told_pauses
from anechoic.captures.verdicts.network import said
from anechoic.captures.verdicts.silences import silences
from anechoic.captures.verdicts.telling import telling
from anechoic.captures.verdicts.verdict import verdict, whole_path_ms
from anechoic.fitting import wrapped

if TYPE_CHECKING:
    from anechoic.captures.analysis import Analysis

MOST_CONNECTIONS = 50
"""Connections that are told one by one; of more, those that tell most."""
MOST_NOTES = 3
"""Notes behind the findings; the page has all."""

_NO_TCP = {
    "icmp": "of ICMP about TCP segments",
    "other_ip": "with another protocol over IP",
    "other_network": "without IP",
    "cut": "ending, or cut, within a header",
    "malformed": "with headers that contradict themselves",
    "fragments": "left of IP fragments without the rest",
    "encrypted": "encrypted",
    "mac_retries": "repeating an 802.11 frame",
    "mac_fragments": "of fragments of 802.11 without the rest",
    "bad_fcs": "received with a wrong checksum",
}
"""What packets without TCP are."""


def text(analysis: "Analysis") -> str:
    """Write what happened to the connections, the Wi-Fi, and what the whole file holds."""
    document, tally = analysis.document, analysis.document["tally"]
    connections = document["connections"]
    closing = _without_tcp(document)
    if connections:
        when = period(analysis.start_ns, max(each["last_ns"] for each in connections))
        amount = counted(tally["packets"], "packet")
        closing = f"{counted(len(connections), 'connection')} in {amount}, {when}"
    air = [_wifi(document)] if document["wifi"] else []
    return "\n\n".join([*_connections(connections), *air, *_notes(analysis), closing])


def _connections(connections: Sequence[Mapping[str, Any]]) -> list[str]:
    """Tell of each connection; of many, a line for each service and the most telling ones."""
    from anechoic.captures.screen.services import services_table

    if len(connections) <= MOST_CONNECTIONS:
        return _listed(connections, range(1, len(connections) + 1))
    closest = telling(connections)
    head = f"{len(connections):,} connections, each of them with --csv or --json:"
    chosen = ["Those that tell most:", *_listed(connections, closest)] if closest else []
    return [f"{head}\n{services_table(connections)}", *chosen]


def _listed(connections: Sequence[Mapping[str, Any]], numbers: Iterable[int]) -> list[str]:
    """Give a paragraph for each connection, those of a line each together."""
    parts: list[str] = []
    are_lines = False
    for number in numbers:
        told = wrapped(_connection(number, connections[number - 1]))
        is_line = "\n" not in told
        if is_line and are_lines:
            parts[-1] += f"\n{told}"
        else:
            parts.append(told)
        are_lines = is_line
    return parts


def _notes(analysis: "Analysis") -> list[str]:
    sentences = notes_on(analysis.document)
    left = len(sentences) - MOST_NOTES
    shown = [wrapped(f"  {sentence}") for sentence in sentences[:MOST_NOTES]]
    shown += [f"  and {left} more, which --out and --json tell."] if left > 0 else []
    return ["\n".join(["Notes on the capture:", *shown])] if shown else []


def _without_tcp(document: Mapping[str, Any]) -> str:
    tally = document["tally"]
    if not tally["packets"]:
        return "There is no packet in this capture."
    found = [f"{tally[key]:,} {what}" for key, what in _NO_TCP.items() if tally[key]]
    if tally["unknown_link"]:
        found.append(f"{tally['unknown_link']:,} of {not_read(document['unknown_links'])}")
    packets = counted(tally["packets"], "packet")
    met = named_unopened(document["unopened"])
    more = f" What was met and is not opened here: {met}." if met else ""
    return f"There is no TCP in this capture: of {packets}, {', '.join(found)}.{more}"


def _wifi(document: Mapping[str, Any]) -> str:
    from anechoic.captures.wifi import screen

    return screen.text(document)


def _connection(number: int, connection: Mapping[str, Any]) -> str:
    client, server = connection["client"], connection["server"]
    lasted_ns = connection["last_ns"] - connection["first_ns"]
    lasted = f"{lasted_ns / 1e9:.3f} s" if lasted_ns >= 1e9 else duration(lasted_ns)
    handshake = connection["handshake_ms"]
    parts = [connection["outcome"].replace("_", " "), lasted]
    if handshake is not None:
        parts.append(f"handshake {duration(1e6 * handshake)}")
    elif connection["connect_ms"] is not None:
        parts.append(f"connected within {duration(1e6 * connection['connect_ms'])}")
    for end, segment in ((client, "SYN"), (server, "SYN+ACK")):
        if end["syns"] > 1:
            parts.append(f"{segment} sent {times(end['syns'])}")
    if connection["starts_midway"]:
        parts.append("begins before the capture")
    parts += silences(connection)
    small = [told for told in (_small("→", client), _small("←", server)) if told]
    name = f"{number}. {title(connection)}  ({', '.join(parts)})"
    whole_ms = {end: whole_path_ms(connection, connection[end]) for end in ("client", "server")}
    lines = [
        _direction("→", client, server, whole_ms["client"]),
        _direction("←", server, client, whole_ms["server"]),
    ]
    return "\n".join(["  ".join([name, *small]), *(line for line in lines if line)])


def _small(arrow: str, sent: dict[str, Any]) -> str:
    """Tell of a direction that is not worth a line."""
    if not sent["packets_data"] or not is_small(sent):
        return ""
    idle = told_pauses(sent).get("application")
    paused = f" ({duration(idle['total_ns'])} {STALLS['application']})" if idle else ""
    return f"{arrow} {counted(sent['bytes_unique'], 'byte')}{paused}"


def _direction(
    arrow: str, sent: dict[str, Any], receiver: dict[str, Any], whole_ms: float | None
) -> str:
    if not sent["packets_data"]:
        told = ", ".join(each for each in (said(sent), _kept_alive(sent)) if each)
        return f"  {arrow} {told}" if told else ""
    if is_small(sent):
        return ""
    amount, segments = sent["bytes_unique"], sent["packets_data"]
    facts = [f"{counted(amount, 'byte')} in {counted(segments, 'segment')}"]
    mbps = rate_mbps(sent)
    if mbps is not None:
        facts.append(rate(mbps))
    more = (
        _under_way(sent, whole_ms),
        verdict(sent, receiver),
        _resent(sent),
        _paused(sent),
        said(sent),
        _kept_alive(sent),
    )
    return "\n".join([f"  {arrow} {', '.join(facts)}", *(f"      {line}" for line in more if line)])


def _under_way(sent: dict[str, Any], whole_ms: float | None) -> str:
    """Tell of round trips and of what was in flight."""
    facts = []
    if sent["rtt"] is not None:
        facts.append(_round_trips(sent["rtt"], is_far=sent["is_far"]))
        if sent["is_far"] and whole_ms:
            facts.append(f"whole path about {duration(1e6 * whole_ms)}")
    if sent["flight_max"] is not None:
        facts.append(f"in flight up to {counted(sent['flight_max'], 'byte')}")
    return ", ".join(facts)


def _round_trips(rtt: dict[str, Any], *, is_far: bool) -> str:
    """Tell of the round trips of one end; those beside its receiver are not its own."""
    name = "RTT from here" if is_far else "RTT"
    if rtt["count"] == 1:
        return f"{name} {duration(1e6 * rtt['mean_ms'])}"
    trips_ns = (1e6 * rtt[key] for key in ("min_ms", "mean_ms", "max_ms"))
    return f"{name} {durations(*trips_ns)} (min / mean / max)"


def _resent(sent: dict[str, Any]) -> str:
    again, late = sent["packets_retransmitted"], sent["packets_out_of_order"]
    # Probes that repeat nothing are neither, see `reference.py`.
    probes = sum(sent["causes"].values()) - again - late
    facts = [f"{again:,} retransmitted"] if again else []
    facts += [f"{late:,} came late"] if late else []
    causes = dict(sent["causes"])
    if probes:
        facts.append(f"{counted(probes, 'probe')} of a closed window")
        causes["window_probe"] -= probes
    named = [f"{causes[key]:,} {name}" for key, name in CAUSES.items() if causes[key]]
    told = f": {', '.join(named)}" if named else ""
    return f"{', '.join(facts)}{told}"


def _paused(sent: dict[str, Any]) -> str:
    pauses = [
        f"{duration(pause['total_ns'])} {STALLS[key]} ({pause['count']})"
        for key, pause in told_pauses(sent).items()
    ]
    lasts = ", the last of which lasts" if sent["closed_at_end_ns"] and pauses else ""
    return f"stalled: {', '.join(pauses)}{lasts}" if pauses else ""


def _kept_alive(sent: dict[str, Any]) -> str:
    return counted(sent["keep_alives"], "keep-alive") if sent["keep_alives"] else ""
