"""Tables as pyarrow's, for whoever goes on with them in polars, pandas or DuckDB."""

from typing import TYPE_CHECKING, Any

import numpy

from anechoic.libraries import library
from anechoic.tables.table import Column, Table, Texts

if TYPE_CHECKING:
    import pyarrow


def arrow(table: Table) -> "pyarrow.Table":
    """Give a table as pyarrow's."""
    pyarrow = library("pyarrow", "a table")
    arrays = [_array(pyarrow, each, name in table.gaps) for name, each in table.columns.items()]
    return pyarrow.Table.from_arrays(arrays, list(table.columns))


def _array(pyarrow: Any, column: Column, has_gaps: bool) -> Any:
    # Made of buffers: `pyarrow.array` would ask pandas about each, and load it for that.
    if isinstance(column, Texts):
        return _texts(pyarrow, column)
    buffer, known = pyarrow.py_buffer, None
    match column.dtype.kind:
        case "f":
            kind, values = pyarrow.float64(), column.astype(numpy.float64)
            known = buffer(_bits(~numpy.isnan(values))) if has_gaps else None
        case "b":
            kind, values = pyarrow.bool_(), _bits(column)
        case "V":
            kind, values = pyarrow.binary(column.itemsize), column.view(numpy.uint8)
        case _:
            kind, values = pyarrow.int64(), column.astype(numpy.int64)
    return pyarrow.Array.from_buffers(kind, len(column), [known, buffer(values)])


def _texts(pyarrow: Any, column: Texts) -> Any:
    encoded = [(name or "").encode() for name in column.names]
    lengths = numpy.array([len(name) for name in encoded], numpy.int32)
    ends = numpy.zeros(len(column) + 1, numpy.int32)
    numpy.cumsum(lengths[column.codes], out=ends[1:])
    data = b"".join(map(encoded.__getitem__, column.codes.tolist()))
    is_text = numpy.array([name is not None for name in column.names], dtype=bool)
    known = pyarrow.py_buffer(_bits(is_text[column.codes])) if None in column.names else None
    buffers = [known, pyarrow.py_buffer(ends), pyarrow.py_buffer(data)]
    return pyarrow.Array.from_buffers(pyarrow.string(), len(column), buffers)


def _bits(truths: Any) -> Any:
    return numpy.packbits(truths, bitorder="little")
