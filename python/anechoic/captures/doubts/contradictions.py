"""Acknowledgments before what they acknowledge: clocks in one file that disagree."""

from collections.abc import Iterator, Mapping
from typing import Any

from anechoic.captures.text.counts import counted
from anechoic.captures.text.durations import duration

_FEWEST = 3
"""Early acknowledgments from which on they are told: what one capture missed may come again
needlessly, once or twice, behind the acknowledgment of the first copy. (Inferred.)"""
_FULL = 1460
"""Bytes of a segment on Ethernet (RFC 894, RFC 9293 §3.7.1), of those that a capture missed."""
_LEAST_NS = 100_000
"""Times up to which several cores of one host may put packets in the wrong order. (Inferred.)"""


def contradictions(document: Mapping[str, Any]) -> Iterator[str]:
    """Say where data come behind their own acknowledgments, which no path does."""
    connections = [each for each in document["connections"] if _sum(each, "acks_early")]
    early = sum(_sum(each, "acks_early") for each in connections)
    if early < max(_FEWEST, _missed(document)):
        return
    mean_ns = sum(_sum(each, "acks_early_ns") for each in connections) / early
    if mean_ns >= _LEAST_NS:
        yield (
            f"In {counted(len(connections), 'connection')} acknowledgments were captured before "
            f"what they acknowledge, by {duration(mean_ns)} in the mean: they seem to be of "
            "several captures, or interfaces, whose clocks disagree by that or more. Round trips, "
            "causes and stalls are not to be trusted there."
        )


def _missed(document: Mapping[str, Any]) -> int:
    """Count acknowledgments of what never was captured, as far as bytes tell their number.

    Where they are more than the early ones, the capture missed packets, and those that came later
    may have come again. Of an end of which not even an acknowledgment was captured nothing was
    missed.
    """
    ends = [each[end] for each in document["connections"] for end in ("client", "server")]
    return sum(
        min(end["acks_of_unseen"], -(-end["bytes_missed"] // _FULL))
        for end in ends
        if end["packets"]
    )


def _sum(connection: Mapping[str, Any], counter: str) -> int:
    total: int = connection["client"][counter] + connection["server"][counter]
    return total
