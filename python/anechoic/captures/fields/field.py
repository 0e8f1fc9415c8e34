"""A column of a table, or a key of a document."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow

UNHEARD = "nobody was heard to acknowledge, so that it is not known"
"""When there is nothing in flight to be told."""


@dataclass(frozen=True)
class Field:
    """A column, or a key."""

    name: str
    type: str
    """As pyarrow calls it."""
    unit: str
    meaning: str
    empty: str = ""
    """When there is no value; always one, if this is empty."""
    source: str = ""
    """Whose notion it is: an RFC, Tstat's column, another tool's; ours, if this is empty."""


def names(fields: Iterable[Field]) -> list[str]:
    """Give the names of columns in their order."""
    return [field.name for field in fields]


def prefixed(prefix: str, fields: Iterable[Field]) -> list[Field]:
    """Give the same fields with longer names."""
    return [replace(field, name=f"{prefix}{field.name}") for field in fields]


def schema(fields: Iterable[Field]) -> "pyarrow.Schema":
    """Give the columns as pyarrow wants them."""
    import pyarrow

    return pyarrow.schema((field.name, pyarrow.type_for_alias(field.type)) for field in fields)
