"""Name the kind of difference of each packet that Anechoic and tshark count otherwise.

`python benches/kinds.py FILE…` goes through captures packet by packet and tells, for each kind of
docs/differences.md, how many packets are of it and which come first. What no kind explains is
listed as "of no kind", and the exit status is 1.
"""

import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from agreement import AGAIN

import anechoic as an

NO_KIND = "of no kind"
RST = 4
MARKS = (*AGAIN, "out_of_order", "duplicate_ack_num", "ack_rtt")
FIELDS = (
    "frame.number",
    "frame.len",
    "frame.cap_len",
    "wlan.fc.retry",
    "tcp.len",
    "tcp.analysis.acks_frame",
)
FIRST = 5
"""How many packets of a kind are named."""

Row = dict[str, Any]
"""A row of the table that `Analysis.segments` gives."""


@dataclass(frozen=True)
class Told:
    """What tshark says of a packet."""

    is_again: bool
    is_late: bool
    is_duplicate: bool
    tells_round_trip: bool
    is_mac_retry: bool
    """Its 802.11 frame was retransmitted."""
    is_cut: bool
    """Its TCP header is not all there."""
    acknowledged: int | None
    """Number of the packet that it acknowledges."""


@dataclass(frozen=True)
class Sent:
    """A segment that was captured."""

    start: int
    end: int
    packet: int
    is_new: bool
    time_ns: int


@dataclass
class End:
    """What was captured of one end of a connection so far."""

    sent: list[Sent] = field(default_factory=list)
    highest: int = 0
    """Behind the highest number of any of its packets."""
    acked: int = 0
    """The greatest acknowledgment that it got, and the last one that it sent."""
    said: int | None = None
    last_again: int = 0
    """The last packet by which it sent something again, or late."""

    def holding(self, start: int, end: int) -> list[Sent]:
        """Give the segments that share bytes with a range."""
        return [each for each in self.sent if each.start < end and start < each.end]

    def take(self, row: Row) -> None:
        """Remember what it sends."""
        start, end = row["seq"], row["seq_end"]
        if start is None:
            return
        if end > start and row["kind"] != "keep_alive":
            is_new = row["kind"] in ("new", "syn")
            self.sent.append(Sent(start, end, row["packet"], is_new, row["time_ns"]))
            self.last_again = self.last_again if is_new else row["packet"]
        self.highest = max(self.highest, end)
        self.said = row["ack"] if row["ack"] is not None else self.said


def tshark(file: str) -> dict[int, Told]:
    """Ask tshark for its marks of each packet with one TCP segment."""
    command = ["tshark", "-n", "-r", file, "-Y", "tcp && !icmp && !icmpv6", "-T", "fields"]
    wanted = [*FIELDS, *(f"tcp.analysis.{mark}" for mark in MARKS)]
    command += [part for name in wanted for part in ("-e", name)]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    packets = {}
    for line in lines.splitlines():
        number, length, kept, retry, payload, acknowledged, *marks = line.split("\t")
        if payload.isdigit():
            *again, late, duplicate, round_trip = map(bool, marks)
            packets[int(number)] = Told(
                is_again=any(again),
                is_late=late,
                is_duplicate=duplicate,
                tells_round_trip=round_trip,
                is_mac_retry=retry in ("1", "True"),
                is_cut=int(kept) < int(length) - int(payload),
                acknowledged=int(acknowledged) if acknowledged.isdigit() else None,
            )
    return packets


def as_sent(row: Row, told: Told, end: End) -> str | None:
    """Name why a segment is retransmitted, late or neither for one and not for the other."""
    ours = {"retransmitted": "again", "out_of_order": "late"}.get(row["kind"], "neither")
    theirs = "again" if told.is_again else "late" if told.is_late else "neither"
    if ours == theirs:
        return None
    if row["kind"] == "syn_again":
        return "syn_again"
    if row["kind"] == "syn" and not end.sent:
        return "refused_first"
    if row["seq"] is None:
        return NO_KIND
    is_seen = bool(end.holding(row["seq"], row["seq_end"]))
    match ours, theirs, is_seen:
        case "late", "again", False if row["seq_end"] > end.acked:
            return "late_repair"
        case (("late" | "neither"), "again", False) if row["seq_end"] <= end.acked:
            return "answer_first"
        case "again", "late", True:
            return "quick_repair"
        case "again", "neither", True if row["payload"] == 1:
            return "one_byte_copy"
        case "again", "neither", True if row["seq"] == end.highest - 1:
            return "one_byte_again"
        case "neither", _, False if row["seq"] < end.highest:
            return "overtaken_by_ack"
    return NO_KIND


