"""The connections of two captures of one path, as a table."""

from typing import TYPE_CHECKING, Any

from anechoic.captures.fields.described import schema
from anechoic.captures.pair.comparison import Pair
from anechoic.captures.pair.screen import told_between

if TYPE_CHECKING:
    import pyarrow

_ENDS = ("client", "server")
_POINTS = ("first", "second")
_COUNTED = ("packets", "bytes", "fills", "again", "again_needless", "bytes_again")
"""What is counted of an end at either point."""
_PASSED_OR_LOST = ("packets_passed", "segments_passed", "segments_lost")


def connections_table(pair: Pair) -> "pyarrow.Table":
    """Give a row for each connection that both captures have; needs every packet.

    What an end sends is counted at either point: packets, bytes, packets that filled a gap, and
    those retransmitted. Addresses in the second capture stand there if they are others.
    """
    import pyarrow as pa

    fates = _fates(pair.packets)
    rows = [_row(each, fates) for each in pair.connections]
    return pa.Table.from_pylist(rows, schema("pair/connections"))


def _row(connection: dict[str, Any], fates: dict[tuple[int, int], dict[str, Any]]) -> Any:
    number = connection["number"]
    row: dict[str, Any] = {"connection": number}
    others = connection["ends_second"] or ((None, None), (None, None))
    for at, end in enumerate(_ENDS):
        address, port = connection["ends"][at]
        other_address, other_port = others[at]
        lane = connection["lanes"][at]
        own = {
            "address": address,
            "port": port,
            "address_second": other_address,
            "port_second": other_port,
            "way": lane["way"],
            "hops": lane["hops"],
            **{
                f"{name}_{point}": count
                for name in _COUNTED
                for point, count in zip(_POINTS, lane[name], strict=True)
            },
            "tails_lost": lane["tails_lost"],
            **fates.get((number, at), dict.fromkeys(_PASSED_OR_LOST, 0)),
        }
        row |= {f"{end}_{name}": value for name, value in own.items()}
    row["between"] = "; ".join(sorted(told_between(connection)))
    return row


def _fates(packets: "pyarrow.Table") -> dict[tuple[int, int], dict[str, Any]]:
    """Give what passed and was lost, and the delays, of each connection and end."""
    import pyarrow as pa
    import pyarrow.compute as pc

    fate = packets["fate"].cast(pa.string())
    has_passed, is_lost = (pc.equal(fate, name).cast(pa.int64()) for name in ("passed", "lost"))
    told = pa.table(
        {
            "connection": packets["connection"],
            "end": packets["end"],
            "packets_passed": has_passed,
            "segments_passed": pc.multiply(has_passed, packets["segments"]),
            "segments_lost": pc.multiply(is_lost, packets["segments"]),
            "delay_ns": packets["delay_ns"],
        }
    )
    sums = [(name, "sum") for name in _PASSED_OR_LOST]
    spread = [("delay_ns", name) for name in ("min", "mean", "max")]
    grouped = told.group_by(["connection", "end"]).aggregate([*sums, *spread])
    return {
        (row["connection"], row["end"]): {
            **{name: row[f"{name}_sum"] for name in _PASSED_OR_LOST},
            **{
                f"delay_{name}_ms": None if (ns := row[f"delay_ns_{name}"]) is None else ns / 1e6
                for name in ("min", "mean", "max")
            },
        }
        for row in grouped.to_pylist()
    }
