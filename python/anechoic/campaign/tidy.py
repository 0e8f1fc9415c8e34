"""Every value of a campaign as one tidy table: a row for each cell, metric and replication."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import NamedTuple

import numpy

from anechoic.campaign.cells import Axis, Cell, Value
from anechoic.scenario.catalogue import OWNED, scope_of
from anechoic.scenario.errors import shown
from anechoic.tables.table import Column, Table, Texts, reals

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


def tidy(axes: Sequence[Axis], cells: Sequence[Cell]) -> Iterator[Table]:
    """Give the axes, ``replication``, ``scope``, ``of``, ``metric``, ``window`` and ``value``.

    There is no value where its replication did not give the metric. The table comes in parts, each
    of as many cells as are no burden to the memory.
    """
    columns = parameters(axes, cells)
    for first in range(0, len(cells), _CELLS):
        some = slice(first, first + _CELLS)
        yield _part({name: column[some] for name, column in columns.items()}, cells[some])


def parameters(axes: Sequence[Axis], cells: Sequence[Cell]) -> dict[str, Column]:
    """Give what the cells have of each axis, a row for each cell."""
    return {axis.name: _one_type([cell.parameters[axis.name] for cell in cells]) for axis in axes}


def _part(axes: Mapping[str, Column], cells: Sequence[Cell]) -> Table:
    summaries = [summary for cell in cells for summary in cell.metrics.values()]
    rows = [sum(len(summary.values) for summary in cell.metrics.values()) for cell in cells]
    counts = [len(summary.values) for summary in summaries]
    names = [split(name) for cell in cells for name in cell.metrics]
    of_cells = numpy.repeat(numpy.arange(len(cells)), rows)
    of_names = numpy.repeat(numpy.arange(len(names)), counts)
    replications = chain.from_iterable(map(range, counts))
    columns = {
        **{name: values[of_cells] for name, values in axes.items()},
        "replication": numpy.fromiter(replications, numpy.int64),
        "scope": Texts.of([name.scope for name in names])[of_names],
        "of": Texts.of([name.of for name in names])[of_names],
        "metric": Texts.of([name.metric for name in names])[of_names],
        "window": Texts.of([name.window for name in names])[of_names],
        "value": reals(chain.from_iterable(summary.values for summary in summaries)),
    }
    return Table(columns, gaps=frozenset(["value"]))


def _one_type(values: Sequence[Value]) -> Column:
    """Give what the cells have of an axis as what all of it is: texts, if nothing else."""
    truths = [value for value in values if isinstance(value, bool)]
    numbers = [
        value for value in values if isinstance(value, int | float) and not isinstance(value, bool)
    ]
    if len(truths) == len(values):
        return numpy.array(truths, dtype=bool)
    if len(numbers) < len(values):
        return Texts.of([value if isinstance(value, str) else shown(value) for value in values])
    whole = [number for number in numbers if isinstance(number, int) and abs(number) < _WIDEST]
    kind = numpy.int64 if len(whole) == len(numbers) else numpy.float64
    return numpy.array(numbers, dtype=kind)
