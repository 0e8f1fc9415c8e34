"""What is to be emulated is not simulated in silence, and what is simulated of it is said."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import anechoic as an
from anechoic.cli import cli

CELL = """
run = { duration = "50 ms", backend = "emu" }
host.server = { stack = "linux-6", port = true }
ap.office = {}
sta.laptop = { ap = "office", stack = "linux-6", port = true }
wire.lan.between = ["server", "office"]
air = { loss = "60 dB", standard = "802.11g" }
traffic.download = { app = "bulk", from = "server", to = "laptop" }
program.client = { node = "laptop", command = "iperf3 -c server" }
"""


@pytest.fixture
def cell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = Path("cell.toml")
    path.write_text(CELL, encoding="utf-8")
    return path


def anechoic(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, list(map(str, arguments)))


@pytest.mark.parametrize("command", ["run", "calc", "predict"])
def test_what_only_simulates_refuses_what_is_to_be_emulated(command: str, cell: Path) -> None:
    done = anechoic(command, cell)
    assert done.exit_code == 2
    assert done.stderr == (
        'anechoic: cell.toml: run.backend: "emu" runs on the wall clock, by anechoic emulate '
        'cell.toml; allowed: "sim"\n'
    )
    assert not Path("results").exists()


def test_python_refuses_it_in_the_same_words(cell: Path) -> None:
    with pytest.raises(an.ScenarioError, match=r"by anechoic emulate cell\.toml; allowed: \"sim\""):
        an.run(an.load(cell))


def test_all_cells_of_a_sweep_have_one_backend(cell: Path) -> None:
    done = anechoic("run", cell, "--set", "run.backend=sim", "--sweep", "run.backend=sim,emu")
    assert done.exit_code == 2
    assert "--sweep run.backend: this is the same for all cells" in done.stderr


def test_what_is_said_of_it_is_said_of_any_scenario_that_is_simulated(cell: Path) -> None:
    done = anechoic("check", cell, "--set", "run.backend=sim")
    assert done.exit_code == 0
    assert done.stderr.splitlines() == [
        "cell.toml: simulated here, and real in anechoic emulate: host.server, sta.laptop.",
        "cell.toml: run in anechoic emulate alone: program.client.",
    ]
    assert anechoic("check", cell).stderr == ""


def test_traffic_cannot_end_where_frames_leave_the_network(cell: Path) -> None:
    text = CELL.replace('to = "laptop"', 'to = "gate"') + "port.gate = {}\n"
    text += 'wire.out.between = ["office", "gate"]\n'
    cell.write_text(text, encoding="utf-8")
    done = anechoic("run", cell, "--set", "run.backend=sim")
    assert done.exit_code == 2
    assert 'traffic.download.to: "gate" is a port; allowed: a host or a station' in done.stderr
