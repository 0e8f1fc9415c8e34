"""The Wi-Fi of a capture: of our own tap, and of frames made here."""

import struct
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from downloads import download

from anechoic.captures.analysis import analyse
from anechoic.captures.output.folder import write_folder
from anechoic.captures.wifi import bursts, tables
from anechoic.captures.wifi.events import series
from anechoic.cli import cli

EDGE = {"air.loss": "103 dB", "air.preamble_detection": "-95 dBm"}
"""Values of a laptop that the access point just reaches."""

AP, STATION, NEXT_AP = (bytes([2, 0, 0, 0, 0, node]) for node in (1, 2, 9))
BROADCAST = b"\xff" * 6


def shown(path: Path) -> str:
    result = CliRunner().invoke(cli, ["analyse", str(path)])
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, float]]:
    far = download(tmp_path_factory.mktemp("wifi"), EDGE)
    return far.aired, far.metrics


def test_the_stations_of_a_tap_have_the_counts_of_the_run(
    run: tuple[Path, dict[str, float]],
) -> None:
    path, metrics = run
    wifi = analyse(path).document["wifi"]
    access_point = tables.stations(wifi).to_pylist()[0]
    assert access_point["is_access_point"]
    assert access_point["retries"] == metrics["node.office.retries"]
    assert access_point["retries"] > 3 / 4 * metrics["node.office.attempts"], "at the very edge"
    ledger = {row["use"]: row["airtime_s"] for row in tables.ledger(wifi).to_pylist()}
    assert ledger["payload"] == pytest.approx(metrics["airtime.payload_s"], abs=2e-3)


def test_every_table_has_its_columns_with_and_without_wifi(
    run: tuple[Path, dict[str, float]],
) -> None:
    wifi = analyse(run[0]).document["wifi"]
    for name, table in tables.TABLES.items():
        assert table(wifi).schema == table(None).schema, name
        assert table(None).num_rows == 0
    sums = [sum(tables.series(wifi).column(key).to_pylist()) for key in ("frames", "retries")]
    stations = tables.stations(wifi)
    assert sums == [sum(stations.column(key).to_pylist()) for key in ("frames", "retries")]


def test_curves_of_the_busiest_stations(run: tuple[Path, dict[str, float]]) -> None:
    wifi = analyse(run[0]).document["wifi"]
    busiest, laptop = tables.curves(wifi, "airtime_share")
    assert (busiest.name, laptop.name) == ("02:00:00:00:00:01", "02:00:00:00:00:02")
    assert all(share is not None and 0 < share < 1 for share in busiest.values)
    (signal,) = tables.curves(wifi, "signal_dbm_mean")
    assert signal.name == laptop.name


def test_a_curve_does_not_go_through_silence() -> None:
    """A station that sends in seconds 0, 1 and 9."""
    row = {"station": "a", "data_frames": 1, "retries": 1, "airtime_ns": 5e8, "bytes": 1}
    row |= {"frames": 1, "rate_kbps_sum": 0, "rate_frames": 0}
    row |= {"signal_dbm_sum": -60, "signal_frames": 1}
    rows = [{**row, "interval": interval} for interval in (0, 1, 9)]
    wifi = {
        "stations": [{"address": "a", "airtime_ns": 1}],
        "series": {"interval_ns": 1_000_000_000, "rows": rows},
    }
    (airtime,) = tables.curves(wifi, "airtime_share")
    assert list(zip(airtime.time_s, airtime.values, strict=True)) == [
        *((0, 0.5), (1, 0.5), (2, 0), (8, 0), (9, 0.5)),
    ]
    (signal,) = tables.curves(wifi, "signal_dbm_mean")
    assert signal.values == [-60, -60, None, None, -60]


