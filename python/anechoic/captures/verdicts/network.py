"""What the network said to an end: messages of ICMP, and marks of congestion, in words."""

from collections.abc import Iterator, Mapping
from typing import Any

from anechoic.captures.text.counts import counted

REPORTS = {
    "icmp_too_big": "that its packets are too large for a link",
    "icmp_unreachable": "that the other host is not reached",
    "icmp_port_unreachable": "that nobody listens at the port",
    "icmp_prohibited": "that a filter forbids it",
    "icmp_time_exceeded": "that it took too many hops",
}
"""What messages of ICMP say."""


def reports(sent: Mapping[str, Any]) -> Iterator[str]:
    """Tell what routers and hosts said of what an end sent."""
    for name, what in REPORTS.items():
        if sent[name]:
            mtu = sent["path_mtu"] if name == "icmp_too_big" else None
            size = f", {mtu:,} bytes at most" if mtu else ""
            yield f"ICMP said {what}{size} ({counted(sent[name], 'message')})"


def marks(sent: Mapping[str, Any]) -> Iterator[str]:
    """Tell of marks of congestion on what an end sent, and of what was said of them."""
    if sent["ecn_marked"]:
        yield f"{counted(sent['ecn_marked'], 'segment')} marked by a queue (ECN)"
    if sent["ecn_echoes"]:
        yield f"its receiver told of marks {sent['ecn_echoes']:,} times"
    if sent["ecn_reductions"]:
        yield f"it answered marks by a smaller window {sent['ecn_reductions']:,} times"


def said(sent: Mapping[str, Any]) -> str:
    """Tell all of it in one line; nothing if there is nothing to be told."""
    return ", ".join([*reports(sent), *marks(sent)])
