"""What all rate controls have; what each has besides is declared in the core."""

from typing import Any

from anechoic.scenario.base import Part


class RateControl(Part):
    """How the rate of each data frame is chosen, the radio's `rate` being the highest."""

    def model_post_init(self, _context: Any, /) -> None:
        """Hold the kind of rate control as written: what is written out has to name it."""
        self.__pydantic_fields_set__.add("kind")
