"""What held a sender up, and what that means."""

from pathlib import Path

from handmade import ACK, PSH, SYN, Conversation, save

import anechoic as an
from anechoic.captures.screen.screen import text
from anechoic.captures.verdicts.verdict import meaning, queueing, shares, verdict
from anechoic.captures.verdicts.words import what_happened

WINDOW = 8
"""Segments that the receiver has room for."""


def download(rounds: int, *, each: int = WINDOW, waits_s: float = 0.05) -> Conversation:
    """Send so many segments in each round trip of 50 ms, with a receiver's window of eight."""
    talk = Conversation().opened()
    for number in range(rounds):
        at_s = 0.1 + waits_s * number
        talk.data(at_s, *range(each * number, each * (number + 1)))
        talk.ack(at_s + 0.05, each * (number + 1), window=1000 * WINDOW)
    return talk


def beside_the_receiver() -> Conversation:
    """Send eight segments every 50 ms, acknowledged as they pass; the handshake took as long."""
    talk = Conversation()
    talk.send(0.0, "client", SYN, seq=0).send(0.05, "server", SYN | ACK, seq=0, ack=1)
    talk.send(0.05, "client", ACK, seq=1, ack=1)
    for number in range(20):
        talk.data(0.1 + 0.05 * number, *range(8 * number, 8 * (number + 1)))
        talk.ack(0.1 + 0.05 * number, 8 * (number + 1), window=1000 * WINDOW)
    return talk


def told(path: Path, talk: Conversation) -> str:
    (connection,) = an.analyse(save(path / "talk.pcap", talk)).document["connections"]
    return verdict(connection["server"], connection["client"])


def test_who_fills_the_receivers_window_needs_a_larger_one(tmp_path: Path) -> None:
    said = told(tmp_path, download(20))
    larger = "a larger buffer there, or one that is read sooner, would let it go faster"
    # The first window is that of the SYN, and larger.
    assert said == f"held up 95 % by the receiver's window ({larger}), 5 % by the network"
    shown = text(an.analyse(tmp_path / "talk.pcap"))
    assert said in " ".join(shown.split())


def test_a_window_that_stays_closed_is_of_an_application_that_does_not_read(tmp_path: Path) -> None:
    talk = download(4)
    talk.ack(0.3, 32, window=0).ack(2.3, 32, window=1000 * WINDOW).data(2.31, *range(32, 40))
    assert "by the receiver's window (its application read too slowly)" in told(tmp_path, talk)


def test_who_never_fills_it_although_nothing_is_in_the_way_most_likely_has_a_small_buffer(
    tmp_path: Path,
) -> None:
    said = told(tmp_path, download(40, each=3))
    assert said.startswith("held up 100 % by the network (never more than 3,000 bytes in flight")


def test_a_window_whose_scale_was_not_captured_may_be_what_holds_a_sender_up(
    tmp_path: Path,
) -> None:
    talk = Conversation()
    for number in range(20):
        talk.data(0.1 + 0.05 * number, *range(8 * number, 8 * (number + 1)))
        talk.ack(0.15 + 0.05 * number, 8 * (number + 1), window=1000 * WINDOW)
    said = told(tmp_path, talk)
    assert "by the network or the receiver's window, whose scale was not captured" in said


def test_who_waits_for_each_acknowledgment_is_told_of_the_nagle_algorithm(tmp_path: Path) -> None:
    said = told(tmp_path, download(20, each=1))
    assert said.startswith("held up 100 % by the network (one segment at a time")


def test_round_trips_that_grow_tell_of_a_queue_that_fills(tmp_path: Path) -> None:
    talk, at_s = Conversation().opened(), 0.1
    for number in range(40):
        talk.data(at_s, *range(3 * number, 3 * (number + 1)))
        at_s += 0.03 + 0.001 * number
        talk.ack(at_s, 3 * (number + 1))
    said = told(tmp_path, talk)
    assert "it filled the path: " in said
    assert " of its round trips was queueing" in said


def test_who_says_by_psh_that_it_has_sent_all_waits_for_its_application(tmp_path: Path) -> None:
    talk = Conversation().opened()
    for number in range(10):
        at_s, seq = 0.1 + 0.2 * number, 1 + 1000 * number
        talk.send(at_s, "server", ACK | PSH, seq=seq, ack=1, payload=1000)
        talk.ack(at_s + 0.05, number + 1)
    assert told(tmp_path, talk) == "held up 100 % by its application (it had nothing to send)"


