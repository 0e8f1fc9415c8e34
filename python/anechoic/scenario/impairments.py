"""What all impairments of a wire have; what each kind does is declared in the core."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

from anechoic.scenario.base import Name, Part, about
from anechoic.scenario.declared import packet_words
from anechoic.scenario.quantities import Duration, Size

WORDS = tuple(packet_words())


def _words(value: object) -> object:
    words = value if isinstance(value, list) else [value]
    unknown = next((word for word in words if word not in WORDS), None)
    if unknown is not None or not words:
        raise PydanticCustomError(
            "literal_error",
            "unknown word",
            {"expected": ", ".join(WORDS), "found": unknown if words else value},
        )
    return value


Words = Annotated[str | list[str], BeforeValidator(_words)]


class Impairment(Part):
    """What every impairment has: the packets it is about."""

    towards: Annotated[
        Name | None,
        about("the end of the wire that the packets go to, or a group of ends; absent: each"),
    ] = None
    match: Annotated[
        Words, about("kind of packets, or a list of kinds", source="nothing spared")
    ] = "all"
    traffic: Annotated[
        Name | None,
        about("the traffic whose packets it is about; absent: all, and what is of none"),
    ] = None
    connection: Annotated[
        int | None,
        about(
            "TCP connection that it is about, of those of the traffic by the order in which they "
            "first come by, each end by itself: 1 is the first; absent: all",
            ge=1,
            le=2**32 - 1,
        ),
    ] = None
    min_size: Annotated[
        Size | None, about("smallest packets, IP header included; absent: of any size")
    ] = None
    max_size: Annotated[
        Size | None, about("largest packets, IP header included; absent: of any size")
    ] = None
    from_: Annotated[
        Duration,
        Field(alias="from"),
        about("time of the run at which it begins", source="with the run"),
    ] = "0 s"
    until: Annotated[
        Duration | None, about("time of the run at which it ends", source="with the run")
    ] = None

    def model_post_init(self, _context: Any, /) -> None:
        """Hold the kind of impairment as written: what is written out has to name it."""
        self.__pydantic_fields_set__.add("kind")
