"""What all models of propagation have; what each has besides is declared in the core."""

from typing import Any

from anechoic.scenario.base import Part


class Propagation(Part):
    """What distance takes from a signal."""

    def model_post_init(self, _context: Any, /) -> None:
        """Hold the model as written: what is written out has to name it."""
        self.__pydantic_fields_set__.add("kind")
