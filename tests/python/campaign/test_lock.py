"""Two runs never write to the same folder at the same time."""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import anechoic as an
from anechoic.campaign.lock import locked

pytestmark = pytest.mark.usefixtures("core")

PROGRAM = Path(__file__).parent.parent / "standin_cli.py"


@pytest.fixture
def other(baseline: Path, tmp_path: Path) -> Iterator["subprocess.Popen[str]"]:
    """Give a run of an hour that has begun to write to the folder."""
    baseline.write_text(baseline.read_text().replace("300 s", "3600 s"))
    command = [sys.executable, str(PROGRAM), "run", str(baseline), "--out", str(tmp_path / "out")]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    assert "1 cell" in process.stderr.readline()
    yield process
    process.kill()
    process.communicate()


def test_a_second_run_is_told_who_is_there(
    other: "subprocess.Popen[str]", baseline: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    before = sorted(out.rglob("*"))
    with pytest.raises(an.ScenarioError) as caught:
        an.run(baseline, out=out, progress=False)
    assert str(caught.value) == (
        f"{out}: another run (pid {other.pid}) is writing to this folder; "
        "allowed: another --out, or the same when that has ended"
    )
    assert sorted(out.rglob("*")) == before
    again = subprocess.run(other.args, capture_output=True, text=True, check=False)
    assert again.returncode == 2
    assert f"another run (pid {other.pid})" in again.stderr
    assert other.poll() is None


def test_a_run_that_was_killed_holds_nothing(
    other: "subprocess.Popen[str]", tmp_path: Path
) -> None:
    other.kill()
    other.wait()
    began = time.monotonic()
    with locked(tmp_path / "out"):
        assert time.monotonic() - began < 1


def test_a_folder_is_free_again_after_a_run(baseline: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    for reps in (1, 2):
        an.run(baseline, out=out, reps=reps, progress=False)
    assert not (out / "lock").exists()
