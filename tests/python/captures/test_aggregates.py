"""Captures of cells with A-MPDUs: what is told of them is what the run itself counted."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import anechoic as an
from anechoic.captures.analysis import analyse
from anechoic.captures.wifi import tables

CELL = """
run = { duration = "2 s", warmup = "0 s" }
air = { standard = "STANDARD", channel = 36, loss = "60 dB", preamble_detection = "-100 dBm" }
host.server = {}
ap.office = { width = "20 MHz", streams = 1, guard_interval = "800 ns", mcs = 4 }
sta.laptop = { ap = "office", count = 3 }
wire.lan = { between = ["server", "office"], rate = "10 Gbit/s" }
tap.aired = { at = "ap.office" }
"""
DOWN = """
traffic.down = { app = "udp", from = "server", to = "laptop-1", payload = "1472 B", RATE }
"""
UP = """
traffic.up = { app = "udp", from = "laptop", to = "server", payload = "1472 B", RATE }
"""
RATE = 'rate = "100 Mbit/s"'
QUIET, AT_THE_EDGE = "60 dB", "93 dB"


@dataclass(frozen=True)
class Told:
    """What a run counted, and what its capture tells."""

    metrics: dict[str, float]
    wifi: dict[str, Any]

    @property
    def access_point(self) -> dict[str, Any]:
        """Give what is told of the access point."""
        rows = tables.stations(self.wifi).to_pylist()
        return next(row for row in rows if row["is_access_point"])

    @property
    def stations(self) -> list[dict[str, Any]]:
        """Give what is told of the others."""
        rows = tables.stations(self.wifi).to_pylist()
        return [row for row in rows if not row["is_access_point"]]

    @property
    def ledger(self) -> dict[str, float]:
        """Give what the air was spent on, in seconds."""
        return {row["use"]: row["airtime_s"] for row in tables.ledger(self.wifi).to_pylist()}


def told(folder: Path, standard: str, traffic: str, loss: str) -> Told:
    """Run a cell, and read its capture."""
    path = folder / "cell.toml"
    path.write_text(CELL.replace("STANDARD", standard) + traffic.replace("RATE", RATE))
    settings = {"air.loss": loss}
    run = an.run(path, set=settings, reps=1, out=folder / "run", progress=False)
    metrics = {name: value.mean for name, value in run.cells[0].metrics.items()}
    capture = next(folder.rglob("aired.pcapng"))
    return Told(metrics, analyse(capture).document["wifi"])


@pytest.mark.parametrize("standard", ["802.11n", "802.11ac"])
@pytest.mark.parametrize("loss", [QUIET, AT_THE_EDGE])
def test_what_the_air_was_spent_on_is_what_the_run_measured(
    standard: str, loss: str, tmp_path: Path
) -> None:
    """At the edge half of the MPDUs are lost, each for itself, and some are given up."""
    run = told(tmp_path, standard, DOWN, loss)
    spent, measured = run.ledger, run.metrics
    # The last exchange is cut off by the end.
    exchange_s = 6e-3
    for use in ("payload", "header", "preamble", "beacon"):
        assert spent[use] == pytest.approx(measured[f"airtime.{use}_s"], abs=exchange_s), use
    answers = spent["ack"] + spent["control"]
    assert answers == pytest.approx(measured["airtime.ack_s"], rel=0.01)
    lost = measured.get("airtime.error_s", 0.0)
    assert spent["collision_or_error"] == pytest.approx(lost, abs=exchange_s)


def test_each_mpdu_is_told_by_the_block_acknowledgments(tmp_path: Path) -> None:
    run = told(tmp_path, "802.11ax", DOWN, AT_THE_EDGE)
    access_point, measured = run.access_point, run.metrics
    window = 256
    retries, given_up = measured["node.office.retries"], measured["node.office.drops_retry_limit"]
    assert retries > measured["node.office.attempts"] / 3
    assert access_point["retries"] == pytest.approx(retries, abs=window)
    ended = access_point["msdus_given_up"] + access_point["msdus_ack_missed"]
    assert 0 < given_up <= ended <= given_up + window
    assert access_point["ack_failures"] == access_point["retries"] + ended
    assert access_point["frames_missed"] == 0


def test_what_collides_at_the_sniffer_is_missed_and_told_by_its_retries(tmp_path: Path) -> None:
    run = told(tmp_path, "802.11n", UP, QUIET)
    missed = sum(station["frames_missed"] for station in run.stations)
    retries = sum(station["retries"] for station in run.stations)
    assert retries > 100
    assert missed == pytest.approx(retries, rel=0.01)
    assert not any(station["ack_failures"] for station in run.stations)
