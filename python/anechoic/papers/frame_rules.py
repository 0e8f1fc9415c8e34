"""Rules on 802.11 frames, for mechanisms of any study: exchanges and the NAV.

They ask for a capture at the antenna of a station (``sta.NAME``): what it hears has a signal, what
it sends has none.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

from anechoic.papers.packet_rules import Row, rows_of, rule
from anechoic.papers.verdict import Verdict

if TYPE_CHECKING:
    import pyarrow

_COLUMNS = (
    *("kind", "transmitter", "receiver", "signal_dbm"),
    *("start_ns", "end_ns", "duration_us"),
)

_NO_NAV_US = 1 << 15
"""Duration fields from here on are no times (IEEE 802.11-2020 §9.2.4.2)."""

_ROUNDING_NS = 1_000
"""A sniffer's timer counts whole microseconds."""

_ANSWER_NS = 2 * 10_000 + 304_000 + 2 * 20_000
"""Two SIFS, a CTS of 14 bytes at 1 Mbit/s with the long preamble, two slots, of 802.11b."""


@dataclass(frozen=True)
class Exchange:
    """RTS, CTS, data and ACK that followed each other."""

    frames: tuple[Row, Row, Row, Row]

    @property
    def gaps_us(self) -> list[float]:
        """The silences between them."""
        pairs = zip(self.frames, self.frames[1:], strict=False)
        return [(after["start_ns"] - before["end_ns"]) / 1e3 for before, after in pairs]

    @property
    def nav_ends_us(self) -> list[float]:
        """When the NAV of RTS, CTS and data ends, after the end of the ACK."""
        end = self.frames[3]["end_ns"]
        return [(_nav_end(frame) - end) / 1e3 for frame in self.frames[:3]]


def exchanges(frames: "pyarrow.Table") -> Iterator[Exchange]:
    """Give the exchanges of other stations that a station heard whole, from a capture at it."""
    rows = rows_of(frames, *_COLUMNS)
    for four in zip(rows, rows[1:], rows[2:], rows[3:], strict=False):
        rts, cts, data, ack = four
        if [each["kind"] for each in four] != ["rts", "cts", "data", "ack"]:
            continue
        if any(each["signal_dbm"] is None for each in four):
            continue
        who = rts["transmitter"]
        if cts["receiver"] == data["transmitter"] == ack["receiver"] == who:
            yield Exchange(four)


def nav_is_kept(frames: "pyarrow.Table", who: str) -> Verdict:
    """Decide whether a station begins no exchange while its NAV runs, from a capture at it.

    The NAV of an RTS counts as soon as something answers it: otherwise a station may drop it after
    two SIFS, a CTS and two slots (IEEE 802.11-2007 §9.2.5.4).
    """
    rows = rows_of(frames, *_COLUMNS)
    own = [row["start_ns"] for row in rows if row["signal_dbm"] is None and _opens(row)]
    me = next(
        (row["transmitter"] for row in rows if row["signal_dbm"] is None and _opens(row)), None
    )
    starts = [row["start_ns"] for row in rows]
    navs, wrong, closest = 0, [], inf
    for row in rows:
        if row["signal_dbm"] is None or row["receiver"] == me or not _has_nav(row):
            continue
        begin, end = row["end_ns"], _nav_end(row)
        if row["kind"] == "rts" and not _is_answered(starts, begin):
            continue
        navs += 1
        place = bisect_right(own, begin)
        if place == len(own):
            continue
        if own[place] < end - _ROUNDING_NS:
            wrong.append(f"{(own[place] - begin) / 1e3:.0f} of {(end - begin) / 1e3:.0f} µs")
        closest = min(closest, own[place] - end)
    found = rule(f"NAVs that {who} kept", navs, wrong)
    return found.noting(f"{who} begins {closest / 1e3:.0f} µs behind a NAV at the earliest")


def _is_answered(starts: Sequence[int], end: int) -> bool:
    place = bisect_right(starts, end)
    return place < len(starts) and starts[place] <= end + _ANSWER_NS


def _opens(row: Row) -> bool:
    return row["kind"] in ("rts", "data")


def _has_nav(row: Row) -> bool:
    return row["kind"] in ("rts", "cts", "data") and 0 < (row["duration_us"] or 0) < _NO_NAV_US


def _nav_end(row: Row) -> int:
    end: int = row["end_ns"] + 1_000 * row["duration_us"]
    return end
