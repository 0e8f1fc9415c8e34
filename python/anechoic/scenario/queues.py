"""What all queues have; what each discipline has besides is declared in the core."""

from typing import Any

from anechoic.scenario.base import Part


class Queue(Part):
    """What waits in front of a wire, and in which order it leaves."""

    def model_post_init(self, _context: Any, /) -> None:
        """Hold the kind of queue as written: what is written out has to name it."""
        self.__pydantic_fields_set__.add("kind")
