"""What all that fades a link has; what each kind does is declared in the core."""

from typing import Any

from anechoic.scenario.base import Part


class Fading(Part):
    """What lets the loss between two radios change with time, both ways alike."""

    def model_post_init(self, _context: Any, /) -> None:
        """Hold the kind of fading as written: what is written out has to name it."""
        self.__pydantic_fields_set__.add("kind")
