"""What radiates and is no station."""

from typing import Annotated

from pydantic import Field

from anechoic.scenario.base import Part, about
from anechoic.scenario.places import Position
from anechoic.scenario.quantities import Duration, Power

Span = Annotated[list[Duration], Field(min_length=2, max_length=2)]


class Noise(Part):
    """Something that radiates at stated times and is no station."""

    tx_power: Annotated[Power, about("power while it radiates")]
    times: Annotated[
        list[Span],
        about(
            "when it radiates: the beginning and the end of each burst, as times of the run",
            min_length=1,
        ),
    ]
    position: Annotated[
        Position | None,
        about("where it is", source="nowhere: its losses are stated"),
    ] = None
