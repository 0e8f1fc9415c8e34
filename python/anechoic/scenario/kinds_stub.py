"""What type checkers and editors read of the models that are made from declarations."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from textwrap import wrap
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic.fields import FieldInfo

from anechoic.scenario import kinds
from anechoic.scenario.base import Part
from anechoic.scenario.declared import base_of, declaration_of
from anechoic.scenario.in_python import summary_of

WIDTH = 96
# The formatter puts on one line what has room there.
LINE = 100
HEAD = '''\
"""The kinds of things that the core declares. `make docs` writes this file: edit it there."""

from typing import Literal
'''

TABLES = """\
TRAFFIC: dict[str, type[Flow]]
STEPS: dict[str, type[Part]]
QUEUES: dict[str, type[Queue]]
IMPAIRMENTS: dict[str, type[Impairment]]
FADINGS: dict[str, type[Fading]]
NOISES: dict[str, type[Noise]]
RATE_CONTROLS: dict[str, type[RateControl]]
PROPAGATIONS: dict[str, type[Propagation]]
MOVEMENTS: dict[str, type[Movement]]

CHOICES: dict[str, dict[str, type[Part]]]
MODELS: dict[str, type[Part]]
"""


def page() -> str:
    """Give the stub of ``kinds.py``."""
    models = sorted(kinds.MODELS.values(), key=lambda model: model.__name__)
    needed: set[type[Part]] = {Part, *map(base_of, models)}
    bases = sorted(needed, key=_place)
    imports = "".join(
        f"from {home} import {', '.join(base.__name__ for base in inside)}\n"
        for home, inside in groupby(bases, lambda base: base.__module__)
    )
    names = "".join(f'    "{model.__name__}",\n' for model in models)
    unions = "".join(_union(name, table.values()) for name, table in kinds.CHOICES.items())
    parts = [HEAD, imports, f"__all__ = [\n{names}]\n", *map(_model, models), unions, TABLES]
    return "\n".join(parts)


def _place(base: type[Part]) -> tuple[str, str]:
    return base.__module__, base.__name__


def _model(model: type[Part]) -> str:
    base = base_of(model)
    lines = [f"class {model.__name__}({base.__name__}):", *_docstring(summary_of(model)), ""]
    about = {field["name"]: field for field in declaration_of(model)["fields"]}
    for name, info in model.model_fields.items():
        if name in base.model_fields:
            continue
        lines.append(f"    {name}: {_type(info.annotation)}{_default(info)}")
        if name in about:
            lines += _docstring(str(info.description))
    return "\n".join(lines) + "\n"


def _union(name: str, models: Iterable[type[Part]]) -> str:
    names = [model.__name__ for model in models]
    if len(line := f"{name} = {' | '.join(names)}") <= LINE:
        return f"{line}\n"
    if len(line := f"    {' | '.join(names)}") <= LINE:
        return f"{name} = (\n{line}\n)\n"
    return f"{name} = (\n    " + "\n    | ".join(names) + "\n)\n"


def _docstring(text: str) -> Iterator[str]:
    if len(text) + 6 <= WIDTH:
        yield f'    """{text}"""'
        return
    first, *rest = wrap(text, WIDTH - 3)
    yield f'    """{first}'
    yield from (f"    {line}" for line in rest)
    yield '    """'


def _default(info: FieldInfo) -> str:
    return "" if info.is_required() else f" = {_python(info.default)}"


def _type(annotation: Any) -> str:
    """Give a type as Python writes it, without the limits of its values."""
    if get_origin(annotation) is Annotated:
        return _type(get_args(annotation)[0])
    if get_origin(annotation) is Literal:
        return f"Literal[{', '.join(map(_python, get_args(annotation)))}]"
    if get_origin(annotation) is dict:
        return "dict[str, ScriptStep]"
    if get_origin(annotation) is list:
        return f"list[{', '.join(map(_type, get_args(annotation)))}]"
    if inner := get_args(annotation):
        return " | ".join(map(_type, inner))
    return "None" if annotation is type(None) else str(annotation.__name__)


def _python(value: object) -> str:
    if isinstance(value, str):
        return f'"{value}"'
    return f"{value:_}" if type(value) is int and value >= 10_000 else repr(value)
