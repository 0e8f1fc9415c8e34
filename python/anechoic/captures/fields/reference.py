"""The reference page of what an analysis writes, made of the descriptions of its columns."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from anechoic.captures.fields.alike import ALIKE
from anechoic.captures.fields.described import Field, described

INTRODUCTION = """\
# Tables of captures

Every column and key that `anechoic analyse` writes. This page is written by `make docs` from the
descriptions of which the tables are made; [Captures](../captures.md) says what they are for.

Each table is there as `.csv` and `.parquet`, but `segments` as `.parquet` only. What has no value
is empty in CSV, and null in Parquet and JSON; the column "empty" says when, and where nothing
stands there, there always is a value. Times have their unit at the end of the name (`_ns`, `_ms`,
`_s`), and so have rates and powers. A "source" is whose notion it is; without one it is our own.

Three words are used everywhere alike. **Needless** is what was sent again although the receiver had
it. **Lost before** a point is what only its repair tells of there. A **packet** is one of the file;
a **segment** is one of TCP, which a capture on a host may have before its card cuts it.
"""

CONNECTIONS_NOTE = """\
A row for each connection. What is sent again or late has one cause, so that the columns `causes_…`
add up to `packets_retransmitted`, `packets_out_of_order` and the window probes that repeat nothing
that was captured before. In JSON these are under `connections`, with a level for each end and,
there, for `causes`, `stalls` and `rtt`, which is null without a round trip.
"""
END_NOTE = "Each twice: with `client_`, the end that opened it, and with `server_` before its name."
LOSSES_NOTE = """\
A row for each copy of data that was lost. What was sent again needlessly has none, nor what the
receiver had no room for."""
TRANSFERS_NOTE = "A row for each [transfer](../captures.md#transfers-and-stations)."
SIGNAL_NOTE = "With `--signal`: the columns of `transfers`, and these."
STATIONS_NOTE = "A row for each station and direction in which it had a transfer."
SEGMENTS_NOTE = """\
A row for each segment of connection N, in the order of the capture. The analysis decides each of
these once: summing a column gives the connection's counter, exactly.
"""
TSTAT_NOTE = """\
Tstat's log of the connections with a whole handshake, in its order and under its names, numbered in
the first line; times in milliseconds. Here beside the columns of `connections` that they are.
"""
TSTAT_ENDS_NOTE = "Each twice: with `c_` for the client and `s_` for the server before its name."
DOCUMENT_NOTE = """\
`--json` and `analysis.json`, which also tell of Wi-Fi what the tables are made of. A key is named
by its path, with `[]` for each entry of a list; a part that is null has no keys. Keys that are
columns of a table are explained there:
{alike}.
"""
PAIR_NOTE = "A row for each packet, or part of a large one. `losses` are those of fate `lost`."
OVER_TIME_NOTE = "A row for each way and step of time in which any packet set off."
PAIR_CONNECTIONS_NOTE = """\
A row for each connection that both captures have. What an end sends is counted at either point of
capture, the first and the second. At one of them, much the same as `packets_retransmitted` of one
capture are `again` and `again_needless` together, and as `packets_out_of_order` `fills`. Needless
in one capture (`causes_needless_…`) is what the receiver had by all that is known of it, DSACKs
included; in two (`again_needless`, `is_needless`), what had been acknowledged at that point, or had
come through before.
"""
PAIR_DOCUMENT_NOTE = """\
`--json` and `analysis.json` of two captures. Lists of two have what is of the first capture first,
and of ways that from the first to the second.
"""

FRAMES_NOTE = """\
A row for each 802.11 frame, in the order of the capture. It is there in Python only: of a long
capture it is as large as that, and no folder has it.
"""

HEAD = ("column", "unit", "meaning", "empty", "source")


@dataclass(frozen=True)
class Section:
    """A part of the page."""

    heading: str
    note: str
    table: str
    """As `described` takes it."""

    @property
    def fields(self) -> Sequence[Field]:
        """The descriptions of its fields."""
        return described(self.table)


def sections() -> list[Section]:
    """Give the parts in their order."""
    alike = ", ".join(f"`{path}`" for path in ALIKE)
    return [
        Section("One capture: `connections`", CONNECTIONS_NOTE, "connection"),
        Section("Each end of a connection", END_NOTE, "end"),
        Section("`losses`", LOSSES_NOTE, "losses"),
        Section("`transfers`", TRANSFERS_NOTE, "transfers"),
        Section("`signal`", SIGNAL_NOTE, "of_the_signal"),
        Section("`stations`", STATIONS_NOTE, "stations"),
        Section("`segments/N`", SEGMENTS_NOTE, "segments"),
        Section("`wifi/stations`", "A row for each station.", "wifi/stations"),
        Section("`wifi/rates`", "A row for each rate at which a station sent data.", "wifi/rates"),
        Section("`wifi/cells`", "A row for each cell (BSS).", "wifi/cells"),
        Section("`wifi/events`", "A row for each step of joining, leaving, moving.", "wifi/events"),
        Section("`wifi/bursts`", "A row for each segment tried four times or more.", "wifi/bursts"),
        Section("`wifi/ledger`", "A row for each interface and use of the air.", "wifi/ledger"),
        Section("`wifi/series`", "A row for each station and interval.", "wifi/series"),
        Section("`Analysis.frames()`", FRAMES_NOTE, "frames"),
        Section("`log_tcp_complete`", TSTAT_NOTE, "tstat/once"),
        Section("Each end in `log_tcp_complete`", TSTAT_ENDS_NOTE, "tstat/twice"),
        Section("`analysis.json`", DOCUMENT_NOTE.format(alike=alike), "document/document"),
        Section("Two captures: `packets` and `losses`", PAIR_NOTE, "pair/packets"),
        Section("`over_time`", OVER_TIME_NOTE, "pair/over_time"),
        Section("`connections` of two captures", PAIR_CONNECTIONS_NOTE, "pair/connection"),
        Section("Each end of a connection in two captures", END_NOTE, "pair/end"),
        Section("`analysis.json` of two captures", PAIR_DOCUMENT_NOTE, "pair/document/document"),
    ]


def page() -> str:
    """Give the page as Markdown."""
    return "\n".join([INTRODUCTION, *(_told(section) for section in sections())])


def _told(section: Section) -> str:
    rows = [HEAD, ["---"] * len(HEAD), *(_row(field) for field in section.fields)]
    return "\n".join([f"## {section.heading}\n", f"{section.note.rstrip()}\n", *_lines(rows), ""])


def _row(field: Field) -> Sequence[str]:
    return f"`{field.name}`", field.unit, field.meaning, field.empty, field.source


def _lines(rows: Iterable[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(row)} |" for row in rows]
