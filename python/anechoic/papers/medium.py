"""What a station of 802.11b hears of the medium: frames, and the silence before each.

From a capture at its antenna (``sta.NAME``, ``ap.NAME``): what it hears has a signal, what it
sends has none. The capture's own clock counts nanoseconds.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from anechoic.papers.packet_rules import Row, rows_of

if TYPE_CHECKING:
    import pyarrow

# DSSS and HR/DSSS with slots of 20 µs (IEEE 802.11-2007 §15.3.3, §18.3.3).
SLOT_NS, SIFS_NS, DIFS_NS, CW_MIN = 20_000, 10_000, 50_000, 31

TOLERANCE_NS = 100
"""0.1 µs, more than light takes across a room."""

_COLUMNS = (
    *("kind", "transmitter", "receiver", "signal_dbm", "time_ns", "start_ns", "end_ns"),
    *("rate_kbps", "is_retry", "sequence", "fragment", "has_more_fragments"),
)


@dataclass(frozen=True, eq=False)
class Frame:
    """A frame on the air."""

    row: Row
    start: int
    end: int
    idle: int
    """For how long the medium had been silent before it, as far as this station hears."""
    before: Row | None
    """What it heard or sent last."""
    after: Row | None
    """What comes next."""

    @property
    def is_own(self) -> bool:
        """Whether the station itself sent it."""
        return self.row["signal_dbm"] is None

    @property
    def kind(self) -> str:
        """What kind of frame it is."""
        kind: str = self.row["kind"]
        return kind

    @property
    def fragment(self) -> int:
        """Its fragment number."""
        fragment: int = self.row["fragment"]
        return fragment

    @property
    def is_acknowledged(self) -> bool:
        """Whether an ACK for its sender comes next."""
        return _is_for(self.after, "ack", self.row["transmitter"])

    @property
    def opens(self) -> bool:
        """Whether it begins an exchange, and answers no CTS and no ACK of the fragment before.

        The silence before it is not asked, so that one which comes too soon is told.
        """
        if self.kind not in ("rts", "data"):
            return False
        who = self.row["transmitter"]
        goes_on = self.kind == "data" and self.fragment > 0 and _is_for(self.before, "ack", who)
        return not (goes_on or _is_for(self.before, "cts", who))


def heard(frames: "pyarrow.Table") -> list[Frame]:
    """Give the frames of a capture with the silence before each."""
    rows = sorted(rows_of(frames, *_COLUMNS), key=lambda row: row["time_ns"])
    found, quiet = [], 0
    for row, before, after in zip(rows, [None, *rows], [*rows[1:], None], strict=False):
        start = row["time_ns"]
        end = start + row["end_ns"] - row["start_ns"]
        found.append(Frame(row, start, end, start - quiet, before, after))
        quiet = max(quiet, end)
    return found


def own_data(frames: Sequence[Frame]) -> Iterator[Frame]:
    """Give the station's own data frames."""
    return (each for each in frames if each.is_own and each.kind == "data")


def msdus(frames: Sequence[Frame]) -> list[list[Frame]]:
    """Give the station's own data frames, all of one MSDU together."""
    groups = groupby(own_data(frames), key=lambda each: each.row["sequence"])
    return [list(each) for _, each in groups]


def attempts(frames: Sequence[Frame]) -> list[list[Frame]]:
    """Give the station's own data frames, the attempts at an MSDU or a fragment together."""
    groups = groupby(own_data(frames), key=lambda each: (each.row["sequence"], each.fragment))
    return [list(each) for _, each in groups]


def _is_for(row: Row | None, kind: str, receiver: str) -> bool:
    return row is not None and row["kind"] == kind and row["receiver"] == receiver
