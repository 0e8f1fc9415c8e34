"""What all kinds of movement have; what each has besides is declared in the core."""

from typing import Any

from anechoic.scenario.base import Part


class Movement(Part):
    """How a radio moves, from its `position` on."""

    def model_post_init(self, _context: Any, /) -> None:
        """Hold the kind of movement as written: what is written out has to name it."""
        self.__pydantic_fields_set__.add("kind")
