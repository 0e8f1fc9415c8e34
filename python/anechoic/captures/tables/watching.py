"""Segments, losses and transfers of a capture as Arrow tables."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from anechoic.captures.fields.described import described, names
from anechoic.captures.tables.columns import ENDS, arrays, is_set, meanings, named
from anechoic.captures.tables.regimes import regimes
from anechoic.scenario.core import Columns, Watched

if TYPE_CHECKING:
    import pyarrow

Connection = dict[str, Any]
Ends = tuple[int, str, int, str, int]


def numbers_of(watched: Watched, connections: Sequence[Connection]) -> list[int]:
    """Give for each connection that was watched its place among those of the analysis."""
    places = {_ends(connection): at for at, connection in enumerate(connections)}
    return [places[ends] for ends in watched.connections()]


def _ends(connection: Connection) -> Ends:
    client, server = connection["client"], connection["server"]
    return (
        connection["first_packet"],
        client["address"],
        client["port"],
        server["address"],
        server["port"],
    )


def segments_table(columns: Columns, start_ns: int) -> "pyarrow.Table":
    """Give a row for each segment of a connection whose first was captured at ``start_ns``."""
    import pyarrow
    import pyarrow.compute as pc

    raw = arrays(columns)
    codes = meanings()
    blocks = pyarrow.StructArray.from_arrays([raw["sack_start"], raw["sack_end"]], ["start", "end"])
    counts = raw["sack_blocks"].cast(pyarrow.int32())
    before = pyarrow.array([0], type=pyarrow.int32())
    offsets = pyarrow.concat_arrays([before, pc.cumulative_sum(counts)])
    return pyarrow.table(
        {
            "time_s": _seconds_since(raw["time_ns"], start_ns),
            "time_ns": raw["time_ns"],
            "packet": raw["packet"],
            "sender": named(raw["direction"], ENDS),
            "seq": raw["seq"],
            "seq_end": raw["seq_end"],
            "payload": raw["payload"],
            "flags": raw["flags"],
            "kind": named(raw["kind"], codes["kind"]),
            "cause": named(raw["cause"], codes["cause"]),
            "because": named(raw["because"], codes["because"]),
            "bytes_retransmitted": raw["bytes_retransmitted"],
            "bytes_skipped": raw["bytes_skipped"],
            "ack": raw["ack"],
            "answer": named(raw["answer"], [_none_if(name) for name in codes["answer"]]),
            "window": raw["window"],
            "flight": raw["flight"],
            "flight_other": raw["flight_other"],
            "rtt_ms": _milliseconds(raw["rtt_ns"]),
            "stall": named(raw["stall"], codes["stall"]),
            "stall_s": _seconds_since(raw["stall_ns"], 0),
            "timer_expired": is_set(raw["timer_expired"]),
            "begins_recovery": is_set(raw["begins_recovery"]),
            "has_sack_news": is_set(raw["has_sack_news"]),
            "reports_duplicate": is_set(raw["reports_duplicate"]),
            "sack": pyarrow.ListArray.from_arrays(offsets, blocks),
        }
    )


def losses_table(
    columns: Columns, numbers: Sequence[int], document: Mapping[str, Any]
) -> "pyarrow.Table":
    """Give a row for each loss, in the order of connections, senders and times.

    What was retransmitted in vain is no loss and has none.
    """
    import pyarrow.compute as pc

    table = _of_connections(columns, numbers, document["connections"])
    causes = named(table.column("cause").combine_chunks(), meanings()["cause"])
    table = table.set_column(table.schema.get_field_index("cause"), "cause", causes)
    in_vain = pc.starts_with(causes.cast("string"), "needless")
    table = table.filter(pc.invert(in_vain)).sort_by(
        [(name, "ascending") for name in ("connection", "sender", "lost_ns", "seq")]
    )
    table = table.append_column("multiplicity", _multiplicity(table))
    rank = pc.divide(table["rtt_rank_ppm"].cast("float64"), 1e6)
    table = table.append_column("rtt_rank", rank)
    for name, values in regimes(table, document).items():
        table = table.append_column(name, values)
    return table.select(names(described("losses")))


def transfers_table(
    columns: Columns, numbers: Sequence[int], connections: Sequence[Connection]
) -> "pyarrow.Table":
    """Give a row for each transfer, in the order of their ends."""
    import pyarrow.compute as pc

    table = _of_connections(columns, numbers, connections).sort_by(
        [(name, "ascending") for name in ("end_ns", "connection", "sender")]
    )
    span_ns = pc.subtract(table["end_ns"], table["start_ns"]).cast("float64", safe=False)
    span_s = pc.divide(span_ns, 1e9)
    megabits = pc.divide(table["bytes"].cast("float64"), 125_000.0)
    rate = pc.if_else(pc.greater(span_s, 0.0), pc.divide(megabits, span_s), None)
    table = table.append_column("duration_s", span_s).append_column("throughput_mbps", rate)
    return table.select(names(described("transfers")))


def _of_connections(
    columns: Columns, numbers: Sequence[int], connections: Sequence[Connection]
) -> "pyarrow.Table":
    """Give columns by the connections' own names, times also from the capture's first segment."""
    import pyarrow

    raw = arrays(columns)
    places = pyarrow.array(numbers, type=pyarrow.int64()).take(raw["connection"])
    raw["connection"] = pyarrow.compute.add(places, 1)
    raw["sender"] = pyarrow.array(ENDS).take(raw["sender"].cast(pyarrow.int32()))
    for end in ENDS:
        hosts = pyarrow.array([each[end]["address"] for each in connections], pyarrow.string())
        raw[end] = hosts.take(places)
    for name in ("is_after_idle", "is_before_capture"):
        if name in raw:
            raw[name] = is_set(raw[name])
    start_ns = first_ns(connections)
    for name in [name for name in raw if name.endswith("_ns")]:
        if name.startswith("rtt_"):
            raw[f"{name.removesuffix('_ns')}_ms"] = _milliseconds(raw[name])
        else:
            raw[f"{name.removesuffix('_ns')}_s"] = _seconds_since(raw[name], start_ns)
    return pyarrow.table(raw)


def first_ns(connections: Iterable[Connection]) -> int:
    """Give when the first segment of all was captured, in nanoseconds since 1970."""
    return min((connection["first_ns"] for connection in connections), default=0)


def _multiplicity(losses: "pyarrow.Table") -> "pyarrow.Array":
    """Count for each loss how often its data were lost in all."""
    keys = list(
        zip(*(losses[name].to_pylist() for name in ("connection", "sender", "seq")), strict=True)
    )
    counts: dict[tuple[int, str, int], int] = {}
    for key in keys:
        counts[key] = counts.get(key, 0) + 1

    import pyarrow

    return pyarrow.array([counts[key] for key in keys], type=pyarrow.int64())


def _none_if(name: str | None) -> str | None:
    return None if name == "none" else name


def _seconds_since(times_ns: "pyarrow.Array", start_ns: int) -> "pyarrow.Array":
    import pyarrow.compute as pc

    return pc.divide(pc.subtract(times_ns, start_ns).cast("float64", safe=False), 1e9)


def _milliseconds(times_ns: "pyarrow.Array") -> "pyarrow.Array":
    import pyarrow.compute as pc

    return pc.divide(times_ns.cast("float64", safe=False), 1e6)
