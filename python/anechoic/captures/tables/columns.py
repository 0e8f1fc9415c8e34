"""Columns of the core as Arrow arrays."""

import json
import sys
from array import array
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from anechoic.scenario.core import Columns, core

if TYPE_CHECKING:
    import pyarrow

ENDS = ("client", "server")
"""What a direction's code stands for: the end that sends."""


def arrays(columns: Columns) -> "dict[str, pyarrow.Array]":
    """Give each column as bytes or 64-bit integers, null where there is no value."""
    import pyarrow

    given: dict[str, pyarrow.Array] = {}
    for name, (is_codes, values, known) in columns.items():
        if is_codes:
            given[name] = pyarrow.array(memoryview(values), type=pyarrow.uint8())
        else:
            given[name] = _whole_numbers(values, known)
    return given


def named(codes: "pyarrow.Array", names: Sequence[str | None]) -> "pyarrow.Array":
    """Give codes by their names, null for the name None."""
    import pyarrow
    import pyarrow.compute

    known = [name for name in names if name is not None]
    place = [None if name is None else known.index(name) for name in names]
    places = pyarrow.array(place, type=pyarrow.int8()).take(codes.cast(pyarrow.int32()))
    return pyarrow.DictionaryArray.from_arrays(places, pyarrow.array(known))


def is_set(codes: "pyarrow.Array") -> "pyarrow.Array":
    """Give codes as true and false."""
    import pyarrow

    return codes.cast(pyarrow.bool_())


@cache
def meanings() -> Mapping[str, Sequence[str | None]]:
    """Say for each column of codes what they stand for."""
    codes: dict[str, Sequence[str | None]] = json.loads(core().watch_codes())
    return codes


def _whole_numbers(data: bytes, known: bytes | None) -> "pyarrow.Array":
    import pyarrow

    values = array("q")
    values.frombytes(data)
    if sys.byteorder == "big":
        values.byteswap()
    numbers = pyarrow.array(memoryview(values), type=pyarrow.int64())
    if known is None:
        return numbers
    mask = pyarrow.array(memoryview(known), type=pyarrow.uint8()).cast(pyarrow.bool_())
    return pyarrow.compute.if_else(mask, numbers, None)
