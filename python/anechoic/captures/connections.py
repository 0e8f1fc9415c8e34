"""The table of connections: a row for each, the core's document laid flat."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow

_ROUND_TRIPS = ("count", "min_ms", "mean_ms", "max_ms", "deviation_ms")
"""What stands under "rtt" of an end, if anything was measured."""


def connections_table(connections: Sequence[Mapping[str, Any]]) -> "pyarrow.Table":
    """Give a row for each connection, numbered from 1; fields of an end begin with its name."""
    import pyarrow

    rows = [dict(_flat(connection)) for connection in connections]
    names = dict.fromkeys(name for row in rows for name in row)
    columns: dict[str, list[Any]] = {"connection": list(range(1, len(rows) + 1))}
    columns |= {name: [row.get(name) for row in rows] for name in names}
    return pyarrow.table(columns)


def _flat(part: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in part.items():
        if name == "rtt" and value is None:
            yield from ((f"{prefix}rtt_{each}", None) for each in _ROUND_TRIPS)
        elif isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}_")
        else:
            yield f"{prefix}{name}", value
