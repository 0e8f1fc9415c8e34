"""From what pydantic reports to what a scenario's writer needs to read."""

from collections.abc import Iterator, Mapping
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from anechoic.scenario.allowed import NAME_RULE, field_limits, fields_of, one_of, takes
from anechoic.scenario.base import NAME_PATTERN, Part
from anechoic.scenario.declared import Tagged
from anechoic.scenario.errors import Problem, listing, nearest_name, shown
from anechoic.scenario.experiment import AXIS_KEYS, Figure, Sweep
from anechoic.scenario.field_notes import marks_of
from anechoic.scenario.kinds import (
    FADINGS,
    IMPAIRMENTS,
    MOVEMENTS,
    NOISES,
    PROPAGATIONS,
    QUEUES,
    RATE_CONTROLS,
    STEPS,
    TRAFFIC,
)
from anechoic.scenario.model import EXTENDS, Scenario
from anechoic.scenario.slips import is_of_the_whole, stray_line
from anechoic.scenario.stacks import stack_fields
from anechoic.scenario.standards import NOT_YET
from anechoic.scenario.traffic import Connection

TYPES = {
    "string_type": "a text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "list_type": "a list",
    "dict_type": "a table",
    "model_type": "a table",
    "model_attributes_type": "a table",
}
LENGTHS = {
    "too_short": "min_length",
    "too_long": "max_length",
    "string_too_short": "min_length",
    "string_too_long": "max_length",
}
OUT_OF_RANGE = ("greater_than_equal", "greater_than", "less_than_equal", "less_than")


def problems_of(
    error: ValidationError, data: Mapping[str, Any], part: type[BaseModel] | None = None
) -> list[Problem]:
    """Give the problems that validation found, each path once: in a file, or in a part alone."""
    found: dict[str, Problem] = {}
    for details in error.errors(include_url=False):
        problem = _problem(details, data, part)
        found.setdefault(problem.path, problem)
    return list(found.values())


Part.told_by = problems_of


