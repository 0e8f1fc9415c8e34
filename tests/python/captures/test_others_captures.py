"""What captures of others need: each a report of somebody whose capture was told wrongly."""

import struct
from pathlib import Path
from typing import Any

from handmade import ACK, HOSTS, MSS, PSH, RST, SYN, Conversation, save

import anechoic as an
from anechoic.captures.screen.screen import text
from anechoic.captures.verdicts.verdict import shares

ECE, CWR = 0x40, 0x80
SACK_PERMITTED = b"\4\2\1\1"
LARGEST = struct.pack(">BBH", 2, 4, 1460)
"""The segment that an end takes."""


def analysed(folder: Path, talk: Conversation) -> Any:
    return an.analyse(save(folder / "talk.pcap", talk))


def told(folder: Path, talk: Conversation) -> dict[str, Any]:
    (connection,) = analysed(folder, talk).document["connections"]
    return dict(connection)


def again(sent: dict[str, Any]) -> dict[str, int]:
    return {cause: count for cause, count in sent["causes"].items() if count}


def opened(rtt_s: float = 0.05) -> Conversation:
    """Shake hands beside the server, who then sends."""
    talk = Conversation().send(0.0, "client", SYN, seq=0, options=SACK_PERMITTED)
    talk.send(0.0, "server", SYN | ACK, seq=0, ack=1, options=SACK_PERMITTED)
    return talk.send(rtt_s, "client", ACK, seq=1, ack=1)


def sack(first: int, end: int) -> bytes:
    """Report segments of the server, by their numbers."""
    return struct.pack(">BBBBII", 1, 1, 5, 10, 1 + first * MSS, 1 + end * MSS)


# A window that stays closed to the end.


def closed(segments: int, probe_bytes: int) -> Conversation:
    """Fill a window, and probe it for 51 seconds."""
    talk = opened()
    for number in range(segments):
        at_s = 0.1 + 0.055 * number
        talk.data(at_s, number).ack(at_s + 0.05, number + 1, window=MSS * (segments - number - 1))
    end = 1 + segments * MSS
    seq = end if probe_bytes else end - 1
    for wait_s in (0.2, 0.6, 1.4, 3, 6.2, 12.6, 25.4, 51):
        talk.send(at_s + 0.055 + wait_s, "server", ACK, seq=seq, ack=1, payload=probe_bytes)
        talk.ack(at_s + 0.105 + wait_s, segments, window=0)
    return talk


def test_a_window_that_stays_closed_is_a_stall_that_lasts(tmp_path: Path) -> None:
    """Whether the sender probes it with a byte, or, as Linux, with none."""
    for segments in (3, 40):
        of_kinds = [told(tmp_path, closed(segments, probe)) for probe in (0, 1)]
        for connection in of_kinds:
            sent = connection["server"]
            assert next(iter(shares(sent))) == "window"
            assert sent["closed_at_end_ns"] == 51_055_000_000
            assert connection["silences"]["client"]["total_ns"] == 51_055_000_000
        alike = ("closed_at_end_ns", "limits", "stalls", "transfer_ms", "last_data_ns")
        first, second = ([each["server"][name] for name in alike] for each in of_kinds)
        assert first == second
    shown = text(an.analyse(tmp_path / "talk.pcap"))
    assert "stalled: 51.1 s window full (1), the last of which lasts" in shown
    assert "its application read too slowly" in " ".join(shown.split())


def test_a_window_that_opens_again_ended_one_pause(tmp_path: Path) -> None:
    talk = closed(10, 0).ack(60.0, 10, window=8 * MSS).data(60.05, *range(10, 18)).ack(60.1, 18)
    sent = told(tmp_path, talk)["server"]
    assert (sent["closed_at_end_ns"], sent["stalls"]["window"]["count"]) == (0, 1)
    assert sent["stalls"]["window"]["total_ns"] > 59e9


# Who waits for whom.


def one_by_one(payload: int, answer_s: float, flags: int = ACK | PSH) -> Conversation:
    """Send one segment after the other, as each is acknowledged, over a path of 3 ms."""
    talk = Conversation().send(0.0, "server", SYN, seq=0, options=LARGEST)
    talk.send(0.003, "client", SYN | ACK, seq=0, ack=1, options=LARGEST)
    talk.send(0.003, "server", ACK, seq=1, ack=1)
    for number in range(30):
        at_s = 0.01 + number * (answer_s + 0.0005)
        talk.send(at_s, "server", flags, seq=1 + number * payload, ack=1, payload=payload)
        talk.send(at_s + answer_s, "client", ACK, seq=1, ack=1 + (number + 1) * payload)
    return talk


