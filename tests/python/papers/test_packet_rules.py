"""Rules on packets, on tables of a few rows: what keeps them, and what breaks them."""

from collections.abc import Sequence
from typing import Any

import pyarrow
import pytest

from anechoic.papers.frame_rules import exchanges, nav_is_kept
from anechoic.papers.packet_rules import rule
from anechoic.papers.points import MissingPoint
from anechoic.papers.segment_rules import (
    Reassembly,
    depths_of_reordering,
    late_segment_is_covered,
    out_of_order_is_answered,
    recoveries,
    resent,
)
from anechoic.papers.timer_rules import (
    Expiry,
    expiries,
    timers_wait_and_double,
    timers_wait_their_timeout,
)
from anechoic.papers.verdict import Status
from anechoic.papers.window_rules import half_of_the_flight_is_left, timers_leave_one_segment

ME, OTHER, AP = "02:00:00:00:00:01", "02:00:00:00:00:02", "02:00:00:00:00:09"


def frames(*rows: tuple[str, str | None, str, int, int, int]) -> pyarrow.Table:
    """Make frames of kind, transmitter, receiver, begin, end and Duration in microseconds."""
    return pyarrow.Table.from_pylist(
        [
            {
                "kind": kind,
                "transmitter": transmitter,
                "receiver": receiver,
                "signal_dbm": None if transmitter == ME else -40,
                "start_ns": 1_000 * start,
                "end_ns": 1_000 * end,
                "duration_us": duration,
            }
            for kind, transmitter, receiver, start, end, duration in rows
        ]
    )


# As 802.11b has it at 2 and 11 Mbit/s with long preambles.
EXCHANGE = (
    ("rts", OTHER, AP, 0, 272, 1855),
    ("cts", None, OTHER, 282, 530, 1597),
    ("data", OTHER, AP, 540, 1869, 258),
    ("ack", None, OTHER, 1879, 2127, 0),
)


def test_an_exchange_that_is_heard_has_its_gaps_and_its_navs() -> None:
    [found] = exchanges(frames(*EXCHANGE))
    assert found.gaps_us == [10, 10, 10]
    assert found.nav_ends_us == [0, 0, 0]
    assert list(exchanges(frames(*EXCHANGE[1:]))) == []


@pytest.mark.parametrize(
    ("own_start", "status"),
    [(2127 + 50, Status.AGREES), (2127, Status.AGREES), (1990, Status.UNEXPLAINED)],
)
def test_a_station_is_silent_until_the_nav_ends(own_start: int, status: Status) -> None:
    own = ("rts", ME, AP, own_start, own_start + 272, 1855)
    found = nav_is_kept(frames(*EXCHANGE, own), "the station")
    assert found.status is status
    assert [figure.value for figure in found.figures] == [3, 0 if status is Status.AGREES else 3]


def test_an_rts_that_nobody_answers_asks_for_no_silence() -> None:
    own = ("rts", ME, AP, 272 + 400, 272 + 672, 1855)
    with pytest.raises(MissingPoint, match="holds none of: NAVs that the station kept"):
        nav_is_kept(frames(EXCHANGE[0], own), "the station")


def test_a_rule_without_a_case_decides_nothing() -> None:
    with pytest.raises(MissingPoint):
        rule("swans that are white", 0, [])
    assert rule("swans that are white", 2, ["one is black"]).reason.endswith("one is black")


def test_a_receiver_counts_on_once_a_gap_is_filled() -> None:
    stream = Reassembly()
    assert [stream.takes(*piece) for piece in ((1, 11), (21, 31), (31, 41))] == [False, True, True]
    assert stream.next == 11
    assert not stream.takes(11, 21)
    assert stream.next == 41


class Capture:
    """What an analysis gives of one connection."""

    def __init__(self, *rows: dict[str, Any]) -> None:
        blank = dict.fromkeys(("seq", "seq_end", "ack", "answer", "kind", "flight"))
        self.rows = [{**blank, "payload": 0, "sack": [], **row} for row in rows]

    def connections(self) -> pyarrow.Table:
        return pyarrow.table({"number": [1]})

    def segments(self, _number: int) -> pyarrow.Table:
        return pyarrow.Table.from_pylist(self.rows)


def data(time_s: float, number: int, kind: str = "new", flight: int = 5) -> dict[str, Any]:
    """Give the segment of a number from 0, of ten bytes, from the client."""
    seq = 1 + 10 * number
    place = {"seq": seq, "seq_end": seq + 10, "payload": 10}
    return {"time_s": time_s, "sender": "client", "kind": kind, "flight": 10 * flight, **place}


def ack(time_s: float, segments: int, answer: str = "duplicate") -> dict[str, Any]:
    """Give an ACK for so many segments, from the server."""
    return {"time_s": time_s, "sender": "server", "ack": 1 + 10 * segments, "answer": answer}


def answered(*rows: dict[str, Any]) -> Status:
    capture: Any = Capture(*rows)
    return out_of_order_is_answered(capture, 0.001, "by hand").status


def test_what_comes_behind_a_gap_has_an_answer_of_its_own() -> None:
    assert answered(data(0, 0), data(1, 2), ack(1, 1), data(2, 3), ack(2, 1)) is Status.AGREES
    assert answered(data(0, 0), data(1, 2), ack(1.2, 1)) is Status.UNEXPLAINED
    assert answered(data(0, 0), data(1, 2), data(1, 3), ack(1, 1)) is Status.UNEXPLAINED


