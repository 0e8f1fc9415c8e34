"""What one replication measured, held in the room that a large campaign leaves it."""

import math
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain


class Measured(Mapping[str, float]):
    """The metrics of a replication by their names; what was not given is NaN.

    A large campaign has the same thousand names ten thousand times: each is held once, and of a
    replication the numbers alone.
    """

    __slots__ = ("_numbers", "_places")

    def __init__(self, names: Iterable[str], numbers: Iterable[float]) -> None:
        """Take a number for each name."""
        self._places = _places_of(tuple(names))
        self._numbers = array("d", numbers)

    def __getitem__(self, metric: str) -> float:
        """Give a metric."""
        return self._numbers[self._places[metric]]

    @property
    def places(self) -> Mapping[str, int]:
        """Say where each name stands: one object for all that have the same names."""
        return self._places

    def number(self, metric: str) -> float:
        """Give a metric; NaN where it was not given."""
        place = self._places.get(metric)
        return math.nan if place is None else self._numbers[place]

    def __iter__(self) -> Iterator[str]:
        """Go through the names."""
        return iter(self._places)

    def __len__(self) -> int:
        """Count them."""
        return len(self._numbers)

    def __reduce__(self) -> "tuple[type, tuple[list[str], array[float]]]":
        """Send names and numbers to another process."""
        return Measured, (list(self._places), self._numbers)


_known: dict[tuple[str, ...], dict[str, int]] = {}


def _places_of(names: tuple[str, ...]) -> dict[str, int]:
    """Give where each name stands: the same for all who have the same names."""
    if names not in _known:
        _known[names] = {name: place for place, name in enumerate(names)}
    return _known[names]


def names_of(replications: Sequence[Measured]) -> Mapping[str, int]:
    """Give the names that any of them has, in their order, in no more room than they have it."""
    if not replications:
        return {}
    first = replications[0].places
    if all(each.places is first for each in replications):
        return first
    return _places_of(tuple(dict.fromkeys(chain.from_iterable(replications))))