def test_a_receiver_that_holds_each_acknowledgment_back_is_what_a_sender_waits_for(
    tmp_path: Path,
) -> None:
    connection = told(tmp_path, one_by_one(MSS, 0.2))
    sent = connection["client"] if connection["client"]["packets_data"] else connection["server"]
    assert shares(sent)["delayed_ack"] > 0.9
    assert sent["stalls"]["delay"]["count"] == 29
    assert "one segment at a time, whose acknowledgment the receiver held back" in " ".join(
        text(an.analyse(tmp_path / "talk.pcap")).split()
    )


def test_small_segments_that_wait_for_each_other_are_held_back_by_nagle(tmp_path: Path) -> None:
    connection = told(tmp_path, one_by_one(100, 0.003))
    sent = connection["client"] if connection["client"]["packets_data"] else connection["server"]
    assert shares(sent)["nagle"] > 0.9


def test_a_longer_path_is_no_receiver_that_holds_back(tmp_path: Path) -> None:
    talk = opened(0.2)
    for number in range(20):
        talk.data(0.3 + 0.201 * number, number).ack(0.5 + 0.201 * number, number + 1)
    assert next(iter(shares(told(tmp_path, talk)["server"]))) == "network"


def test_a_silence_is_whose_turn_it_was(tmp_path: Path) -> None:
    """The client asks late, the server thinks, and an answer is lost on the way."""
    talk = opened().send(1.4, "client", ACK | PSH, seq=1, ack=1, payload=600)
    talk.send(1.4001, "server", ACK, seq=1, ack=601)
    talk.send(3.4, "server", ACK | PSH, seq=1, ack=601, payload=MSS)
    talk.send(4.4, "server", ACK | PSH, seq=1, ack=601, payload=MSS)
    talk.send(4.45, "client", ACK, seq=601, ack=1 + MSS)
    silences = told(tmp_path, talk)["silences"]
    took_s = {whose: pauses["total_ns"] / 1e9 for whose, pauses in silences.items()}
    assert took_s == {"client": 1.35, "server": 2.0, "network": 1.0}
    shown = " ".join(text(an.analyse(tmp_path / "talk.pcap")).split())
    assert "the client paused 1.35 s, the server paused 2 s, nothing came through for 1 s" in shown


# Captures that begin midway.


def clocks(own_ms: float, heard_ms: float) -> bytes:
    return b"\1\1" + struct.pack(">BBII", 8, 10, round(own_ms), round(heard_ms))


def test_a_repair_is_told_by_its_number_where_the_capture_begins_behind_the_loss(
    tmp_path: Path,
) -> None:
    talk = Conversation().send(0.0, "client", ACK, seq=1, ack=1, options=sack(4, 8))
    for number in range(3):
        talk.send(
            0.0002 + number / 1e4,
            "server",
            ACK,
            1 + 1000 * (8 + number),
            1,
            MSS,
            number=300 + number,
        )
        report = sack(4, 9 + number)
        talk.send(0.00021 + number / 1e4, "client", ACK, seq=1, ack=1, options=report)
    talk.send(0.00052, "server", ACK, seq=1, ack=1, payload=MSS, number=303)
    assert again(told(tmp_path, talk)["server"]) == {"fast": 1}


def test_a_repair_answers_the_third_duplicate_whose_clock_it_echoes(tmp_path: Path) -> None:
    """Beside the receiver, 300 ms from the sender."""
    talk, number = Conversation(), 0

    def flight(from_s: float, *, acked: int | None = None, sent: int = 4) -> None:
        nonlocal number
        for place in range(sent):
            now_ms = 1000 * from_s + 1.5 * place
            options = clocks(50_000 + now_ms, 70_000 + now_ms - 300)
            talk.send(now_ms / 1e3, "server", ACK, 1 + number * MSS, 1, MSS, options=options)
            number += 1
            answer = clocks(70_000 + now_ms, 50_000 + now_ms)
            answer += b"" if acked is None else sack(acked + 1, number)
            last = number if acked is None else acked
            at_s = (now_ms + 0.05) / 1e3
            talk.send(at_s, "client", ACK, seq=1, ack=1 + last * MSS, options=answer)

    for turn in range(12):
        flight(0.3 * turn)
    lost, number = number, number + 1
    flight(3.6, acked=lost, sent=2)
    flight(3.9, acked=lost)
    options = clocks(50_000 + 4200, 70_000 + 3900)
    talk.send(4.2006, "server", ACK, 1 + lost * MSS, 1, MSS, options=options)
    talk.send(4.2007, "client", ACK, 1, 1 + number * MSS, options=clocks(74_200, 54_200))
    for turn in range(4):
        flight(4.5 + 0.3 * turn)
    sent = told(tmp_path, talk)["server"]
    assert again(sent) == {"fast": 1}
    assert not sent["stalls"]["timeout"]["count"]