def test_who_paces_himself_had_more_to_send_although_nothing_was_on_its_way(tmp_path: Path) -> None:
    talk, takes_1000 = Conversation(), b"\x02\x04\x03\xe8"
    talk.send(0.0, "client", SYN, seq=0, options=takes_1000)
    talk.send(0.0, "server", SYN | ACK, seq=0, ack=1, options=takes_1000)
    talk.send(0.03, "client", ACK, seq=1, ack=1)
    for number in range(10):
        at_s = 0.1 + 0.1 * number
        talk.data(at_s, number).ack(at_s + 0.03, number + 1)
    (connection,) = (analysis := an.analyse(save(tmp_path / "talk.pcap", talk))).document[
        "connections"
    ]
    assert verdict(connection["server"], connection["client"]) == (
        "held up 100 % by the network (it kept its own pace, or its application one in full "
        "segments: nothing was on its way for most of that)"
    )
    assert "stalled: 900 ms keeping its own pace (9)" in text(analysis)


def test_shares_are_told_with_losses_too(tmp_path: Path) -> None:
    talk = download(4)
    # Segment 32 is lost, and comes again by timeout, a second behind the first.
    talk.data(0.3, 32).data(1.3, 32).ack(1.35, 33, window=1000 * WINDOW)
    (connection,) = an.analyse(save(tmp_path / "loss.pcap", talk)).document["connections"]
    held = shares(connection["server"])
    assert list(held) == ["loss", "window", "network"]
    assert round(held["loss"], 2) == 0.83
    assert round(sum(held.values()), 6) == 1.0


def test_beside_the_receiver_only_losses_and_long_pauses_are_told(tmp_path: Path) -> None:
    talk = beside_the_receiver()
    (connection,) = an.analyse(save(tmp_path / "far.pcap", talk)).document["connections"]
    assert connection["server"]["is_far"]
    assert connection["server"]["limits"]["network_ns"] is None
    assert list(shares(connection["server"])) == ["unknown"]
    said = verdict(connection["server"], connection["client"])
    assert said == "what held it up cannot be told from here"


def test_what_is_known_comes_first_however_little_it_is(tmp_path: Path) -> None:
    talk = beside_the_receiver()
    # Segment 160 was lost before: it comes late, and then the rest of the time is untold again.
    talk.data(1.1, 161, 162, 163).ack(1.1, 160).ack(1.1, 160).ack(1.1, 160)
    talk.data(1.3, 160).ack(1.3, 164)
    assert told(tmp_path, talk) == (
        "held up 17 % by losses (it repaired them, or waited for a timer); "
        "83 % cannot be told from here"
    )


def test_where_nobody_acknowledges_neither_limits_nor_flights_are_known(tmp_path: Path) -> None:
    path = save(tmp_path / "one_way.pcap", Conversation().data(0.1, *range(4)).data(0.3, 4))
    analysis = an.analyse(path)
    (connection,) = analysis.document["connections"]
    sent = connection["server"]
    assert (sent["limits"], sent["flight_max"], shares(sent)) == (None, None, {})
    assert "in flight up to" not in text(analysis)
    assert analysis.segments(1)["flight"].null_count == 5
    assert analysis.transfers()["flight_max"].null_count == 1


def test_a_capture_that_missed_what_was_sent_in_the_gaps_leaves_the_verdict_in_doubt(
    tmp_path: Path,
) -> None:
    talk = Conversation().opened()
    for number in range(20):
        # Eight segments are acknowledged, of which the capture has six.
        talk.data(0.1 + 0.05 * number, *range(8 * number, 8 * number + 6))
        talk.ack(0.15 + 0.05 * number, 8 * (number + 1))
    said = told(tmp_path, talk)
    assert said.endswith("; in doubt, as the capture missed 25 % of its bytes")
    (connection,) = an.analyse(tmp_path / "talk.pcap").document["connections"]
    doubts = "What held it up is in doubt, as the capture missed 25 % of its bytes."
    assert doubts in what_happened(connection, "server")
    assert "in doubt" not in told(tmp_path, download(20))


def waiting_for_room(in_flight: int) -> dict[str, object]:
    """Tell of a sender with so many bytes on their way, for 40 ms in the mean and 10 at least."""
    return {
        "rtt": {"count": 100, "min_ms": 10.0, "mean_ms": 40.0},
        "is_far": False,
        "bytes_unique": 100 * in_flight,
        "transfer_ms": 4000.0,
        "mss_max": 1460,
        "stalls": {"window": {"total_ns": 0}},
        "closed_at_end_ns": 0,
        "limits": {"window_ns": 4_000_000_000},
    }


def test_round_trips_tell_of_a_queue_only_if_no_receiver_delays_them() -> None:
    assert queueing(waiting_for_room(20_000)) == 0.75
    assert queueing(waiting_for_room(2_920)) == 0.0


def test_a_window_that_gets_smaller_may_be_read_too_slowly() -> None:
    sent = waiting_for_room(20_000)
    steady, filled = ({"window_min": least, "window_max": 20_000} for least in (19_000, 10_000))
    assert meaning("window", sent, steady).startswith("a queue on the way was long already")
    assert meaning("window", sent, filled).startswith("its application read too slowly, or a queue")
