"""Fields of more than one value: ranges, steps in time, and files of values."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

from anechoic.files import read_file
from anechoic.scenario.errors import shown
from anechoic.scenario.quantities import DURATION, LARGEST, Dimension, Duration, number_of

Declaration = Mapping[str, Any]
Parsed = Callable[[Any], Decimal]


@dataclass(frozen=True, eq=False, slots=True)
class Shaped:
    """Marks a field's type as one of several values, for whoever describes the field."""

    text: str


def range_of(field: Declaration, dimension: Dimension | None) -> Any:
    """Give the type of a list of the lowest and the highest value."""
    allowed = f"[lowest, highest], each {_allowed(field, dimension)}"
    one = _within_limits(field, dimension)

    def check(written: Any) -> Any:
        if not isinstance(written, list) or len(written) != 2:
            raise _refused("not a list of two values", allowed)
        lowest, highest = (_checked(one, value, allowed) for value in written)
        if lowest > highest:
            raise _refused("the lowest is above the highest", allowed)
        return written

    base: Any = int if dimension is None else str
    ends = Annotated[list[base], Field(min_length=2, max_length=2)]
    each = _allowed(field, None) if dimension is None else _linked(dimension)
    return Annotated[ends, BeforeValidator(check), Shaped(f"`[lowest, highest]`, each {each}")]


def steps_of(field: Declaration, dimension: Dimension) -> Any:
    """Give the type of a list of pairs, each a time and the value from then on."""
    allowed = (
        f'a list of pairs, the earliest first, such as [["{DURATION.example}", '
        f'"{dimension.example}"]]'
    )
    one = _within_limits(field, dimension)

    def check(written: Any) -> Any:
        pairs = written if isinstance(written, list) else []
        if not pairs or any(not isinstance(pair, list) or len(pair) != 2 for pair in pairs):
            raise _refused("not a list of pairs", allowed)
        times = [_checked(DURATION.parse, time, allowed) for time, _ in pairs]
        for _, value in pairs:
            _checked(one, value, allowed)
        for earlier, later in pairwise(times):
            if earlier >= later:
                raise _refused("a time is not after the one before", allowed)
        return written

    pairs = f"list of pairs, each {_linked(DURATION)} and from then on {_linked(dimension)}"
    return Annotated[list[list[str]], BeforeValidator(check), Shaped(pairs)]


def spans_of() -> Any:
    """Give the type of a list of pairs, each a time and a later one."""
    span = Annotated[list[Duration], Field(min_length=2, max_length=2)]
    pairs = f"list of pairs, each of {_linked(DURATION)} and a later one"
    return Annotated[list[span], Field(min_length=1), Shaped(pairs)]


def file_of(dimension: Dimension) -> Any:
    """Give the type of the name of a file of values."""
    return Annotated[str, Shaped(f"path of a file of {_linked(dimension, 's')}, from this one")]


def trace_of() -> Any:
    """Give the type of the name of a file of frames of video."""
    text = "path of a [trace of frames](../traffic.md#traces-of-frames), from this one"
    return Annotated[str, Shaped(text)]


def track_of() -> Any:
    """Give the type of the name of a file of movements."""
    text = "path of a [file of movements](../scenarios.md#radios-that-move), from this one"
    return Annotated[str, Shaped(text)]


def levels_of() -> Any:
    """Give the type of the name of a file of levels over time."""
    text = "path of a [file of levels](../scenarios.md#levels-from-a-file), from this one"
    return Annotated[str, Shaped(text)]


def planned_range(written: list[Any], dimension: Dimension | None) -> list[int]:
    """Give both ends in the base unit."""
    return [_in_base_unit(value, dimension) for value in written]


def planned_steps(written: list[list[str]], dimension: Dimension) -> list[list[int]]:
    """Give each pair, the time in nanoseconds, the value in the base unit."""
    return [
        [_in_base_unit(time, DURATION), _in_base_unit(value, dimension)] for time, value in written
    ]


def planned_spans(written: list[list[str]]) -> list[list[int]]:
    """Give the ends of each span in nanoseconds."""
    return [[_in_base_unit(time, DURATION) for time in span] for span in written]


def values_in(file: Path, dimension: Dimension) -> list[int]:
    """Read a file of values, in the base unit; raise ValueError with line and reason.

    What is finer than the base unit is rounded: a file is measured, not written.
    """
    try:
        lines = read_file(file).decode("utf-8-sig", errors="replace").splitlines()
    except OSError as error:
        raise ValueError(f"cannot be read: {error.strerror or error}") from None
    filled = [(at, line.strip()) for at, line in enumerate(lines, start=1) if line.strip()]
    if not filled:
        raise ValueError("the file is empty")
    (first, unit), *numbers = filled
    if unit not in dimension.units:
        raise ValueError(f"line {first}: {shown(unit)} is not a unit of {dimension.name}")
    if not numbers:
        raise ValueError("there are no numbers below the unit")
    return [_measured(at, line, dimension, unit) for at, line in numbers]


def file_allowed(dimension: Dimension) -> str:
    """Say what such a file holds."""
    return f"a unit in the first line ({', '.join(dimension.units)}), and a number in each other"


def _measured(at: int, line: str, dimension: Dimension, unit: str) -> int:
    number = number_of(line)
    if number is None:
        raise ValueError(f"line {at}: {shown(line)} is not a number")
    value = number * dimension.units[unit]
    if not 0 <= value <= LARGEST:
        raise ValueError(f"line {at}: {shown(line)} is {'negative' if value < 0 else 'too large'}")
    return int(value.to_integral_value())


def _linked(dimension: Dimension, plural: str = "") -> str:
    article = "" if plural else "a "
    return f"{article}[{dimension.name}{plural}](#units)"


def _within_limits(field: Declaration, dimension: Dimension | None) -> Parsed:
    least, most = field["at_least"], field["at_most"]

    def parsed(written: Any) -> Decimal:
        if dimension is not None:
            number = dimension.parse(written)
        elif type(written) is int:
            number = Decimal(written)
        else:
            raise ValueError("not whole numbers")
        if (least is not None and number < least) or (most is not None and number > most):
            raise ValueError(f"{shown(written)} is out of range")
        return number

    return parsed


def _allowed(field: Declaration, dimension: Dimension | None) -> str:
    if dimension is not None:
        return dimension.allowed()
    least, most, unit = field["at_least"], field["at_most"], field["unit"]
    return f"{least:.0f} to {most:.0f} {unit}"


def _checked(one: Parsed, value: Any, allowed: str) -> Decimal:
    try:
        return one(value)
    except ValueError as error:
        raise _refused(str(error), allowed) from None


def _refused(reason: str, allowed: str) -> PydanticCustomError:
    return PydanticCustomError("quantity", "{reason}", {"reason": reason, "allowed": allowed})


def _in_base_unit(value: Any, dimension: Dimension | None) -> int:
    return int(value if dimension is None else dimension.parse(value))
