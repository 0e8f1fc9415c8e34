"""The command `calc`: its table, its document, and what it refuses."""

import json
import subprocess
import sys
from pathlib import Path

from scenarios import written

SCENARIO = """
host.server.stack = "windows-2000"
ap.office.profile = "plain"
sta.laptop = { ap = "office", stack = "windows-xp", count = 2 }
wire.lan.between = ["server", "office"]
air.loss = "60 dB"
traffic.download = { app = "bulk", from = "server", to = "laptop" }
traffic.ping = { app = "ping", from = "server", to = "laptop-1", interval = "100 ms" }
[[sweep]]
"ap.office.fragmentation_threshold" = [512, 2346]
"""


def calc(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run the command."""
    command = [sys.executable, "-m", "anechoic.cli", "calc", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_alike_flows_have_a_line_together_and_each_traffic_a_note(tmp_path: Path) -> None:
    told = calc(written(tmp_path, SCENARIO))
    assert told.returncode == 0, told.stderr
    lines = told.stdout.splitlines()
    assert "goodput_mbps" in lines[0] and "rtt_ms" in lines[0]
    assert sum("download × 2, each" in line for line in lines) == 2
    assert "download: windows over the channel's exchanges" in lines
    assert "ping: echo behind the connections' windows" in lines


def test_the_document_has_the_names_of_a_run(tmp_path: Path) -> None:
    told = calc(written(tmp_path, SCENARIO), "--json")
    cells = json.loads(told.stdout)["cells"]
    assert [cell["parameters"] for cell in cells] == [
        {"ap.office.fragmentation_threshold": 512},
        {"ap.office.fragmentation_threshold": 2346},
    ]
    short, whole = (cell["metrics"] for cell in cells)
    assert short["goodput_mbps"] < whole["goodput_mbps"]
    assert "flow.ping-1.rtt_ms_mean" in whole
    assert [flow["flow"] for flow in cells[0]["flows"]] == ["download-1", "download-2", "ping-1"]


def test_values_and_axes_can_be_replaced(tmp_path: Path) -> None:
    file = written(tmp_path, SCENARIO)
    told = calc(
        file, "--set", "sta.laptop.count=1", "--sweep", "wire.lan.delay=1 ms,50 ms", "--json"
    )
    cells = json.loads(told.stdout)["cells"]
    assert len(cells) == 4 and all(len(cell["flows"]) == 2 for cell in cells)


def test_bad_input_gives_one_message_and_status_2(tmp_path: Path) -> None:
    wrong = written(tmp_path, SCENARIO.replace('loss = "60 dB"', 'loss = "60"'))
    for arguments in ((wrong,), ("nothing.toml",), (wrong.with_name("goel-99"),)):
        told = calc(*arguments)
        assert told.returncode == 2
        assert told.stdout == "" and told.stderr.startswith("anechoic: ")
        assert "Traceback" not in told.stderr
