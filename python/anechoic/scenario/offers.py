"""The paths that a scenario has, and the values that a field may have, for who types them."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from anechoic.scenario.allowed import fields_of
from anechoic.scenario.core import core
from anechoic.scenario.declared import Tagged
from anechoic.scenario.errors import ScenarioError
from anechoic.scenario.field_notes import marks_of
from anechoic.scenario.model import Scenario
from anechoic.scenario.paths import LISTS, OPEN_TABLES
from anechoic.scenario.stacks import stack_fields


def paths(scenario: Scenario) -> list[str]:
    """Give the path of every value that a scenario has or may be given."""
    return list(_below(scenario, ""))


def values(scenario: Scenario, path: str) -> list[str]:
    """Give the values among which the field of a path is chosen; none where it is not so."""
    *tables, field = path.split(".")
    if tables and tables[-1] in OPEN_TABLES:
        about = stack_fields().get(field)
        return [] if about is None else list(about.choices)
    if field == "stack":
        return core().stack_profile_names()
    at: Any = scenario
    for step in tables:
        at = at.get(step) if isinstance(at, Mapping) else getattr(at, _own(at, step), None)
    if not isinstance(at, BaseModel) or field not in fields_of(type(at)):
        return []
    info = type(at).model_fields[_own(at, field)]
    choices = [*_kinds(info), *_choices(info.annotation)]
    return list(dict.fromkeys(choices or _names(scenario, tables, field)))


def real_nodes(scenario: Scenario) -> list[str]:
    """Name the nodes that may be real where the scenario is emulated."""
    return [*scenario.host, *scenario.router, *scenario.sta, *scenario.ap]


def _names(scenario: Scenario, tables: list[str], field: str) -> Iterable[str]:
    """Name what of the scenario a field may name, if it names something."""
    names = _NAMES.get((tables[0] if tables else "", field))
    return () if names is None else names(scenario, tables)


def _ends(scenario: Scenario, _: list[str]) -> list[str]:
    return [*scenario.host, *scenario.sta, *scenario.ap, *scenario.group]


def _ends_of_wire(scenario: Scenario, tables: list[str]) -> list[str]:
    return [*scenario.wire[tables[1]].between]


def _radios(scenario: Scenario, _: list[str]) -> list[str]:
    return [*scenario.ap, *scenario.sta, *scenario.router]


def _points(scenario: Scenario, _: list[str]) -> list[str]:
    # Compiles: who asks for other values shall not wait for that.
    from anechoic.scenario.compile import tap_places

    return tap_places(scenario)


def _metrics(scenario: Scenario, _: list[str]) -> list[str]:
    from anechoic.scenario.catalogue import metric_names
    from anechoic.scenario.compile import compile_scenario

    try:
        return metric_names(compile_scenario(scenario))
    except ScenarioError:
        return []


_NAMES: Mapping[tuple[str, str], Callable[[Scenario, list[str]], Iterable[str]]] = {
    ("sta", "ap"): lambda scenario, _: scenario.ap,
    ("router", "ap"): lambda scenario, _: scenario.ap,
    ("traffic", "from"): _ends,
    ("traffic", "to"): _ends,
    ("traffic", "opens"): _ends,
    ("wire", "towards"): _ends_of_wire,
    ("air", "sender"): _radios,
    ("air", "receiver"): _radios,
    ("program", "node"): lambda scenario, _: [*real_nodes(scenario), *scenario.group],
    ("tap", "at"): _points,
    ("replication", "metric"): _metrics,
}
"""Fields that name something of the scenario, by the table at the top and the field."""


def _below(at: Any, prefix: str) -> Iterator[str]:
    if isinstance(at, Mapping):
        for name, value in at.items():
            yield from _below(value, f"{prefix}{name}.")
        return
    if not isinstance(at, BaseModel):
        return
    for name, own in fields_of(type(at)).items():
        if not prefix and name in LISTS:
            continue
        value = getattr(at, own)
        if name in OPEN_TABLES:
            yield from (f"{prefix}{name}.{field}" for field in stack_fields())
        elif isinstance(value, BaseModel | Mapping):
            if _kinds(type(at).model_fields[own]):
                yield f"{prefix}{name}"
            yield from _below(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}"


def _own(at: BaseModel, name: str) -> str:
    return fields_of(type(at)).get(name, name)


def _kinds(info: FieldInfo) -> list[str]:
    """Name the kinds of a field that takes the name of one for a table of its defaults."""
    tags = (mark for mark in marks_of(info) if isinstance(mark, Tagged) and mark.has_short_form)
    return [name for tag in tags for name in tag.models]


def _choices(annotation: Any) -> Iterator[str]:
    if annotation is bool:
        yield from ("true", "false")
    elif get_origin(annotation) is Literal:
        yield from map(str, get_args(annotation))
    elif get_origin(annotation) in (Union, UnionType, Annotated):
        for each in get_args(annotation):
            yield from _choices(each)