def models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    """Give the models that a field's annotation mentions."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
        return
    for inner in get_args(annotation):
        yield from models_in(inner)


KINDS: tuple[tuple[str, str, Mapping[str, type[BaseModel]]], ...] = (
    ("app", "traffic", TRAFFIC),
    ("do", "step", STEPS),
    ("kind", "impairment", IMPAIRMENTS),
    ("kind", "fading", FADINGS),
    ("kind", "queue", QUEUES),
    ("kind", "rate control", RATE_CONTROLS),
    ("kind", "propagation", PROPAGATIONS),
    ("kind", "movement", MOVEMENTS),
    ("kind", "noise", NOISES),
)
"""The field that names a kind, of what, and the models that it chooses from."""


def _problem(
    details: ErrorDetails, data: Mapping[str, Any], part: type[BaseModel] | None
) -> Problem:
    kind, found = details["type"], details["input"]
    place, model = _place(details["loc"], data, part or Scenario)
    path, name = ".".join(place), place[-1] if place else ""
    context = details.get("ctx", {})
    if kind == "extra_forbidden":
        allowed = [*fields_of(model), *([EXTENDS] if part is None and model is Scenario else [])]
        if (about_tcp := _misplaced(path, name, model)) is not None:
            return about_tcp
        if part is None and model is Figure and is_of_the_whole(name):
            return stray_line(path, listing(allowed))
        return Problem(path, "unknown field", listing(allowed), nearest_name(name, allowed))
    if kind == "missing":
        return Problem(path, f"missing, {_description(model, name)}", takes(model, name))
    if kind == "quantity":
        what, nearest = f"{shown(found)} is refused: {context['reason']}", context.get("nearest")
        return Problem(path, what, context["allowed"], nearest or None)
    if kind == "literal_error":
        if name == "standard":
            return _unknown_amendment(path, found, context["expected"])
        return _unknown_choice(path, context.get("found", found), context["expected"])
    if kind == "union_tag_invalid":
        field, _, models = _kinds_of(model, name)
        return _unknown_choice(f"{path}.{field}", context["tag"], ", ".join(models))
    if kind == "union_tag_not_found" and not isinstance(found, Mapping):
        return _no_kind(path, found, model, name)
    if kind == "union_tag_not_found":
        field, of, models = _kinds_of(model, name)
        return Problem(f"{path}.{field}", f"missing, the kind of {of}", one_of(list(models)))
    if kind == "string_pattern_mismatch" and context["pattern"] == NAME_PATTERN:
        return Problem(path, f"{shown(found)} is not a name", NAME_RULE)
    if kind == "string_pattern_mismatch":
        return Problem(path, f"{shown(found)} is refused", takes(model, name))
    if kind == "list_type" and part is None and model is Sweep and len(place) > 1:
        return _no_column(path, found)
    if kind == "list_type" and model is Scenario and isinstance(found, Mapping):
        return Problem(path, "a single table, and there may be several", f"tables [[{path}]]")
    if TYPES.get(kind) == "a table" and isinstance(found, list):
        header = f"tables [{path}.NAME]" if kind == "dict_type" else f"a table [{path}]"
        return Problem(path, f"{shown(found)} is a list, not a table", header)
    if kind in TYPES:
        return Problem(path, f"{shown(found)} is not {TYPES[kind]}", takes(model, name))
    if kind in OUT_OF_RANGE:
        return Problem(path, f"{shown(found)} is out of range", _limits(model, name))
    if kind in LENGTHS:
        bound = context[LENGTHS[kind]]
        size = "at least" if kind.endswith("short") else "at most"
        of = "characters" if kind.startswith("string") else "values"
        return Problem(
            path, f"{shown(found)} is too {kind.rpartition('_')[2]}", f"{size} {bound} {of}"
        )
    return Problem(path, f"{shown(found)} is refused: {details['msg']}", takes(model, name))


def _misplaced(path: str, name: str, model: type[BaseModel]) -> Problem | None:
    """Say what is wrong with a field of TCP where there is no TCP, or outside its table."""
    own, is_value = fields_of(model), name in stack_fields()
    if "app" in own and "tcp" not in own and (is_value or name in fields_of(Connection)):
        app = model.model_fields["app"].default
        kinds = [name for name, each in TRAFFIC.items() if issubclass(each, Connection)]
        what = f"there is no TCP in {shown(app)}, but in {one_of(kinds)}"
        return Problem(path, what, listing(list(own)))
    if "tcp" in own and is_value:
        nearest = f"{path.removesuffix(name)}tcp.{name}"
        what = "a single value of a TCP stack stands in the table tcp"
        return Problem(path, what, listing(list(own)), nearest)
    return None


def _no_column(path: str, found: Any) -> Problem:
    allowed = "a list of values, one of each makes a row"
    key = path.partition(".")[2]
    if is_of_the_whole(key):
        return stray_line(path, allowed)
    return Problem(path, f"{shown(found)} is not a list", allowed, nearest_name(key, AXIS_KEYS))


def _no_kind(path: str, found: Any, holder: type[BaseModel], name: str) -> Problem:
    field, of, models = _kinds_of(holder, name)
    kinds = one_of(list(models))
    info = holder.model_fields[fields_of(holder)[name]] if name in fields_of(holder) else None
    has_short_form = info is not None and any(
        isinstance(mark, Tagged) and mark.has_short_form for mark in marks_of(info)
    )
    if has_short_form:
        what = f"{shown(found)} is no kind of {of} and no table"
        return Problem(path, what, f"{kinds}, or a table with its {field}")
    return Problem(path, f"{shown(found)} is not a table", f"a table with {field} = {kinds}")


def _unknown_amendment(path: str, found: Any, expected: str) -> Problem:
    # Their names differ in a letter and are far apart: none is near another.
    what = "isn't simulated yet" if found in NOT_YET else "is no amendment of IEEE 802.11 we know"
    return Problem(path, f"{shown(found)} {what}", one_of(_choices(expected)))


def _unknown_choice(path: str, found: Any, expected: str) -> Problem:
    choices = _choices(expected)
    nearest = nearest_name(str(found), choices)
    return Problem(path, f"{shown(found)} is not one of the values", one_of(choices), nearest)


def _choices(expected: str) -> list[str]:
    return [choice.strip(" '") for choice in expected.replace(" or ", ", ").split(",")]


def _limits(model: type[BaseModel], name: str) -> str:
    return (field_limits(model, name) if name in fields_of(model) else None) or takes(model, name)


def _description(model: type[BaseModel], name: str) -> str | None:
    names = fields_of(model)
    if name not in names:
        return None
    return model.model_fields[names[name]].description


def _place(
    location: tuple[int | str, ...], data: Mapping[str, Any], whole: type[BaseModel]
) -> tuple[list[str], type[BaseModel]]:
    """Turn pydantic's location into a path of the file and the model that holds its end.

    Pydantic puts the chosen variant of a union and its own marks between the names of a
    file; what is in the data, or is a field of the model so far, is a name of the file.
    """
    place: list[str] = []
    model = holder = whole
    value: Any = data
    told: Any = data
    for step in location:
        if isinstance(step, int):
            place[-1] = f"{place[-1]}[{step}]"
            value = value[step] if isinstance(value, list) and step < len(value) else None
            continue
        if step == "[key]":
            continue
        table = value if isinstance(value, Mapping) else {}
        variant = _variant(model, table, step, is_told=table is told)
        if variant is not None:
            model, told = variant, table
            continue
        if model is Sweep and step == "columns" and step not in table:
            continue
        place.append(step)
        holder = model
        names = fields_of(model)
        if step in names:
            annotation = model.model_fields[names[step]].annotation
            model = next(models_in(annotation), model)
        value = table.get(step)
    return place, holder


def _variant(
    model: type[BaseModel], table: Mapping[str, Any], step: str, *, is_told: bool
) -> type[BaseModel] | None:
    """Give the variant that a step names, if it names none of the fields and has not done so yet.

    A kind may be called as one of its fields: then it is the table that tells which is meant.
    """
    of_model = ((field, models) for field, _, models in KINDS if model in models.values())
    field, models = next(of_model, ("", {}))
    is_kind = not is_told and step == table.get(field)
    is_field = step in table or step in fields_of(model)
    return models.get(step) if is_kind or not is_field else None


def _kinds_of(holder: type[BaseModel], name: str) -> tuple[str, str, Mapping[str, type[BaseModel]]]:
    """Give what a field chooses from; in a table by names, where it is itself one of these."""
    names = fields_of(holder)
    inner = models_in(holder.model_fields[names[name]].annotation) if name in names else ()
    return next(each for model in (*inner, holder) for each in KINDS if model in each[2].values())
