"""Parts as Python shows them: a signature as people write it, and what each field means."""

import inspect
import re
from collections.abc import Iterator
from functools import reduce
from operator import or_
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from anechoic.scenario.field_notes import marks_within, unit_of
from anechoic.scenario.quantities import Quantity
from anechoic.scenario.shapes import Shaped

_PAGE = re.compile(r"`|\[(\w[\w ]*)\]\(#\w+\)")
"""What the reference page marks: code, and links to its parts."""


def show_plainly(model: type[BaseModel]) -> None:
    """Let ``help`` and editors show what a person writes of a part."""
    model.__signature__ = inspect.Signature(list(_parameters(model)))
    summary = summary_of(model)
    fields = [_field(name, info) for name, info in model.model_fields.items()]
    model.__doc__ = "\n".join([summary, "", *fields]) if fields else summary


def summary_of(model: type[BaseModel]) -> str:
    """Give the sentence that says what a part is."""
    return (model.__doc__ or "").partition("\n")[0]


def plain(annotation: Any) -> Any:
    """Give a type without the limits of its values."""
    if get_origin(annotation) is Annotated:
        return plain(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        return reduce(or_, map(plain, get_args(annotation)))
    if get_origin(annotation) in (list, dict, tuple):
        return get_origin(annotation)[tuple(map(plain, get_args(annotation)))]
    return annotation


def _field(name: str, info: FieldInfo) -> str:
    """Say what a field means, what its values are of, and what it is where it is left out."""
    notes = "; ".join(filter(None, [_values(info), _default(info)]))
    return f"    {name}: {info.description}" + (f" ({notes})" if notes else "")


def _values(info: FieldInfo) -> str:
    marks = list(marks_within(info))
    if shaped := next((mark for mark in marks if isinstance(mark, Shaped)), None):
        return _PAGE.sub(r"\1", shaped.text)
    if quantity := next((mark for mark in marks if isinstance(mark, Quantity)), None):
        name, example = quantity.dimension.name, quantity.dimension.example
        return name if isinstance(info.get_default(), str) else f"{name}, such as {example!r}"
    return unit_of(info) or ""


def _default(info: FieldInfo) -> str:
    if info.is_required():
        return "required"
    default = info.get_default()
    is_empty = isinstance(default, BaseModel) or default in ([], {})
    return "" if is_empty else f"default {default!r}"


def _parameters(model: type[BaseModel]) -> Iterator[inspect.Parameter]:
    for name, info in model.model_fields.items():
        default = inspect.Parameter.empty if info.is_required() else info.get_default()
        yield inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=plain(info.annotation)
        )
