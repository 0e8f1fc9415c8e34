"""What was met in packets and is not opened here, in words."""

from collections.abc import Iterable, Mapping
from typing import Any

_LAYERS = {
    "ethertype": "EtherType",
    "llc": "LLC service",
    "gre": "GRE protocol",
    "ip": "IP protocol",
    "udp": "UDP port",
}
_HEXADECIMAL = {"ethertype": 4, "llc": 2, "gre": 4}
"""Layers whose numbers are written in sixteens, with their digits."""
_MOST = 8
"""So many are named, those of most packets."""


def named_unopened(unopened: Iterable[Mapping[str, Any]]) -> str:
    """Name what was met, most packets first; nothing if there is nothing."""
    ranked = sorted(unopened, key=lambda each: -each["packets"])
    named = [f"{each['packets']:,} of {_name(each)}" for each in ranked[:_MOST]]
    left = len(ranked) - _MOST
    return ", ".join([*named, f"{left} more"] if left > 0 else named)


def _name(met: Mapping[str, Any]) -> str:
    layer, number = met["layer"], met["number"]
    digits = _HEXADECIMAL.get(layer)
    written = f"0x{number:0{digits}x}" if digits else str(number)
    name = f" ({met['name']})" if met["name"] else ""
    return f"{_LAYERS[layer]} {written}{name}"
