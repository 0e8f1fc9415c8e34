"""What a wire does to packets besides carrying them: stages of a chain, each with a name."""

from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, Field, GetCoreSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from anechoic.scenario.base import Name, Part, about
from anechoic.scenario.quantities import Duration

Word = Literal["all", "tcp", "tcp-data", "tcp-ack", "tcp-syn", "udp", "icmp"]
WORDS: tuple[Word, ...] = get_args(Word)


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


Words = Annotated[Word | list[Word], BeforeValidator(_words)]


class Impairment(Part):
    """What every impairment has: the packets it is about."""

    towards: Annotated[
        Name | None,
        about("the end of the wire that the packets go to; absent: each, by itself"),
    ] = None
    match: Annotated[
        Words, about("kind of packets, or a list of kinds", source="nothing spared")
    ] = "all"
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


class Drop(Impairment):
    """Packets get lost."""

    kind: Annotated[Literal["drop"], about("kind of impairment")] = "drop"
    probability: Annotated[
        float | None,
        about("chance of each packet to be lost, whatever happened to others", ge=0, le=1),
    ] = None
    packets: Annotated[
        list[Annotated[int, Field(ge=1, le=2**63 - 1)]] | None,
        about("packets that are lost, by number: 1 is the first that matches", min_length=1),
    ] = None


class _ByKind:
    """Makes a file name the kind, which pydantic asks for from two kinds on."""

    def __get_pydantic_core_schema__(
        self, source: type[Part], handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.tagged_union_schema({"drop": handler(source)}, discriminator="kind")


AnyImpairment = Drop
Stage = Annotated[AnyImpairment, _ByKind()]