def sent_by(rows: Sequence[dict[str, Any]]) -> list[tuple[int, int, float | None]]:
    capture: Any = Capture(*rows)
    return [(each.reports, each.again, each.covered_s) for each in recoveries(capture)]


FIVE = [data(0, number) for number in range(5)]


def test_a_fast_retransmission_comes_with_an_ack_and_is_over_with_one_for_all() -> None:
    duplicates = [ack(0.1, 0), ack(0.2, 0), ack(0.3, 0), data(0.3, 0, "retransmitted")]
    rows = [*FIVE, *duplicates, ack(0.4, 0), data(0.4, 5), ack(0.5, 6, "advance")]
    assert sent_by(rows) == [(3, 1, 0.5)]


def test_what_the_timer_resends_and_what_follows_is_no_fast_retransmission() -> None:
    timer = [data(1.0, 0, "retransmitted"), ack(1.1, 1, "advance"), data(1.1, 1, "retransmitted")]
    assert sent_by([*FIVE, *timer, ack(1.2, 5, "advance")]) == []


def test_what_came_late_has_the_depth_of_all_that_passed_it() -> None:
    capture: Any = Capture(data(0, 0), data(1, 2), data(2, 3), data(3, 1, "out-of-order"))
    assert list(depths_of_reordering(capture, 1, frozenset())) == [2]
    assert list(depths_of_reordering(capture, 1, frozenset({11}))) == []
    again: Any = Capture(data(0, 0), data(1, 1), data(2, 1, "retransmitted"))
    assert resent(again, 1) == {11}


def covered(ack_for: int, sent_at_once: int) -> Status:
    late = [ack(0.1, 0), ack(0.2, 0), ack(0.3, ack_for, "advance")]
    new = [data(0.3, 5 + each) for each in range(sent_at_once)]
    capture: Any = Capture(*FIVE, *late, *new)
    return late_segment_is_covered(capture, 3, 2, "by hand").status


def test_one_ack_covers_a_late_segment_and_what_came_before_it_and_lets_out_a_burst() -> None:
    assert covered(ack_for=3, sent_at_once=2) is Status.AGREES
    assert covered(ack_for=1, sent_at_once=2) is Status.UNEXPLAINED
    assert covered(ack_for=3, sent_at_once=1) is Status.UNEXPLAINED


def timer(first_s: float, second_s: float) -> Any:
    """Lose the second segment for good: what follows is sent by the timer."""
    sent = [data(0, 0), ack(0.1, 1, "advance"), data(0.1, 1, flight=1)]
    return Capture(*sent, data(first_s, 1, "retransmitted"), data(second_s, 1, "retransmitted"))


def test_a_timer_waits_its_timeout_and_doubles_it() -> None:
    info = [{"time_s": 0.0, "tcpi_rto": 300_000}, {"time_s": 0.45, "tcpi_rto": 600_000}]
    wait = [timers_wait_their_timeout(timer(*at), info, "by hand").status for at in TIMES]
    assert wait == [Status.AGREES, Status.UNEXPLAINED, Status.UNEXPLAINED]
    double = [timers_wait_and_double(timer(*at), 0.3, "by hand").status for at in TIMES]
    assert double == [Status.AGREES, Status.UNEXPLAINED, Status.UNEXPLAINED]


TIMES = [(0.4, 1.0), (0.4, 0.7), (0.2, 0.4)]


def test_an_expiry_knows_when_something_comes_in_again() -> None:
    rows = [data(0, 0), data(0.3, 0, "retransmitted"), ack(0.35, 1, "advance")]
    capture: Any = Capture(*rows)
    [found] = expiries(capture)
    assert (found.waited_s, found.answered_s) == (0.3, 0.35)


def window(time_s: float, cwnd: int, ssthresh: int = 0) -> dict[str, Any]:
    return {"time_s": time_s, "tcpi_snd_cwnd": cwnd, "tcpi_snd_ssthresh": ssthresh}


def test_an_expiry_leaves_a_window_of_one_segment_until_an_ack_comes() -> None:
    expiry = Expiry(1, 1.0, 0.3, None, 50, answered_s=1.5)
    left = [
        timers_leave_one_segment([expiry], [window(0.9, 5), window(1.1, cwnd)], "by hand").status
        for cwnd in (1, 2)
    ]
    assert left == [Status.AGREES, Status.UNEXPLAINED]
    with pytest.raises(MissingPoint):
        timers_leave_one_segment([expiry], [window(1.6, 2)], "by hand")


@pytest.mark.parametrize(("flight", "ssthresh"), [(100, 5), (70, 3), (30, 2)])
def test_a_loss_leaves_half_of_the_flight_and_two_segments_at_least(
    flight: int, ssthresh: int
) -> None:
    expiry = Expiry(1, 1.0, 0.3, None, flight)
    for found, status in ((ssthresh, Status.AGREES), (ssthresh + 1, Status.UNEXPLAINED)):
        info = [window(1.0, 1, found)]
        assert half_of_the_flight_is_left([expiry], info, 10, "by hand").status is status
