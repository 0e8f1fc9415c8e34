"""Two captures in one file: what to suspect where about every packet came twice."""

from collections.abc import Iterator, Mapping
from typing import Any

from anechoic.captures.text.counts import counted

_MANY = 1 / 3
"""The share of second copies of all from which on it is suspected: of two captures of one path it
is a half, less what was lost between them. (Inferred.)"""
_FEWEST = 4
"""Second copies from which on chance makes no such share. (Inferred.)"""
_OLD = 1 / 20
"""The share of pure acknowledgments behind a later one from which on they are suspected to be
second copies, late by the way between the captures: losses alone make none. (Inferred.)"""
_APART = (
    "Analyse both as a pair, anechoic analyse FIRST SECOND; tshark -r FILE -Y "
    "frame.interface_id==0 -w FIRST takes the first out of a pcapng file"
)


def merged(document: Mapping[str, Any]) -> Iterator[str]:
    """Say where a file seems to hold two captures, and what is then wrong with what is told."""
    connections = document["connections"]
    certain = [_is_there_twice(each) for each in connections]
    if any(certain):
        # Where one is so, those that are too short to be certain of are most likely, too.
        likely = [_came_twice(each) for each in connections]
        found = sum(map(max, certain, likely))
        yield (
            f"In {counted(found, 'connection')} about every packet is there twice, and no receiver "
            "reported it: two captures were merged, it seems, or a port was mirrored both ways. "
            f"What was retransmitted, round trips and flights are wrong then. {_APART}."
        )
    taken_once, tcp = document["tally"]["doubled"], document["tally"]["tcp"]
    if taken_once >= max(_FEWEST, _MANY * (tcp + taken_once)):
        yield (
            "About every packet was captured twice, and the first of both is taken. If two "
            f"captures were merged, round trips seem shorter than they are. {_APART}."
        )


def _is_there_twice(connection: Mapping[str, Any]) -> bool:
    """Say whether many segments came again, but not to receivers, nor as losses alone make them."""
    again = _sum(connection, "packets_retransmitted")
    reported = _sum(connection, "duplicates_reported")
    if again < max(_FEWEST, _MANY * _sum(connection, "packets_data")):
        return False
    unasked = sum(end["causes"]["network_duplicate"] for end in _ends(connection))
    is_unasked = 2 * unasked > again and 2 * reported < unasked
    return is_unasked or (_are_acks_old(connection) and 2 * reported < again)


def _are_acks_old(connection: Mapping[str, Any]) -> bool:
    """Say whether the handshake and acknowledgments came again: in IPv6 nothing else tells it."""
    old, pure = _sum(connection, "acks_old"), _sum(connection, "acks_pure")
    is_opened_once = any(end["syns"] == 1 for end in _ends(connection))
    return not is_opened_once and old >= max(_FEWEST, _OLD * pure)


def _came_twice(connection: Mapping[str, Any]) -> bool:
    """Say whether nothing that is counted came only once, where both ends were heard."""
    ends = _ends(connection)
    is_once = any(end[what] == 1 for end in ends for what in ("syns", "fins", "resets"))
    again, data = _sum(connection, "packets_retransmitted"), _sum(connection, "packets_data")
    return all(end["packets"] > 1 for end in ends) and not is_once and again >= _MANY * data


def _ends(connection: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    return connection["client"], connection["server"]


def _sum(connection: Mapping[str, Any], counter: str) -> int:
    return sum(end[counter] for end in _ends(connection))
