"""Values with a unit, as people write them: "11 Mbit/s", "1 ms", "48 dB", "64 kB".

A quantity stays the text that was written, so that a file, an object and a report show the
same; its dimension is checked when it enters the scenario, its number is taken when the
scenario is compiled.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

NUMBER = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?)\s*(\S.*?)?\s*", re.ASCII)
LARGEST = 2**63 - 1


SPELLINGS = {
    **{f"{prefix}bitps": (1, f"{prefix}bit/s") for prefix in ("", "k", "m", "g")},
    **{f"{prefix}byte/s": (8, f"{prefix}bit/s") for prefix in ("", "k", "m", "g")},
    **{f"{prefix}bytes/s": (8, f"{prefix}bit/s") for prefix in ("", "k", "m", "g")},
    **dict.fromkeys(("sec", "secs", "second", "seconds"), (1, "s")),
    **dict.fromkeys(("msec", "millisecond", "milliseconds"), (1, "ms")),
    **dict.fromkeys(("usec", "μs", "microsecond", "microseconds"), (1, "us")),
    **dict.fromkeys(("m", "mins", "minute", "minutes"), (1, "min")),
    **dict.fromkeys(("hour", "hours"), (1, "h")),
    **dict.fromkeys(("byte", "octets"), (1, "B")),
    **dict.fromkeys(("meter", "meters", "metre", "metres"), (1, "m")),
}
"""Other spellings of units, in small letters, with what makes them the units of a scenario."""


_SHORT = re.compile(r"([kKmMgG]?)([bB])(?:/s|ps)")
"""Rates whose `b` is a bit and whose `B` is a byte."""


def _meant(unit: str) -> tuple[int, str]:
    """Give what a unit is in one of a scenario, and that one, perhaps in other letters."""
    if short := _SHORT.fullmatch(unit):
        return (8 if short[2] == "B" else 1), f"{short[1]}bit/s"
    return SPELLINGS.get(_spelling(unit), (1, unit))


def _spelling(unit: str) -> str:
    """Give a unit in small letters and without spaces."""
    return unit.lower().replace(" ", "")


@dataclass(frozen=True, slots=True)
class Dimension:
    """A kind of quantity: its units as multiples of the base unit, and an example of it."""

    name: str
    units: Mapping[str, int]
    example: str
    signed: bool = False
    bare_number: bool = False
    whole: bool = True

    def allowed(self, example: str | None = None) -> str:
        """Say how such a quantity is written."""
        written = f'a number with its unit, such as "{example or self.example}"'
        if self.bare_number:
            written = f"a whole number of bytes, or {written}"
        return f"{written} (units: {', '.join(self.units)})"

    def text(self, number: int) -> str:
        """Write a number of the base unit in the largest unit of which it is a whole number."""
        unit = max(
            (unit for unit, factor in self.units.items() if number % factor == 0),
            key=self.units.__getitem__,
        )
        return f"{number // self.units[unit]} {unit}"

    def parse(self, value: Any) -> Decimal:
        """Give the value in the base unit, or raise ValueError with the reason."""
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise ValueError("not a quantity")
        if not isinstance(value, str):
            if not self.bare_number or not isinstance(value, int):
                raise ValueError("a number without a unit")
            return self._checked(Decimal(value))
        match = NUMBER.fullmatch(value)
        if match is None:
            raise ValueError("not a number with a unit")
        number, unit = Decimal(match[1]), match[2]
        if unit is None and not self.bare_number:
            raise ValueError("a number without a unit")
        if unit is not None and unit not in self.units:
            raise ValueError(f'"{unit}" is not a unit of {self.name}')
        return self._checked(number * (1 if unit is None else self.units[unit]))

    def meant(self, value: Any) -> str | None:
        """Give the quantity as it is written here, if its unit is one of other spellings."""
        match = NUMBER.fullmatch(value) if isinstance(value, str) else None
        if match is None or match[2] is None or match[2] in self.units:
            return None
        factor, unit = _meant(match[2])
        known = {_spelling(each): each for each in self.units}
        if _spelling(unit) not in known:
            return None
        return f'"{(Decimal(match[1]) * factor).normalize():f} {known[_spelling(unit)]}"'

    def _checked(self, number: Decimal) -> Decimal:
        if number < 0 and not self.signed:
            raise ValueError("negative")
        if abs(number) > LARGEST:
            raise ValueError("too large")
        if self.whole and number != number.to_integral_value():
            raise ValueError(f"finer than the smallest step, {self._step()}")
        return number

    def base_unit(self) -> str:
        """Name the unit that numbers are of in a plan."""
        return next(unit for unit, factor in self.units.items() if factor == 1)

    def _step(self) -> str:
        return f"1 {self.base_unit()}"


DURATION = Dimension(
    "time",
    {
        "ns": 1,
        "us": 10**3,
        "µs": 10**3,
        "ms": 10**6,
        "s": 10**9,
        "min": 60 * 10**9,
        "h": 3600 * 10**9,
    },
    "300 s",
)
RATE = Dimension(
    "rate",
    {"bit/s": 1, "kbit/s": 10**3, "Mbit/s": 10**6, "Gbit/s": 10**9},
    "11 Mbit/s",
)
SIZE = Dimension(
    "size",
    {
        "B": 1,
        "bytes": 1,
        "kB": 10**3,
        "KiB": 2**10,
        "MB": 10**6,
        "MiB": 2**20,
        "GB": 10**9,
        "GiB": 2**30,
    },
    "64 kB",
    bare_number=True,
)
RATIO = Dimension("level ratio", {"dB": 1}, "48 dB", whole=False)
POWER = Dimension("power level", {"dBm": 1}, "15 dBm", signed=True, whole=False)
DISTANCE = Dimension("distance", {"m": 1, "km": 1000}, "25 m", signed=True, whole=False)
SPEED = Dimension("speed", {"m/s": 1}, "1.4 m/s", whole=False)
DIMENSIONS = (DURATION, RATE, SIZE, RATIO, POWER, DISTANCE, SPEED)


def number_of(text: str) -> Decimal | None:
    """Give the number that a text without a unit is, if it is one."""
    match = NUMBER.fullmatch(text)
    return Decimal(match[1]) if match and match[2] is None else None


def _validator(quantity: "Quantity") -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        try:
            reason = quantity.refusal(quantity.dimension.parse(value))
        except ValueError as error:
            reason = str(error)
        if reason is None:
            return value
        told = {
            "reason": reason,
            "allowed": quantity.allowed(),
            "nearest": quantity.dimension.meant(value) or "",
        }
        raise PydanticCustomError("quantity", "{reason}", told)

    return check


def _json_schema(dimension: Dimension) -> dict[str, Any]:
    units = "|".join(re.escape(unit) for unit in dimension.units)
    sign = "[+-]?" if dimension.signed else "[+]?"
    text = {
        "type": "string",
        "pattern": rf"^\s*{sign}(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*({units})\s*$",
        "examples": [dimension.example],
    }
    if dimension.bare_number:
        return {"anyOf": [{"type": "integer", "minimum": 0}, text]}
    return text


@dataclass(frozen=True, eq=False, slots=True)
class Quantity:
    """Marks a field's type as a quantity, for whoever describes the field."""

    dimension: Dimension
    minimum: int | None
    maximum: int | None = None
    is_open: bool = False

    def allowed(self) -> str:
        """Say how such a quantity is written, and within which limits."""
        example = self.dimension.parse(self.dimension.example)
        limits = [limit for limit in (self.maximum, self.minimum) if limit]
        is_example = self.refusal(example) is None
        written = self.dimension.allowed(None if is_example else self.dimension.text(limits[0]))
        return ", ".join([written, *self._limits()])

    def refusal(self, number: Decimal) -> str | None:
        """Say why a number is none of it, if so it is."""
        least, most = self.minimum, self.maximum
        if least is not None and (number < least or (self.is_open and number == least)):
            return "zero" if number == 0 else "too small"
        return "too large" if most is not None and number > most else None

    def _limits(self) -> Iterator[str]:
        is_above_zero = self.minimum == (0 if self.is_open else 1)
        if is_above_zero:
            yield "more than zero"
        elif self.minimum:
            yield f"at least {self.dimension.text(self.minimum)}"
        if self.maximum is not None:
            yield f"at most {self.dimension.text(self.maximum)}"


