"""The descriptions of columns and keys, read from the tables in `columns/`.

A table is a CSV file with a row for each field. A row of type `table` stands for all fields of the
table that its meaning names, their names put where its own has `*`.
"""

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow

_COLUMNS = Path(__file__).with_name("columns")


@dataclass(frozen=True)
class Field:
    """A column of a table, or a key of a document."""

    name: str
    type: str
    """As pyarrow calls it."""
    unit: str
    meaning: str
    empty: str
    """When there is no value; always one, if this is empty."""
    source: str
    """Whose notion it is: an RFC, Tstat's column, another tool's; ours, if this is empty."""


@cache
def described(table: str) -> list[Field]:
    """Return the fields of a table, by the path of its file below `columns/`."""
    with (_COLUMNS / f"{table}.csv").open(encoding="utf-8", newline="") as rows:
        return [each for row in csv.DictReader(rows) for each in _fields(Field(**row))]


def _fields(row: Field) -> Iterator[Field]:
    if row.type != "table":
        yield row
        return
    for field in described(row.meaning):
        yield replace(field, name=row.name.replace("*", field.name))


def names(fields: Iterable[Field]) -> list[str]:
    """Return the names of columns in their order."""
    return [field.name for field in fields]


def schema(table: str) -> "pyarrow.Schema":
    """Return the columns of a table as pyarrow wants them."""
    import pyarrow

    fields = described(table)
    return pyarrow.schema((field.name, pyarrow.type_for_alias(field.type)) for field in fields)
