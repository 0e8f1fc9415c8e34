"""Rules on how a station of 802.11b gets the medium, for mechanisms of any study.

They ask for what was heard at the antenna of a station: :func:`anechoic.papers.medium.heard`.
"""

from collections.abc import Iterator, Sequence

from anechoic.papers.comparisons import in_band
from anechoic.papers.medium import (
    CW_MIN,
    DIFS_NS,
    SIFS_NS,
    SLOT_NS,
    TOLERANCE_NS,
    Frame,
    attempts,
    msdus,
)
from anechoic.papers.packet_rules import rule
from anechoic.papers.points import Point
from anechoic.papers.verdict import Verdict, all_of


def difs_is_kept(frames: Sequence[Frame], where: str) -> Verdict:
    """Decide whether no exchange of the station begins in less than DIFS of silence."""
    opened = [each for each in frames if each.is_own and each.opens]
    wrong = [f"{each.idle / 1e3:.1f} µs" for each in opened if each.idle < DIFS_NS - TOLERANCE_NS]
    return rule(f"exchanges begun after DIFS ({where})", len(opened), wrong)


def idle_medium_is_taken_at_once(
    frames: Sequence[Frame], interval_ns: int, until_ns: int, where: str
) -> Verdict:
    """Decide whether packets that come at an interval, alone on the medium, are sent as they come.

    The one at 0 comes with the run, and so before the medium has been silent for DIFS.
    """
    first = [each[0].start for each in msdus(frames) if each[0].start < until_ns]
    waits = [start % interval_ns for start in first]
    wrong = [f"after {wait / 1e3:.1f} µs" for wait in waits[1:] if wait > TOLERANCE_NS]
    wrong += [f"the first after {wait / 1e3:.1f} µs" for wait in waits[:1] if wait != DIFS_NS]
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
    # Of so many draws from 0 to 31, whose standard deviation is 9.23, five standard errors.
    margin = 5 * 9.23 / len(counts) ** 0.5
    return all_of([whole, in_band(mean, CW_MIN / 2 - margin, CW_MIN / 2 + margin)])


def answers_follow_sifs(frames: Sequence[Frame], where: str) -> Verdict:
    """Decide whether the station answers each data frame that it takes by an ACK after SIFS."""
    taken = [
        each
        for each in frames
        if each.kind == "data" and not each.is_own and each.after is not None
    ]
    silent = ["no ACK" for each in taken if not each.is_acknowledged]
    gaps = [_gap(each) for each in taken if each.is_acknowledged]
    wrong = [f"{gap / 1e3:.2f} µs" for gap in gaps if abs(gap - SIFS_NS) > TOLERANCE_NS]
    return rule(f"data frames acknowledged after SIFS ({where})", len(taken), [*silent, *wrong])


def given_up_at(limit: int, frames: Sequence[Frame], where: str) -> Verdict:
    """Decide whether frames of the station that nobody acknowledges are tried so often.

    The last of the capture is left out, because more attempts may follow.
    """
    tried = attempts(frames)[:-1]
    failed = [each for each in tried if not each[-1].is_acknowledged]
    wrong = [f"{len(each)} times" for each in failed if len(each) != limit]
    more = [f"{len(each)} times" for each in tried if len(each) > limit]
    return rule(f"frames given up after {limit} attempts ({where})", len(failed), [*wrong, *more])


def retries_are_marked(limit: int, frames: Sequence[Frame], where: str) -> Verdict:
    """Decide whether all attempts but the first, at most so many with it, have the retry bit."""
    retried = [each for each in attempts(frames) if len(each) > 1]
    wrong = [f"{len(each)} attempts" for each in retried if len(each) > limit]
    for each in retried:
        marks = [attempt.row["is_retry"] for attempt in each]
        if marks != [False] + [True] * (len(each) - 1):
            wrong.append(f"retry bits {marks}")
    return rule(f"frames retried with the retry bit ({where})", len(retried), wrong)


def rates_step_down(frames: Sequence[Frame], fastest_kbps: int, where: str) -> Verdict:
    """Decide whether first attempts have the highest rate, and no retry a higher than before."""
    retried, wrong = 0, []
    for tried in attempts(frames):
        rates = [each.row["rate_kbps"] for each in tried]
        retried += len(rates) > 1
        if rates[0] != fastest_kbps or rates != sorted(rates, reverse=True):
            wrong.append(", ".join(f"{rate / 1e3:g}" for rate in rates) + " Mbit/s")
    return rule(f"frames retried at lower rates ({where})", retried, wrong)


def _gap(frame: Frame) -> int:
    assert frame.after is not None
    after: int = frame.after["time_ns"]
    return after - frame.end


def _countdowns(frames: Sequence[Frame]) -> Iterator[float]:
    """Give the idle slots between a success of the station and its next frame."""
    slots: float | None = None
    for frame in frames:
        if slots is not None:
            slots += max(frame.idle - DIFS_NS, 0) / SLOT_NS
            if frame.is_own and frame.opens:
                yield slots
                slots = None
        if frame.is_own and frame.kind == "data" and frame.is_acknowledged:
            slots = 0.0
