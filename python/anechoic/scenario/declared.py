"""Models made from what the core declares: fields, units, limits, defaults and their sources.

An application, a queue or an impairment is one file of the core, and what may be written of it
stands there. Here each becomes a model like those that are written by hand.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial, reduce
from operator import or_
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    ValidationInfo,
    create_model,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from anechoic.scenario.base import Name, Part, about
from anechoic.scenario.core import core
from anechoic.scenario.errors import shown
from anechoic.scenario.frames import FRAMES_ALLOWED, frames_in
from anechoic.scenario.level_traces import LEVELS_ALLOWED, levels_in
from anechoic.scenario.places import Position, Positions, Walls, place_of
from anechoic.scenario.quantities import DIMENSIONS, Dimension, marks
from anechoic.scenario.shapes import (
    file_allowed,
    file_of,
    levels_of,
    planned_range,
    planned_spans,
    planned_steps,
    range_of,
    spans_of,
    steps_of,
    trace_of,
    track_of,
    values_in,
)
from anechoic.scenario.tracks import TRACKS_ALLOWED, tracks_in

Declaration = Mapping[str, Any]
Model = TypeVar("Model", bound=Part)

_DIMENSIONS: Mapping[str, Dimension] = dict(
    zip(
        ("duration", "rate", "size", "ratio", "power", "distance", "speed"), DIMENSIONS, strict=True
    )
)

_PLACES = {"place": Position, "places": Positions, "walls": Walls}


@cache
def declarations(kind: str) -> tuple[Declaration, ...]:
    """Give all that the core declares of a sort of things: traffic, queue, impairment."""
    return tuple(json.loads(core().kinds())[kind])


def packet_words() -> dict[str, str]:
    """Give the words for kinds of packets, and what each means."""
    return dict(json.loads(core().kinds())["packets"])


def model_of(declared: Declaration, base: type[Model], tag: str, of: str) -> type[Model]:
    """Make the model of what is declared; ``tag`` is the field that names which kind ``of`` it."""
    name = declared["name"]
    fields: dict[str, Any] = {tag: (Annotated[Literal[name], about(f"kind of {of}")], name)}
    by_name = {field["name"]: field for field in declared["fields"]}
    fields |= {each: _field(field, by_name) for each, field in by_name.items()}
    made: type[Model] = create_model(
        class_name(name),
        __base__=base,
        __module__=base.__module__,
        __doc__=declared["about"],
        **fields,
    )
    made.__declaration__ = declared  # type: ignore[attr-defined]
    return made


def declaration_of(part: Part | type[Part]) -> Declaration:
    """Give the declaration that a part's model was made from."""
    declared: Declaration = part.__declaration__  # type: ignore[union-attr]
    return declared


def base_of(model: type[Part]) -> type[Part]:
    """Give the model that has what all kinds of a made one share."""
    base: type[Part] = model.__bases__[0]
    return base


def class_name(name: str) -> str:
    """Give the name of a model in Python."""
    return "".join(word.capitalize() for word in name.split("-"))


def planned(part: Part) -> dict[str, Any]:
    """Give the fields of a part as a plan has them, in base units; of a file its name."""
    declared = declaration_of(part)
    values = {
        field["name"]: _in_base_unit(field, getattr(part, field["name"]))
        for field in declared["fields"]
    }
    return {"kind": declared["name"], **values}


def number_of(field: Declaration, value: Any) -> Any:
    """Give a single value of a field, as written, in the field's base unit."""
    quantity = field["quantity"]
    dimension = _DIMENSIONS.get(quantity) if isinstance(quantity, str) else None
    return value if dimension is None else dimension.parse(value)


@cache
def script_steps() -> dict[str, type[Part]]:
    """Give the models of the steps of scripts, by their verbs."""
    noun = "step"
    return {each["name"]: model_of(each, Part, "do", noun) for each in declarations("script_step")}


