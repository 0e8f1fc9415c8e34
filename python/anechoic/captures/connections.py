"""The table of connections: a row for each, the core's document laid flat."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow

_ROUND_TRIPS = ("count", "min_ms", "mean_ms", "max_ms", "deviation_ms")
"""What stands under "rtt" of an end, if anything was measured."""


def connections_table(connections: Sequence[Mapping[str, Any]]) -> "pyarrow.Table":
    """Give a row for each connection, numbered from 1; fields of an end begin with its name."""
    import pyarrow

    table = pyarrow.Table.from_pylist(list(connections))
    while any(pyarrow.types.is_struct(field.type) for field in table.schema):
        table = table.flatten()
    table = table.rename_columns([name.replace(".", "_") for name in table.column_names])
    for end in ("client", "server"):
        if f"{end}_rtt" in table.column_names:
            table = _with_no_round_trips(table, f"{end}_rtt")
    numbers = pyarrow.array(range(1, len(connections) + 1), type=pyarrow.int64())
    return table.add_column(0, "connection", numbers)


def _with_no_round_trips(table: "pyarrow.Table", name: str) -> "pyarrow.Table":
    """Give the columns of round trips where not one connection has any."""
    import pyarrow

    at = table.column_names.index(name)
    table = table.remove_column(at)
    nothing = pyarrow.nulls(table.num_rows, pyarrow.float64())
    for behind, part in enumerate(_ROUND_TRIPS):
        table = table.add_column(at + behind, f"{name}_{part}", nothing)
    return table
