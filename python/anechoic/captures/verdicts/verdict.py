"""Why a transfer is no faster: what held its sender up, and for which share of the time."""

from collections.abc import Mapping
from math import log
from typing import Any

from anechoic.captures.text.counts import times
from anechoic.captures.text.durations import duration

Direction = Mapping[str, Any]

LIMITS = {
    "application": "its application",
    "window": "the receiver's window",
    "loss": "losses",
    "network": "the network",
    "delayed_ack": "delayed acknowledgments",
    "nagle": "the Nagle algorithm",
}
"""What holds a sender up, as far as it can be told."""
UNTOLD = "unknown"
"""What holds a sender up and cannot be told from the point of capture; a note says why."""
_LEAST = 0.01
"""A limit that held for a smaller share of the time is not told, and of the bytes a smaller share
that the capture missed makes none doubtful."""
_QUEUEING = 0.25
"""From this share of its round trips on, queueing is told. (Inferred.)"""
_LOSSES = ("timeout", "fast", "rack", "tail_probe", "unknown")
"""Causes to send a segment again that was lost, as far as is known."""
_GROWTH = 1.5
"""By so much a window grows in a round trip of slow start at least, where every second segment is
acknowledged (RFC 5681 3.1)."""


def round_trip_ms(sent: Direction) -> float:
    """Give the round trip of the whole path, as far as it is known, on either side of the capture.

    0 if nothing is.
    """
    both: float = (sent["smoothed_rtt_ms"] or 0.0) + (sent["sender_rtt_ms"] or 0.0)
    return both


def whole_path_ms(connection: Mapping[str, Any], sent: Direction) -> float | None:
    """Give the round trip of the whole path, where it is known on both sides of the capture.

    That is by timestamps, or by the handshake, unless a queue has made a part of it longer since.
    """
    is_summed = sent["smoothed_rtt_ms"] and sent["sender_rtt_ms"]
    whole_ms: float | None = round_trip_ms(sent) if is_summed else connection["handshake_ms"]
    part_ms = sent["rtt"]["mean_ms"] if sent["rtt"] else 0.0
    return whole_ms if whole_ms and whole_ms >= part_ms else None


def shares(sent: Direction) -> dict[str, float]:
    """Give the share of the time that each limit held, the largest first, and last what is untold.

    Nothing is said of a transfer of less than a round trip: nothing held it up.
    """
    named = (*LIMITS, UNTOLD)
    held_ns = {name: (sent["limits"] or {}).get(f"{name}_ns") or 0 for name in named}
    whole_ns = sum(held_ns.values())
    if whole_ns <= 1e6 * round_trip_ms(sent):
        return {}
    ranked = sorted(held_ns.items(), key=lambda item: (item[0] == UNTOLD, -item[1]))
    return {name: ns / whole_ns for name, ns in ranked if ns >= _LEAST * whole_ns}


def verdict(sent: Direction, receiver: Direction) -> str:
    """Say in one line what held a sender up, and what is to be known of the largest of that."""
    held = shares(sent)
    if not held:
        return ""
    untold = held.pop(UNTOLD, 0.0)
    parts = [f"{percent(share)} by {named(name, receiver)}" for name, share in held.items()]
    if parts:
        largest = meaning(next(iter(held)), sent, receiver)
        told = f"held up {', '.join([f'{parts[0]} ({largest})', *parts[1:]])}"
        told += f"; {percent(untold)} cannot be told from here" if untold else ""
    else:
        told = "what held it up cannot be told from here"
    return f"{told}; in doubt, as {why}" if (why := doubt(sent)) else told


def doubt(sent: Direction) -> str:
    """Say why nothing that held a sender up is certain, if it is not.

    A gap in which segments were sent that the capture missed is none.
    """
    missed: int = sent["bytes_missed"]
    share = missed / max(sent["bytes_unique"] + missed, 1)
    return f"the capture missed {percent(share)} of its bytes" if share >= _LEAST else ""


def named(limit: str, receiver: Direction) -> str:
    """Name a limit, and beside the network what cannot be told from it."""
    if limit == "network" and receiver["window_max"] is None:
        return "the network or the receiver's window, whose scale was not captured"
    return LIMITS[limit]


def meaning(limit: str, sent: Direction, receiver: Direction) -> str:
    """Say what it means that a limit held."""
    match limit:
        case "application":
            return "it had nothing to send"
        case "window" if _stayed_closed(sent):
            return "its application read too slowly"
        case "window" if is_queueing(sent) and _has_filled(receiver):
            return "its application read too slowly, or a queue on the way was long already"
        case "window" if is_queueing(sent):
            return "a queue on the way was long already, a larger window would make it longer"
        case "window":
            return "a larger buffer there, or one that is read sooner, would let it go faster"
        case "delayed_ack":
            return _delayed(sent)
        case "nagle":
            return "its application writes little at a time, and it sends that one by one"
        case "loss":
            return "it repaired them, or waited for a timer"
        case _:
            return _waiting(sent, receiver)


