"""Frames that get lost on the air, by list."""

from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator
from pydantic_core import PydanticCustomError

from anechoic.scenario.base import Name, Part, about

Kind = Literal["data", "ack", "rts", "cts", "beacon"]
KINDS: tuple[str, ...] = get_args(Kind)
ALLOWED = "a whole number from 1 on, or a list of them"


def _kinds(value: object) -> object:
    kinds = value if isinstance(value, list) else [value]
    unknown = next((kind for kind in kinds if kind not in KINDS), None)
    if unknown is not None or not kinds:
        raise PydanticCustomError(
            "literal_error",
            "unknown kind",
            {"expected": ", ".join(KINDS), "found": unknown if kinds else value},
        )
    return value


def _numbers(value: object) -> object:
    numbers: list[Any] = value if isinstance(value, list) else [value]
    if not numbers:
        reason = "an empty list names no frame"
    elif any(type(each) is not int for each in numbers):
        reason = "not a whole number, nor a list of them"
    elif not all(1 <= each < 2**63 for each in numbers):
        reason = "frames count from 1 on" if min(numbers) < 1 else "too large"
    elif len(set(numbers)) < len(numbers):
        reason = "a number stands twice"
    else:
        return value
    raise PydanticCustomError("quantity", "{reason}", {"reason": reason, "allowed": ALLOWED})


Kinds = Annotated[str | list[str], BeforeValidator(_kinds)]
Numbers = Annotated[int | list[int], BeforeValidator(_numbers)]


class LostFrames(Part):
    """A list of frames that get lost: those that have all of what it says."""

    sender: Annotated[
        Name | None, about("the radio or radios that send them; absent: any", source="any")
    ] = None
    receiver: Annotated[
        Name | None,
        about("the radio or radios that they are for; absent: any, or everybody", source="any"),
    ] = None
    frame: Annotated[
        Kinds | None,
        about("kind of frame, or a list of kinds; absent: any", source="any"),
    ] = None
    msdu: Annotated[
        Numbers | None,
        about(
            "which MSDU of its sender a data frame carries, an RTS announces, or an ACK or CTS "
            "answers, in the order of their first attempts",
            source="any",
        ),
    ] = None
    fragment: Annotated[
        Numbers | None,
        about("which fragment of that MSDU; the first has fragment number 0", source="any"),
    ] = None
    attempt: Annotated[
        Numbers | None,
        about(
            "at which attempt: the how many-th data frame of that fragment, and of RTS and CTS the "
            "how many-th RTS for it",
            source="any",
        ),
    ] = None
    number: Annotated[
        Numbers | None,
        about("which of the frames that have all else, in their order on the air", source="any"),
    ] = None


def listed(value: Numbers | None) -> list[int]:
    """Give the numbers of a field; none where all are meant."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def kinds_of(lost: LostFrames) -> list[str]:
    """Give the kinds of frames of a list; none where all are meant."""
    if lost.frame is None:
        return []
    return lost.frame if isinstance(lost.frame, list) else [lost.frame]
