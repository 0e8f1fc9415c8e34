"""The Wi-Fi of a capture: of our own tap, and of frames made here."""

import struct
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from downloads import download

from anechoic.captures import wifi as tables
from anechoic.captures.analysis import analyse
from anechoic.cli import cli

EDGE = {"air.loss": "103 dB", "air.carrier_sense": "-95 dBm"}
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
    assert access_point["retries"] > 50
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
    assert all(0 < share < 1 for share in busiest.values)
    (signal,) = tables.curves(wifi, "signal_dbm_mean")
    assert signal.name == laptop.name


def test_what_tcp_felt_of_the_air_is_said_in_a_sentence(
    run: tuple[Path, dict[str, float]],
) -> None:
    text = shown(run[0])
    assert "of connection 1 was tried 7 times on the air" in text
    assert "and never acknowledged; TCP sent it again" in text
    assert "What the air was spent on, 2437 MHz" in text


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
