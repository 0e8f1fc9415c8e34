"""The ends of a connection by their names."""

from collections.abc import Mapping
from typing import Any


def end_name(direction: Mapping[str, Any]) -> str:
    """Name an end by address and port; an address of IPv6 in brackets (RFC 3986 section 3.2.2)."""
    address, port = direction["address"], direction["port"]
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def title(connection: Mapping[str, Any]) -> str:
    """Name a connection by its ends."""
    return f"{end_name(connection['client'])} → {end_name(connection['server'])}"