class Tagged:
    """Makes a table name its kind, or takes the one that is meant where it names none.

    With a short form, the name of a kind stands for a table of its defaults.
    """

    def __init__(
        self,
        tag: str,
        models: Mapping[str, type[Part]],
        default: str | None = None,
        has_short_form: bool = False,
    ):
        """Choose among these models by the field ``tag``."""
        self.tag, self.models, self.default = tag, models, default
        self.has_short_form = has_short_form

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Give the schema of a union that the tag chooses from."""
        choices = {name: handler(model) for name, model in self.models.items()}
        discriminator: Any = self.tag if self.default is None else self._chosen
        union = core_schema.tagged_union_schema(choices, discriminator=discriminator)
        if not self.has_short_form:
            return union
        return core_schema.no_info_before_validator_function(self._written_out, union)

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Let editors know the short form."""
        described = handler(schema)
        if not self.has_short_form:
            return described
        return {"anyOf": [{"enum": list(self.models)}, described]}

    def _chosen(self, value: Any) -> Any:
        if isinstance(value, Mapping):
            return value.get(self.tag, self.default)
        return getattr(value, self.tag, None)

    def _written_out(self, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        if value not in self.models:
            expected = ", ".join(self.models)
            raise PydanticCustomError("literal_error", "unknown kind", {"expected": expected})
        return {self.tag: value}


def _field(field: Declaration, others: Mapping[str, Declaration]) -> tuple[Any, Any]:
    default = field["default"]
    of = _type(field)
    if field["above"] is not None:
        # A default is as wrong as any value where it is not above what is written.
        of = Annotated[of, Field(validate_default=True), _above(field, others[field["above"]])]
    if default == "absent":
        of = of | None
    noted = about(field["about"], unit=field["unit"], source=field["source"], **_limits(field))
    if default == "required":
        return Annotated[of, noted], ...
    return Annotated[of, noted], None if default == "absent" else next(iter(default.values()))


def _above(field: Declaration, other: Declaration) -> AfterValidator:
    def check(value: Any, info: ValidationInfo) -> Any:
        # One that is wrong by itself is not there.
        lower = info.data.get(other["name"])
        if lower is None or number_of(field, value) > number_of(other, lower):
            return value
        reason = f"not above {other['name']}, {shown(lower)}"
        context = {"reason": reason, "allowed": f"more than {other['name']}"}
        raise PydanticCustomError("quantity", "{reason}", context)

    return AfterValidator(check)


@dataclass(frozen=True, slots=True)
class Contents:
    """What a file holds: who reads it, or raises ValueError, and what is to stand in it."""

    read: Callable[[Path], Any]
    allowed: str
    is_trace: bool = False


def files_of(part: Part) -> dict[str, Contents]:
    """Give the fields of a part that name files, and what is in these."""
    fields = declaration_of(part)["fields"]
    return {
        field["name"]: _contents(field["quantity"]) for field in fields if field["shape"] == "file"
    }


def _contents(quantity: str) -> Contents:
    if quantity == "frames":
        return Contents(frames_in, FRAMES_ALLOWED, is_trace=True)
    if quantity == "movements":
        return Contents(tracks_in, TRACKS_ALLOWED)
    if quantity == "levels":
        return Contents(levels_in, LEVELS_ALLOWED)
    dimension = _DIMENSIONS[quantity]
    return Contents(partial(values_in, dimension=dimension), file_allowed(dimension))


def _type(field: Declaration) -> Any:
    quantity = field["quantity"]
    if isinstance(quantity, dict):
        return Literal[tuple(quantity["choice"])]
    match field["shape"]:
        case "range":
            return range_of(field, _DIMENSIONS.get(quantity))
        case "steps":
            return steps_of(field, _DIMENSIONS[quantity])
        case "spans":
            return spans_of()
        case "file" if quantity == "frames":
            return trace_of()
        case "file" if quantity == "movements":
            return track_of()
        case "file" if quantity == "levels":
            return levels_of()
        case "file":
            return file_of(_DIMENSIONS[quantity])
    if quantity in _PLACES:
        return _PLACES[quantity]
    if quantity == "script":
        steps = script_steps()
        any_step: Any = reduce(or_, steps.values())
        step: Any = Annotated[any_step, Tagged("do", steps, has_short_form=True)]
        return dict[Name, step]
    if quantity in _DIMENSIONS:
        dimension = _DIMENSIONS[quantity]
        base: Any = int | str if dimension.bare_number else str
        least, most = (_whole(field[limit]) for limit in ("at_least", "at_most"))
        return Annotated[base, *marks(dimension, least, most, is_open=field["is_open"])]
    if quantity == "counts":
        each = Annotated[int, Field(ge=field["at_least"], le=2**63 - 1)]
        return Annotated[list[each], BeforeValidator(partial(_each_once, int(field["at_least"])))]
    return {"count": int, "number": float, "flag": bool}[quantity]


def _each_once(least: int, written: Any) -> Any:
    if not isinstance(written, list):
        reason = "not a list"
    elif not written:
        reason = "the list is empty"
    elif any(type(number) is not int for number in written):
        reason = "not whole numbers alone"
    elif not all(least <= number < 2**63 for number in written):
        reason = f"they count from {least} on" if min(written) < least else "too large"
    elif len(set(written)) < len(written):
        reason = "a number stands twice"
    else:
        return written
    allowed = f"a list of whole numbers from {least} on, each once, such as [{least}, {least + 2}]"
    raise PydanticCustomError("quantity", "{reason}", {"reason": reason, "allowed": allowed})


def _limits(field: Declaration) -> dict[str, Any]:
    quantity = field["quantity"]
    if field["shape"] != "one" or quantity not in ("count", "number"):
        return {}
    low, high = ("gt", "lt") if field["is_open"] else ("ge", "le")
    limits = {low: _short(field["at_least"]), high: _short(field["at_most"])}
    return {key: value for key, value in limits.items() if value is not None}


def _short(limit: float | None) -> float | None:
    """Give a limit as people write it: a whole number without a decimal point."""
    return int(limit) if limit is not None and limit.is_integer() else limit


def _whole(limit: float | None) -> int | None:
    return None if limit is None else int(limit)


def _in_base_unit(field: Declaration, value: Any) -> Any:
    dimension = _DIMENSIONS.get(field["quantity"]) if isinstance(field["quantity"], str) else None
    match field["shape"]:
        case _ if value is None:
            return None
        case _ if field["quantity"] == "script":
            return [planned(step) for step in value.values()]
        case "file":
            return value
        case _ if field["quantity"] == "place":
            return place_of(value)
        case _ if field["quantity"] == "places":
            return [place_of(each) for each in value]
        case _ if field["quantity"] == "walls":
            return [[place_of(each) for each in wall] for wall in value]
        case "range":
            return planned_range(value, dimension)
        case "spans":
            return planned_spans(value)
        case "steps":
            assert dimension is not None, "what changes in time has a dimension"
            return planned_steps(value, dimension)
    if dimension is None:
        return value
    number = dimension.parse(value)
    return int(number) if dimension.whole else float(number)
