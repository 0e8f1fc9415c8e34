"""What a field takes, in the words that messages have behind "allowed:"."""

import re
from collections.abc import Iterator
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel

from anechoic.scenario.base import NAME_PATTERN
from anechoic.scenario.core import core
from anechoic.scenario.declared import Tagged
from anechoic.scenario.errors import listing, shown
from anechoic.scenario.field_notes import marks_of, unit_of
from anechoic.scenario.quantities import Quantity
from anechoic.scenario.shapes import Shaped

NAME_RULE = "a letter, then letters, digits, - and _"
LIMITS = {"ge": "at least", "gt": "more than", "le": "at most", "lt": "less than"}
TEXTS: dict[Any, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a text",
    dict: "a table",
}
_LINK = re.compile(r"\[([^\]]+)\]\([^)]*\)")


def fields_of(model: type[BaseModel]) -> dict[str, str]:
    """Give a model's fields: the name in a file and the name in Python."""
    return {info.alias or name: name for name, info in model.model_fields.items()}


def field_limits(model: type[BaseModel], name: str) -> str | None:
    """Say which values a field takes, as its annotation limits them."""
    info = model.model_fields[fields_of(model)[name]]
    text = _limits(marks_of(info))
    unit = unit_of(info)
    return f"{text} {unit}" if text and unit else text


def takes(model: type[BaseModel], name: str) -> str:
    """Say what a field takes, or one of a list's values, or a table of this model."""
    field, *places = name.split("[")
    if field not in fields_of(model):
        return _table_of(model)
    if field == "stack":
        return listing(core().stack_profile_names())
    info = model.model_fields[fields_of(model)[field]]
    if places:
        return _of(_item(info.annotation, len(places)), [])
    limits = field_limits(model, field)
    text = _of(info.annotation, [*info.metadata])
    return f"{text}, {limits}" if limits else text


def one_of(choices: list[Any]) -> str:
    """List the values that a field is chosen among, as a file writes them."""
    return ", ".join(map(shown, choices))


def _of(annotation: Any, marks: list[Any]) -> str:
    if get_origin(annotation) is Annotated:
        inner, *beside = get_args(annotation)
        return _of(inner, [*beside, *marks])
    if told := _of_marks(marks):
        return told
    if get_origin(annotation) in (Union, UnionType):
        return " or ".join(dict.fromkeys(_of(each, marks) for each in _others(annotation)))
    if get_origin(annotation) is Literal:
        return one_of(list(get_args(annotation)))
    if get_origin(annotation) is list:
        return f"a list, each {_of(get_args(annotation)[0], [])}"
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return _table_of(annotation)
    return TEXTS[get_origin(annotation) or annotation]


def _table_of(model: type[BaseModel]) -> str:
    return f"a table of {listing(list(fields_of(model)))}"


def _item(annotation: Any, depth: int) -> Any:
    """Give the type of what a list holds, so many lists deep."""
    if get_origin(annotation) is Annotated:
        return _item(get_args(annotation)[0], depth)
    if get_origin(annotation) in (Union, UnionType):
        return _item(next(each for each in _others(annotation) if "list" in str(each)), depth)
    inner = get_args(annotation)[0]
    return inner if depth == 1 else _item(inner, depth - 1)


def _of_marks(marks: list[Any]) -> str | None:
    """Say what a type is by what stands beside it, where that tells more."""
    for mark in marks:
        if isinstance(mark, Shaped):
            return _LINK.sub(r"\1", mark.text).replace("`", "")
        if isinstance(mark, Quantity):
            return mark.allowed()
        if isinstance(mark, Tagged):
            kinds = one_of(list(mark.models))
            table = f"a table with {mark.tag} = {kinds}"
            return f"{kinds}, or a table with its {mark.tag}" if mark.has_short_form else table
        if getattr(mark, "pattern", None) == NAME_PATTERN:
            return "a name"
    return None


def _others(annotation: Any) -> Iterator[Any]:
    return (each for each in get_args(annotation) if each is not NoneType)


def _limits(marks: Iterator[Any]) -> str | None:
    bounds = {
        key: getattr(mark, key)
        for mark in marks
        for key in LIMITS
        if getattr(mark, key, None) is not None
    }
    if bounds.keys() == {"ge", "le"}:
        return f"{bounds['ge']} to {bounds['le']}"
    return " and ".join(f"{LIMITS[key]} {value}" for key, value in bounds.items()) or None
