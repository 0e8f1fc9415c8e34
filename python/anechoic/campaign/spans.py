"""What the cells of a campaign have of something, in few words."""

from collections.abc import Callable, Sequence

from anechoic.campaign.cells import Cell
from anechoic.campaign.numbers import plain

_ALIKE = 0.01
"""Values that differ by less than this part are said as one: nobody would feel more."""


class Spans:
    """Says the least and the largest value over cells, for one sentence.

    The cells are named where they are first spoken of; what has its ends at the same two goes in
    the same order.
    """

    def __init__(self, cells: Sequence[Cell]) -> None:
        """Begin a sentence on these cells."""
        self._cells = cells
        self._ends: tuple[str, str] | None = None

    def say(self, values: Sequence[float | None], written: Callable[[float], str]) -> str:
        """Write a value, or the least and the largest; nothing where there is none."""
        named = zip(values, self._cells, strict=True)
        given = [(value, cell.name) for value, cell in named if value is not None]
        if not given:
            return ""
        low, high = min(given, key=lambda end: end[0]), max(given, key=lambda end: end[0])
        if high[0] - low[0] <= _ALIKE * abs(high[0]):
            return written(high[0])
        for ends in ((low, high), (high, low)):
            if self._ends == (ends[0][1], ends[1][1]):
                return " to ".join(written(value) for value, _ in ends)
        self._ends = self._ends or (low[1], high[1])
        return " to ".join(f"{written(value)} ({name})" for value, name in (low, high))


def number(value: float) -> str:
    """Write a number to three digits."""
    return plain(float(f"{value:.3g}"))


def milliseconds(value: float) -> str:
    """Write a time that is known in milliseconds, with its unit."""
    return f"{number(value / 1000)} s" if value >= 1000 else f"{number(value)} ms"


def seconds(value: float) -> str:
    """Write a time that is known in seconds, with its unit."""
    return milliseconds(1000 * value)


def percent(share: float) -> str:
    """Write a share in percent."""
    return f"{number(100 * share)} %"
