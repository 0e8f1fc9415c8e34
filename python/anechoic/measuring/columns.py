"""Columns of the tables of a measurement's record, as the core gives those of a simulation's."""

from collections.abc import Sequence

import numpy
from numpy.typing import NDArray

from anechoic.scenario.core import Column
from anechoic.tables.table import Floats

Columns = dict[str, Column]


def ordered(columns: Columns) -> Columns:
    """Give rows in the order of time."""
    order = numpy.argsort(numpy.frombuffer(columns["time_s"][1], "<f8"), kind="stable")
    sizes = {"f64": 8, "i64": 8, "text": 4}
    sorted_ = {}
    for name, (kind, data, words) in columns.items():
        size = sizes.get(kind) or int(kind.removeprefix("bytes"))
        rows = numpy.frombuffer(data, f"V{size}")
        sorted_[name] = kind, rows[order].tobytes(), words
    return sorted_


def padded(parts: Sequence[NDArray[numpy.void]]) -> Column:
    """Give bytes of the length of the longest of them; zeros fill up the others."""
    width = max(part.dtype.itemsize for part in parts)
    blocks = [numpy.zeros((len(part), width), numpy.uint8) for part in parts]
    for rows, part in zip(blocks, parts, strict=True):
        given = numpy.ascontiguousarray(part).view(numpy.uint8)
        rows[:, : part.dtype.itemsize] = given.reshape(len(part), part.dtype.itemsize)
    return f"bytes{width}", numpy.concatenate(blocks).tobytes(), None


def reals(values: Floats) -> Column:
    """Give real numbers."""
    return "f64", values.astype("<f8").tobytes(), None


def whole(values: "NDArray[numpy.number]") -> Column:
    """Give whole numbers."""
    return "i64", values.astype("<i8").tobytes(), None


def texts(places: "NDArray[numpy.integer]", words: list[str]) -> Column:
    """Give texts, by their places among words."""
    return "text", places.astype("<u4").tobytes(), words
