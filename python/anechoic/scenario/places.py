"""Places on the plane, as people write them: ["10 m", "4.5 m"]."""

from math import hypot
from typing import Annotated

from pydantic import Field

from anechoic.scenario.quantities import Distance, metres
from anechoic.scenario.shapes import Shaped

Position = Annotated[
    list[Distance],
    Field(min_length=2, max_length=2),
    Shaped("`[x, y]`, each a [distance](#units)"),
]
Positions = Annotated[
    list[Position],
    Field(min_length=1),
    Shaped("list of places `[x, y]`, each a [distance](#units)"),
]
Walls = Annotated[
    list[Annotated[list[Position], Field(min_length=2)]],
    Field(min_length=1),
    Shaped("list of walls, each a list of places `[x, y]` from one to the next"),
]


def place_of(written: list[str]) -> list[float]:
    """Give a place as a plan has it, in metres."""
    return [metres(each) for each in written]


def distance_m(one: list[str], other: list[str]) -> float:
    """Give how far two places are from each other, in metres."""
    (x, y), (u, v) = place_of(one), place_of(other)
    return hypot(u - x, v - y)
