"""Time series of a replication: as the core gives them, as a file keeps them, as people read them.

The core gives a column for each series, and so does `Results.series`. A file has a row for each
value, as the one table of metrics does: what a column costs Parquet would be most of a short
replication's time.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy
import pyarrow

from anechoic.campaign.arrays import Floats, floats, integers_32, texts, values_of

TIME = "time_s"


@dataclass(frozen=True)
class Steps:
    """Series of one replication: of each a row of ``values``, and in it one for each step."""

    times: Floats
    series: Sequence[str]
    values: Floats

    @classmethod
    def of(cls, rows: pyarrow.Table) -> "Steps":
        """Read what `listed` gives."""
        names = rows["series"].chunk(0).dictionary.to_pylist() if rows.num_rows else []
        steps = rows.num_rows // max(len(names), 1)
        values = values_of(rows["value"]).reshape(len(names), steps)
        return cls(values_of(rows[TIME])[:steps], names, values)

    def table(self) -> pyarrow.Table:
        """Give ``time_s`` and a column for each series."""
        arrays = [floats(self.times), *map(floats, self.values)]
        return pyarrow.Table.from_arrays(arrays, [TIME, *self.series])


def listed(columns: Mapping[str, Floats]) -> pyarrow.Table:
    """Give a row for each value: its ``time_s``, ``series`` and ``value``, series by series."""
    times = columns[TIME]
    series = {name: values for name, values in columns.items() if name != TIME}
    places = integers_32(numpy.repeat(numpy.arange(len(series)), len(times)))
    arrays = [
        floats(numpy.tile(times, len(series))),
        pyarrow.DictionaryArray.from_arrays(places, texts(list(series))),
        floats(numpy.concatenate(list(series.values()) or [times[:0]])),
    ]
    return pyarrow.Table.from_arrays(arrays, [TIME, "series", "value"])