def as_duplicate(row: Row, told: Told, end: End, peer: End) -> str | None:
    """Name why an acknowledgment is a duplicate for one and not for the other."""
    if (row["answer"] == "duplicate") == told.is_duplicate:
        return None
    if not told.is_duplicate:
        if row["seq"] != end.highest:
            return "duplicate_behind_a_gap"
        if row["window"] == 0:
            return "closed_duplicate"
        return "overtaken_duplicate" if end.said != row["ack"] else NO_KIND
    if row["ack"] is None:
        return NO_KIND
    if row["ack"] < peer.acked:
        return "old_duplicate"
    if peer.highest <= row["ack"]:
        return "answered_copy"
    is_all_delivered = all(each.end <= row["ack"] for each in peer.sent)
    return "lost_unseen" if is_all_delivered else NO_KIND


def as_round_trip(row: Row, told: Told, peer: End) -> str | None:
    """Name why an acknowledgment tells a round trip to one and not to the other."""
    if (row["rtt_ms"] is not None) == told.tells_round_trip:
        return None
    if row["rtt_ms"] is not None:
        return "no_time" if row["rtt_ms"] == 0 else NO_KIND
    if row["flags"] & RST:
        return "ack_by_reset"
    answered = [each for each in peer.sent if each.packet == told.acknowledged]
    if not answered:
        return "mirrored"
    last = answered[0]
    if len(peer.holding(last.end - 1, last.end)) > 1:
        return "round trip of what was sent twice"
    if not last.is_new or last.packet < peer.last_again:
        return "round trip held up by a repair"
    return NO_KIND


def kinds(file: str) -> dict[str, list[int]]:
    """Name the kinds of a capture, with the packets that are of each."""
    marks, found = tshark(file), defaultdict(list)
    analysis = an.analyse(file)
    for number, connection in enumerate(analysis.document["connections"], start=1):
        has_two_answers = any(connection[end]["syn_changed"] for end in ("client", "server"))
        ends = {"client": End(), "server": End()}
        for row in analysis.segments(number).to_pylist():
            end = ends[row["sender"]]
            peer = ends["server" if row["sender"] == "client" else "client"]
            told = marks.pop(row["packet"], None)
            if told is not None:
                for kind in apart(row, told, end, peer):
                    is_other = kind == NO_KIND and has_two_answers
                    found["two_answers" if is_other else kind].append(row["packet"])
            end.take(row)
            peer.acked = max(peer.acked, row["ack"] or 0)
    repeated = {packet for packet, told in marks.items() if told.is_mac_retry}
    once = [packet for packet in marks if packet not in repeated]
    is_doubled = len(once) <= analysis.document["tally"]["doubled"]
    found["mac_retries"].extend(sorted(repeated))
    found["mirrored" if is_doubled else NO_KIND].extend(once)
    return {kind: packets for kind, packets in found.items() if packets}


def apart(row: Row, told: Told, end: End, peer: End) -> Iterator[str]:
    """Name what is counted otherwise of a packet."""
    judged = (
        as_sent(row, told, end),
        as_duplicate(row, told, end, peer),
        as_round_trip(row, told, peer),
    )
    for kind in judged:
        if kind:
            yield "cut_header" if told.is_cut else kind


def main() -> None:
    """Name the kinds of the files that are named."""
    if len(sys.argv) < 2:
        raise SystemExit("usage: kinds.py FILE…")
    is_explained = True
    for file in sys.argv[1:]:
        print(file)
        found = kinds(file)
        is_explained &= NO_KIND not in found
        for kind, packets in sorted(found.items(), key=lambda each: each[0] == NO_KIND):
            first = ", ".join(str(packet) for packet in packets[:FIRST])
            more = ", …" if len(packets) > FIRST else ""
            print(f"  {kind}: {len(packets):,} (packet {first}{more})")
    raise SystemExit(0 if is_explained else 1)


if __name__ == "__main__":
    main()
