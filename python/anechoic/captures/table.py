"""An analysis for people."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anechoic.captures.analysis import Analysis

CAUSES = {
    "timeout": "timeout",
    "fast": "fast retransmit",
    "rack": "RACK",
    "tail_probe": "tail loss probe",
    "window_probe": "window probe",
    "unnecessary_timeout": "needless timeout",
    "unnecessary_fast": "needless fast retransmit",
    "unknown": "unknown cause",
}
"""Why a segment was sent again."""
STALLS = {
    "timeout": "waiting for a timeout",
    "recovery": "in recovery",
    "window": "window full",
    "path": "nothing came back",
    "application": "nothing to send",
}
"""What a sender that paused was waiting for."""


_NO_TCP = {
    "other_ip": "hold another protocol over IP",
    "other_network": "hold no IP",
    "unknown_link": "have a link layer that is not known here",
    "cut": "end, or were cut, within a header",
    "malformed": "have headers that contradict themselves",
    "fragments": "are IP fragments without the rest",
    "encrypted": "are encrypted",
    "mac_retries": "repeat an 802.11 frame",
    "mac_fragments": "are 802.11 fragments",
    "bad_fcs": "were received with a wrong checksum",
}
"""What packets without TCP are."""


def text(analysis: "Analysis") -> str:
    """Write a paragraph for each connection, the Wi-Fi, and what the whole file holds."""
    connections, tally = analysis.document["connections"], analysis.document["tally"]
    parts = [_connection(n, each) for n, each in enumerate(connections, 1)]
    closing = f"{counted(len(connections), 'connection')} in {tally['packets']} packets"
    if unlisted := analysis.document["unlisted"]:
        closing += f"; {counted(unlisted, 'unanswered attempt')} more are not listed"
    if not connections:
        closing = _without_tcp(tally)
    wifi = analysis.document["wifi"]
    air = [_wifi(wifi)] if wifi else []
    return "\n\n".join([*parts, *air, closing])


def _without_tcp(tally: dict[str, int]) -> str:
    if not tally["packets"]:
        return "There is no packet in this capture."
    found = [f"{tally[key]:,} {what}" for key, what in _NO_TCP.items() if tally[key]]
    packets = counted(tally["packets"], "packet")
    return f"There is no TCP in this capture: of {packets}, {', '.join(found)}."


def _wifi(wifi: dict[str, Any]) -> str:
    from anechoic.captures import wifi_table

    return wifi_table.text(wifi)


def _connection(number: int, connection: dict[str, Any]) -> str:
    client, server = connection["client"], connection["server"]
    seconds = (connection["last_ns"] - connection["first_ns"]) / 1e9
    handshake = connection["handshake_ms"]
    parts = [connection["outcome"].replace("_", " "), f"{seconds:.3f} s"]
    if handshake is not None:
        parts.append(f"handshake {handshake:.3g} ms")
    if connection["starts_midway"]:
        parts.append("begins before the capture")
    title = f"{number}. {_end(client)} → {_end(server)}  ({', '.join(parts)})"
    lines = [_direction("→", client), _direction("←", server)]
    return "\n".join([title, *(line for line in lines if line)])


def _end(direction: dict[str, Any]) -> str:
    return f"{direction['address']}:{direction['port']}"


def _direction(arrow: str, sent: dict[str, Any]) -> str:
    if not sent["packets_data"]:
        return ""
    facts = [f"{sent['bytes_unique']:,} bytes in {sent['packets_data']:,} segments"]
    if sent["throughput_mbps"] is not None:
        facts.append(f"{sent['throughput_mbps']:.4g} Mbit/s")
    if sent["rtt"] is not None:
        low, mean, high = (sent["rtt"][key] for key in ("min_ms", "mean_ms", "max_ms"))
        facts.append(f"RTT {low:.3g} / {mean:.3g} / {high:.3g} ms (min / mean / max)")
    facts.append(f"in flight up to {sent['flight_max']:,} bytes")
    lines = [f"  {arrow} {', '.join(facts)}"]
    lines += [f"      {line}" for line in (_resent(sent), _paused(sent)) if line]
    return "\n".join(lines)


def _resent(sent: dict[str, Any]) -> str:
    again = sent["packets_retransmitted"]
    if not again and not sent["packets_out_of_order"]:
        return ""
    causes = [
        f"{sent['causes'][key]} {name}" for key, name in CAUSES.items() if sent["causes"][key]
    ]
    told = f": {', '.join(causes)}" if causes else ""
    return f"{again:,} sent again{told}; {sent['packets_out_of_order']:,} out of order"


def _paused(sent: dict[str, Any]) -> str:
    pauses = [
        f"{pause['total_ns'] / 1e9:.3g} s {name} ({pause['count']})"
        for key, name in STALLS.items()
        if (pause := sent["stalls"][key])["count"]
    ]
    return f"stalled: {', '.join(pauses)}" if pauses else ""


def counted(count: int, what: str) -> str:
    """Give a count and what is counted, which takes an s if they are several."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def times(count: int) -> str:
    """Say how often."""
    return {1: "once", 2: "twice"}.get(count, f"{count:,} times")
