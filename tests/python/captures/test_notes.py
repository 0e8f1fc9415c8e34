"""What is to be known of a capture before trusting it, on the screen and in the document."""

import gzip
import json
import re
import struct
from pathlib import Path
from typing import Any

from click.testing import CliRunner
from handmade import ACK, HOSTS, MSS, RST, SYN, Conversation, save

import anechoic as an
from anechoic.captures.doubts.notes import notes_on
from anechoic.captures.output.folder import write_folder
from anechoic.captures.verdicts.verdict import whole_path_ms
from anechoic.captures.verdicts.words import what_happened
from anechoic.cli import cli


def told(capture: Path) -> tuple[str, dict[str, Any]]:
    runner = CliRunner()
    shown = runner.invoke(cli, ["analyse", str(capture)]).stdout
    # Where lines break is nothing to these tests.
    return " ".join(shown.split()), json.loads(
        runner.invoke(cli, ["analyse", "--json", str(capture)]).stdout
    )


def test_a_packed_capture_that_was_cut_short_says_so_in_words(tmp_path: Path) -> None:
    whole = save(tmp_path / "whole.pcap", Conversation().opened().data(0.1, 0).ack(0.15, 1))
    packed = gzip.compress(whole.read_bytes())
    cut = tmp_path / "cut.pcap.gz"
    cut.write_bytes(packed[: len(packed) // 2])
    result = CliRunner().invoke(cli, ["analyse", str(cut)])
    assert result.exit_code == 0, result.output
    assert re.search(
        r"warning: .*: reading stopped at byte [\d,]+ of what it unpacks to: ", result.stderr
    )


def test_a_capture_of_one_direction_says_so(tmp_path: Path) -> None:
    both, one = Conversation().opened().data(0.1, 0).ack(0.15, 1), Conversation().data(0.1, 0)
    said = "Of 1 connection only one direction was captured"
    assert said not in told(save(tmp_path / "both.pcap", both))[0]
    assert said in told(save(tmp_path / "one.pcap", one.data(0.2, 1).data(0.5, 0)))[0]


def checksum(words: bytes) -> int:
    """Sum in one's complement (RFC 1071)."""
    total = sum(struct.unpack(f">{len(words) // 2}H", words))
    while total > 0xFFFF:
        total = (total >> 16) + (total & 0xFFFF)
    return total


def with_checksums(conversation: Conversation, *from_card: bytes) -> Conversation:
    """Put the checksums in, but those of some hosts their card is still to put in."""
    for at, (at_s, packet) in enumerate(conversation.packets):
        pseudo = packet[12:20] + struct.pack(">HH", 6, len(packet) - 20)
        is_partial = packet[12:16] in from_card
        summed = checksum(pseudo) if is_partial else 0xFFFF - checksum(pseudo + packet[20:])
        whole = packet[:36] + struct.pack(">H", summed) + packet[38:]
        conversation.packets[at] = (at_s, whole)
    return conversation


def test_checksums_that_the_card_puts_in_are_not_taken_for_damage(tmp_path: Path) -> None:
    server = bytes([10, 0, 0, 2])
    download = Conversation().opened().data(0.1, 0, 1, 2, 3).ack(0.2, 4)
    shown, document = told(save(tmp_path / "a.pcap", with_checksums(download, server)))
    note = "In 1 direction, TCP checksums of 5 segments are still to be put in by the network card"
    assert note in shown
    assert any(note in each for each in document["notes"])
    (connection,) = document["connections"]
    assert connection["server"]["wrong_checksums"] == "offload"
    assert connection["client"]["checksums_right"] == 3


def test_between_two_containers_of_a_host_no_card_puts_checksums_in(tmp_path: Path) -> None:
    hosts = bytes([10, 0, 0, 1]), bytes([10, 0, 0, 2])
    download = Conversation().opened().data(0.1, 0, 1, 2, 3).ack(0.2, 4)
    shown, _ = told(save(tmp_path / "a.pcap", with_checksums(download, *hosts)))
    note = (
        "In 2 directions, TCP checksums of 8 segments were never put in: both ends run on the host"
    )
    assert note in shown


def test_a_corrupted_segment_was_not_received(tmp_path: Path) -> None:
    download = Conversation().opened().data(0.1, 0, 1, 2).ack(0.2, 3)
    with_checksums(download, b"nobody")
    at_s, packet = download.packets[4]
    download.packets[4] = (at_s, packet[:-1] + b"\x01")
    shown, _ = told(save(tmp_path / "b.pcap", download))
    assert "In 1 direction, TCP checksums of 1 segment show corruption" in shown


def test_a_packet_that_a_mirror_sends_twice_is_taken_once(tmp_path: Path) -> None:
    download = Conversation().opened().data(0.1, 0, 1, 2).ack(0.2, 3)
    once = with_checksums(download, b"nobody").packets[1:]
    download.packets += [(at_s + 20e-6, packet) for at_s, packet in once]
    shown, document = told(save(tmp_path / "c.pcap", download))
    assert f"{len(once)} packets captured twice" in shown
    (connection,) = document["connections"]
    assert connection["server"]["packets_retransmitted"] == 0
    assert connection["server"]["packets_data"] == 3


def opened_at_the_client() -> Conversation:
    """Shake hands over a path of 50 ms, as a capture at the client shows it."""
    talk = Conversation().send(0.0, "client", SYN, seq=0)
    talk.send(0.05, "server", SYN | ACK, seq=0, ack=1)
    return talk.send(0.05, "client", ACK, seq=1, ack=1)


def test_stalls_of_a_sender_far_away_are_those_seen_from_the_receiver(tmp_path: Path) -> None:
    far, beside = opened_at_the_client(), Conversation().opened()
    for talk, way_s in ((far, 0.001), (beside, 0.05)):
        for at_s, number in ((0.1, 0), (0.2, 1), (3.2, 2)):
            talk.data(at_s, number).ack(at_s + way_s, number + 1)
    for talk, is_noted in ((far, True), (beside, False)):
        shown, _ = told(save(tmp_path / "stalled.pcap", talk))
        assert "s nothing on its way)" in shown
        assert ("The stalls of 1 direction of these are those seen from here" in shown) == is_noted


def test_pauses_of_less_than_a_hundredth_of_the_time_are_not_told(tmp_path: Path) -> None:
    talk = Conversation().opened()
    for number in range(400):
        at_s = 0.1 + 0.06 * number + (0.06 if number > 200 else 0.0)
        talk.data(at_s, number).ack(at_s + 0.05, number + 1)
    shown, document = told(save(tmp_path / "trifle.pcap", talk))
    (connection,) = document["connections"]
    assert connection["server"]["stalls"]["application"]["count"] == 1
    assert "stalled" not in shown


def test_keep_alives_are_told(tmp_path: Path) -> None:
    talk = Conversation().opened().data(0.1, 0).ack(0.15, 1)
    for at_s in (5.0, 7.0):
        talk.send(at_s, "server", ACK, seq=MSS, ack=1).ack(at_s + 0.05, 1)
        talk.send(at_s + 1, "client", ACK, seq=0, ack=1 + MSS)
    shown, _ = told(save(tmp_path / "alive.pcap", talk))
    assert shown.count("2 keep-alives") == 2


MSS_AND_SCALE = bytes([2, 4, 5, 180, 3, 3, 7, 0])
"""A largest segment of 1,460 bytes, and windows in units of 128."""


def scaled_download() -> Conversation:
    """Fill a window of 16,000 bytes three times."""
    talk = Conversation().send(0.0, "client", SYN, seq=0, options=MSS_AND_SCALE)
    talk.send(0.0, "server", SYN | ACK, seq=0, ack=1, options=MSS_AND_SCALE)
    talk.send(0.05, "client", ACK, seq=1, ack=1, window=125)
    for number in range(3):
        talk.data(0.06 + 0.05 * number, *range(16 * number, 16 * (number + 1)))
        talk.ack(0.11 + 0.05 * number, 16 * (number + 1), window=125)
    return talk


def test_options_that_were_cut_off_are_unknown_and_not_wrong(tmp_path: Path) -> None:
    whole = save(tmp_path / "whole.pcap", scaled_download())
    cut = save(tmp_path / "cut.pcap", scaled_download(), snap=42)
    said = "the snap length cut off TCP options of 2 segments"
    expected = {whole: ("captured", 7, 1460, False, 16_000), cut: ("cut", None, None, None, None)}
    for path, known in expected.items():
        shown, document = told(path)
        (connection,) = document["connections"]
        client = connection["client"]
        fields = ("syn_options", "window_scale", "mss_option", "sack_permitted", "window_max")
        assert tuple(client[field] for field in fields) == known
        assert (said in shown) == (path == cut)
        sentences = " ".join(what_happened(connection, "server"))
        assert ("held up by the receiver's window" in sentences) == (path == whole)
        assert ("Its SYN's options are cut off" in sentences) == (path == cut)


def test_a_window_of_unknown_scale_is_in_no_table_and_no_figure(tmp_path: Path) -> None:
    path = save(tmp_path / "cut.pcap", scaled_download(), snap=42)
    analysis = an.analyse(path)
    windows = analysis.segments(1)["window"].to_pylist()
    assert windows[:2] == [60_000, 60_000], "a SYN's is not scaled"
    assert set(windows[2:]) == {None}
    (transfer,) = analysis.transfers().to_pylist()
    assert (transfer["window_min"], transfer["window_max"]) == (None, None)
    write_folder(analysis, tmp_path / "out")


def merged(second_at_s: float) -> Conversation:
    """Give a download captured at both ends of a path, in one file."""
    talk = Conversation().opened()
    for number in range(8):
        talk.data(0.1 + 0.1 * number, number).ack(0.15 + 0.1 * number, number + 1)
    talk.packets += [(at_s + second_at_s, packet) for at_s, packet in talk.packets]
    talk.packets.sort(key=lambda each: each[0])
    return talk


def test_a_capture_that_has_about_every_packet_twice_is_suspected_to_be_two(tmp_path: Path) -> None:
    note = "In 1 connection about every packet is there twice"
    shown, document = told(save(tmp_path / "merged.pcap", merged(0.02)))
    assert document["connections"][0]["server"]["packets_retransmitted"] == 8
    assert note in shown
    assert "anechoic analyse FIRST SECOND" in shown


def without_numbers(talk: Conversation) -> Conversation:
    """Take the IP identifications away, as IPv6 has none."""
    talk.packets = [(at_s, each[:4] + bytes(2) + each[6:]) for at_s, each in talk.packets]
    return talk


def test_acknowledgments_that_came_twice_tell_it_where_packets_have_no_number(
    tmp_path: Path,
) -> None:
    bulk, refused = Conversation().opened(), Conversation(port=40_001)
    for number in range(40):
        bulk.data(0.1 + 0.01 * number, number).ack(0.15 + 0.01 * number, number + 1)
    refused.send(1.0, "client", SYN, seq=0).send(1.05, "server", RST | ACK, seq=0, ack=1)
    for talk in (bulk, refused):
        talk.packets += [(at_s + 0.025, packet) for at_s, packet in talk.packets]
    shown, document = told(save(tmp_path / "merged.pcap", without_numbers(bulk), refused))
    assert document["connections"][0]["server"]["causes"]["network_duplicate"] == 0
    assert "In 2 connections about every packet is there twice" in shown


def test_a_path_that_loses_every_second_packet_is_no_second_capture(tmp_path: Path) -> None:
    talk = Conversation().send(-1.0, "client", SYN, seq=0)
    talk.send(-1.0, "server", SYN | ACK, seq=0, ack=1).opened()
    for number in range(20):
        at_s = 0.1 + 0.4 * number
        talk.data(at_s, number).data(at_s + 0.3, number).ack(at_s + 0.35, number + 1)
    shown, document = told(save(tmp_path / "lossy.pcap", without_numbers(talk)))
    assert document["connections"][0]["server"]["packets_retransmitted"] == 20
    assert "is there twice" not in shown


def test_what_a_capture_has_twice_at_once_may_be_two_captures_too(tmp_path: Path) -> None:
    shown, document = told(save(tmp_path / "merged.pcap", merged(20e-6)))
    assert document["tally"]["doubled"] >= 8
    assert "About every packet was captured twice" in shown


def test_receivers_that_report_what_came_twice_speak_of_the_network(tmp_path: Path) -> None:
    shown, _ = told(save(tmp_path / "doubled.pcap", doubled(is_reported=True)))
    assert "about every packet" not in shown


def test_records_out_of_order_can_be_put_in_order(tmp_path: Path) -> None:
    early, late = Conversation().opened(), Conversation(port=40_001).opened()
    late.packets = [(at_s + 10, packet) for at_s, packet in late.packets]
    first, second = (save(tmp_path / name, each) for name, each in (("1", early), ("2", late)))
    file_header = 24
    shuffled = tmp_path / "shuffled.pcap"
    shuffled.write_bytes(second.read_bytes() + first.read_bytes()[file_header:])
    shown, document = told(shuffled)
    assert document["tally"]["back_in_time"] == 1
    assert "reordercap FILE SORTED" in shown
    assert "in doubt" not in shown, "each connection has its packets in order"


def download(number: int = 20) -> Conversation:
    """Send segments in order, each of which is acknowledged 50 ms later."""
    talk = Conversation().opened()
    for each in range(number):
        talk.data(0.1 + 0.02 * each, each).ack(0.15 + 0.02 * each, each + 1)
    return talk


def of_one_end(talk: Conversation, end: str) -> list[tuple[float, bytes]]:
    return [each for each in talk.packets if each[1][12:16] == HOSTS[end]]


def test_two_directions_one_behind_the_other_are_out_of_order(tmp_path: Path) -> None:
    talk, order = download(), ("server", "client")
    parts = [Conversation(), Conversation()]
    for part, end in zip(parts, order, strict=True):
        part.packets = of_one_end(talk, end)
    first, second = (save(tmp_path / end, part) for end, part in zip(order, parts, strict=True))
    file_header = 24
    joined = tmp_path / "joined.pcap"
    joined.write_bytes(first.read_bytes() + second.read_bytes()[file_header:])
    shown, document = told(joined)
    assert document["connections"][0]["back_in_time"] == 19
    assert "19 packets behind later ones of their connections" in shown
    assert CLOCKS not in shown


CLOCKS = "whose clocks disagree"


def moved(talk: Conversation, end: str, by_s: float) -> Conversation:
    """Give a conversation of which a clock that is ahead captured one end."""
    own = of_one_end(talk, end)
    talk.packets = [
        (at_s + (by_s if (at_s, packet) in own else 0.0), packet) for at_s, packet in talk.packets
    ]
    return talk


def test_acknowledgments_before_what_they_acknowledge_are_of_another_clock(tmp_path: Path) -> None:
    for end, by_s in (("client", -0.06), ("server", 0.06), ("server", 30.0)):
        shown, document = told(save(tmp_path / "moved.pcap", moved(download(), end, by_s)))
        ahead = f"{1000 * abs(by_s) - 50:.3g} ms" if abs(by_s) < 1 else f"{abs(by_s) - 0.05:.3g} s"
        assert f"before what they acknowledge, by {ahead} in the mean" in shown
        assert CLOCKS in " ".join(document["notes"])
        assert LOST_BEFORE not in shown, "late is what the other clock has late"


def test_one_acknowledgment_may_be_of_much_that_comes_later(tmp_path: Path) -> None:
    talk = Conversation().opened()
    for burst in range(4):
        numbers = range(8 * burst, 8 * burst + 8)
        for number in numbers:
            talk.ack(0.1 + 0.1 * burst + 0.001 * number, number + 1)
        talk.data(0.15 + 0.1 * burst, numbers[0])
        talk.send(
            0.15 + 0.1 * burst,
            "server",
            ACK,
            seq=1 + (numbers[0] + 1) * MSS,
            ack=1,
            payload=7 * MSS,
        )
    shown, document = told(save(tmp_path / "joined.pcap", talk))
    sent = document["connections"][0]["server"]
    assert (sent["acks_of_unseen"], sent["acks_early"], sent["bytes_missed"]) == (32, 8, 0)
    assert CLOCKS in shown


def test_clocks_that_order_tells_nothing_of_are_not_accused(tmp_path: Path) -> None:
    for by_s in (0.0, -0.03):
        shown, _ = told(save(tmp_path / "moved.pcap", moved(download(), "client", by_s)))
        assert CLOCKS not in shown


def test_what_a_capture_missed_and_came_again_needlessly_is_no_other_clock(tmp_path: Path) -> None:
    talk = Conversation().opened()
    for each in range(20):
        talk.data(0.1 + 0.1 * each, each).ack(0.15 + 0.1 * each, each + 1)
    missed = [f"{1 + each * MSS:08x}" for each in range(2, 18, 2)]
    talk.packets = [
        (at_s, packet)
        for at_s, packet in talk.packets
        if len(packet) < MSS or packet[24:28].hex() not in missed
    ]
    for each in (4, 8, 12):
        talk.data(2.5 + 0.02 * each, each)
    shown, document = told(save(tmp_path / "missed.pcap", talk))
    assert document["connections"][0]["server"]["acks_early"] == 3
    assert CLOCKS not in shown


def test_silences_on_the_air_have_a_note_of_their_own(tmp_path: Path) -> None:
    _, document = told(save(tmp_path / "near.pcap", download(60)))
    noted = [document["notes"]]
    document["connections"][0]["server"]["limits"]["unknown_ns"] = 10**9
    noted.append(notes_on(document))
    assert ["that passed on the air" in " ".join(notes) for notes in noted] == [False, True]


def test_a_handshake_shorter_than_round_trips_on_a_part_is_not_that_of_the_path(
    tmp_path: Path,
) -> None:
    far = opened_at_the_client()
    for number in range(60):
        far.data(0.1 + 0.08 * number, number).ack(0.175 + 0.08 * number, number + 1)
    (connection,) = told(save(tmp_path / "far.pcap", far))[1]["connections"]
    sent = connection["server"]
    assert 70 < sent["rtt"]["mean_ms"] < 80
    assert whole_path_ms(connection, sent) is None
    assert whole_path_ms({**connection, "handshake_ms": 80.0}, sent) == 80.0
    assert whole_path_ms(connection, {**sent, "sender_rtt_ms": 10.0}) > 80.0


def test_why_something_cannot_be_told_stands_once_in_the_notes(tmp_path: Path) -> None:
    far = opened_at_the_client()
    for number in range(60):
        far.data(0.1 + 0.02 * number, number).ack(0.1001 + 0.02 * number, number + 1)
    shown, document = told(save(tmp_path / "far.pcap", far))
    assert shown.count("A capture beside it tells.") == 1
    assert "what held it up cannot be told from here" in shown
    assert re.search(
        r"RTT from here [\d. /]+ µs \(min / mean / max\), whole path about 50 ms", shown
    )
    near = told(save(tmp_path / "near.pcap", download(60)))[0]
    assert "RTT 50 / 50 / 50 ms (min / mean / max), in flight" in near
    assert "A capture beside it tells." not in near
    (connection,) = document["connections"]
    sentences = " ".join(what_happened(connection, "server"))
    assert "For 100 % of its time what held it up cannot be told from here." in sentences
    assert "to the receiver and back alone; one of the whole path 50 ms" in sentences
    page = write_folder(an.analyse(tmp_path / "far.pcap"), tmp_path / "out").read_text("utf-8")
    assert "† From the point of capture to the receiver and back alone" in page
    assert "cannot be told from here</td>" in page


def test_headers_that_the_snap_length_cut_off_are_not_known(tmp_path: Path) -> None:
    path = save(tmp_path / "cut.pcap", scaled_download(), snap=30)
    shown, document = told(path)
    assert document["tally"]["cut"] == document["tally"]["packets"]
    assert "cut off within the headers, by the snap length as it seems" in shown
    assert "where the headers are whole" not in shown, "they are of none"


LOST_BEFORE = "most losses happened before the point of capture"


def test_a_repair_seen_once_speaks_of_a_loss_before_the_point_of_capture(tmp_path: Path) -> None:
    talk = Conversation().opened().data(0.1, 0, 2, 3, 4).ack(0.15, 1)
    for _ in range(3):
        talk.ack(0.151, 1)
    shown, _ = told(save(tmp_path / "lost.pcap", talk.data(0.21, 1).ack(0.26, 5)))
    assert " 1 came late: 1 fast retransmit" in shown
    assert LOST_BEFORE in shown


def test_the_report_counts_a_single_segment_as_one(tmp_path: Path) -> None:
    path = save(tmp_path / "a.pcap", Conversation().opened().data(0.1, 0).data(0.5, 0).ack(0.55, 1))
    page = write_folder(an.analyse(path), tmp_path / "out").read_text(encoding="utf-8")
    assert "1 segment seen twice, 0 late" in page


def test_what_was_only_overtaken_is_called_so_and_speaks_of_no_loss(tmp_path: Path) -> None:
    talk = Conversation().opened().data(0.1, 0, 2).data(0.1001, 1).ack(0.15, 3)
    shown, _ = told(save(tmp_path / "overtaken.pcap", talk))
    assert " 1 came late: 1 reordering" in shown
    assert LOST_BEFORE not in shown


def doubled(is_reported: bool) -> Conversation:
    """Give a download whose second segment is captured twice, and came twice or not."""
    talk = Conversation().opened().data(0.1, 0, 1).ack(0.15, 2)
    at_s, packet = talk.packets[4]
    talk.packets.append((at_s + 12e-6, packet))
    # Two of padding, then SACK with one block (RFC 2018, 3), below what is acknowledged.
    report = struct.pack(">BBBBII", 1, 1, 5, 10, 1 + MSS, 1 + 2 * MSS)
    options = report if is_reported else b""
    return talk.send(0.1501, "client", ACK, seq=1, ack=1 + 2 * MSS, options=options)


def test_a_receiver_that_has_a_packet_twice_proves_that_no_capture_doubled_it(
    tmp_path: Path,
) -> None:
    note = "The network doubled packets: receivers reported 1 more as received twice (DSACK)"
    for is_reported in (True, False):
        shown, document = told(save(tmp_path / "a.pcap", doubled(is_reported)))
        assert document["tally"]["doubled"] == 1
        assert (note in shown) is is_reported


def test_a_report_of_what_was_retransmitted_proves_nothing_of_the_network(tmp_path: Path) -> None:
    talk = doubled(is_reported=True).data(0.1, 1)
    shown, document = told(save(tmp_path / "a.pcap", talk))
    assert document["tally"]["doubled"] == 1
    assert "The network doubled packets" not in shown
