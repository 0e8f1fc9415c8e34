"""Two captures in one file: what to suspect where about every packet came twice."""

from collections.abc import Iterator, Mapping
from typing import Any

from anechoic.captures.screen import counted

_MANY = 1 / 3
"""The share of second copies of all from which on it is suspected: of two captures of one path it
is a half, less what was lost between them. (Inferred.)"""
_FEWEST = 4
"""Second copies from which on chance makes no such share. (Inferred.)"""
_APART = (
    "Analyse both captures as a pair, anechoic analyse FIRST SECOND; out of a pcapng file that "
    "kept their interfaces, tshark -r FILE -Y frame.interface_id==0 -w FIRST takes the first"
)


def merged(document: Mapping[str, Any]) -> Iterator[str]:
    """Say where a file seems to hold two captures, and what is then wrong with what is told."""
    found = sum(_is_there_twice(each) for each in document["connections"])
    if found:
        yield (
            f"In {counted(found, 'connection')} about every packet is there twice, and no receiver "
            "reported it: this seems to be two captures that were merged, or a mirror port with "
            "both directions. What is told of them (sent again, round trips, in flight) is wrong "
            f"then. {_APART}."
        )
    taken_once, tcp = document["tally"]["doubled"], document["tally"]["tcp"]
    if taken_once >= max(_FEWEST, _MANY * (tcp + taken_once)):
        yield (
            "About every packet was captured twice, and the first of both is taken. If two "
            "captures were merged, these are of either direction beside its sender, and round "
            f"trips seem shorter than they are. {_APART}."
        )


def _is_there_twice(connection: Mapping[str, Any]) -> bool:
    """Say whether most segments came again, and most of those unasked, but not to receivers."""
    ends = (connection["client"], connection["server"])
    again = sum(end["packets_retransmitted"] for end in ends)
    unasked = sum(end["causes"]["network_duplicate"] for end in ends)
    reported = sum(end["duplicates_reported"] for end in ends)
    data = sum(end["packets_data"] for end in ends)
    is_often = again >= max(_FEWEST, _MANY * data)
    return bool(is_often and 2 * unasked > again and 2 * reported < unasked)
