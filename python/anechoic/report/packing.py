"""Data of a figure as text that a page unpacks: values as floats, all of it compressed.

Before compression the bytes are the number of values (32 bits), the values as 32-bit floats, and
JSON that says which values are whose. Of the floats first come all lowest bytes, then all second
ones and so on: bytes that are alike compress. All numbers are little-endian.
"""

import json
import zlib
from base64 import b64encode
from collections.abc import Sequence
from typing import Any

import numpy

EXACT = 23
"""Bits of a 32-bit float after the first: seven digits."""
READ = 14
"""So many give the four digits that a figure tells of a value; the others would only weigh."""


class Pool:
    """The values of a figure, one after another."""

    def __init__(self) -> None:
        """Begin without values."""
        self._parts: list[numpy.ndarray[Any, numpy.dtype[numpy.uint32]]] = []
        self._count = 0

    def add(self, values: Sequence[float], bits: int = READ) -> dict[str, int]:
        """Add values, NaN for none, to so many bits after the first; say where they lie."""
        codes = numpy.asarray(values, dtype="<f4").view("<u4")
        spare = numpy.uint32(EXACT - bits)
        half = numpy.uint32((1 << int(spare)) >> 1)
        rounded = ((codes + half) >> spare) << spare
        self._parts.append(numpy.where(numpy.isfinite(codes.view("<f4")), rounded, codes))
        begin, self._count = self._count, self._count + len(codes)
        return {"from": begin, "count": len(codes)}

    def packed(self, data: Any) -> str:
        """Give all values, and data that says whose they are, as one text in base64."""
        values = numpy.concatenate([numpy.empty(0, "<u4"), *self._parts]).astype("<u4")
        planes = values.view("u1").reshape(-1, 4).T.tobytes()
        text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        whole = len(values).to_bytes(4, "little") + planes + text.encode()
        return b64encode(zlib.compress(whole)).decode()
