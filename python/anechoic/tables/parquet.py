"""Tables as Parquet files, which the core writes and reads."""

from collections.abc import Iterator
from itertools import chain
from typing import BinaryIO

from anechoic.scenario.core import core
from anechoic.tables.table import Column, Table, Texts, column_of


def parquet(table: Table, *, is_small: bool = False) -> bytes:
    """Give a table as the bytes of a file; a small one, of which there are many, in no time."""
    return b"".join(_written(iter([table]), is_small=is_small))


def write_tables(file: BinaryIO, parts: Iterator[Table]) -> None:
    """Write a table that comes in parts, at least one, into an open file."""
    file.writelines(_written(parts, is_small=False))


def read_parquet(data: bytes) -> Table:
    """Give the table that a file holds; ValueError for what is no such file."""
    about, columns = core().read_parquet(data)
    found = {name: column_of(kind, data, names) for name, kind, data, names in columns}
    return Table(found, about=about)


def _written(parts: Iterator[Table], *, is_small: bool) -> Iterator[bytes]:
    first = next(parts)
    kinds = [(name, kind) for name, (kind, _, _) in _given(first).items()]
    writer = core().ParquetWriter(kinds, dict(first.about), is_small)
    for part in chain([first], parts):
        yield writer.write(list(_given(part).values()))
    yield writer.close()


def _given(table: Table) -> dict[str, tuple[str, bytes, list[str | None] | None]]:
    return {name: _column(each, name in table.gaps) for name, each in table.columns.items()}


def _column(column: Column, has_gaps: bool) -> tuple[str, bytes, list[str | None] | None]:
    if isinstance(column, Texts):
        return "text", column.codes.astype("<u4").tobytes(), list(column.names)
    match column.dtype.kind:
        case "f":
            return "f64?" if has_gaps else "f64", column.astype("<f8").tobytes(), None
        case "b":
            return "bool", column.tobytes(), None
        case "V":
            return f"bytes{column.itemsize}", column.tobytes(), None
        case _:
            return "i64", column.astype("<i8").tobytes(), None
