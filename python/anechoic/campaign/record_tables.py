"""The record of a replication as Arrow tables, one for each kind of what it holds."""

from collections.abc import Mapping, Sequence

import pyarrow

from anechoic.campaign.arrays import floats, integers, numbers, texts, texts_at
from anechoic.scenario.core import Record

Columns = Mapping[str, bytes]


def metrics_table(metrics: Mapping[str, float]) -> pyarrow.Table:
    """Give a row for each metric."""
    columns = [texts(list(metrics)), floats(metrics.values())]
    return pyarrow.Table.from_arrays(columns, ["metric", "value"])


def tables_beside(record: Record, flows: Sequence[str]) -> dict[str, pyarrow.Table]:
    """Give by its kind each table that the record has rows for, the metrics left out."""
    found = {
        "series": (_series, record.series()),
        "tcp_info": (_tcp_info, record.tcp_info()),
        "timing": (_timing, record.timing_records()),
    }
    return {
        kind: table(columns, flows)
        for kind, (table, columns) in found.items()
        if any(columns.values())
    }


def _series(columns: Columns, _flows: Sequence[str]) -> pyarrow.Table:
    return _table({name: floats(numbers(data)) for name, data in columns.items()})


def _timing(columns: Columns, flows: Sequence[str]) -> pyarrow.Table:
    """Give the timing records with counts as whole numbers, and each flow by its name."""
    table = {
        name: integers(numbers(data)) if name in ("index", "bytes") else floats(numbers(data))
        for name, data in columns.items()
    }
    return _table({**table, "flow": texts_at(numbers(columns["flow"]), flows)})


def _tcp_info(columns: Columns, flows: Sequence[str]) -> pyarrow.Table:
    """Give the samples of TCP_INFO as whole numbers, flow and end by their names."""
    about = ("time_s", "flow", "initiator")
    return _table(
        {
            "time_s": floats(numbers(columns["time_s"])),
            "flow": texts_at(numbers(columns["flow"]), flows),
            "end": texts_at(numbers(columns["initiator"]), ("receiver", "sender")),
            **{
                name: integers(numbers(data)) for name, data in columns.items() if name not in about
            },
        }
    )


def _table(columns: Mapping[str, pyarrow.Array]) -> pyarrow.Table:
    return pyarrow.Table.from_arrays(list(columns.values()), list(columns))
