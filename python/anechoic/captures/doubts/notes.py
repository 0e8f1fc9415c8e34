"""What to know of a capture before trusting what it tells."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from anechoic.captures.doubts.contradictions import contradictions
from anechoic.captures.doubts.link_types import not_read
from anechoic.captures.doubts.merged import merged
from anechoic.captures.doubts.unopened import named_unopened
from anechoic.captures.text.counts import counted, times
from anechoic.captures.verdicts.direction import is_small, told_pauses
from anechoic.captures.verdicts.verdict import UNTOLD, shares

_TALLY = {
    "malformed": "with headers that contradict themselves",
    "encrypted": "of 802.11, encrypted: TCP in them cannot be seen",
    "bad_fcs": "received with a wrong checksum",
    "fragments": "left of IP fragments without the rest",
    "doubled": "captured twice (by a mirror, before and behind an access point, or doubled "
    "nearby), and taken once",
    "snapped": "cut by the snap length: of payloads only the length is known",
}
"""Packets that were not taken as they stood."""

_ALL_HEADERS = 256
"""Bytes that hold all headers: 60 of TCP and 40 of IPv6 (RFC 9293 3.1, RFC 8200 3), 8 of LLC and
SNAP, 36 of 802.11, and a radiotap header with several antennas. (Inferred.)"""

_MANY_BACK = 0.01
"""Of all packets the share that is out of order from which on what is told is in doubt: losses of
as much matter to TCP. (Inferred.)"""

_CHECKSUMS = {
    "offload": "are still to be put in by the network card: the capture was taken on the host "
    "that sent them",
    "never": "were never put in: both ends run on the host of the capture (containers, virtual "
    "machines)",
    "corrupted": "show corruption: TCP did not receive them, and what they "
    "carried was lost behind the point of capture",
    "rewritten": "are wrong at both ends throughout: the packets were made up, or changed after "
    "they were sent",
}
"""What wrong checksums speak of: the verdicts on a direction, and that on two."""


def notes(document: Mapping[str, Any], unlisted: Sequence[int]) -> list[str]:
    """Give the notes on a capture, one sentence each.

    ``unlisted`` counts the segments, losses and transfers that there was no room for.
    """
    return [*_warnings(document["warnings"]), *notes_on(document), *_unlisted(unlisted)]


def notes_on(document: Mapping[str, Any]) -> list[str]:
    """Give the notes on the packets of a capture, without the warnings of its reader."""
    return [
        *_tally(document["tally"]),
        *_out_of_order(document),
        *_doubling(document),
        *merged(document),
        *contradictions(document),
        *unknown_links(document),
        *_ends(document["connections"]),
        *_bounds(document),
        *_unopened(document),
    ]


def warning_text(warning: Mapping[str, Any]) -> str:
    """Give what the reader could not take as it stood."""
    if warning["kind"] == "damaged":
        return f"its compression is damaged: {warning['what']}"
    at = f"byte {warning['at']:,}"
    match warning["kind"]:
        case "truncated":
            return f"it ends within the record at {at}"
        case "corrupt":
            return f"nothing is read from {at} on: {warning['what']}"
        case "skipped":
            return f"the record at {at} is passed over: {warning['what']}"
        case _:
            return f"reading stopped at {at} of what it unpacks to: {warning['what']}"


def _warnings(warnings: list[dict[str, Any]]) -> Iterator[str]:
    for warning in warnings:
        yield f"The file could not be read as it stood: {warning_text(warning)}."


def _tally(tally: Mapping[str, int]) -> Iterator[str]:
    yield from _cut(tally)
    for name, what in _TALLY.items():
        # Of packets without whole headers all is said.
        is_said = name == "snapped" and tally["cut"] >= tally["snapped"]
        if tally[name] and not is_said:
            yield f"{counted(tally[name], 'packet')} {what}."


def _cut(tally: Mapping[str, int]) -> Iterator[str]:
    """Tell of headers that are not whole; no counter says of each packet who cut it."""
    cut = counted(tally["cut"], "packet")
    if tally["cut"] and tally["snapped"]:
        yield (
            f"{cut} cut off within the headers, by the snap length as it seems, and not told of: "
            f"{_ALL_HEADERS} bytes of each are enough (tcpdump -s {_ALL_HEADERS})."
        )
    elif tally["cut"]:
        yield f"{cut} ending within a header."


def _out_of_order(document: Mapping[str, Any]) -> Iterator[str]:
    tally = document["tally"]
    back = tally["back_in_time"]
    behind = sum(each["back_in_time"] for each in document["connections"])
    if back:
        yield (
            f"{counted(back, 'packet')} captured with an earlier time than the one before: the "
            "file is out of order (reordercap FILE SORTED sorts it), or a clock was set back."
        )
    if behind >= _MANY_BACK * max(tally["packets"], 1):
        yield (
            f"{counted(behind, 'packet')} behind later ones of their connections: losses, round "
            "trips and stalls are in doubt there."
        )


def _doubling(document: Mapping[str, Any]) -> Iterator[str]:
    """Tell what DSACKs (RFC 2883) prove of packets that came twice, captured twice or once."""
    proven = sum(_received_twice(each) for each in _directions(document["connections"]))
    if proven:
        yield (
            f"The network doubled packets: receivers reported {proven:,} more as received twice "
            "(DSACK) than were retransmitted. A second capture tells which."
        )


def _received_twice(sent: Mapping[str, Any]) -> int:
    """Count the DSACKs of a direction that nothing its sender did can have caused.

    Every retransmission may have caused one, and so may a probe or a keep-alive. Of a segment that
    a card cuts there may be more, and what was missed may have been retransmitted.
    """
    if sent["is_offloaded"] is not False or sent["bytes_missed"]:
        return 0
    again: int = sent["packets_retransmitted"] + sent["packets_out_of_order"]
    asked: int = sent["keep_alives"] + sent["causes"]["window_probe"]
    return max(0, int(sent["duplicates_reported"]) - again - asked)


def unknown_links(capture: Mapping[str, Any]) -> Iterator[str]:
    """Say which packets of a capture, one of two or the only one, are of link types not read."""
    packets = capture["tally"]["unknown_link"]
    if packets:
        yield f"{counted(packets, 'packet')} of {not_read(capture['unknown_links'])}."


def _unopened(document: Mapping[str, Any]) -> Iterator[str]:
    """Name what was met besides TCP and is not opened here."""
    met = named_unopened(document["unopened"])
    if met and document["connections"]:
        yield f"Packets of what is not opened here: {met}."


def _ends(connections: list[dict[str, Any]]) -> Iterator[str]:
    directions = _directions(connections)
    yield from _one_way(connections)
    missed = [each["bytes_missed"] for each in directions if each["bytes_missed"]]
    if missed:
        where = counted(len(missed), "direction")
        yield f"The capture missed {counted(sum(missed), 'acknowledged byte')}, in {where}."
    offloaded = sum(each["is_offloaded"] is True for each in directions)
    if offloaded:
        yield (
            f"In {counted(offloaded, 'direction')} segments are larger than the MSS: the network "
            "card of this host cuts or joins them, so they are no packets on the wire."
        )
    yield from _wrong_checksums(connections)
    midway = sum(each["starts_midway"] for each in connections)
    if midway:
        yield (
            f"{counted(midway, 'connection')} began before the capture: without the window scale, "
            "windows are not known."
        )
    yield from _cut_options(directions)
    yield from _untold(directions)
    yield from _lost_before([each for each in directions if not each["acks_early"]])


def _directions(connections: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [each[end] for each in connections for end in ("client", "server")]


def _one_way(connections: list[dict[str, Any]]) -> Iterator[str]:
    heard = [each for each in connections if each["outcome"] != "unanswered"]
    alone = sum(not (each["client"]["packets"] and each["server"]["packets"]) for each in heard)
    if alone:
        yield (
            f"Of {counted(alone, 'connection')} only one direction was captured: round trips, and "
            "why something was retransmitted, are not known."
        )


def _cut_options(directions: list[dict[str, Any]]) -> Iterator[str]:
    cut = [each for each in directions if each["options_cut"]]
    if cut:
        segments = counted(sum(each["options_cut"] for each in cut), "segment")
        where = counted(len(cut), "direction")
        yield (
            f"In {where} the snap length cut off TCP options of {segments}: without SACK and "
            "timestamps some causes are unknown, and short pauses are not told."
        )
    syns = sum(each["syn_options"] == "cut" for each in directions)
    if syns:
        yield (
            f"In {counted(syns, 'direction')} those of the SYN are among them: MSS and windows are "
            "not known there."
        )


def _untold(directions: list[dict[str, Any]]) -> Iterator[str]:
    """Say of which directions the screen tells less, and why."""
    told = [each for each in directions if each["packets_data"] and not is_small(each)]
    yield from _far([each for each in directions if each["is_far"]])
    waiting = [each for each in told if not each["is_far"] and UNTOLD in shares(each)]
    if waiting:
        yield (
            f"In {counted(len(waiting), 'direction')} that passed on the air, a silence may be a "
            "wait for the medium, or for data: what held the sender up then is not told."
        )


def _far(directions: list[dict[str, Any]]) -> Iterator[str]:
    """Say what is seen otherwise, or not at all, of senders further away than their receivers."""
    paused = [each for each in directions if told_pauses(each)]
    told = [each for each in directions if told_pauses(each) or _shows_less(each)]
    if told:
        yield (
            f"In {counted(len(told), 'direction')} most of the path lies before the point of "
            "capture, or may: round trips are those to the receiver and back alone, and what held "
            "the sender up is not seen but for losses and long pauses. A capture beside it tells."
        )
    if paused:
        yield (
            f"The stalls of {counted(len(paused), 'direction')} of these are those seen from here: "
            "where data or acknowledgments were lost out of sight, the sender seems to have had "
            "nothing to send."
        )


def _shows_less(sent: dict[str, Any]) -> bool:
    """Say whether the screen has a round trip or limits of a sender far away."""
    has_figures = bool(sent["packets_data"]) and not is_small(sent)
    return has_figures and bool(sent["rtt"] or UNTOLD in shares(sent))


def _lost_before(directions: list[dict[str, Any]]) -> Iterator[str]:
    """Tell of losses before the point of capture, if they are most.

    What was only overtaken is late too, and what the network doubled was seen twice; neither
    repairs a loss.
    """
    late = sum(each["packets_out_of_order"] - each["causes"]["reordering"] for each in directions)
    again = sum(
        each["packets_retransmitted"] - each["causes"]["network_duplicate"] for each in directions
    )
    if late > again:
        yield (
            "More lost data came late than were seen twice: most losses happened before the "
            "point of capture."
        )


def _wrong_checksums(connections: list[dict[str, Any]]) -> Iterator[str]:
    told = [
        (_verdict(each[end], each[other]), each[end])
        for each in connections
        for end, other in (("client", "server"), ("server", "client"))
    ]
    for verdict, what in _CHECKSUMS.items():
        wrong = [sent for which, sent in told if which == verdict]
        if wrong:
            count = sum(each["checksums_partial"] + each["checksums_wrong"] for each in wrong)
            where = counted(len(wrong), "direction")
            yield f"In {where}, TCP checksums of {counted(count, 'segment')} {what}."


def _verdict(sent: Mapping[str, Any], answer: Mapping[str, Any]) -> str | None:
    """Say what the wrong checksums of one direction speak of, with those of the other.

    A card puts in those of what leaves its host; what comes from elsewhere has them.
    """
    verdict: str | None = sent["wrong_checksums"]
    are_both = verdict == answer["wrong_checksums"] == "offload"
    return "never" if are_both else verdict


def _bounds(document: Mapping[str, Any]) -> Iterator[str]:
    if document["unlisted"]:
        attempts = counted(document["unlisted"], "more attempt")
        yield f"There were {attempts}, unanswered or refused; so many are not listed."
    if document["evicted"]:
        what = counted(document["evicted"], "connection")
        yield f"{what} had to make room for others and are told as they stood then."


def _unlisted(counts: Sequence[int]) -> Iterator[str]:
    kinds = ("segment", "loss", "transfer")
    for count, kind in zip(counts, kinds, strict=True):
        if count:
            often = times(count).capitalize()
            yield f"{often} there was no room to list another {kind}."