def test_what_tcp_felt_of_the_air_is_summed_up_for_each_link(
    run: tuple[Path, dict[str, float]],
) -> None:
    document = analyse(run[0]).document
    (link,) = bursts.links(bursts.with_payload(document["wifi"]))
    sent = document["connections"][0]["client"]
    assert link.name == "02:00:00:00:00:01 → 02:00:00:00:00:02"
    assert 0 < link.causes.total() <= sent["packets_retransmitted"] + sent["packets_out_of_order"]
    assert 0 < link.given_up <= document["wifi"]["stations"][0]["msdus_given_up"]
    text = " ".join(shown(run[0]).split())
    assert f"by TCP, {link.causes.total()} came behind that" in text
    assert "of connection 1 was tried 7 times on the air" in text
    assert "and never acknowledged; TCP sent it again" in text
    assert "What the air was spent on, 2437 MHz" in text


def test_what_the_air_gave_up_is_a_loss_of_the_air(run: tuple[Path, dict[str, float]]) -> None:
    """Captured at the access point, behind its queue, nothing else loses what TCP retransmits."""
    analysis = analyse(run[0])
    told = bursts.with_payload(analysis.document["wifi"])
    given_up = sum(not each["is_delivered"] for each in told if each["again"])
    regimes = Counter(analysis.losses()["regime"].to_pylist())
    assert 0 < regimes["air"] <= given_up
    assert not {"path", "full_queue", "undecided"} & regimes.keys()


def burst(receiver: str, after_ms: float | None) -> dict[str, Any]:
    """Give a segment of 1,000 bytes that an access point tried often for a receiver."""
    again = None if after_ms is None else {"packet": 9, "after_ms": after_ms, "cause": "fast"}
    return {
        "payload": 1_000,
        "transmitter": "ap",
        "receiver": receiver,
        "is_delivered": receiver == "near",
        "again": again,
    }


def test_the_longest_waits_for_tcp_are_the_examples() -> None:
    waits = (90, 500, 100, 200)
    felt = [{**burst("far", wait), "first_ns": at} for at, wait in enumerate(waits)]
    told = [burst("near", None), *felt, burst("far", None)]
    far, near = bursts.links(told)
    assert (far.name, far.bursts, far.given_up) == ("ap → far", 5, 5)
    assert (far.causes, far.wait_ns) == ({"fast": 4}, (150e6, 500e6))
    assert (near.bursts, near.given_up, near.wait_ns) == (1, 0, (None, None))
    assert [each["again"]["after_ms"] for each in bursts.examples(told)] == [500, 200, 100]


def frame(kind: int, flags: int, addresses: list[bytes], sequence: int, body: bytes) -> bytes:
    radiotap = struct.pack("<BBHIBB", 0, 0, 10, 0b110, 0, 22)
    header = struct.pack("<BBH", kind, flags, 0) + b"".join(addresses)
    return radiotap + header + struct.pack("<H", sequence << 4) + body


def write(path: Path, frames: list[bytes]) -> Path:
    data = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 127)
    for number, each in enumerate(frames):
        data += struct.pack("<IIII", 1, 10_000 * number, len(each), len(each)) + each
    path.write_bytes(data)
    return path


def beacon(bssid: bytes, ssid: bytes) -> bytes:
    body = struct.pack("<QHH", 0, 100, 1) + bytes([0, len(ssid)]) + ssid + bytes([3, 1, 6])
    return frame(0x80, 0, [BROADCAST, bssid, bssid], 0, body)


def roaming() -> list[bytes]:
    return [
        beacon(AP, b"lab\x1b[2J"),
        beacon(NEXT_AP, b""),
        frame(0x08, 1, [AP, STATION, AP], 1, bytes(20)),
        frame(0xC0, 0, [STATION, AP, AP], 2, struct.pack("<H", 8)),
        frame(0x08, 1, [NEXT_AP, STATION, NEXT_AP], 2, bytes(20)),
    ]


def test_roaming_is_told_with_reason_and_interruption(tmp_path: Path) -> None:
    text = shown(write(tmp_path / "roaming.pcap", roaming()))
    assert "deauthenticated, cell 02:00:00:00:00:01, reason 8" in text
    assert "roamed, cell 02:00:00:00:00:09, from 02:00:00:00:00:01, 20 ms without data" in text
    assert "with a hidden name" in text


