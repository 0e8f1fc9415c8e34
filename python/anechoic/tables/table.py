"""Tables of columns: numbers, truth values, texts and bytes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy
from numpy.typing import NDArray

Floats = NDArray[numpy.float64]


@dataclass(frozen=True, eq=False)
class Texts:
    """A column of texts: each of them once, and the place of the one that a row has."""

    codes: "NDArray[numpy.uint32]"
    names: Sequence[str | None]
    """None is no text."""

    @classmethod
    def of(cls, values: Sequence[str | None]) -> "Texts":
        """Hold each text once."""
        places = {value: place for place, value in enumerate(dict.fromkeys(values))}
        codes = numpy.fromiter(map(places.__getitem__, values), numpy.uint32, len(values))
        return cls(codes, list(places))

    def __len__(self) -> int:
        """Count the rows."""
        return len(self.codes)

    def __getitem__(self, rows: Any) -> "Texts":
        """Give some rows."""
        return Texts(self.codes[rows], self.names)

    def tolist(self) -> list[str | None]:
        """Give the text of each row."""
        return list(map(self.names.__getitem__, self.codes.tolist()))

    def are(self, *texts: str) -> "NDArray[numpy.bool_]":
        """Say which rows have one of these texts."""
        wanted = numpy.array([name in texts for name in self.names], dtype=bool)
        return wanted[self.codes]


Column = NDArray[Any] | Texts


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of as many rows each."""

    columns: Mapping[str, Column]
    gaps: frozenset[str] = frozenset()
    """Columns of numbers where NaN stands for no value."""
    about: Mapping[str, str] = field(default_factory=dict)
    """What its file says of it."""

    def __getitem__(self, name: str) -> Any:
        """Give a column."""
        return self.columns[name]

    def __contains__(self, name: str) -> bool:
        """Say whether there is a column of this name."""
        return name in self.columns

    def __len__(self) -> int:
        """Count the rows."""
        return len(next(iter(self.columns.values()), ()))

    def taken(self, rows: Any) -> "Table":
        """Give some rows, by their numbers or a truth value for each."""
        columns = {name: column[rows] for name, column in self.columns.items()}
        return Table(columns, self.gaps, self.about)

    def rows(self) -> list[tuple[Any, ...]]:
        """Give the values of each row."""
        return list(zip(*(column.tolist() for column in self.columns.values()), strict=True))


def joined(tables: Sequence[Table]) -> Table:
    """Put tables of the same columns, at least one, one below the other."""
    first = tables[0]
    columns = {name: _joined([table[name] for table in tables]) for name in first.columns}
    return Table(columns, first.gaps, first.about)


def _joined(parts: Sequence[Any]) -> Column:
    if not isinstance(parts[0], Texts):
        return numpy.concatenate(parts)
    every = Texts.of([name for part in parts for name in part.names])
    ends = numpy.cumsum([len(part.names) for part in parts])
    places = numpy.split(every.codes, ends[:-1])
    codes = [where[part.codes] for where, part in zip(places, parts, strict=True)]
    return Texts(numpy.concatenate(codes), every.names)


def reals(values: Iterable[float]) -> Floats:
    """Give a column of 64-bit floats."""
    return numpy.fromiter(values, numpy.float64)


def column_of(kind: str, data: bytes, names: Sequence[str | None] | None) -> Column:
    """Give a column as the core has it: its type, little-endian values, and texts by their places.

    Types are "f64", "i64", "bool", "text" and, of so many bytes, "bytesN".
    """
    if kind == "text":
        return Texts(numpy.frombuffer(data, "<u4"), names or [])
    if kind.startswith("bytes"):
        return numpy.frombuffer(data, f"V{kind.removeprefix('bytes')}")
    return numpy.frombuffer(data, {"f64": "<f8", "i64": "<i8", "bool": "?"}[kind])
