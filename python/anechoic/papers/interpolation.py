"""How well a table of results tells what lies between its cells."""

from collections.abc import Iterator
from typing import Any

from anechoic.campaign.results import Results


def errors_between(results: Results, metric: str) -> Iterator[float]:
    """Give how far each cell is from the straight line through its neighbours, over its value.

    Neighbours are those on an axis of numbers, all other axes being the same.
    """
    for axis in results.axes:
        if not all(isinstance(value, int | float) for value in axis.values):
            continue
        for row in _rows(results, axis.name, metric):
            for (x0, low), (x, here), (x1, high) in zip(row, row[1:], row[2:], strict=False):
                if here > 0:
                    line = low + (high - low) * (x - x0) / (x1 - x0)
                    yield abs(line / here - 1)


def _rows(results: Results, axis: str, metric: str) -> Iterator[list[tuple[float, float]]]:
    """Give the means along an axis, a row for each combination of the other axes' values."""
    rows: dict[tuple[Any, ...], list[tuple[float, float]]] = {}
    for cell in results.cells:
        others = tuple(value for name, value in cell.parameters.items() if name != axis)
        point = (float(cell.parameters[axis]), cell[metric].mean)
        rows.setdefault(others, []).append(point)
    yield from (sorted(row) for row in rows.values())