def test_what_happened_and_why_wrap_so_that_the_table_fits_its_page(tmp_path: Path) -> None:
    capture = write(tmp_path / "roaming.pcap", roaming())
    page = write_folder(analyse(capture), tmp_path / "out").read_text(encoding="utf-8")
    assert '<td class="text" data-by="was deauthenticated">' in page
    assert '<td class="text" data-by="reason 8: the sender leaves the cell">' in page
    assert '<td class="text word" data-by="02:00:00:00:00:01">' in page, "an address does not"


def deauthentication(sequence: int) -> bytes:
    return frame(0xC0, 0, [STATION, AP, AP], sequence, struct.pack("<H", 7))


def test_a_flood_of_deauthentications_is_one_line(tmp_path: Path) -> None:
    frames = [deauthentication(sequence) for sequence in range(1, 41)]
    text = shown(write(tmp_path / "flood.pcap", frames))
    assert text.count("was deauthenticated") == 1
    assert "reason 7: it sent what needs an association first, 40 times until 00:00:01.390" in text


def test_the_same_after_a_while_is_told_again() -> None:
    event = {
        "what": "deauthentication",
        "is_by_station": False,
        "code": 7,
        "time_ns": 0,
        "station": "02:00:00:00:00:02",
        "bssid": "02:00:00:00:00:01",
        "previous_bssid": None,
    }
    minutes = [{**event, "time_ns": minute * 60_000_000_000} for minute in (0, 1, 1, 2)]
    assert [each["times"] for each in series(minutes)] == [1, 2, 1]


def test_a_request_has_no_status_and_an_answer_says_what_it_means(tmp_path: Path) -> None:
    open_system = struct.pack("<HHH", 0, 1, 0)
    refused = struct.pack("<HHH", 1, 17, 0)
    frames = [
        frame(0xB0, 0, [AP, STATION, AP], 1, open_system),
        frame(0x10, 0, [STATION, AP, AP], 1, refused),
    ]
    text = shown(write(tmp_path / "full.pcap", frames))
    assert "asks to authenticate, cell 02:00:00:00:00:01\n" in text
    assert "joining, cell 02:00:00:00:00:01, status 17: the access point has too many" in text


def test_cells_without_data_are_a_list_of_neighbours(tmp_path: Path) -> None:
    response = struct.pack("<QHH", 0, 100, 0x11) + b"\x00\x04shop\x03\x01\x0b"
    frames = [
        beacon(AP, b"lab"),
        frame(0x50, 0, [STATION, NEXT_AP, NEXT_AP], 1, response),
    ]
    text = shown(write(tmp_path / "neighbours.pcap", frames))
    assert "2 cells without data, as far as heard" in text
    first, second = (line for line in text.splitlines() if line.startswith("  02:"))
    assert first.split()[:5] == ["02:00:00:00:00:01", "“lab”", "6", "1", "0"]
    assert second.split()[:4] == ["02:00:00:00:00:09", "“shop”", "11", "0"]


def test_a_capture_that_lacks_more_than_it_has_is_not_to_be_summed(tmp_path: Path) -> None:
    def numbered(*sequences: int) -> list[bytes]:
        return [frame(0x08, 1, [AP, STATION, AP], each, bytes(20)) for each in sequences]

    text = shown(write(tmp_path / "whole.pcap", numbered(1, 2, 3)))
    assert "missing by the numbers" not in text
    text = shown(write(tmp_path / "filtered.pcap", numbered(1, 2, 40)))
    assert "The capture has 3 data frames, and at least 37 frames are missing" in text


def test_a_network_s_name_cannot_command_the_terminal(tmp_path: Path) -> None:
    text = shown(write(tmp_path / "roaming.pcap", roaming()))
    assert "\x1b" not in text
    assert "“lab\N{REPLACEMENT CHARACTER}[2J”" in text


def test_a_capture_without_802_11_frames_has_no_wifi(tmp_path: Path) -> None:
    path = tmp_path / "wire.pcap"
    path.write_bytes(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
    document: dict[str, Any] = analyse(path).document
    assert document["wifi"] is None
    assert "air" not in shown(path)
