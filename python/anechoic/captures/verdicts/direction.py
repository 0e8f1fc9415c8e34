"""What is told of one direction of a connection, and what is too little to be told."""

from collections.abc import Mapping
from typing import Any

from anechoic.captures.verdicts.causes import STALLS
from anechoic.captures.verdicts.network import REPORTS
from anechoic.captures.verdicts.verdict import UNTOLD, round_trip_ms, shares

_TRIFLE = 0.01
"""Pauses that take a smaller share of the time are not told."""
_INITIAL_WINDOW = 14_600
"""Bytes that may be sent without waiting for the network, at an MSS of 1,460 (RFC 6928)."""


def rate_mbps(sent: Mapping[str, Any]) -> float | None:
    """Give the throughput of what one end sent, of which a single segment has none.

    Its time is that to its acknowledgment: a round trip, whatever the rate of the path.
    """
    rate: float | None = sent["throughput_mbps"]
    return rate if sent["packets_data"] > 1 else None


def told_pauses(sent: Mapping[str, Any]) -> dict[str, Mapping[str, int]]:
    """Give the pauses of one end by reason, but for those that are too short in all to matter.

    What takes less than a hundredth of the time, or than a round trip, held nothing up.
    """
    least_ns = 1e6 * max(_TRIFLE * (sent["transfer_ms"] or 0.0), round_trip_ms(sent))
    pauses: dict[str, Mapping[str, int]] = {name: sent["stalls"][name] for name in STALLS}
    if lasting_ns := sent["closed_at_end_ns"]:
        ended = pauses["window"]
        total_ns = ended["total_ns"] + lasting_ns
        pauses["window"] = {"count": ended["count"] + 1, "total_ns": total_ns}
    return {
        name: each
        for name, each in pauses.items()
        if each["count"] and each["total_ns"] >= least_ns
    }


def is_small(sent: Mapping[str, Any]) -> bool:
    """Say whether all was captured of what an end sent, and only its application slowed it down."""
    troubles = ("packets_retransmitted", "packets_out_of_order", "bytes_missed", "keep_alives")
    has_trouble = any(sent[name] for name in (*troubles, "ecn_marked", *REPORTS))
    is_quick = told_pauses(sent).keys() <= {"application"}
    is_unhindered = shares(sent).keys() <= {"application", UNTOLD}
    is_short = sent["bytes_unique"] <= _INITIAL_WINDOW
    return bool(is_short and not has_trouble and is_quick and is_unhindered)
