"""The reference page of what ``import anechoic`` gives."""

import inspect
from collections.abc import Iterator, Mapping
from typing import Any

from anechoic.scenario.base import Part
from anechoic.scenario.in_python import summary_of
from anechoic.scenario.kinds import CHOICES
from anechoic.scenario.reference import SECTIONS

HEAD = """\
# Python

What `import anechoic as an` gives. This page is written by `make docs` from the classes
themselves; [Results](../results.md#python) shows them at work, and `help(an.Drop)` shows one with
the meaning of its fields.

## Parts of a scenario

Fields are called as in a file, and take the same values, defaults and units: those stand in the
[scenario reference](scenario.md). A field whose name Python keeps for itself has a dash below
behind it, `from_`. Parts are given by keyword, and nothing changes them afterwards.

| class | in a file | what it is | fields that it needs | fields that it may have |
|---|---|---|---|---|
"""

REST = """
## All else

| name | what it is |
|---|---|
"""


def page(given: Mapping[str, Any]) -> str:
    """Give the page of what the package gives, by name."""
    parts = {name: each for name, each in given.items() if _is_part(each)}
    others = {name: each for name, each in given.items() if name not in parts}
    return "".join([HEAD, *map(_part, parts.values()), REST, *_others(others)])


def _is_part(each: Any) -> bool:
    return isinstance(each, type) and issubclass(each, Part)


def _part(model: type[Part]) -> str:
    fields = model.model_fields
    tag = _tag(model)
    needed = [name for name in fields if fields[name].is_required()]
    free = [name for name in fields if name not in needed and name != tag]
    listed = (", ".join(f"`{name}`" for name in names) for names in (needed, free))
    return _row(f"`an.{model.__name__}`", _place(model, tag), summary_of(model), *listed)


def _others(given: dict[str, Any]) -> Iterator[str]:
    for name, each in given.items():
        is_own = inspect.isclass(each) or inspect.isfunction(each)
        about = (inspect.getdoc(each) or "").partition("\n")[0] if is_own else f"`{each}`"
        yield _row(f"`an.{name}`", about)


def _tag(model: type[Part]) -> str | None:
    """Name the field that says of which kind a model is, if it is of a kind."""
    if not any(model in models.values() for models in CHOICES.values()):
        return None
    return next(tag for tag in ("app", "do", "kind") if tag in model.model_fields)


def _place(model: type[Part], tag: str | None) -> str:
    if tag is not None:
        return f'`{tag} = "{model.model_fields[tag].default}"`'
    return next((heading for heading, of, _, _ in SECTIONS if of is model and "`" in heading), "")


def _row(*cells: str) -> str:
    return f"| {' | '.join(cell.replace('|', '¦') for cell in cells)} |\n"
