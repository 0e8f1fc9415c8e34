"""The ends of a connection: their names, and their order."""

from collections.abc import Mapping
from ipaddress import ip_address
from typing import Any


def end_name(direction: Mapping[str, Any]) -> str:
    """Name an end by address and port; an address of IPv6 in brackets (RFC 3986 section 3.2.2)."""
    address, port = direction["address"], direction["port"]
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def title(connection: Mapping[str, Any]) -> str:
    """Name a connection by its ends."""
    return f"{end_name(connection['client'])} → {end_name(connection['server'])}"


def by_number(address: str) -> tuple[int, int]:
    """Give what puts addresses in the order of their numbers: 10.0.0.3 before 10.0.0.10."""
    parsed = ip_address(address)
    return parsed.version, int(parsed)
