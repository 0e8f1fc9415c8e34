"""Rules on the retransmission timer, for mechanisms of any study.

They ask for a capture of the machine that sends (``stack.NAME``), where the clients send.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

from anechoic.papers.packet_rules import Row, rows_of, rule
from anechoic.papers.verdict import Verdict, all_of

if TYPE_CHECKING:
    from anechoic.captures.analysis import Analysis

_COLUMNS = ("time_s", "sender", "seq_end", "payload", "kind", "ack", "answer", "flight")

_ROUNDING = 0.01
"""Of a wait: what the clock of a capture and a tick of the stack leave open."""


@dataclass
class Expiry:
    """A segment that the timer retransmitted."""

    connection: int
    time_s: float
    waited_s: float
    """Since it was started: by progress, by its last expiry, or by what was sent after either."""
    before_s: float | None
    """The same of the expiry before, if no progress came between."""
    flight: int
    """Bytes in flight then."""
    answered_s: float = inf
    """When something came in again."""


def expiries(analysis: "Analysis") -> Iterator[Expiry]:
    """Give the expiries of the clients' timers: what is retransmitted with nothing coming in."""
    for number in range(1, analysis.connections().num_rows + 1):
        yield from _expiries(number, rows_of(analysis.segments(number), *_COLUMNS))


def timers_wait_and_double(analysis: "Analysis", least_s: float, where: str) -> Verdict:
    """Decide whether a timer expires only where no ACK has brought progress for its timeout.

    And, where none comes after it either, for twice that.
    """
    found = list(expiries(analysis))
    hasty = [_at(each) for each in found if each.waited_s < least_s * (1 - _ROUNDING)]
    again = [each for each in found if each.before_s is not None]
    other = [_at(each) for each in again if not _is_doubled(each)]
    what = f"timers that expired after {least_s:g} s without progress or more ({where})"
    waited = rule(what, len(found), hasty)
    doubled = rule(f"timers that expired again, after twice that ({where})", len(again), other)
    return all_of([waited, doubled])


def timers_wait_their_timeout(analysis: "Analysis", tcp_info: Sequence[Row], where: str) -> Verdict:
    """Decide whether timers expire as their timeout is over, which the sender's TCP_INFO tells."""
    found, wrong = list(expiries(analysis)), []
    for each in found:
        before = [row for row in tcp_info if row["time_s"] < each.time_s]
        timeout_s = before[-1]["tcpi_rto"] / 1e6
        if abs(each.waited_s / timeout_s - 1) > _ROUNDING:
            wrong.append(f"{_at(each)} of {timeout_s:.3f} s")
    return rule(f"timers that expired when their timeout was over ({where})", len(found), wrong)


def _expiries(number: int, rows: list[Row]) -> list[Expiry]:
    found: list[Expiry] = []
    acked, end, started_s, heard_s = 0, 0, 0.0, -1.0
    before_s: float | None = None
    for row in rows:
        now_s = row["time_s"]
        if row["sender"] == "server":
            heard_s = now_s
            if found:
                found[-1].answered_s = min(found[-1].answered_s, now_s)
            if row["answer"] == "advance" or (row["ack"] or 0) > acked:
                acked, started_s, before_s = row["ack"], now_s, None
        elif row["payload"]:
            if row["kind"] == "retransmitted" and now_s != heard_s:
                found.append(Expiry(number, now_s, now_s - started_s, before_s, row["flight"]))
                started_s, before_s = now_s, now_s - started_s
            elif end <= acked:
                started_s = now_s
            end = max(end, row["seq_end"])
    return found


def _is_doubled(expiry: Expiry) -> bool:
    assert expiry.before_s is not None
    return abs(expiry.waited_s / expiry.before_s / 2 - 1) <= 5 * _ROUNDING


def _at(expiry: Expiry) -> str:
    before = f" after {expiry.before_s:.3f} s" if expiry.before_s else ""
    return (
        f"connection {expiry.connection} at {expiry.time_s:.3f} s: {expiry.waited_s:.3f} s{before}"
    )