def test_a_timer_that_backs_off_is_known_by_its_times_alone(tmp_path: Path) -> None:
    talk = Conversation()
    for at_s in (0.0, 0.206, 0.806, 2.006, 4.406, 9.206):
        talk.send(at_s, "client", ACK | PSH, seq=1, ack=1, payload=648)
    sent = told(tmp_path, talk)["client"]
    assert (again(sent), sent["timeouts"]) == ({"timeout": 5}, 5)
    causes = an.analyse(tmp_path / "talk.pcap").segments(1).column("cause").to_pylist()
    assert causes == [None, *["timeout"] * 5]


def test_a_timer_that_has_come_to_its_limit_is_the_same_timer(tmp_path: Path) -> None:
    talk = Conversation()
    for at_s in (0.0, 15.0, 45.0, 105.0, 165.0, 225.0):
        talk.send(at_s, "client", ACK | PSH, seq=1, ack=1, payload=648)
    assert again(told(tmp_path, talk)["client"]) == {"timeout": 5}


def test_copies_at_even_times_are_of_no_timer(tmp_path: Path) -> None:
    talk = Conversation()
    for turn in range(6):
        talk.send(0.5 * turn, "client", ACK | PSH, seq=1, ack=1, payload=648)
    assert again(told(tmp_path, talk)["client"]) == {"unknown": 5}


def test_what_is_captured_behind_its_acknowledgment_was_not_late(tmp_path: Path) -> None:
    """Two queues of the capturing host: every tenth acknowledgment overtakes its data."""
    talk = opened(0.001)
    for number in range(100):
        at_s = 0.01 + 0.0025 * number
        if number % 10 == 9:
            talk.ack(at_s, number + 1).data(at_s + 3e-6, number)
        else:
            talk.data(at_s, number).ack(at_s + 3e-5, number + 1)
    connection = told(tmp_path, talk)
    sent = connection["server"]
    assert (again(sent), sent["recoveries"], sent["acks_early"]) == ({}, 0, 10)
    assert (sent["packets_out_of_order"], sent["bytes_missed"]) == (0, 0)
    assert "loss" not in shares(sent)


# Connections that have a hard time to begin.


def test_a_half_open_connection_stands_in_the_way_of_a_new_one(tmp_path: Path) -> None:
    talk = Conversation().send(0.0, "client", SYN, seq=0)
    talk.send(0.03, "server", ACK, seq=5_000_000, ack=860_000_000)
    talk.send(0.0302, "client", RST, seq=860_000_000)
    talk.send(3.0, "client", SYN, seq=0).send(3.03, "server", SYN | ACK, seq=0, ack=1)
    talk.send(3.03, "client", ACK, seq=1, ack=1)
    talk.send(3.04, "client", ACK | PSH, seq=1, ack=1, payload=100)
    talk.send(3.07, "server", ACK, seq=1, ack=101)
    connection = told(tmp_path, talk)
    assert (connection["outcome"], connection["client"]["syns"]) == ("open", 2)
    assert (connection["handshake_ms"], connection["connect_ms"]) == (None, 3030.0)
    assert not connection["client"]["bytes_missed"] + connection["server"]["bytes_missed"]
    shown = " ".join(text(an.analyse(tmp_path / "talk.pcap")).split())
    assert "connected within 3.03 s, SYN sent twice" in shown


# What the network says.


def icmp(talk: Conversation, at_s: float, kind: int, code: int, about: int, mtu: int = 0) -> None:
    """Let a router say something of a packet of the talk, of which it quotes the beginning."""
    quoted = talk.packets[about][1][:28]
    message = struct.pack(">BBHHH", kind, code, 0, 0, mtu) + quoted
    head = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(message), 0, 0, 64, 1, 0)
    to = quoted[12:16]
    talk.packets.append((talk.start_s + at_s, head + bytes([10, 0, 0, 9]) + to + message))


def test_what_a_router_refuses_as_too_large_is_retransmitted_in_smaller_packets(
    tmp_path: Path,
) -> None:
    talk = opened(0.04)
    first = len(talk.packets)
    talk.data(0.1, *range(10))
    for number in range(10):
        icmp(talk, 0.11 + number / 1e5, 3, 4, first + number, mtu=900)
    for piece, start in enumerate(range(0, 10 * MSS, 800)):
        length = min(800, 10 * MSS - start)
        at_s = 0.112 + piece / 1e4
        talk.send(at_s, "server", ACK, seq=1 + start, ack=1, payload=length)
        talk.send(at_s + 0.04, "client", ACK, seq=1, ack=1 + start + length)
    sent = told(tmp_path, talk)["server"]
    assert again(sent) == {"path_mtu": 13}
    assert (sent["icmp_too_big"], sent["path_mtu"]) == (10, 900)
    assert "loss" not in shares(sent)
    shown = " ".join(text(an.analyse(tmp_path / "talk.pcap")).split())
    assert "ICMP said that its packets are too large for a link, 900 bytes at most" in shown


