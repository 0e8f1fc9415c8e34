"""The logs of endpoints: rows of one length, as `crates/endpoint` writes them."""

from collections.abc import Mapping
from typing import Any

import numpy
from numpy.typing import NDArray

Rows = NDArray[Any]

NO_CONNECTION = 0xFFFF_FFFF
"""The number of a sample that is of no connection."""

SENT, RECEIVED = 0, 1
"""What a stamp is of."""

_HEAD = [("at_us", "<u8"), ("delivered", "<u8"), ("connection", "<u4"), ("length", "<u4")]
_STAMP = [("at_ns", "<i8"), ("tag", "<u8"), ("number", "<u4"), ("size", "<u4"), ("way", "<u4")]


def samples_of(end: Mapping[str, Any], data: bytes) -> Rows:
    """Read what an end has seen at regular instants; ``told`` is its kernel's TCP_INFO."""
    head = numpy.dtype(_HEAD)
    told = end["samples"]["row"] - head.itemsize
    return numpy.frombuffer(data, numpy.dtype([*_HEAD, ("told", f"V{told}")] if told else _HEAD))


def stamps_of(data: bytes) -> Rows:
    """Read when an end's datagrams were sent and received."""
    return numpy.frombuffer(data, numpy.dtype(_STAMP))
