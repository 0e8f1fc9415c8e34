"""The record of a replication as Arrow tables, one for each kind of what it holds."""

from collections.abc import Mapping

import numpy
import pyarrow

from anechoic.campaign.arrays import Floats, bytes_of, floats, integers, texts, texts_at
from anechoic.campaign.steps import listed
from anechoic.scenario.core import Column, Record

SERIES = "series"


def metrics_table(metrics: Mapping[str, float]) -> pyarrow.Table:
    """Give a row for each metric."""
    columns = [texts(list(metrics)), floats(metrics.values())]
    return pyarrow.Table.from_arrays(columns, ["metric", "value"])


def tables_beside(record: Record) -> dict[str, pyarrow.Table]:
    """Give by its name each table that the record has rows for."""
    return {name: _table(name, columns) for name, columns in record.tables().items()}


def _table(name: str, columns: Mapping[str, Column]) -> pyarrow.Table:
    if name == SERIES:
        return listed({each: _reals(data) for each, (_, data, _) in columns.items()})
    return pyarrow.Table.from_arrays(list(map(_array, columns.values())), list(columns))


def _array(column: Column) -> pyarrow.Array:
    kind, data, dictionary = column
    if kind == "f64":
        return floats(_reals(data))
    if kind == "i64":
        return integers(numpy.frombuffer(data, "<i8"))
    if kind.startswith("bytes"):
        return bytes_of(data, int(kind.removeprefix("bytes")))
    return texts_at(numpy.frombuffer(data, "<u4"), dictionary or [])


def _reals(data: bytes) -> Floats:
    return numpy.frombuffer(data, "<f8").astype(numpy.float64, copy=False)
