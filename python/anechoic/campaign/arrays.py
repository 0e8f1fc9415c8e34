"""Arrow arrays made of plain buffers.

`pyarrow.array` would make them of lists, but asks pandas about each of them, and loads it for that
wherever it is installed: that takes longer than a small campaign.
"""

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Any

import numpy
import pyarrow
from numpy.typing import NDArray

Floats = NDArray[numpy.float64]


def floats(values: Iterable[float]) -> pyarrow.Array:
    """Give 64-bit floats."""
    return _array(pyarrow.float64(), _numbers(values))


def floats_or_null(values: Iterable[float]) -> pyarrow.Array:
    """Give 64-bit floats, null where there is no number."""
    given = _numbers(values)
    known = numpy.packbits(~numpy.isnan(given), bitorder="little")
    return _array(pyarrow.float64(), given, pyarrow.py_buffer(known))


def values_of(column: pyarrow.ChunkedArray) -> Floats:
    """Give the values of a column of 64-bit floats, which has no nulls."""
    return _values(column.chunks, numpy.dtype(numpy.float64))


def whole_of(column: pyarrow.ChunkedArray) -> "NDArray[numpy.int64]":
    """Give the values of a column of 64-bit integers, which has no nulls."""
    return _values(column.chunks, numpy.dtype(numpy.int64))


def places_of(column: pyarrow.ChunkedArray) -> "NDArray[numpy.int32]":
    """Give where in their dictionary the texts of a column stand, which has no nulls."""
    return _values([chunk.indices for chunk in column.chunks], numpy.dtype(numpy.int32))


def integers(values: "NDArray[numpy.integer] | Sequence[int]") -> pyarrow.Array:
    """Give 64-bit integers."""
    return _array(pyarrow.int64(), numpy.asarray(values).astype(numpy.int64))


def bytes_of(data: bytes, width: int) -> pyarrow.Array:
    """Give values of so many bytes each."""
    of_values = [None, pyarrow.py_buffer(data)]
    return pyarrow.Array.from_buffers(pyarrow.binary(width), len(data) // width, of_values)


def integers_32(values: "NDArray[numpy.integer]") -> pyarrow.Array:
    """Give 32-bit integers."""
    return _array(pyarrow.int32(), values.astype(numpy.int32))


def booleans(values: Sequence[bool]) -> pyarrow.Array:
    """Give truth values."""
    bits = numpy.packbits(values, bitorder="little")
    return pyarrow.Array.from_buffers(pyarrow.bool_(), len(values), [None, pyarrow.py_buffer(bits)])


def texts(values: Sequence[str]) -> pyarrow.Array:
    """Give texts."""
    encoded = [value.encode() for value in values]
    ends = numpy.fromiter(accumulate(map(len, encoded), initial=0), numpy.int32)
    buffers = [None, pyarrow.py_buffer(ends), pyarrow.py_buffer(b"".join(encoded))]
    return pyarrow.Array.from_buffers(pyarrow.string(), len(encoded), buffers)


def texts_at(places: "NDArray[numpy.integer]", names: Sequence[str]) -> pyarrow.Array:
    """Give the name that stands at each place."""
    encoded = [name.encode() for name in names]
    lengths = numpy.array([len(name) for name in encoded], numpy.int32)
    ends = numpy.zeros(len(places) + 1, numpy.int32)
    numpy.cumsum(lengths[places], out=ends[1:])
    data = b"".join(map(encoded.__getitem__, places.tolist()))
    buffers = [None, pyarrow.py_buffer(ends), pyarrow.py_buffer(data)]
    return pyarrow.Array.from_buffers(pyarrow.string(), len(places), buffers)


def _values(chunks: Sequence[pyarrow.Array], kind: "numpy.dtype[Any]") -> "NDArray[Any]":
    # What pyarrow has for it asks pandas as well.
    parts = [
        numpy.frombuffer(chunk.buffers()[1], kind, len(chunk), kind.itemsize * chunk.offset)
        for chunk in chunks
        if len(chunk)
    ]
    return numpy.concatenate(parts) if parts else numpy.empty(0, kind)


def _numbers(values: Iterable[float]) -> Floats:
    if isinstance(values, numpy.ndarray):
        return values
    return numpy.fromiter(values, numpy.float64)


def _array(
    kind: pyarrow.DataType, values: "NDArray[numpy.generic]", known: pyarrow.Buffer | None = None
) -> pyarrow.Array:
    return pyarrow.Array.from_buffers(kind, len(values), [known, pyarrow.py_buffer(values)])