def test_why_nobody_answers_is_said_by_icmp(tmp_path: Path) -> None:
    for code, what in ((1, "the other host is not reached"), (3, "nobody listens at the port")):
        talk = Conversation().send(0.0, "client", SYN, seq=0)
        icmp(talk, 0.01, 3, code, about=0)
        assert f"ICMP said that {what} (1 message)" in text(analysed(tmp_path, talk))


def marked(talk: Conversation, count: int, flags: int = ACK) -> Conversation:
    """Send segments of which every other one was marked."""
    for number in range(count):
        tos = 3 if number % 2 else 2
        talk.send(0.1 + number / 1e3, "server", flags, 1 + number * MSS, 1, MSS, tos=tos)
    return talk


def test_marks_of_congestion_are_counted_at_the_sender_of_what_was_marked(tmp_path: Path) -> None:
    talk = Conversation().send(0.0, "client", SYN | ECE | CWR, seq=0)
    talk.send(0.0, "server", SYN | ACK | ECE, seq=0, ack=1)
    talk = marked(talk.send(0.05, "client", ACK, seq=1, ack=1), 4)
    talk.send(0.16, "client", ACK | ECE, seq=1, ack=1 + 4 * MSS)
    talk.send(0.17, "server", ACK | CWR, seq=1 + 4 * MSS, ack=1, payload=MSS, tos=2)
    talk.send(0.22, "client", ACK, seq=1, ack=1 + 5 * MSS)
    connection = told(tmp_path, talk)
    names = ("ecn_capable", "ecn_marked", "ecn_echoes", "ecn_reductions")
    assert [connection["server"][name] for name in names] == [5, 2, 1, 1]
    assert connection["ecn"] == "classic"


def test_who_agreed_on_accurate_ecn_counts_the_marks(tmp_path: Path) -> None:
    accurate = 0x100
    talk = Conversation().send(0.0, "client", SYN | accurate | ECE | CWR, seq=0)
    talk.send(0.0, "server", SYN | ACK | CWR, seq=0, ack=1)
    # It says how the answer to the SYN came, and then counts on from five.
    talk = marked(talk.send(0.05, "client", ACK | CWR, seq=1, ack=1), 20, ACK | ECE | accurate)
    for number in range(20):
        count = (5 + (number + 1) // 2) % 8
        flags = (
            (accurate if count & 4 else 0) | (CWR if count & 2 else 0) | (ECE if count & 1 else 0)
        )
        talk.send(0.15 + number / 1e3, "client", ACK | flags, seq=1, ack=1 + (number + 1) * MSS)
    connection = told(tmp_path, talk)
    sent = connection["server"]
    assert connection["ecn"] == "accurate"
    assert (sent["ecn_marked"], sent["ecn_echoes"], sent["ecn_reductions"]) == (10, 10, 0)


# What carries the packets.


def test_what_is_met_and_not_opened_is_named_with_its_count(tmp_path: Path) -> None:
    talk = Conversation()
    addresses = HOSTS["client"] + HOSTS["server"]
    for protocol, port, times in ((17, 53, 2), (89, 0, 1)):
        payload = struct.pack(">HHHH", 40_000, port, 8, 0)
        head = struct.pack(">BBHHHBBH", 0x45, 0, 28, 0, 0, 64, protocol, 0)
        talk.packets += [(talk.start_s, head + addresses + payload)] * times
    gre = struct.pack(">BBHHHBBH", 0x45, 0, 28, 0, 0, 64, 47, 0) + addresses
    talk.packets.append((talk.start_s, gre + struct.pack(">HHI", 0, 0x1234, 0)))
    shown = " ".join(text(analysed(tmp_path, talk)).split())
    told = "2 of UDP port 53 (DNS), 1 of GRE protocol 0x1234, 1 of IP protocol 89 (OSPF)."
    assert shown.endswith(f"not opened here: {told}")


def test_a_frame_without_an_ethertype_is_named_by_its_service(tmp_path: Path) -> None:
    """Spanning tree, as switches send it every two seconds."""
    frame = bytes.fromhex("0180c2000000 020000000001 0026 424203") + bytes(43)
    head = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65_535, 1)
    packets = [struct.pack("<IIII", each, 0, len(frame), len(frame)) + frame for each in (0, 2)]
    (tmp_path / "switch.pcap").write_bytes(head + b"".join(packets))
    shown = " ".join(text(an.analyse(tmp_path / "switch.pcap")).split())
    assert shown.endswith("not opened here: 2 of LLC service 0x42 (spanning tree).")
