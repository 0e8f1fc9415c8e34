"""Stations in turns of airtime, beside what "Ending the Anomaly" (USENIX ATC 2017) measured."""

from pathlib import Path
from typing import Any

import pytest

import anechoic as an
from anechoic.examples import examples

FIFO_MBPS = 18.7
"""What the study's three stations got together of datagrams, by its Table 1."""


def run(queue: str, out: Path, **settings: Any) -> an.Cell:
    """Run the example with one of its queues."""
    own = {"replication.metric": "goodput_mbps", **settings}
    path = examples()["airtime"]
    told = an.run(path, set=own, sweep={"queue": [queue]}, reps=2, progress=False, out=out)
    return told.cells[0]


def shares(found: an.Cell) -> dict[str, float]:
    """Give the airtime of each station that datagrams go to, as a part of that of all."""
    of = {name: found[f"node.{name}.airtime_share"].mean for name in ("fast-1", "fast-2", "slow")}
    return {name: share / sum(of.values()) for name, share in of.items()}


def test_packets_in_the_order_of_their_coming_get_what_the_study_measured(tmp_path: Path) -> None:
    found = run("FIFO", tmp_path)
    assert found["goodput_mbps"].mean == pytest.approx(FIFO_MBPS, rel=0.15)
    assert shares(found)["slow"] > 0.75


@pytest.mark.parametrize("weight", [256, 128, 512, 1024])
def test_stations_have_the_airtime_of_their_weights(weight: int, tmp_path: Path) -> None:
    settings = {"ap.point.to.slow.airtime_weight": weight}
    found = run("Airtime", tmp_path, **settings) if weight != 256 else run("Airtime", tmp_path)
    whole = 256 + 256 + weight
    expected = {"fast-1": 256 / whole, "fast-2": 256 / whole, "slow": weight / whole}
    assert shares(found) == pytest.approx(expected, rel=0.02)
