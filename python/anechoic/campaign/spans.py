"""What the cells of a campaign have of something, in few words."""

from collections.abc import Callable, Sequence

from anechoic.campaign.cells import Cell, quoted
from anechoic.campaign.numbers import plain

_ALIKE = 0.01
"""Values that differ by less than this part are said as one."""
_THREE_DIGITS = 100
"""From here on a number is said to three digits: people say 372 ms, but 22 ms and 4.7 Mbit/s."""


class Spans:
    """Says the least and the largest value over cells, for one sentence.

    They go in the order of their cells, as the scenario has them. The cells are named where they
    are first spoken of, and again where the ends are those of others.
    """

    def __init__(self, cells: Sequence[Cell]) -> None:
        """Begin a sentence on these cells."""
        self._cells = cells
        self._ends: tuple[int, int] | None = None

    def say(self, values: Sequence[float | None], written: Callable[[float], str]) -> str:
        """Write a value, or the least and the largest; nothing where there is none."""
        given = [(value, place) for place, value in enumerate(values) if value is not None]
        if not given:
            return ""
        low, high = min(given, key=lambda end: end[0]), max(given, key=lambda end: end[0])
        if is_alike(low[0], high[0]):
            return written(high[0])
        ends = sorted((low, high), key=lambda end: end[1])
        places = ends[0][1], ends[1][1]
        if self._ends == places:
            return " to ".join(written(value) for value, _ in ends)
        self._ends = self._ends or places
        named = (f"{written(value)} ({self.name(self._cells[at])})" for value, at in ends)
        return " to ".join(named)

    def name(self, cell: Cell) -> str:
        """Name a cell by the axes on which these cells differ."""
        first = self._cells[0].parameters
        differing = [
            name
            for name, value in first.items()
            if any(each.parameters[name] != value for each in self._cells)
        ]
        return ", ".join(f"{short(name)} = {quoted(cell.parameters[name])}" for name in differing)


def short(axis: str) -> str:
    """Name an axis by the last part of its path."""
    return axis.rpartition(".")[2]


def is_alike(one: float, other: float) -> bool:
    """Say whether nobody would feel the difference of two values."""
    return abs(one - other) <= _ALIKE * max(abs(one), abs(other))


def number(value: float) -> str:
    """Write a number as people round it in a sentence."""
    digits = 3 if abs(value) >= _THREE_DIGITS else 2
    return plain(float(f"{value:.{digits}g}"))


def milliseconds(value: float) -> str:
    """Write a time that is known in milliseconds, with its unit."""
    return f"{number(value / 1000)} s" if value >= 1000 else f"{number(value)} ms"


def seconds(value: float) -> str:
    """Write a time that is known in seconds, with its unit."""
    return milliseconds(1000 * value)


def percent(share: float) -> str:
    """Write a share in percent."""
    return f"{number(100 * share)} %"
