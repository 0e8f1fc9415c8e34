"""What stands beside the type of a field: its marks, its unit, the source of its default."""

from collections.abc import Iterator
from typing import Any, get_args

from pydantic.fields import FieldInfo


def unit_of(info: FieldInfo) -> str | None:
    """Give the unit of a field's bare number."""
    return _noted(info, "unit")


def source_of(info: FieldInfo) -> str | None:
    """Give the source of a field's default."""
    return _noted(info, "source")


def marks_of(info: FieldInfo) -> Iterator[Any]:
    """Give what a field's annotation holds beside its type."""
    yield from info.metadata
    for inner in get_args(info.annotation):
        for mark in getattr(inner, "__metadata__", ()):
            yield mark
            yield from getattr(mark, "metadata", ())


def marks_within(info: FieldInfo) -> Iterator[Any]:
    """Give what stands beside a field's type, and beside the type of its items."""
    yield from marks_of(info)
    for inner in get_args(info.annotation):
        for item in get_args(inner):
            yield from getattr(item, "__metadata__", ())


def _noted(info: FieldInfo, key: str) -> str | None:
    extra = info.json_schema_extra
    text = extra.get(key) if isinstance(extra, dict) else None
    return text if isinstance(text, str) else None
