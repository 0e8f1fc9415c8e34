"""The paths that a scenario has, and the values that a field may have, for who types them."""

from collections.abc import Iterator, Mapping
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from anechoic.scenario.core import core
from anechoic.scenario.declared import Tagged
from anechoic.scenario.field_notes import marks_of
from anechoic.scenario.model import Scenario
from anechoic.scenario.paths import LISTS, OPEN_TABLES
from anechoic.scenario.stacks import stack_fields
from anechoic.scenario.validation import fields_of


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
    return list(dict.fromkeys([*_kinds(info), *_choices(info.annotation)]))


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
