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


def text(analysis: "Analysis") -> str:
    """Write a paragraph for each connection, the Wi-Fi, and what the whole file holds."""
    connections, tally = analysis.document["connections"], analysis.document["tally"]
    parts = [_connection(n, each) for n, each in enumerate(connections, 1)]
    closing = f"{counted(len(connections), 'connection')} in {tally['packets']} packets"
    if not connections:
        closing += f": {tally['tcp']} of them TCP"
    wifi = analysis.document["wifi"]
    air = [_wifi(wifi)] if wifi else []
    return "\n\n".join([*parts, *air, closing])


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
