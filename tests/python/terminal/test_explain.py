"""Every value of a scenario, told as far as one asks."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import anechoic as an
from anechoic.cli import cli


def explained(file: Path, *words: str) -> str:
    done = CliRunner().invoke(cli, ["explain", str(file), *words])
    assert done.exit_code == 0, done.stderr
    return done.stdout


def test_a_document_tells_each_value_with_its_default(baseline: Path) -> None:
    values = json.loads(explained(baseline, "--json"))["values"]
    by_path = {each["path"]: each for each in values}
    assert by_path["run.warmup"] == {
        "path": "run.warmup",
        "value": "10 s",
        "from": "file",
        "source": "",
        "given": True,
        "default": "0 s",
    }
    assert by_path["wire.uplink.rate"]["default"] == by_path["wire.uplink.rate"]["value"]
    assert by_path["host.server.tcp.data_retries"]["default"] == "5"


def test_a_path_keeps_to_a_table_or_a_field(baseline: Path) -> None:
    lines = explained(baseline, "--path", "wire.uplink.queue").splitlines()
    assert [line.split()[0] for line in lines[1:]] == [
        "wire.uplink.queue.kind",
        "wire.uplink.queue.packets",
    ]
    done = CliRunner().invoke(cli, ["explain", str(baseline), "--path", "wire.uplnk"])
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.endswith("did you mean wire.uplink?\n")


def test_changed_is_what_differs_from_the_defaults(baseline: Path) -> None:
    changed = an.explain(baseline, set={"wire.uplink.rate": "100 Mbit/s"}, changed=True)
    paths = [line.path for line in changed.lines]
    assert "wire.uplink.delay" in paths
    assert "wire.uplink.rate" not in paths  # written, but what it would be anyway
    assert "run.seed" not in paths


def test_the_network_is_drawn_as_a_tree(baseline: Path) -> None:
    assert explained(baseline, "--draw") == (
        "server  host, windows-2000\n"
        "└─ office  access point, vendor-a  [wire uplink, 100 Mbit/s, 1 ms]\n"
        "   └─ laptop  station, plain, windows-xp  [radio, path loss 48 dB]\n"
        "\n"
        "pairs × 2  chariot-throughput, server → laptop\n"
    )


def test_stations_of_one_count_are_drawn_as_one(baseline: Path) -> None:
    drawing = an.explain(baseline, set={"sta.laptop.count": 30, "traffic.pairs.count": 1}).drawing
    assert "laptop × 30  station" in drawing
    assert "pairs × 30  chariot-throughput, server → laptop-1 … laptop-30 (30)" in drawing


def test_a_terminal_of_80_columns_is_enough(baseline: Path) -> None:
    reader, writer = pty.openpty()
    program = [sys.executable, "-m", "anechoic.cli", "explain", str(baseline)]
    environment = {**os.environ, "COLUMNS": "80", "TERM": "dumb"}
    with subprocess.Popen(program, stdout=writer, env=environment):
        os.close(writer)
        shown = b""
        while chunk := _read(reader):
            shown += chunk
    plain = shown.decode().replace("\r\n", "\n")
    for code in ("\x1b[1m", "\x1b[2m", "\x1b[22m", "\x1b[0m"):
        plain = plain.replace(code, "")
    lines = plain.splitlines()
    assert len(lines) > 100
    assert max(map(len, lines)) <= 80
    assert "sta.laptop" in lines


def _read(reader: int) -> bytes:
    try:
        return os.read(reader, 65536)
    except OSError:
        return b""  # The other end is closed.


def test_a_bad_scenario_is_no_explanation(tmp_path: Path) -> None:
    with pytest.raises(an.ScenarioError):
        an.explain(tmp_path / "none.toml")
