"""Time series of a replication: as the core gives them, as a file keeps them, as people read them.

The core gives a column for each series, and so does `Results.series`. A file has a row for each
value, as the one table of metrics does: what a column costs Parquet would be most of a short
replication's time.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy

from anechoic.tables.table import Floats, Table, Texts

TIME = "time_s"


@dataclass(frozen=True)
class Steps:
    """Series of one replication: of each a row of ``values``, and in it one for each step."""

    times: Floats
    series: Sequence[str]
    values: Floats

    @classmethod
    def of(cls, rows: Table) -> "Steps":
        """Read what `listed` gives."""
        names = rows["series"].names
        steps = len(rows) // max(len(names), 1)
        return cls(rows[TIME][:steps], names, rows["value"].reshape(len(names), steps))

    def table(self) -> Table:
        """Give ``time_s`` and a column for each series."""
        return Table({TIME: self.times, **dict(zip(self.series, self.values, strict=True))})


def listed(columns: Mapping[str, Any]) -> Table:
    """Give a row for each value: its ``time_s``, ``series`` and ``value``, series by series."""
    times = columns[TIME]
    series = {name: values for name, values in columns.items() if name != TIME}
    places = numpy.repeat(numpy.arange(len(series), dtype=numpy.uint32), len(times))
    values = numpy.concatenate(list(series.values()) or [times[:0]])
    return Table(
        {
            TIME: numpy.tile(times, len(series)),
            "series": Texts(places, list(series)),
            "value": values,
        }
    )
