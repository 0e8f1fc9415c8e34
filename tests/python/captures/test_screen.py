"""What is told of connections on the screen: what matters of each, and of many what they share."""

from pathlib import Path

import pytest
from handmade import ACK, RST, SYN, Conversation, save

import anechoic as an
from anechoic.captures.screen.screen import MOST_CONNECTIONS, text
from anechoic.captures.text.rates import rate
from anechoic.fitting import wrapped


def shown(folder: Path, *talks: Conversation) -> str:
    return text(an.analyse(save(folder / "shown.pcap", *talks)))


def request(port: int = 40_000, start_s: float = 0.0) -> Conversation:
    """Give a connection in which a client asks with ten bytes."""
    talk = Conversation(port, 1_700_000_000.0 + start_s).opened()
    return talk.send(0.06, "client", ACK, seq=1, ack=1, payload=10)


def answer(talk: Conversation, at_s: float, *segments: int) -> Conversation:
    for number in segments:
        talk.send(at_s, "server", ACK, seq=1 + 1000 * number, ack=11, payload=1000)
    return talk


def test_a_request_stands_behind_the_name_of_its_connection(tmp_path: Path) -> None:
    talk = answer(request(), 0.07, *range(20)).ack(0.12, 20)
    name, download = shown(tmp_path, talk).splitlines()[:2]
    assert name == "1. 10.0.0.1:40000 → 10.0.0.2:80  (open, 120 ms, handshake 50 ms)  → 10 bytes"
    assert download.startswith("  ← 20,000 bytes in 20 segments")


def test_short_connections_take_a_line_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    talks = [answer(request(port), 0.07, 0).ack(0.12, 1) for port in (1, 2)]
    first, second = shown(tmp_path, *talks).splitlines()[:2]
    assert first.endswith("→ 10 bytes  ← 1,000 bytes")
    assert second.startswith("2. 10.0.0.1:2")


def test_a_short_transfer_that_something_held_up_is_told(tmp_path: Path) -> None:
    """A reply of which a segment was lost, and one whose segments waited for each other."""
    lost = answer(answer(request(1), 0.07, 0, 1), 0.5, 1).ack(0.55, 2)
    waiting = request(2)
    for number, at_s in enumerate((0.07, 0.12, 0.17)):
        answer(waiting, at_s, number).ack(at_s + 0.05, number + 1)
    told = shown(tmp_path, lost, waiting)
    assert " 1 retransmitted: 1 timeout\n" in told
    assert "one segment at a time" in told


def test_probes_of_a_closed_window_are_not_what_is_retransmitted(tmp_path: Path) -> None:
    reply = answer(request(1), 0.07, 0).ack(0.12, 1, window=0)
    for at_s in (0.4, 1.0):
        reply.send(at_s, "server", ACK, seq=1001, ack=11, payload=1).ack(at_s + 0.05, 1, window=0)
    reply.ack(1.2, 1)
    told = shown(tmp_path, answer(reply, 1.21, 1).ack(1.26, 2))
    assert "      2 probes of a closed window\n" in told


def test_a_short_transfer_of_which_the_capture_missed_some_is_told(tmp_path: Path) -> None:
    talk = answer(request(), 0.07, 0, 2).ack(0.12, 3)
    assert "  ← 2,000 bytes in 2 segments" in shown(tmp_path, talk)


def test_a_handshake_that_was_tried_again_is_told(tmp_path: Path) -> None:
    talk = Conversation().send(0, "client", SYN, seq=0).opened(1.0)
    told = " ".join(shown(tmp_path, talk).split())
    assert "(open, 1.050 s, connected within 1.05 s, SYN sent twice)" in told


def test_a_single_round_trip_has_no_extremes(tmp_path: Path) -> None:
    talk = answer(answer(Conversation(), 0.07, 0), 0.5, 0)
    assert "RTT" not in shown(tmp_path, talk)
    talk.ack(0.55, 1)
    assert "      RTT 50 ms, in flight" in shown(
        tmp_path, answer(talk, 0.6, *range(1, 20)).ack(0.65, 20)
    )


def test_no_line_of_connections_and_notes_is_wider_than_a_terminal(tmp_path: Path) -> None:
    talk = answer(request(), 0.07, 0, 2, *range(3, 40)).ack(0.12, 1)
    lines = shown(tmp_path, answer(talk, 0.5, 1).ack(0.55, 40)).splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[lines.index("Notes on the capture:") + 2].startswith(" " * 6)


def test_a_line_is_not_broken_between_a_number_and_its_unit() -> None:
    line = f"  {'x' * 70} 12,345 bytes and more"
    assert wrapped(line) == f"  {'x' * 70}\n      12,345 bytes and more"
    assert wrapped("short") == "short"


def test_rates_have_the_unit_in_which_they_read_well() -> None:
    told = [rate(mbps) for mbps in (1234.56, 0.5, 0.01234, 9.776e-05)]
    assert told == ["1235 Mbit/s", "0.5 Mbit/s", "12.34 kbit/s", "97.76 bit/s"]


def test_of_many_connections_a_line_for_each_service(tmp_path: Path) -> None:
    ports = range(1, MOST_CONNECTIONS + 1)
    talks = [answer(request(port, port), 0.07, 0).ack(0.12, 1) for port in ports]
    troubled = answer(answer(request(9_999, 60), 0.07, 0), 0.5, 0).ack(0.55, 1)
    told = shown(tmp_path, *talks, troubled)
    head, line = told.splitlines()[1:3]
    assert head.split()[:2] == ["connections", "open"]
    assert line.split()[:3] == ["10.0.0.2:80", "51", "51"]
    assert line.split()[-4:] == ["510", "51,000", "1", "1"]
    assert "51. 10.0.0.1:9999" in told
    assert "50. 10.0.0.1:50" not in told


def test_a_scan_of_ports_is_a_line_for_its_host(tmp_path: Path) -> None:
    talks = []
    for port in range(1, MOST_CONNECTIONS + 2):
        talk = Conversation()
        talk.ports["server"] = port
        talk.send(port, "client", SYN, seq=0).send(port, "server", RST | ACK, seq=0, ack=1)
        talks.append(talk)
    told = shown(tmp_path, *talks)
    head, line, ports = told.splitlines()[1:4]
    assert head.split()[:2] == ["connections", "refused"]
    assert line.split()[:3] == ["10.0.0.2", "51", "51"]
    assert ports == "  ports of 10.0.0.2: 51 closed (RST) (1–51)"
    assert "tell most" not in told


def test_a_scan_tells_which_ports_are_open_closed_or_silent(tmp_path: Path) -> None:
    talks = []
    for port in range(1, MOST_CONNECTIONS + 2):
        talk = Conversation()
        talk.ports["server"] = port
        talk.send(port, "client", SYN, seq=0)
        if port in (22, 23, 30):
            talk.send(port, "server", SYN | ACK, seq=0, ack=1).send(port, "client", RST, seq=1)
        elif port <= 40:
            talk.send(port, "server", RST | ACK, seq=0, ack=1)
        talks.append(talk)
    assert shown(tmp_path, *talks).splitlines()[3] == (
        "  ports of 10.0.0.2: 3 open (SYN+ACK) (22–23, 30), 37 closed (RST) (1–21, 24–29, 31–40), "
        "11 without an answer (41–51)"
    )
