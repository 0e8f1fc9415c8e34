"""What happened, in words."""

from pathlib import Path

from handmade import SYN, Conversation, save

import anechoic as an
from anechoic.captures.text.durations import duration, durations
from anechoic.captures.verdicts.telling import telling
from anechoic.captures.verdicts.words import what_happened


def words(path: Path, sender: str = "server") -> str:
    return " ".join(what_happened(an.analyse(path).document["connections"][0], sender))


def test_a_receiver_without_room_is_named(tmp_path: Path) -> None:
    talk = Conversation().opened().data(0.1, 0, 1).ack(0.15, 2, window=0)
    talk.ack(2.1, 2).data(2.1, 2, 3).ack(2.15, 4)
    told = words(save(tmp_path / "window.pcap", talk))
    slow = "its application read too slowly"
    assert f"100 % of its time it was held up by the receiver's window: {slow}." in told
    assert "In that time it stalled: window full for 2 s (1 pause)." in told
    assert "The receiver closed its window once." in told


def test_a_single_segment_has_no_throughput(tmp_path: Path) -> None:
    one = save(tmp_path / "one.pcap", Conversation().opened().data(0.1, 0).ack(0.15, 1))
    assert words(one).startswith("It sent 1,000 bytes in 1 segment. ")
    two = save(tmp_path / "two.pcap", Conversation().opened().data(0.1, 0, 1).ack(0.15, 2))
    assert words(two).startswith("It sent 2,000 bytes in 2 segments within 100 ms: 0.16 Mbit/s. ")


def test_a_timeout_is_named(tmp_path: Path) -> None:
    talk = Conversation().opened().data(0.1, 0).ack(0.15, 1).data(0.2, 1).data(0.7, 1).ack(0.75, 2)
    told = words(save(tmp_path / "timeout.pcap", talk))
    assert "83 % of its time it was held up by losses" in told
    assert "In that time it stalled: waiting for a timeout for 500 ms (1 pause)." in told
    assert "1 segment (33 %) came again or late: 1 timeout." in told
    assert "Its retransmission timer expired once." in told


def test_a_connection_that_began_before_is_doubted(tmp_path: Path) -> None:
    told = words(save(tmp_path / "midway.pcap", Conversation().data(0.1, 5).ack(0.15, 6)))
    assert "The capture begins in the middle of it" in told
    assert "Nothing was retransmitted." in told


def test_the_largest_and_the_troubled_are_looked_at(tmp_path: Path) -> None:
    talks = []
    for number in range(12):
        talk = Conversation(port=50_000 + number).opened(number)
        talk.data(number + 0.1, *range(12 - number)).ack(number + 0.15, 12 - number)
        talks.append(talk)
    talks[10].data(10.9, 0)
    connections = an.analyse(save(tmp_path / "many.pcap", *talks)).document["connections"]
    assert telling(connections) == [1, 2, 3, 4, 11]


def test_of_equal_connections_those_that_lasted_or_opened_longest_are_looked_at(
    tmp_path: Path,
) -> None:
    talks = []
    for number in range(12):
        talk = Conversation(port=50_000 + number)
        wait_s = {3: 3.0, 8: 1.0}.get(number, 0.0)
        if wait_s:
            talk.send(10 * number, "client", SYN, seq=0)
        opened_s = 10 * number + wait_s
        talks.append(talk.opened(opened_s).data(opened_s + 0.1, 0).ack(opened_s + 0.15, 1))
    talks[5].ack(54.0, 1)
    connections = an.analyse(save(tmp_path / "equal.pcap", *talks)).document["connections"]
    assert {4, 6, 9} <= set(telling(connections))
    assert len(telling(connections)) == 4


def test_round_trips_are_told_in_one_unit_and_without_powers_of_ten() -> None:
    assert durations(4.89e6, 79.5e6, 130e6) == "4.89 / 79.5 / 130 ms"
    assert durations(9e3, 50.3e3, 1.25e6) == "9 / 50.3 / 1,250 µs"
    assert durations(12, 0.9e9, 61e9) == "0 / 900 / 61,000 ms"


def test_times_are_told_in_units_that_read_well() -> None:
    told = [duration(ns) for ns in (0, 7, 58e3, 0.291e9, 0.9999e9, 2.81e9, 1234e9)]
    assert told == ["0 ns", "7 ns", "58 µs", "291 ms", "1 s", "2.81 s", "1,234 s"]