def marks(
    dimension: Dimension,
    minimum: int | None = None,
    maximum: int | None = None,
    *,
    is_open: bool = False,
) -> tuple[Any, Any, Quantity]:
    """Give what makes a type a quantity, within limits in its base unit; open without the lower."""
    quantity = Quantity(dimension, minimum, maximum, is_open)
    schema = WithJsonSchema(_json_schema(dimension))
    return BeforeValidator(_validator(quantity)), schema, quantity


Duration = Annotated[str, *marks(DURATION)]
PositiveDuration = Annotated[str, *marks(DURATION, 1)]
Rate = Annotated[str, *marks(RATE, 1)]
Size = Annotated[int | str, *marks(SIZE)]
PositiveSize = Annotated[int | str, *marks(SIZE, 1)]
Ratio = Annotated[str, *marks(RATIO)]
# The most that a radio may put out, 1000 mW (IEEE 802.11-2007 §18.4.7.1), bounds levels, too.
Power = Annotated[str, *marks(POWER, maximum=30)]
# inferred: 1 kW, a microwave oven's magnetron without its cabinet.
NoisePower = Annotated[str, *marks(POWER, maximum=60)]
Distance = Annotated[str, *marks(DISTANCE)]


def nanoseconds(duration: str) -> int:
    """Give a duration in nanoseconds."""
    return int(DURATION.parse(duration))


def bits_per_second(rate: str) -> int:
    """Give a rate in bits per second."""
    return int(RATE.parse(rate))


def size_in_bytes(size: int | str) -> int:
    """Give a size in bytes."""
    return int(SIZE.parse(size))


def decibels(ratio: str) -> float:
    """Give a ratio in dB."""
    return float(RATIO.parse(ratio))


def dbm(power: str) -> float:
    """Give a power level in dBm."""
    return float(POWER.parse(power))


def metres(distance: str) -> float:
    """Give a distance in metres."""
    return float(DISTANCE.parse(distance))
