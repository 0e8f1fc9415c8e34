"""The reference page of what an analysis writes: a text, with a table at each `{name}`."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from anechoic.captures.fields.alike import ALIKE
from anechoic.captures.fields.described import Field, described

_TEXT = Path(__file__).with_name("reference.md")
_PLACE = re.compile(r"^\{([a-z_/]+)\}$", re.MULTILINE)
_HEAD = ("column", "unit", "meaning", "empty", "source")


def tables() -> list[str]:
    """Name the tables of the page, as `described` takes them, in their order."""
    return _PLACE.findall(_TEXT.read_text(encoding="utf-8"))


def page() -> str:
    """Return the page as Markdown."""
    alike = ", ".join(f"`{path}`" for path in ALIKE)
    text = _TEXT.read_text(encoding="utf-8").replace("{alike}", alike)
    return _PLACE.sub(lambda place: _table(described(place[1])), text)


def _table(fields: Iterable[Field]) -> str:
    rows = [_HEAD, ["---"] * len(_HEAD), *map(_row, fields)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _row(field: Field) -> Sequence[str]:
    return f"`{field.name}`", field.unit, field.meaning, field.empty, field.source
