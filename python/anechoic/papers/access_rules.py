"""Rules on how a station of 802.11b gets the medium, for mechanisms of any study.

They ask for a capture at the antenna of a station (``sta.NAME``, ``ap.NAME``): what it hears has a
signal, what it sends has none. The capture's own clock counts nanoseconds.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from anechoic.papers.comparisons import in_band
from anechoic.papers.packet_rules import Row, rows_of, rule
from anechoic.papers.points import Point
from anechoic.papers.verdict import Verdict, all_of

if TYPE_CHECKING:
    import pyarrow

# DSSS and HR/DSSS with slots of 20 µs (IEEE 802.11-2007 §15.3.3, §18.3.3).
SLOT_NS, SIFS_NS, DIFS_NS, CW_MIN = 20_000, 10_000, 50_000, 31

_TOLERANCE_NS = 100
"""0.1 µs, more than light takes across a room."""

_COLUMNS = (
    *("kind", "transmitter", "receiver", "signal_dbm", "time_ns", "start_ns", "end_ns"),
    *("rate_kbps", "is_retry", "sequence", "fragment", "has_more_fragments"),
)


@dataclass(frozen=True)
class Frame:
    """A frame on the air."""

    row: Row
    start: int
    end: int
    idle: int
    """For how long the medium had been silent before it, as far as this station hears."""

    @property
    def is_own(self) -> bool:
        """Whether the station itself sent it."""
        return self.row["signal_dbm"] is None

    @property
    def kind(self) -> str:
        """What kind of frame it is."""
        kind: str = self.row["kind"]
        return kind


def heard(frames: "pyarrow.Table") -> list[Frame]:
    """Give the frames of a capture with the silence before each."""
    found, quiet = [], 0
    for row in sorted(rows_of(frames, *_COLUMNS), key=lambda row: row["time_ns"]):
        start = row["time_ns"]
        end = start + row["end_ns"] - row["start_ns"]
        found.append(Frame(row, start, end, start - quiet))
        quiet = max(quiet, end)
    return found


def msdus(frames: Sequence[Frame]) -> list[list[Frame]]:
    """Give the station's own data frames, all of one MSDU together."""
    own = (each for each in frames if each.is_own and each.kind == "data")
    return [list(each) for _, each in groupby(own, key=lambda each: each.row["sequence"])]


def difs_is_kept(frames: Sequence[Frame], where: str) -> Verdict:
    """Decide whether no exchange of the station begins in less than DIFS of silence."""
    opened = [each for each in frames if each.is_own and _opens(each)]
    wrong = [f"{each.idle / 1e3:.1f} µs" for each in opened if each.idle < DIFS_NS - _TOLERANCE_NS]
    return rule(f"exchanges begun after DIFS ({where})", len(opened), wrong)


def idle_medium_is_taken_at_once(
    frames: Sequence[Frame], interval_ns: int, until_ns: int, where: str
) -> Verdict:
    """Decide whether packets that come at an interval, alone on the medium, are sent as they come.

    The one at 0 comes with the run, and so before the medium has been silent for DIFS.
    """
    first = [each[0].start for each in msdus(frames) if each[0].start < until_ns]
    waits = [start % interval_ns for start in first]
    wrong = [f"after {wait / 1e3:.1f} µs" for wait in waits[1:] if wait > _TOLERANCE_NS]
    if waits[:1] != [DIFS_NS]:
        wrong.append(f"the first after {waits[0] / 1e3:.1f} µs")
    return rule(f"packets sent as they come, the first after DIFS ({where})", len(waits), wrong)


def backoffs_are_counted_down(frames: Sequence[Frame], since_ns: int, where: str) -> Verdict:
    """Decide whether a saturated station's backoff counts idle slots, and pauses in between.

    From one exchange that succeeded to the next frame, the idle slots add up to the one number that
    was drawn, whatever was sent in between: whole, from 0 to CWmin, each as likely. A counter that
    ran on while the medium is busy would leave fewer, one drawn anew more.
    """
    counts = list(_countdowns([each for each in frames if each.start >= since_ns]))
    odd = [f"{each:.2f}" for each in counts if abs(each - round(each)) > 0.1 or each > CW_MIN + 0.1]
    whole = rule(f"backoffs of 0 to {CW_MIN} whole slots ({where})", len(counts), odd)
    mean = Point.exactly(f"mean of the backoffs ({where})", sum(counts) / len(counts))
    # Of so many draws from 0 to 31, five standard errors.
    margin = 5 * 9.23 / len(counts) ** 0.5
    return all_of([whole, in_band(mean, CW_MIN / 2 - margin, CW_MIN / 2 + margin)])


def acknowledged_after_sifs(frames: Sequence[Frame], where: str) -> Verdict:
    """Decide whether each data frame to one receiver has its ACK after SIFS, or none at all."""
    gaps = [
        after.start - frame.end
        for frame, after in zip(frames, frames[1:], strict=False)
        if frame.kind == "data" and after.kind == "ack"
    ]
    wrong = [f"{gap / 1e3:.2f} µs" for gap in gaps if abs(gap - SIFS_NS) > _TOLERANCE_NS]
    return rule(f"data frames acknowledged after SIFS ({where})", len(gaps), wrong)


def given_up_at(limit: int, frames: Sequence[Frame], where: str) -> Verdict:
    """Decide whether frames of the station that nobody acknowledges are tried so often.

    The last of the capture is left out, because more attempts may follow.
    """
    tried = msdus(frames)[:-1]
    failed = [each for each in tried if not _is_acknowledged(each[-1], frames)]
    wrong = [f"{len(each)} times" for each in failed if len(each) != limit]
    more = [f"{len(each)} times" for each in tried if len(each) > limit]
    return rule(f"frames given up after {limit} attempts ({where})", len(failed), [*wrong, *more])


def rates_step_down(frames: Sequence[Frame], fastest_kbps: int, where: str) -> Verdict:
    """Decide whether first attempts have the highest rate, and no retry a higher than before."""
    retried, wrong = 0, []
    for attempts in msdus(frames):
        rates = [each.row["rate_kbps"] for each in attempts]
        retried += len(rates) > 1
        if rates[0] != fastest_kbps or rates != sorted(rates, reverse=True):
            wrong.append(", ".join(f"{rate / 1e3:g}" for rate in rates) + " Mbit/s")
    return rule(f"frames retried at lower rates ({where})", retried, wrong)


def _opens(frame: Frame) -> bool:
    return frame.kind in ("rts", "data") and frame.idle > SIFS_NS + _TOLERANCE_NS


def _is_acknowledged(frame: Frame, frames: Sequence[Frame]) -> bool:
    place = frames.index(frame) + 1
    return place < len(frames) and frames[place].kind == "ack"


def _countdowns(frames: Sequence[Frame]) -> Iterator[float]:
    """Give the idle slots between a success of the station and its next frame."""
    slots: float | None = None
    for before, frame in zip(frames, frames[1:], strict=False):
        if frame.kind == "ack" and before.is_own and before.kind == "data":
            slots = 0.0
        elif slots is not None:
            slots += max(frame.idle - DIFS_NS, 0) / SLOT_NS
            if frame.is_own and _opens(frame):
                yield slots
                slots = None