def _delayed(sent: Direction) -> str:
    waits = sent["stalls"]["delay"]
    mean = duration(waits["total_ns"] / max(waits["count"], 1))
    return f"one segment at a time, whose acknowledgment the receiver held back, {mean} in the mean"


def _waiting(sent: Direction, receiver: Direction) -> str:
    """Say what is known of why a sender waited for acknowledgments."""
    if _kept_pace(sent):
        return (
            "it kept its own pace, or its application one in full segments: nothing was on its way "
            "for most of that"
        )
    queued = queueing(sent)
    if queued >= _QUEUEING:
        return f"it filled the path: {percent(queued)} of its round trips was queueing or retries"
    if 0 < sent["flight_max"] <= sent["mss_max"]:
        return (
            "one segment at a time: each waited for the acknowledgment of the one before, by the "
            "Nagle algorithm or its application"
        )
    if _has_stopped_growing(sent, receiver):
        return (
            f"never more than {sent['flight_max']:,} bytes in flight, with room for more and "
            "nothing lost: its send buffer, its pacing or its congestion window"
        )
    if sent["ecn_echoes"]:
        return (
            "it waited for acknowledgments, in a window that marks of congestion "
            f"({sent['ecn_echoes']:,} echoed) made smaller"
        )
    if _has_lost(sent):
        return "it waited for acknowledgments, in a window that losses may have made smaller"
    if sent["reorderings"]:
        return (
            "it waited for acknowledgments, in a window that reordering "
            f"({times(sent['reorderings'])}) may have made smaller"
        )
    return "it waited for acknowledgments"


def percent(share: float) -> str:
    """Write a share of the time."""
    return f"{100 * share:.0f} %"


def queueing(sent: Direction) -> float:
    """Give the share of its round trips that was queueing, or retries on the way: beyond the least.

    Nearer to the receiver that cannot be seen: the queue lies before the point of capture. Nor can
    it where no more was on its way than may wait for a delayed acknowledgment.
    """
    rtt = sent["rtt"]
    is_known = rtt is not None and rtt["count"] > 1 and rtt["min_ms"] > 0 and not sent["is_far"]
    return 1 - rtt["min_ms"] / rtt["mean_ms"] if is_known and not _may_be_delayed(sent) else 0.0


def _may_be_delayed(sent: Direction) -> bool:
    """Say whether two full segments or less were on their way on average.

    More a receiver does not leave without an acknowledgment (RFC 5681 §4.2). What is on its way on
    average is the rate by how long it stays there (Little's law).
    """
    flown: float = sent["bytes_unique"] * sent["rtt"]["mean_ms"]
    return bool(flown <= 2 * sent["mss_max"] * (sent["transfer_ms"] or 0.0))


def is_queueing(sent: Direction) -> bool:
    """Say whether most of its round trips was queueing."""
    return queueing(sent) > 0.5


def _stayed_closed(sent: Direction) -> bool:
    """Say whether most of the wait for the receiver's window was in pauses longer than round trips.

    A window that is only small opens again with each acknowledgment.
    """
    stalled_ns = sent["stalls"]["window"]["total_ns"] + sent["closed_at_end_ns"]
    return bool(2 * stalled_ns > sent["limits"]["window_ns"])


def _has_filled(receiver: Direction) -> bool:
    """Say whether a receiver's buffer was once a quarter full, so that it was not read at once.

    (Inferred: who reads at once tells nearly the same window always.)
    """
    return bool(4 * (receiver["window_min"] or 0) < 3 * (receiver["window_max"] or 0))


def _kept_pace(sent: Direction) -> bool:
    """Say whether most of the network's time was in pauses that a sender makes by its own pace."""
    return bool(2 * sent["stalls"]["pace"]["total_ns"] > (sent["limits"]["network_ns"] or 0) > 0)


def _has_lost(sent: Direction) -> bool:
    """Say whether anything was retransmitted, for a loss, that the receiver did not have."""
    return any(sent["causes"][cause] for cause in _LOSSES)


def _has_stopped_growing(sent: Direction, receiver: Direction) -> bool:
    """Say whether something kept its data in flight from growing that cannot be seen.

    Nothing was lost, the receiver's window had room for more, and slow start alone would have
    filled it in the round trips that it took.
    """
    window, initial = receiver["window_max"], sent["flight_initial"]
    if sent["packets_retransmitted"] + sent["packets_out_of_order"] or not (window and initial):
        return False
    if sent["flight_max"] + sent["mss_max"] > window:
        return False
    round_trips = sent["transfer_ms"] / max(sent["smoothed_rtt_ms"], 1e-6)
    return bool(round_trips > log(max(window / initial, 1.0), _GROWTH))
