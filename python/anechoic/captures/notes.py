"""What to know of a capture before trusting what it tells."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from anechoic.captures.table import counted

if TYPE_CHECKING:
    from anechoic.captures.analysis import Analysis

_TALLY = {
    "cut": "ended, or were cut, within a header",
    "malformed": "have headers that contradict themselves",
    "unknown_link": "have a link layer that is not known here",
    "encrypted": "are encrypted 802.11 frames",
    "bad_fcs": "were received with a wrong checksum",
    "fragments": "are IP fragments",
}
"""Packets that were not taken as they stood."""


def notes(analysis: "Analysis") -> list[str]:
    """Give the notes on a capture, one sentence each."""
    document = analysis.document
    return [
        *_warnings(document["warnings"]),
        *_tally(document["tally"]),
        *_ends(document["connections"]),
        *_bounds(document),
        *_unlisted(analysis),
    ]


def warning_text(warning: Mapping[str, Any]) -> str:
    """Give what the reader could not take as it stood."""
    facts = ", ".join(f"{key} {value}" for key, value in warning.items() if key != "kind")
    return f"{warning['kind']} ({facts})"


def _warnings(warnings: list[dict[str, Any]]) -> Iterator[str]:
    for warning in warnings:
        yield f"The file could not be read as it stood: {warning_text(warning)}."


def _tally(tally: Mapping[str, int]) -> Iterator[str]:
    for name, what in _TALLY.items():
        if tally[name]:
            yield f"{counted(tally[name], 'packet')} {what}."


def _ends(connections: list[dict[str, Any]]) -> Iterator[str]:
    directions = [each[end] for each in connections for end in ("client", "server")]
    missed = [each["bytes_missed"] for each in directions if each["bytes_missed"]]
    if missed:
        where = counted(len(missed), "direction")
        yield f"The capture missed {sum(missed):,} bytes that were acknowledged, in {where}."
    offloaded = sum(each["is_offloaded"] for each in directions)
    if offloaded:
        yield (
            f"In {counted(offloaded, 'direction')} segments are larger than the MSS: the capture "
            "was taken on a host whose network card cuts or joins them, so segments there are "
            "not packets on the wire."
        )
    midway = sum(each["starts_midway"] for each in connections)
    if midway:
        yield (
            f"{counted(midway, 'connection')} began before the capture: their window scale is not "
            "known, so their windows may be many times larger than shown."
        )
    late = sum(each["packets_out_of_order"] for each in directions)
    again = sum(each["packets_retransmitted"] for each in directions)
    if late > again:
        yield (
            "More data came late than were seen twice: most losses happened before the point of "
            "capture. What is sent again then fills a gap."
        )


def _bounds(document: Mapping[str, Any]) -> Iterator[str]:
    if document["unlisted"]:
        yield f"{counted(document['unlisted'], 'unanswered attempt')} more are not listed."
    if document["evicted"]:
        what = counted(document["evicted"], "connection")
        yield f"{what} had to make room for others and are told as they stood."


def _unlisted(analysis: "Analysis") -> Iterator[str]:
    kinds = ("segment", "loss", "transfer")
    for count, kind in zip(analysis.unlisted(), kinds, strict=True):
        if count:
            yield f"{count:,} times there was no room to list another {kind}."
