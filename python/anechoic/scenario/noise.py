"""What all that radiates and is no station has; each kind is declared in the core."""

from typing import Annotated, Any

from anechoic.scenario.base import Part, about
from anechoic.scenario.places import Position
from anechoic.scenario.quantities import NoisePower


class Noise(Part):
    """Something that radiates and is no station."""

    tx_power: Annotated[NoisePower, about("power while it radiates")]
    position: Annotated[
        Position | None,
        about("where it is", source="nowhere: its losses are stated"),
    ] = None

    def model_post_init(self, _context: Any, /) -> None:
        """Hold the kind of noise as written: what is written out has to name it."""
        self.__pydantic_fields_set__.add("kind")
