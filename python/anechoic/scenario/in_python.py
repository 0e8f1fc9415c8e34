"""Parts as Python shows them: a signature as people write it, and what each field means."""

import inspect
from collections.abc import Iterator
from functools import reduce
from operator import or_
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel


def show_plainly(model: type[BaseModel]) -> None:
    """Let ``help`` and editors show what a person writes of a part."""
    model.__signature__ = inspect.Signature(list(_parameters(model)))
    summary = summary_of(model)
    fields = [f"    {name}: {info.description}" for name, info in model.model_fields.items()]
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


def _parameters(model: type[BaseModel]) -> Iterator[inspect.Parameter]:
    for name, info in model.model_fields.items():
        default = inspect.Parameter.empty if info.is_required() else info.get_default()
        yield inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=plain(info.annotation)
        )
