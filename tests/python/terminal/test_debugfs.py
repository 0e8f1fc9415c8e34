"""What debugfs of Linux would say of the stations of a campaign: `anechoic explain FOLDER`."""

from pathlib import Path

import pytest
from click.testing import CliRunner

import anechoic as an
from anechoic.cli import cli
from anechoic.scenario.errors import ScenarioError

CELL = """
run = { duration = "2 s", warmup = "0.5 s" }
air = { standard = "802.11n", channel = 36, loss = "60 dB" }
host.server.stack = "linux-6"
ap.home.queue = QUEUE
ap.home.rate_control = "minstrel-ht"
ap.home.streams = 1
ap.home.guard_interval = "800 ns"
ap.home.to.laptop.airtime_weight = 128
sta.laptop = { ap = "home", stack = "linux-6" }
wire.lan = { between = ["server", "home"], rate = "1 Gbit/s", delay = "1 ms" }
traffic.download = { app = "bulk", from = "server", to = "laptop" }
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run a download behind a queue of Linux."""
    out = tmp_path_factory.mktemp("debugfs")
    path = out / "cell.toml"
    path.write_text(CELL.replace("QUEUE", '"mac80211"'))
    an.run(path, reps=1, progress=False, out=out / "results")
    return out / "results"


def told(*words: str) -> list[str]:
    """Give the lines that the program prints."""
    result = CliRunner().invoke(cli, ["explain", *words])
    assert result.exit_code == 0, result.output
    return result.output.splitlines()


def test_rates_stand_as_in_rc_stats(folder: Path) -> None:
    lines = told(str(folder))
    assert lines[0] == "home to laptop, BE"
    best = next(line.split() for line in lines if " A" in line and "MCS" in line)
    # The fastest of one stream in 20 MHz: a packet takes 148 us, 58.2 Mbit/s of them would arrive.
    assert [*best[:4], *best[5:8]] == ["HT20", "LGI", "1", "A", "MCS7", "7", "148"]
    arrived, sent = map(int, best[-2:])
    assert 0.9 * sent < arrived <= sent
    aggregated = next(line for line in lines if line.startswith("Average # of aggregated"))
    assert float(aggregated.split()[-1]) > 2


def test_queues_and_airtime_stand_as_in_aqm_and_airtime(folder: Path) -> None:
    lines = told(str(folder), "--path", "ap.home")
    names = next(line.split() for line in lines if line.startswith("tid ac backlog-bytes"))
    values = lines[lines.index(" ".join(names)) + 1].split()
    counts = dict(zip(names, map(int, values), strict=True))
    assert (counts["tid"], counts["ac"]) == (0, 2)
    assert counts["tx-packets"] > 1000
    assert counts["tx-bytes"] > 1400 * counts["tx-packets"]
    assert "Weight: 128" in lines
    sent_us = int(next(line for line in lines if line.startswith("TX:")).split()[1])
    assert 1e6 < sent_us < 2e6, "most of two seconds"


def test_what_has_nothing_of_it_is_refused(folder: Path, tmp_path: Path) -> None:
    from anechoic.debugfs import debugfs

    with pytest.raises(ScenarioError, match=r"--path: nothing is told of hom; allowed: home"):
        debugfs(folder, "hom")
    path = tmp_path / "cell.toml"
    fixed = CELL.replace("QUEUE", '"drop-tail"').replace("minstrel-ht", "fixed")
    path.write_text(fixed.replace("ap.home.to.laptop.airtime_weight = 128\n", ""))
    an.run(path, reps=1, progress=False, out=tmp_path / "results")
    with pytest.raises(ScenarioError, match="no queue mac80211"):
        debugfs(tmp_path / "results")


def test_options_of_scenarios_go_with_no_folder(folder: Path) -> None:
    result = CliRunner().invoke(cli, ["explain", str(folder), "--draw"])
    assert result.exit_code == 2
