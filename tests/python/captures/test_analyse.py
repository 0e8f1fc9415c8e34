"""`anechoic analyse` on a capture of our own tap, and on what is no capture."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import anechoic as an
from anechoic.cli import cli

DOWNLOAD = """
title = "a download through a short queue"
[run]
duration = "5 s"
warmup = "0 s"
[host.server]
stack = "windows-xp"
[ap.office]
profile = "plain"
queue_packets = 8
[sta.laptop]
ap = "office"
stack = "windows-xp"
[wire.lan]
between = ["server", "office"]
[air]
loss = "48 dB"
[traffic.down]
app = "bulk"
from = "server"
to = "laptop"
[tap.wired]
at = "wire.lan"
"""


def analyse(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["analyse", *map(str, arguments)])


@pytest.fixture
def capture(tmp_path: Path) -> Path:
    scenario = tmp_path / "download.toml"
    scenario.write_text(DOWNLOAD)
    an.run(scenario, reps=1, out=tmp_path / "out", progress=False)
    return next((tmp_path / "out").rglob("wired.pcapng"))


def test_a_download_is_told_as_it_was(capture: Path) -> None:
    result = analyse("--json", capture)
    assert result.exit_code == 0, result.output
    (connection,) = json.loads(result.stdout)["connections"]
    sent = connection["client"]
    assert sent["packets_retransmitted"] == sum(sent["causes"].values()) > 0
    shown = analyse(capture).output
    assert "1 connection in" in shown
    assert f"{sent['packets_retransmitted']} sent again" in shown


def test_tstat_s_log_has_a_column_for_each_name(capture: Path) -> None:
    header, line = analyse("--tstat", capture).output.splitlines()
    assert len(header.split()) == len(line.split())
    assert header.startswith("#c_ip:1 c_port:2")


def test_what_is_no_capture_is_refused_in_one_line(tmp_path: Path) -> None:
    empty, text = tmp_path / "empty", tmp_path / "text"
    empty.write_bytes(b"")
    text.write_text("not a capture at all, only words")
    for path in (empty, text, tmp_path, tmp_path / "none"):
        result = analyse(path)
        assert result.exit_code == 2
        assert len(result.stderr.splitlines()) == 1
        assert str(path) in result.stderr
