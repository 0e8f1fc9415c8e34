"""The network is drawn with its wires and link budgets, and failures are said as they are."""

from pathlib import Path

import pytest

import anechoic as an
from anechoic.campaign.failures import failed
from anechoic.report.network import network

EDGE = """
run.duration = "30 s"
host.server = { stack = "windows-2000" }
ap.office = {}
sta.near = { ap = "office", stack = "windows-xp", count = 2 }
sta.far = { ap = "office", stack = "windows-xp" }
wire.lan = { between = ["server", "office"], delay = "20 ms", rate = "10 Mbit/s" }
air.loss = "60 dB"
air.link.edge = { between = ["office", "far"], loss = "112 dB" }
traffic.near = { app = "bulk", from = "server", to = "near" }
traffic.far = { app = "bulk", from = "server", to = "far" }
"""


@pytest.fixture(scope="module")
def edge(tmp_path_factory: pytest.TempPathFactory) -> an.Results:
    folder = tmp_path_factory.mktemp("edge")
    (folder / "edge.toml").write_text(EDGE, encoding="utf-8")
    return an.run(folder / "edge.toml", reps=2, out=folder / "out", progress=False)


def test_boxes_and_links_are_named_with_their_budgets(edge: an.Results) -> None:
    drawn = network(edge)
    for said in ("near × 2", "10 Mbit/s, 20 ms", "60 dB", "112 dB", "out of range"):
        assert said in drawn


def test_the_ratio_is_the_level_over_thermal_noise_and_the_noise_figure(edge: an.Results) -> None:
    """15 dBm - 60 dB = -45 dBm over -93.55 dBm, the noise in 22 MHz at a noise figure of 7 dB."""
    drawn = network(edge)
    assert "SNR 48.6 dB" in drawn
    assert ">1 to 11 Mbit/s<" in drawn
    budget = "<td>15</td><td>60</td><td>-45</td><td>48.6</td><td>+49</td>"
    assert f"{budget}<td>1 to 11</td><td>0.0%</td>" in drawn


def test_failed_connections_are_counted_out_of_all(edge: an.Results) -> None:
    (said,) = failed(edge.cells)
    why = "nothing was acknowledged any more"
    assert said == f"On average 1 of 3 connections failed: because {why}."


def test_stations_that_do_not_hear_each_other_are_named(tmp_path: Path) -> None:
    text = EDGE.replace('"office", "far"', '"near-1", "far"').replace('"112 dB"', '"130 dB"')
    (tmp_path / "hidden.toml").write_text(text, encoding="utf-8")
    results = an.run(
        tmp_path / "hidden.toml",
        reps=1,
        set={"run.duration": "1 s"},
        out=tmp_path / "out",
        progress=False,
    )
    drawn = network(results)
    assert "Hidden from each other, as dotted arcs: near-1 and far." in drawn
    assert drawn.count('<path class="hidden"') == 1
    assert "<title>near and far</title>" in drawn


def test_rates_are_those_that_both_ends_have(tmp_path: Path) -> None:
    """A station of one stream in 20 MHz has at most 86.7 Mbit/s, whatever its access point has."""
    text = EDGE.replace(
        'sta.far = { ap = "office",', 'sta.far = { ap = "office", streams = 1, width = "20 MHz",'
    )
    air = 'air = { standard = "802.11ac", channel = 36, loss = "60 dB" }'
    lines = [line for line in text.splitlines() if not line.startswith("air.")]
    (tmp_path / "cell.toml").write_text("\n".join([*lines, air]), encoding="utf-8")
    short = {"run.duration": "100 ms"}
    results = an.run(
        tmp_path / "cell.toml", reps=1, set=short, out=tmp_path / "out", progress=False
    )
    drawn = network(results)
    assert drawn.count("7.2 to 86.7</td>") == 2, "both directions of far"
    assert drawn.count("65 to 866.7</td>") == 2, "both directions of near"
