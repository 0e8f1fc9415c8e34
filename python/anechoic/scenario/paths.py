"""Paths that name a field of a scenario: ap.office.rts_threshold."""

import re
import tomllib
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from pydantic import BaseModel

from anechoic.scenario.allowed import fields_of
from anechoic.scenario.declared import Tagged
from anechoic.scenario.errors import Problem, listing, nearest_name
from anechoic.scenario.field_notes import marks_of
from anechoic.scenario.stacks import stack_fields
from anechoic.scenario.validation import models_in

# A value among several: what stands within quotes, or no comma.
_VALUE = re.compile(r"""(?:\s*(?:"[^"]*"|'[^']*')\s*(?=,|$)|[^,]+)""")
# Tables whose entries are fields of another machine's making, checked when compiled.
OPEN_TABLES = ("tcp",)
# An axis or a figure is chosen by its place in a list, which a path cannot name.
LISTS = ("sweep", "figure")


def path_problem(scenario: BaseModel, path: str) -> Problem | None:
    """Say what is wrong with a path that should name a single value; None if nothing is."""
    at: Any = scenario
    steps = path.split(".")
    for depth, step in enumerate(steps):
        names = _names(at)
        prefix = ".".join(steps[:depth])
        if step not in names:
            return _unknown(path, prefix, step, names)
        last, has_short_form = depth == len(steps) - 1, False
        if isinstance(at, BaseModel):
            name = fields_of(type(at))[step]
            if step in OPEN_TABLES and depth < len(steps) - 1:
                return None
            has_short_form = _has_short_form(at, name)
            at = _entered(at, name)
        else:
            at = at[step]
        is_table = isinstance(at, BaseModel | Mapping)
        if last and is_table and not has_short_form:
            return Problem(path, "this is a table, not a value", listing(list(_names(at))))
        if not last and not is_table:
            value = ".".join(steps[: depth + 1])
            return Problem(path, f"{value} is a value, not a table", value)
    return None


def parsed_value(text: str) -> Any:
    """Read a value given on the command line: a TOML value, or else the text itself."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (ValueError, RecursionError):
        return text


def parsed_list(text: str) -> list[Any]:
    """Read values separated by commas; a comma within brackets or quotes separates nothing."""
    try:
        return list(tomllib.loads(f"values = [{text}]")["values"])
    except (ValueError, RecursionError):
        return [parsed_value(part.strip()) for part in _VALUE.findall(text)]


def with_values(data: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Give the data with the values at these paths replaced."""
    changed = deepcopy(dict(data))
    for path, value in values.items():
        *tables, field = path.split(".")
        at = changed
        for table in tables:
            inner = at.get(table, {})
            at[table] = {"kind": inner} if isinstance(inner, str) else inner
            at = at[table]
        at[field] = value
    return changed


def _names(at: Any) -> list[str]:
    if isinstance(at, BaseModel):
        return [name for name in fields_of(type(at)) if name not in LISTS]
    return list(at) if isinstance(at, Mapping) else []


def _has_short_form(at: BaseModel, name: str) -> bool:
    """Say whether the name of a kind may stand for a table."""
    marks = marks_of(type(at).model_fields[name])
    return any(isinstance(mark, Tagged) and mark.has_short_form for mark in marks)


def _entered(at: BaseModel, name: str) -> Any:
    value = getattr(at, name)
    if value is not None:
        return value
    # An optional table that the file leaves out has its fields all the same, of every kind.
    models = list(models_in(type(at).model_fields[name].annotation))
    if len(models) > 1:
        return dict.fromkeys(field for model in models for field in fields_of(model))
    return models[0].model_construct() if models else None


def _unknown(path: str, prefix: str, step: str, names: list[str]) -> Problem:
    is_stack_value = "tcp" in names and step in stack_fields()
    nearest = f"tcp.{step}" if is_stack_value else nearest_name(step, names)
    return Problem(
        path,
        f'there is no "{step}" in {prefix or "a scenario"}',
        listing(names) if names else "nothing",
        nearest and (f"{prefix}.{nearest}" if prefix else nearest),
    )
