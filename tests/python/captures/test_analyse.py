"""`anechoic analyse` on a capture of our own tap, and on what is no capture."""

import csv
import io
import json
from pathlib import Path

from click.testing import CliRunner, Result

from anechoic.cli import cli


def analyse(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["analyse", *map(str, arguments)])


def test_a_download_is_told_as_it_was(capture: Path) -> None:
    result = analyse("--json", capture)
    assert result.exit_code == 0, result.output
    (connection,) = json.loads(result.stdout)["connections"]
    sent = connection["client"]
    assert sent["packets_retransmitted"] == sum(sent["causes"].values()) > 0
    shown = analyse(capture).output
    assert "1 connection in" in shown
    assert f"{sent['packets_retransmitted']} retransmitted" in shown


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


def test_a_row_for_each_connection_goes_to_standard_output(capture: Path) -> None:
    header, row = csv.reader(io.StringIO(analyse("--csv", capture).stdout))
    told = dict(zip(header, row, strict=True))
    (connection,) = json.loads(analyse("--json", capture).stdout)["connections"]
    assert told["connection"] == "1"
    assert told["client_causes_fast"] == str(connection["client"]["causes"]["fast"])
    assert told["server_rtt_mean_ms"] == str((connection["server"]["rtt"] or {}).get("mean_ms", ""))


def test_a_signal_log_needs_a_folder(capture: Path) -> None:
    result = analyse(capture, "--signal", "signal.log")
    assert result.exit_code == 2
    assert "--signal needs --out" in result.stderr
