"""The analysis of a capture file, as plain data and as tables."""

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from anechoic.captures.connections import connections_table
from anechoic.captures.counts import counted
from anechoic.captures.frames import frames_table
from anechoic.captures.watching import (
    first_ns,
    losses_table,
    numbers_of,
    segments_table,
    transfers_table,
)
from anechoic.captures.which_station import Station, which_stations
from anechoic.files import closed_folder
from anechoic.scenario.core import Watched, core, reason_of
from anechoic.scenario.errors import MissingName, Problem, ScenarioError, unknown_name

if TYPE_CHECKING:
    import pyarrow

Given = TypeVar("Given")

_CAPTURE = "a capture file: pcap or pcapng, plain, gzip or zstd"


@dataclass(frozen=True, repr=False)
class Analysis:
    """What a capture file tells of its TCP connections.

    It is called ``file`` and read from ``source``, a path or the bytes of such a file. Tables are
    pyarrow's, which polars and pandas take as they are (``polars.from_arrow``, ``to_pandas``).
    Connections are numbered from 1 in the order of their first packets.
    """

    file: str
    source: str | bytes
    document: dict[str, Any]
    tstat_log: str
    _traces: dict[int, "pyarrow.Table"] = field(default_factory=dict)

    def __repr__(self) -> str:
        """Name the file and count what it holds."""
        connections = counted(len(self.document["connections"]), "connection")
        packets = counted(self.document["tally"]["packets"], "packet")
        return f"<Analysis of {self.file}: {connections} in {packets}>"

    @property
    def warnings(self) -> list[dict[str, Any]]:
        """What of the file could not be taken as it stood."""
        warnings: list[dict[str, Any]] = self.document["warnings"]
        return warnings

    @property
    def start_ns(self) -> int:
        """When the first segment was captured, in nanoseconds since 1970: 0 s in the tables."""
        return first_ns(self.document["connections"])

    def connections(self) -> "pyarrow.Table":
        """Give a row for each connection: ends, counters, causes, round trips, stalls."""
        return self._connections

    def losses(self) -> "pyarrow.Table":
        """Give a row for each loss: when, which copy, what followed, and its regime."""
        return self._losses

    def transfers(self) -> "pyarrow.Table":
        """Give a row for each transfer: what an end sent until it had nothing more to send."""
        return self._transfers

    def stations(self) -> "pyarrow.Table":
        """Give a row for each station: its transfers in either direction."""
        from anechoic.captures.stations import stations_table

        return stations_table(self.transfers(), self._stations)

    def wifi(self, table: str) -> "pyarrow.Table":
        """Give a table of the Wi-Fi by its name, without rows if there are no 802.11 frames."""
        from anechoic.captures.wifi.tables import TABLES

        if table not in TABLES:
            raise MissingName(self.file, [unknown_name("", table, TABLES, "table of the Wi-Fi")])
        return TABLES[table](self.document["wifi"])

    def frames(self) -> "pyarrow.Table":
        """Give a row for each 802.11 frame, in the order of the capture."""
        return self._frames

    def signal(self, log: str | Path, offset_s: float = 0.0) -> "pyarrow.Table":
        """Give the transfers with the signal during each, from a log of signal levels.

        ``offset_s`` is added to the log's times to have the capture's.
        """
        from anechoic.captures.signal.log import read_signal_log
        from anechoic.captures.signal.transfers import with_signal

        readings = read_signal_log(log)
        stations = self.station_of()
        return with_signal(self.transfers(), readings, offset_s, stations, str(log))

    def station_of(self) -> dict[int, str]:
        """Give the station of each connection, by the connection's number."""
        return {number: each.address for number, each in enumerate(self._stations, start=1)}

    def segments(self, connection: int) -> "pyarrow.Table":
        """Give a row for each segment of a connection, in the order of the capture."""
        self.trace([connection])
        return self._traces[connection]

    def trace(self, numbers: Sequence[int]) -> None:
        """Read the segments of several connections at once, for ``segments`` to give."""
        wanted = {number: self._connection(number) for number in numbers}
        wanted = {number: each for number, each in wanted.items() if number not in self._traces}
        if not wanted:
            return
        watched = self._watch([each["first_packet"] for each in wanted.values()])
        places = numbers_of(watched, self.document["connections"])
        for at, columns in watched.traces():
            number = places[at] + 1
            start_ns = self._connection(number)["first_ns"]
            self._traces[number] = segments_table(columns, start_ns)

    def to_csv(self) -> str:
        """Give a row for each connection as comma-separated text."""
        from anechoic.captures.rows import csv_text

        return csv_text(self.connections())

    def to_json(self) -> str:
        """Give everything as one JSON document."""
        from anechoic.captures.notes import notes_on

        document = {**self.document, "notes": notes_on(self.document)}
        return json.dumps(document, ensure_ascii=False) + "\n"

    def unlisted(self) -> tuple[int, int, int]:
        """Count traced segments, losses and transfers that are too many to be listed."""
        return self._watched.unlisted()

    def _repr_html_(self) -> str:
        from anechoic.captures.notebook import notebook_html

        return notebook_html(repr(self)[1:-1], self.document["connections"])

    @cached_property
    def _connections(self) -> "pyarrow.Table":
        return connections_table(self.document["connections"])

    @cached_property
    def _frames(self) -> "pyarrow.Table":
        self._check_is_there_still()
        columns, _ = read(self.file, lambda: core().frames(self.source))
        return frames_table(columns)

    @cached_property
    def _losses(self) -> "pyarrow.Table":
        return losses_table(self._watched.losses(), self._numbers, self.document)

    @cached_property
    def _transfers(self) -> "pyarrow.Table":
        return transfers_table(
            self._watched.transfers(), self._numbers, self.document["connections"]
        )

    @cached_property
    def _stations(self) -> list[Station]:
        return which_stations(self.document)

    @cached_property
    def _watched(self) -> Watched:
        return self._watch([])

    @cached_property
    def _numbers(self) -> list[int]:
        return numbers_of(self._watched, self.document["connections"])

    def _watch(self, first_packets: list[int]) -> Watched:
        self._check_is_there_still()
        return read(self.file, lambda: core().watch(self.source, first_packets))

    def _check_is_there_still(self) -> None:
        if self.source == "-":
            what = "the standard input can be read only once"
            raise ScenarioError(self.file, [Problem("", what, "a file")])

    def _connection(self, number: int) -> dict[str, Any]:
        connections: list[dict[str, Any]] = self.document["connections"]
        if not 1 <= number <= len(connections):
            what = f"there is no connection {number}"
            allowed = f"1 to {len(connections)}" if connections else "none"
            raise ScenarioError(self.file, [Problem("", what, allowed)])
        return connections[number - 1]


def analyse(source: str | Path | bytes, *, file: str | None = None) -> Analysis:
    """Analyse the TCP connections of a capture file, or of the standard input for "-".

    A capture may also be given as the bytes of such a file. ``file`` is what it is called, if not
    by its path.
    """
    source = source if isinstance(source, bytes) else os.fspath(source)
    named = "the capture" if isinstance(source, bytes) else source
    file = named if file is None else file
    document, log = read(file, lambda: core().analyse(source))
    return Analysis(file, source, json.loads(document), log)


def read(file: str, reading: Callable[[], Given]) -> Given:
    """Read a capture file; what cannot be read as one is said as whatever is wrong with a file."""
    check_named(file)
    try:
        return reading()
    except OSError as error:
        raise unreadable(file, error) from None


def check_named(file: str) -> None:
    """Refuse an empty name, which would stand for the current folder."""
    if not file:
        raise ScenarioError('""', [Problem("", "this names no file", _CAPTURE)])


def unreadable(file: str, error: OSError) -> ScenarioError:
    """Give the error that says why a file cannot be read as a capture."""
    reason = closed_folder(Path(file)) or reason_of(error)
    return ScenarioError(file, [Problem("", reason, _CAPTURE)])
