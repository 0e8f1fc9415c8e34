"""TCP stack profiles: their values are the core's, single ones can be overridden."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anechoic.scenario.core import core
from anechoic.scenario.errors import Problem, listing, nearest_name, shown, unknown_name
from anechoic.scenario.nodes import StackValue
from anechoic.scenario.quantities import DURATION, SIZE
from anechoic.scenario.stack_bounds import implausible
from anechoic.scenario.stack_rules import settle

# The core keeps a stack's numbers in 32 bits, as the registry of its day did.
LARGEST = 2**32 - 1
TIME_UNITS = {"ns": 1, "us": 10**3, "µs": 10**3, "ms": 10**6, "s": 10**9}
FAMILY = "family"
SEGMENTS = "segments"


@dataclass(frozen=True, slots=True)
class StackField:
    """A value that some stack has: its unit, what it means, and the names it chooses among."""

    unit: str
    meaning: str
    choices: tuple[str, ...]


def stack_fields() -> dict[str, StackField]:
    """Give every value that some stack has, as the core declares it."""
    return {
        name: StackField(unit, meaning, tuple(choices))
        for name, unit, meaning, choices in core().stack_fields()
    }


def sources(profile: str) -> dict[str, str]:
    """Give the source of every value of a profile."""
    return dict(core().describe_stack(profile))


@dataclass(frozen=True, slots=True)
class Layer:
    """What one part of a scenario says of a stack: a profile, and single values laid over it."""

    path: str
    profile: str | None
    overrides: Mapping[str, StackValue]


def resolved_stack(layers: Sequence[Layer], problems: list[Problem]) -> dict[str, Any] | None:
    """Give the values of a stack, each layer laid over those before; None if there is no stack.

    A layer that names a profile begins anew: what was changed of another does not matter to it.
    """
    found: list[Problem] = []
    values = _laid(layers, found)
    # The layers of a node are those of all its connections too; its problems are said once.
    problems += [each for each in found if each not in problems]
    return values


def _laid(layers: Sequence[Layer], problems: list[Problem]) -> dict[str, Any] | None:
    profile: str | None = None
    values: dict[str, Any] = {}
    written: dict[str, str] = {}
    for layer in layers:
        if layer.profile is not None:
            names = core().stack_profile_names()
            if layer.profile not in names:
                where = f"{layer.path}.stack"
                problems.append(unknown_name(where, layer.profile, names, "TCP stack profile"))
                return None
            profile, written = layer.profile, {}
            values = json.loads(core().stack_profile(profile))
        if layer.overrides and profile is None:
            where = f"{layer.path}.tcp"
            problems.append(Problem(where, "there is no stack to change", "a stack"))
            return None
        if profile is not None:
            _lay_over(values, layer, profile, written, problems)
    if profile is None:
        return None
    if not problems:
        problems += implausible(values, written) or settle(values, written)
    return values


def _lay_over(
    values: dict[str, Any],
    layer: Layer,
    profile: str,
    written: dict[str, str],
    problems: list[Problem],
) -> None:
    fields = stack_fields()
    for name, value in layer.overrides.items():
        where = f"{layer.path}.tcp.{name}"
        if name not in values or name == FAMILY:
            problems.append(_not_its_own(where, name, profile, values))
            continue
        converted = _converted(where, value, values[name], fields[name])
        if isinstance(converted, Problem):
            problems.append(converted)
            continue
        values[name] = converted
        # Laid over again, it counts as written now.
        written.pop(name, None)
        written[name] = where


def _not_its_own(where: str, name: str, profile: str, values: Mapping[str, Any]) -> Problem:
    """Say what is wrong with a value that the stack does not have, or cannot give up."""
    if name == FAMILY:
        return Problem(where, "the family comes with the stack", "another stack")
    fields, own = stack_fields(), [field for field in values if field != FAMILY]
    if name not in fields:
        return Problem(where, "unknown field", listing(own, 60), nearest_name(name, own))
    others = [shown(each) for each in core().stack_profile_names() if name in sources(each)]
    what = (
        f"{shown(profile)} has no {name}: its family, {values[FAMILY]}, works without; "
        f"{listing(others)} have it"
    )
    alike = [field for field in own if fields[field].unit == fields[name].unit]
    return Problem(where, what, listing(own, 60), nearest_name(name, alike))


def _converted(path: str, written: StackValue, example: Any, field: StackField) -> Any:
    if field.choices:
        return _chosen(path, written, field.choices)
    unit = field.unit
    value: StackValue | Problem = written
    if isinstance(written, str) and unit in TIME_UNITS:
        value = _duration(path, written, unit)
    if isinstance(written, str) and unit == "bytes":
        value = _size(path, written)
    if isinstance(value, Problem):
        return value
    if isinstance(value, bool) != isinstance(example, bool):
        return _wrong_kind(path, value, example, unit)
    if isinstance(value, int | float) and not 0 <= value <= LARGEST:
        return Problem(path, f"{shown(value)} is out of range", f"0 to {LARGEST} {unit}".rstrip())
    return value if type(value) is type(example) else _wrong_kind(path, value, example, unit)


def _chosen(path: str, written: StackValue, names: tuple[str, ...]) -> StackValue | Problem:
    takes_segments = path.endswith(".initial_window")
    if written in names or (takes_segments and _is_number_of_segments(written)):
        return written
    allowed = ", ".join(shown(name) for name in names)
    if takes_segments:
        allowed += f", or {{ {SEGMENTS} = 4 }}"
    nearest = nearest_name(written, names) if isinstance(written, str) else None
    return Problem(path, f"{shown(written)} is not one of the values", allowed, nearest)


def _is_number_of_segments(written: StackValue) -> bool:
    if not isinstance(written, dict) or list(written) != [SEGMENTS]:
        return False
    number = written[SEGMENTS]
    return not isinstance(number, bool) and 1 <= number <= LARGEST


def _size(path: str, value: str) -> int | Problem:
    try:
        return int(SIZE.parse(value))
    except ValueError as error:
        return Problem(path, f"{shown(value)} is refused: {error}", SIZE.allowed())


def _duration(path: str, value: str, unit: str) -> int | Problem:
    try:
        steps = DURATION.parse(value) / TIME_UNITS[unit]
    except ValueError as error:
        return Problem(path, f"{shown(value)} is refused: {error}", DURATION.allowed())
    if steps != steps.to_integral_value():
        return Problem(path, f"{shown(value)} is finer than a step", f"whole {unit}")
    return int(steps)


def _wrong_kind(path: str, value: StackValue, example: Any, unit: str) -> Problem:
    kind = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
    allowed = f"{kind.get(type(example), 'a value')}, such as {shown(example)}"
    return Problem(path, f"{shown(value)} is refused", f"{allowed} ({unit})" if unit else allowed)
