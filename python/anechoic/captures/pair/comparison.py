"""Two captures of one path, matched packet by packet."""

import filecmp
import json
import os
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anechoic.captures.analysis import check_named, unreadable
from anechoic.captures.doubts.link_types import not_read
from anechoic.captures.fields.described import schema
from anechoic.libraries import library
from anechoic.scenario.core import core
from anechoic.scenario.errors import Problem, ScenarioError

if TYPE_CHECKING:
    import pyarrow

WAYS = ("forth", "back")
"""From the first capture's point to the second's, and back."""
FATES = ("passed", "lost", "uncaptured", "appeared", "doubled", "outside")
"""What became of a packet, by the core's numbers."""

_KINDS = {"u8": "uint8", "u16": "uint16", "u32": "uint32", "i64": "int64"}
_NAMED = {"way": WAYS, "fate": FATES}
_FLAGS = ("is_ambiguous", "is_late", "is_needless", "is_reported")
_NOT_KEPT = "no packets were kept; allowed: compare_captures(first, second, packets=True)"
# What stands for a value that there is not.
_NONE = -(2**63)


@dataclass(frozen=True)
class Pair:
    """What two captures tell of the path between them."""

    files: tuple[str, str]
    document: dict[str, Any] = field(repr=False)
    _columns: dict[str, tuple[str, bytes]] | None = field(repr=False)
    is_one_capture: bool = False
    """Whether both files are the same, byte for byte."""

    @property
    def clock(self) -> dict[str, Any]:
        """What was found about the clocks."""
        clock: dict[str, Any] = self.document["clock"]
        return clock

    @property
    def forth(self) -> dict[str, Any]:
        """What is told of the packets from the first capture's point to the second's."""
        forth: dict[str, Any] = self.document["ways"][0]
        return forth

    @property
    def back(self) -> dict[str, Any]:
        """What is told of the packets from the second capture's point to the first's."""
        back: dict[str, Any] = self.document["ways"][1]
        return back

    @property
    def connections(self) -> list[dict[str, Any]]:
        """The connections that both captures have."""
        connections: list[dict[str, Any]] = self.document["connections"]
        return connections

    def to_json(self) -> str:
        """Give everything but the packets as one JSON document."""
        return json.dumps(self.document) + "\n"

    @cached_property
    def packets(self) -> "pyarrow.Table":
        """Every packet: its connection, way and fate, where both files have it, its delay.

        Times are nanoseconds since 1970 by each capture's own clock, but for
        `aligned_second_ns`, which is the second's on the first one's clock.

        Raises:
            ValueError: If the captures were compared without `packets=True`.
        """
        if self._columns is None:
            raise ValueError(_NOT_KEPT)
        arrow = library("pyarrow", "a table of packets")
        columns = {name: _column(name, *column) for name, column in self._columns.items()}
        return arrow.table(columns)

    @property
    def losses(self) -> "pyarrow.Table":
        """The packets that were lost between the points; needs them as `packets` does."""
        import pyarrow.compute as pc

        return self.packets.filter(pc.equal(self.packets["fate"].cast("string"), "lost"))

    @cached_property
    def over_time(self) -> "pyarrow.Table":
        """Delays and losses over time: a row for each way and step with any packet."""
        arrow = library("pyarrow", "a table of delays")
        series = self.document["over_time"]
        rows = [
            {
                "way": way,
                "time_ns": series["start_ns"] + index * series["step_ns"],
                "packets_passed": step["passed"],
                "segments_passed": step["segments_passed"],
                "segments_lost": step["lost"],
                "delay_min_ns": step["min_ns"] if step["passed"] else None,
                "delay_mean_ns": step["total_ns"] / step["passed"] if step["passed"] else None,
                "delay_max_ns": step["max_ns"] if step["passed"] else None,
            }
            for way, steps in zip(WAYS, series["ways"], strict=True)
            for index, step in enumerate(steps)
            if step["passed"] or step["lost"]
        ]
        return arrow.Table.from_pylist(rows, schema("pair/over_time"))


def compare_captures(first: str | Path, second: str | Path, *, packets: bool = False) -> Pair:
    """Compare two captures of one path; with `packets`, keep every packet for `Pair.packets`."""
    files = (os.fsdecode(first), os.fsdecode(second))
    for file in files:
        check_named(file)
        if file == "-":
            allowed = "two files: they are read more than once"
            raise ScenarioError("standard input", [Problem("", "not here", allowed)])
    try:
        document, columns = core().compare(*files, packets)
    except OSError as error:
        raise unreadable(files[error.errno or 0], error) from None
    except ValueError as error:
        reason, unknown_links = error.args
        raise _nothing_in_common(files, reason, json.loads(unknown_links)) from None
    is_one_capture = filecmp.cmp(*files, shallow=False)
    return Pair(files, json.loads(document), columns if packets else None, is_one_capture)


def _nothing_in_common(
    files: tuple[str, str], reason: str, unknown_links: list[list[dict[str, Any]]]
) -> ScenarioError:
    found = [
        reason,
        *(
            f"{file} is of {not_read(links)}"
            for file, links in zip(files, unknown_links, strict=True)
            if links
        ),
    ]
    allowed = "two captures of one path that ran at the same time"
    return ScenarioError(" and ".join(files), [Problem("", "; ".join(found), allowed)])


def _column(name: str, kind: str, values: bytes) -> "pyarrow.Array":
    import pyarrow as pa
    import pyarrow.compute as pc

    dtype = pa.type_for_alias(_KINDS[kind])
    length = len(values) // (dtype.bit_width // 8)
    array = pa.Array.from_buffers(dtype, length, [None, pa.py_buffer(values)])
    if name in _NAMED:
        return pa.DictionaryArray.from_arrays(array.cast(pa.int8()), list(_NAMED[name]))
    if name in _FLAGS:
        return array.cast(pa.bool_())
    if kind == "i64":
        return pc.if_else(pc.equal(array, _NONE), pa.scalar(None, dtype), array)
    return array
