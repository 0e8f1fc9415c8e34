"""Agreements on block acknowledgment as they are asked for, answered and ended on the air."""

from pathlib import Path
from typing import Any

import pytest
from recorded import tshark

import anechoic as an

CELL = """
run = { duration = "2 s", warmup = "1 s" }
air = { standard = "802.11ac", channel = 36, loss = "50 dB" }
host.server = { stack = "linux-6" }
ap.office = { agreements = "negotiated", queue_packets = 1000, beacon_interval = "0 s" }
sta.laptop = { ap = "office", stack = "linux-6" }
wire.lan = { between = ["server", "office"], rate = "10 Gbit/s" }
tap.aired = { at = "ap.office", snap = "100 B" }

[traffic.flood]
app = "udp"
from = "server"
to = "laptop"
payload = "1472 B"
rate = "1 Gbit/s"
"""
# Longest A-MPDU of 64, and what a lone station gets of its cycle with one packet in each PPDU:
# 43 + 67.5 µs, a PPDU of 60 µs, SIFS and the ACK of 28 µs.
WHOLE_MBPS = 673.8
ALONE_MBPS = 1472 * 8 / (43 + 67.5 + 60 + 16 + 28)


def metrics_of(folder: Path, **changed: Any) -> dict[str, float]:
    """Run the cell, and give what it measured."""
    path = folder / "cell.toml"
    path.write_text(CELL)
    settings = {name.replace("__", "."): value for name, value in changed.items()}
    run = an.run(path, set=settings, reps=1, out=folder / "out", progress=False)
    return {name: value.mean for name, value in run.cells[0].metrics.items()}


def goodput(metrics: dict[str, float]) -> float:
    """Give what the flood got, in Mbit/s."""
    return metrics["flow.flood-1.goodput_mbps"]


def test_a_negotiated_agreement_carries_what_a_standing_one_does(tmp_path: Path) -> None:
    assert goodput(metrics_of(tmp_path)) == pytest.approx(WHOLE_MBPS, rel=5e-3)


def test_who_is_refused_sends_one_packet_at_a_time(tmp_path: Path) -> None:
    metrics = metrics_of(tmp_path, sta__laptop__reorder_buffer=0)
    assert goodput(metrics) == pytest.approx(ALONE_MBPS, rel=5e-3)
    assert metrics["node.office.aggregates"] == 0


def test_an_agreement_is_as_large_as_the_buffer_of_its_recipient(tmp_path: Path) -> None:
    metrics = metrics_of(tmp_path, sta__laptop__reorder_buffer=8)
    in_each = metrics["node.office.aggregated_mpdus"] / metrics["node.office.aggregates"]
    assert in_each == pytest.approx(8, rel=1e-3)


@pytest.mark.parametrize(
    ("profile", "agreements"),
    [("plain", "standing"), ("linux-5", "negotiated"), ("openwrt", "negotiated")],
)
def test_access_points_of_linux_ask_for_agreements(
    profile: str, agreements: str, tmp_path: Path
) -> None:
    path = tmp_path / "cell.toml"
    said = 'agreements = "negotiated", queue_packets = 1000'
    path.write_text(CELL.replace(said, f'profile = "{profile}"'))
    nodes = an.compile_scenario(an.load(path))["nodes"]
    office = next(node for node in nodes if node["name"] == "office")
    radio = next(each["radio"] for each in office["interfaces"] if each["radio"])
    assert radio["mac"]["aggregation"]["agreements"] == agreements


def test_tshark_reads_what_was_agreed(tmp_path: Path) -> None:
    metrics_of(tmp_path, sta__laptop__reorder_buffer=32, run__warmup="0 s")
    capture = next(tmp_path.rglob("aired.pcapng"))
    names = ("action_code", "baparams.buffersize", "baparams.tid", "status_code")
    fields = [part for name in names for part in ("-e", f"wlan.fixed.{name}")]
    told = tshark(capture, "-Y", "wlan.fc.type_subtype == 13", "-T", "fields", *fields)
    request, response = (line.split("\t") for line in told)
    assert request == ["0x00", "64", "0x0000", ""]
    assert response == ["0x01", "32", "0x0000", "0x0000"]
