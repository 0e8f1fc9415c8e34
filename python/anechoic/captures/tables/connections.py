"""The table of connections: a row for each, the core's document laid flat."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from anechoic.captures.fields.described import schema

if TYPE_CHECKING:
    import pyarrow


def connections_table(connections: Sequence[Mapping[str, Any]]) -> "pyarrow.Table":
    """Give a row for each connection, numbered from 1; fields of an end begin with its name."""
    import pyarrow

    table = pyarrow.Table.from_pylist(list(connections))
    while any(pyarrow.types.is_struct(field.type) for field in table.schema):
        table = table.flatten()
    table = table.rename_columns([name.replace(".", "_") for name in table.column_names])
    numbers = pyarrow.array(range(1, len(connections) + 1), type=pyarrow.int64())
    return _as_described(table.append_column("connection", numbers))


def _as_described(table: "pyarrow.Table") -> "pyarrow.Table":
    """Give the columns in their order and of their types, also those of which no row has a value.

    Where not one connection has a round trip, for instance, nothing tells what stands under it.
    """
    import pyarrow

    wanted = schema("connections")
    nothing = pyarrow.nulls(table.num_rows)
    has = set(table.column_names)
    columns = [table[name] if name in has else nothing for name in wanted.names]
    return pyarrow.table(columns, names=wanted.names).cast(wanted)
