"""Link types: which are not read in a capture, and which are."""

from collections.abc import Iterable, Mapping
from typing import Any

READ = (
    "Ethernet, 802.11, Linux cooked, raw IP, loopback, PPP, Cisco HDLC, frame relay, ATM, FDDI, "
    "token ring, InfiniBand, Fibre Channel, SLIP, and the logs of netfilter and pf"
)
"""The link layers behind which connections are found."""


def not_read(unknown_links: Iterable[Mapping[str, Any]]) -> str:
    """Name link types of a capture that are not read, and say which are."""
    names = [_name(each) for each in unknown_links]
    which = f"link type {names[0]}" if len(names) == 1 else f"link types {', '.join(names)}"
    return f"{which}, not read here (read are {READ})"


def _name(link: Mapping[str, Any]) -> str:
    return f"{link['number']} (LINKTYPE_{link['name']})" if link["name"] else str(link["number"])
