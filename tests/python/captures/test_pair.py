"""`anechoic analyse` on two captures of one path, and on what is none."""

import json
from pathlib import Path

import pyarrow.compute as pc
import pytest
from click.testing import CliRunner, Result

import anechoic as an
from anechoic.cli import cli

DOWNLOAD = """
title = "a download through a short queue, seen on the wire and on the air"
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
between = ["office", "server"]
[air]
loss = "48 dB"
[traffic.down]
app = "bulk"
bytes = "2 MB"
from = "server"
to = "laptop"
[tap.wired]
at = "wire.lan"
[tap.aired]
at = "ap.office"
"""


def analyse(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["analyse", *map(str, arguments)])


@pytest.fixture(scope="module")
def captures(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, float]:
    """The wire's capture, the air's, and how many packets the access point's queue dropped."""
    folder = tmp_path_factory.mktemp("pair")
    scenario = folder / "download.toml"
    scenario.write_text(DOWNLOAD)
    results = an.run(scenario, reps=1, out=folder / "out", progress=False)
    dropped = results.cells[0].metrics["node.office.drops_queue"].mean
    wired = next((folder / "out").rglob("wired.pcapng"))
    aired = next((folder / "out").rglob("aired.pcapng"))
    return wired, aired, dropped


def test_losses_are_the_drops_of_the_queue(captures: tuple[Path, Path, float]) -> None:
    wired, aired, dropped = captures
    result = analyse("--json", wired, aired)
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    assert document["clock"]["clocks"] == "same"
    assert document["ways"][0]["lost"] == dropped > 0
    shown = analyse(wired, aired).output
    assert f"lost {dropped:.0f}" in shown
    assert "on the air" in shown
    assert "wired.pcapng → aired.pcapng" in shown


def test_every_packet_is_a_row(captures: tuple[Path, Path, float]) -> None:
    wired, aired, dropped = captures
    pair = an.compare_captures(wired, aired, packets=True)
    assert pair.losses.num_rows == dropped
    assert pc.sum(pair.over_time["lost"]).as_py() == dropped
    passed = pair.packets.filter(pc.equal(pair.packets["fate"].cast("string"), "passed"))
    both = [way["passed"] for way in (pair.forth, pair.back)]
    assert passed.num_rows == sum(both)
    assert pair.packets.num_rows == sum(both) + dropped
    assert pc.min(passed["delay_ns"]).as_py() >= 0
    assert pc.all(pc.greater(passed["frames"], 0)).as_py()
    assert pair.losses["number_second"].null_count == dropped


def test_rows_are_written_as_csv_and_parquet(
    captures: tuple[Path, Path, float], tmp_path: Path
) -> None:
    wired, aired, dropped = captures
    rows = analyse("--csv", wired, aired).stdout.splitlines()
    assert sum('"lost"' in row for row in rows) == dropped
    result = analyse(wired, aired, "--out", tmp_path / "kept")
    assert result.exit_code == 0, result.output
    written = sorted(path.name for path in (tmp_path / "kept").iterdir())
    assert written == ["over_time.parquet", "packets.parquet", "pair.json", "pair.txt"]


def test_what_cannot_be_compared_is_refused_in_one_line(
    captures: tuple[Path, Path, float], tmp_path: Path
) -> None:
    wired, aired, _ = captures
    empty = tmp_path / "empty"
    empty.write_bytes(b"")
    for first, second, named in (
        (wired, empty, empty),
        (empty, wired, empty),
        (tmp_path / "none", wired, tmp_path / "none"),
        ("-", wired, "standard input"),
        (wired, tmp_path, tmp_path),
    ):
        result = analyse(first, second)
        assert result.exit_code == 2
        assert len(result.stderr.splitlines()) == 1
        assert str(named) in result.stderr
    assert analyse(wired, aired, "--tstat").exit_code == 2
    result = analyse(wired, aired, "--out", empty)
    assert result.exit_code == 2
    assert str(empty) in result.stderr
