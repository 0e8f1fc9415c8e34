"""Every value of a campaign as one tidy table: a row for each cell, metric and replication."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import NamedTuple

import numpy
import pyarrow

from anechoic.campaign.arrays import booleans, floats, floats_or_null, integers, integers_32, texts
from anechoic.campaign.cells import Axis, Cell, Value
from anechoic.scenario.catalogue import OWNED, scope_of
from anechoic.scenario.errors import shown

_CELLS = 64
"""Cells whose values are turned into a table at once."""

_WIDEST = 2**63
"""More than a 64-bit integer holds."""


class MetricName(NamedTuple):
    """What a metric is of, what it is called there, and of which window.

    ``of`` is None where there is but one, ``window`` for the whole measured time.
    """

    scope: str
    of: str | None
    metric: str
    window: str | None


@cache
def split(name: str) -> MetricName:
    """Take the name of a record's metric apart, such as ``flow.pairs-1.goodput_mbps``."""
    whole, _, window = name.partition("@")
    scope, _, rest = whole.partition(".")
    if scope in OWNED:
        # No name of a flow, a node or a wire holds a dot; that of a metric may.
        of, _, metric = rest.partition(".")
        return MetricName(scope, of, metric, window or None)
    return MetricName(scope_of(whole), None, whole, window or None)


def tidy(axes: Sequence[Axis], cells: Sequence[Cell]) -> Iterator[pyarrow.Table]:
    """Give the axes, ``replication``, ``scope``, ``of``, ``metric``, ``window`` and ``value``.

    A value is null where its replication did not give the metric. The table comes in parts, each
    of as many cells as are no burden to the memory.
    """
    columns = [_one_type([cell.parameters[axis.name] for cell in cells]) for axis in axes]
    for first in range(0, len(cells), _CELLS):
        some = slice(first, first + _CELLS)
        values = {axis.name: column[some] for axis, column in zip(axes, columns, strict=True)}
        yield _part(values, cells[some])


def _part(axes: Mapping[str, pyarrow.Array], cells: Sequence[Cell]) -> pyarrow.Table:
    summaries = [summary for cell in cells for summary in cell.metrics.values()]
    rows = [sum(len(summary.values) for summary in cell.metrics.values()) for cell in cells]
    counts = [len(summary.values) for summary in summaries]
    names = [split(name) for cell in cells for name in cell.metrics]
    replications = chain.from_iterable(map(range, counts))
    columns = {
        **{name: _axis_column(values, rows) for name, values in axes.items()},
        "replication": integers(numpy.fromiter(replications, numpy.int64)),
        "scope": _repeated([name.scope for name in names], counts),
        "of": _repeated([name.of for name in names], counts),
        "metric": _repeated([name.metric for name in names], counts),
        "window": _repeated([name.window for name in names], counts),
        "value": floats_or_null(chain.from_iterable(summary.values for summary in summaries)),
    }
    return pyarrow.Table.from_arrays(list(columns.values()), list(columns))


def _axis_column(values: pyarrow.Array, rows: Iterable[int]) -> pyarrow.ChunkedArray:
    chunks = [pyarrow.repeat(value, count) for value, count in zip(values, rows, strict=True)]
    return pyarrow.chunked_array(chunks, values.type)


def _one_type(values: Sequence[Value]) -> pyarrow.Array:
    """Give what the cells have of an axis as what all of it is: texts, if nothing else."""
    truths = [value for value in values if isinstance(value, bool)]
    numbers = [
        value for value in values if isinstance(value, int | float) and not isinstance(value, bool)
    ]
    if len(truths) == len(values):
        return booleans(truths)
    if len(numbers) < len(values):
        return texts([value if isinstance(value, str) else shown(value) for value in values])
    whole = [number for number in numbers if isinstance(number, int) and abs(number) < _WIDEST]
    return integers(whole) if len(whole) == len(numbers) else floats(numbers)


def _repeated(values: Sequence[str | None], counts: Iterable[int]) -> pyarrow.Array:
    known = {value: place for place, value in enumerate(dict.fromkeys(values))}
    chunks = [
        pyarrow.nulls(1, pyarrow.string()) if value is None else texts([value]) for value in known
    ]
    places = numpy.fromiter(map(known.__getitem__, values), numpy.int32, len(values))
    repeated = integers_32(numpy.repeat(places, list(counts)))
    return pyarrow.concat_arrays([texts([]), *chunks]).take(repeated)
