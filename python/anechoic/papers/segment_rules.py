"""Rules on TCP segments, for mechanisms of any study: what answers what, and how losses are mended.

Both ask for a capture of one machine (``stack.NAME``), of connections whose clients send.
"""

from bisect import bisect_left, insort
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from anechoic.papers.packet_rules import Row, rows_of, rule
from anechoic.papers.verdict import Verdict

if TYPE_CHECKING:
    from anechoic.captures.analysis import Analysis


@dataclass
class Reassembly:
    """What a receiver has of a stream: everything before ``next``, and pieces behind a gap."""

    next: int = 1
    _pieces: dict[int, int] = field(default_factory=dict)

    def takes(self, start: int, end: int) -> bool:
        """Take a segment; say whether it came out of order, in front of a gap."""
        if start > self.next:
            self._pieces[start] = max(end, self._pieces.get(start, 0))
            return True
        self.next = max(self.next, end)
        for begin in sorted(self._pieces):
            if begin > self.next:
                break
            self.next = max(self.next, self._pieces.pop(begin))
        return False


def out_of_order_is_answered(analysis: "Analysis", within_s: float, where: str) -> Verdict:
    """Decide whether each data segment in front of a gap has its own duplicate ACK, and soon.

    The capture is one of the machine that receives, of which the client of each connection sends.
    """
    cases, wrong = 0, []
    for number in range(1, analysis.connections().num_rows + 1):
        rows = rows_of(
            analysis.segments(number), "time_s", "sender", "seq", "seq_end", "payload", "ack"
        )
        stream = Reassembly()
        for at, row in enumerate(rows):
            if row["sender"] != "client" or not row["payload"]:
                continue
            if not stream.takes(row["seq"], row["seq_end"]):
                continue
            cases += 1
            answer = rows[at + 1] if at + 1 < len(rows) else row
            late_s = answer["time_s"] - row["time_s"]
            is_own = answer["sender"] == "server" and answer["ack"] == stream.next
            if not is_own or late_s >= within_s:
                wrong.append(f"connection {number} at {row['time_s']:.6f} s")
    return rule(
        f"segments behind a gap, answered at once by a duplicate ACK ({where})", cases, wrong
    )


def depths_of_reordering(
    analysis: "Analysis", number: int, resent: AbstractSet[int]
) -> Iterator[int]:
    """Give for each of the client's segments that came late how many had passed it.

    The capture is one of the machine that receives. Segments that the client retransmitted,
    by their sequence number, are left out: they were passed by what it sent in between.
    """
    arrived: list[int] = []
    for row in rows_of(analysis.segments(number), "sender", "seq", "payload"):
        if row["sender"] != "client" or not row["payload"]:
            continue
        passed = len(arrived) - bisect_left(arrived, row["seq"])
        if passed and row["seq"] not in resent:
            yield passed
        insort(arrived, row["seq"])


def resent(analysis: "Analysis", number: int) -> frozenset[int]:
    """Give the sequence numbers that a connection's client retransmitted, as its machine saw."""
    rows = rows_of(analysis.segments(number), "sender", "seq", "kind")
    again = (row for row in rows if row["sender"] == "client" and row["kind"] == "retransmitted")
    return frozenset(row["seq"] for row in again)


def late_segment_is_covered(
    analysis: "Analysis", segments: int, at_once: int, where: str
) -> Verdict:
    """Decide whether what duplicate ACKs have asked for is acknowledged with what came before.

    So many segments with one ACK, whereupon the sender sends so many at once, or more. The capture
    is one of the machine that sends, of a client's connection; its first duplicates are asked.
    """
    columns = ("time_s", "sender", "payload", "kind", "ack", "answer")
    rows = rows_of(analysis.segments(1), *columns)
    first = next((at for at, row in enumerate(rows) if row["answer"] == "duplicate"), len(rows))
    found = [row for row in rows[first:] if row["answer"] == "advance"][:1]
    wrong = []
    for ack in found:
        new = [row for row in rows if row["kind"] == "new" and row["sender"] == "client"]
        sent = [row for row in new if row["time_s"] == ack["time_s"]]
        mss = max(row["payload"] for row in new)
        jump = (ack["ack"] - rows[first]["ack"]) / mss
        if jump != segments:
            wrong.append(f"it acknowledges {jump:g} segments and not {segments}")
        if len(sent) < at_once:
            wrong.append(f"it lets out {len(sent)} segments, not {at_once} or more")
    return rule(f"ACKs for a late segment and those before it ({where})", len(found), wrong)


@dataclass
class Recovery:
    """A fast retransmission and what followed it, as the sender's machine saw them."""

    connection: int
    time_s: float
    reports: int
    """ACKs before it that told of something behind the gap."""
    end: int
    """Behind what was sent until then."""
    flight: int
    """Bytes in flight then."""
    later: list[tuple[float, int]] = field(default_factory=list)
    """Each further duplicate ACK: when, and how many new segments it let out at once."""
    again: int = 1
    """Segments retransmitted until it was over, the first included."""
    covered_s: float | None = None
    """When an ACK came for all that was in flight; none if the timer or the capture's end came."""


def recoveries(analysis: "Analysis") -> Iterator[Recovery]:
    """Give the fast retransmissions of the clients, from a capture of the machine that sends.

    Why a segment is retransmitted, its time tells: with an ACK, or else because the timer expired.
    From then until everything sent before is acknowledged nothing else begins.
    """
    for number in range(1, analysis.connections().num_rows + 1):
        sender = _Sender(number)
        for row in rows_of(analysis.segments(number), *_COLUMNS):
            if row["sender"] == "server":
                sender.hears(row)
            elif row["payload"]:
                sender.sends(row)
        yield from sender.recoveries


_COLUMNS = (
    *("time_s", "sender", "seq_end", "payload", "kind", "flight"),
    *("ack", "answer", "sack"),
)


@dataclass
class _Sender:
    connection: int
    recoveries: list[Recovery] = field(default_factory=list)
    now: Recovery | None = None
    """The recovery under way."""
    heard_s: float = -1.0
    reports: int = 0
    end: int = 0
    mended_at: int = 0
    """The ACK with which all is over that began with the timer or with reports."""

    def hears(self, row: Row) -> None:
        self.heard_s = row["time_s"]
        if row["answer"] == "advance":
            # An ACK held back for a second segment goes out at once with the first behind a gap.
            self.reports = int(bool(row["sack"]))
            if self.now is not None and row["ack"] >= self.mended_at:
                self.now.covered_s = row["time_s"]
                self.now = None
        elif row["answer"] == "duplicate":
            self.reports += 1
            if self.now is not None:
                self.now.later.append((row["time_s"], 0))
        self.mended_at = 0 if (row["ack"] or 0) >= self.mended_at else self.mended_at

    def sends(self, row: Row) -> None:
        is_answer = row["time_s"] == self.heard_s
        if row["kind"] == "retransmitted":
            self._resends(row, is_answer)
        elif self.now is not None and self.now.later and is_answer:
            at_s, sent = self.now.later[-1]
            self.now.later[-1] = (at_s, sent + 1)
        self.end = max(self.end, row["seq_end"])

    def _resends(self, row: Row, is_answer: bool) -> None:
        if not is_answer:
            self.now, self.mended_at = None, self.end
        elif self.now is not None:
            self.now.again += 1
        elif not self.mended_at:
            self.mended_at = self.end
            self.now = Recovery(
                self.connection, row["time_s"], self.reports, self.end, row["flight"]
            )
            self.recoveries.append(self.now)
