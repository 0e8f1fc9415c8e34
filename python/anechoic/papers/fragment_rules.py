"""Rules on bursts of fragments, for mechanisms of any study.

They ask for what was heard at the antenna of a station: :func:`anechoic.papers.medium.heard`.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import isnan

from anechoic.papers.medium import DIFS_NS, SIFS_NS, SLOT_NS, TOLERANCE_NS, Frame, msdus, own_data
from anechoic.papers.packet_rules import rule
from anechoic.papers.verdict import Verdict, all_of


def bursts_keep_sifs(frames: Sequence[Frame], where: str) -> Verdict:
    """Decide whether in the station's bursts fragments and ACKs follow each other after SIFS."""
    inside = [each for each in frames if _answers_own(each) or _continues(each)]
    wrong = [
        f"{each.kind} after {each.idle / 1e3:.2f} µs"
        for each in inside
        if abs(each.idle - SIFS_NS) > TOLERANCE_NS
    ]
    apart = [
        f"{_named(each)} behind something else"
        for each in own_data(frames)
        if each.opens and each.fragment > 0 and not each.row["is_retry"]
    ]
    return rule(f"silences of SIFS in bursts ({where})", len(inside), [*wrong, *apart])


def fragments_are_numbered(frames: Sequence[Frame], where: str) -> Verdict:
    """Decide whether those of one MSDU have its sequence number, and are counted from 0 on.

    Where one ends the more-fragments bit says, so this is no rule on MSDUs that are given up.
    """
    first = [each for each in own_data(frames) if not each.row["is_retry"]]
    wrong = []
    for before, each in pairwise(first):
        is_next = each.fragment == before.fragment + 1
        is_of_it = each.row["sequence"] == before.row["sequence"]
        begins = each.fragment == 0 and not is_of_it
        if not (is_next and is_of_it if before.row["has_more_fragments"] else begins):
            wrong.append(f"{_named(each)} behind {_named(before)}")
    return rule(f"fragments with the numbers of their MSDU ({where})", len(first), wrong)


def delivered_when_whole(
    frames: Sequence[Frame], received_s: Sequence[float], where: str
) -> Verdict:
    """Decide whether packets are received as their last missing fragment arrives, or else never.

    ``frames`` are those heard by the receiver, which takes ``received_s`` (NaN for never) as many
    packets as it heard MSDUs of, in their order.
    """
    arrivals = _arrivals(frames)
    wrong = [
        f"received at {took_s:.6f} s, whole at {whole_s:.6f} s"
        for whole_s, took_s in zip(arrivals, received_s, strict=True)
        if isnan(whole_s) != isnan(took_s) or abs(whole_s - took_s) * 1e9 > TOLERANCE_NS
    ]
    return rule(f"packets received when whole ({where})", len(arrivals), wrong)


def pending_fragments_contend_again(frames: Sequence[Frame], where: str) -> Verdict:
    """Decide whether behind a missing ACK the station waits, and sends that fragment again alone.

    DIFS at the least and a random number of slots, behind the time in which an ACK could come.
    """
    again, wrong = [], []
    for attempts in msdus(frames):
        for before, each in pairwise(attempts):
            if before.is_acknowledged:
                if each.fragment <= before.fragment:
                    wrong.append(f"{_named(each)} although it was acknowledged")
                continue
            again.append(each)
            if each.fragment != before.fragment:
                wrong.append(f"{_named(each)} behind {_named(before)} without ACK")
            if each.idle < DIFS_NS - TOLERANCE_NS:
                wrong.append(f"after {each.idle / 1e3:.1f} µs")
    for each in again[1:]:
        slots = (each.idle - again[0].idle) / SLOT_NS
        if abs(slots - round(slots)) * SLOT_NS > TOLERANCE_NS:
            wrong.append(f"{slots:.2f} slots later than another")
    return rule(f"fragments retransmitted after DIFS and a backoff ({where})", len(again), wrong)


def the_rest_is_discarded(limit: int, frames: Sequence[Frame], where: str) -> Verdict:
    """Decide whether a fragment is given up after so many attempts, and with it what follows."""
    failed = [each for each in msdus(frames) if not each[-1].is_acknowledged]
    wrong = []
    for attempts in failed:
        last = attempts[-1].fragment
        tried = sum(each.fragment == last for each in attempts)
        if tried != limit:
            wrong.append(f"{_named(attempts[-1])} {tried} times")
    skipped = [
        _named(each)
        for attempts in msdus(frames)
        for before, each in pairwise(attempts)
        if not before.is_acknowledged and each.fragment > before.fragment
    ]
    found = rule(
        f"MSDUs given up after {limit} attempts at a fragment ({where})", len(failed), wrong
    )
    following = rule(f"MSDUs given up with all that follows ({where})", len(failed), skipped)
    return all_of([found, following])


def _answers_own(frame: Frame) -> bool:
    before = frame.before
    return (
        frame.kind == "ack"
        and before is not None
        and before["kind"] == "data"
        and before["signal_dbm"] is None
        and before["transmitter"] == frame.row["receiver"]
    )


def _continues(frame: Frame) -> bool:
    return frame.is_own and frame.kind == "data" and frame.fragment > 0 and not frame.opens


def _arrivals(frames: Sequence[Frame]) -> list[float]:
    """Give when each MSDU that the station heard was whole, NaN for never."""
    ends: dict[int, dict[int, int]] = {}
    last: dict[int, int] = {}
    for each in frames:
        if each.kind != "data" or each.is_own:
            continue
        sequence = each.row["sequence"]
        ends.setdefault(sequence, {}).setdefault(each.fragment, each.end)
        if not each.row["has_more_fragments"]:
            last[sequence] = each.fragment
    return [
        max(arrived.values()) / 1e9
        if sequence in last and arrived.keys() == set(range(last[sequence] + 1))
        else float("nan")
        for sequence, arrived in ends.items()
    ]


def _named(frame: Frame) -> str:
    return f"fragment {frame.fragment} of MSDU {frame.row['sequence']}"
