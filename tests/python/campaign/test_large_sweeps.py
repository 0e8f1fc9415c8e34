"""Sweeps of so many cells that what is written after their runs takes a while."""

from pathlib import Path

import pytest

import anechoic as an
from anechoic.campaign import runner

pytestmark = pytest.mark.usefixtures("core")


def test_a_large_sweep_says_what_is_written_after_its_runs(
    swept: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "_MANY_CELLS", 3)
    an.run(swept, reps=1, out=tmp_path / "large")
    *_, last_run, results, report = capsys.readouterr().err.splitlines()
    assert last_run.startswith("cell 3/3: ")
    assert [results, report] == ["writing the results", "writing the report"]
    monkeypatch.undo()
    an.run(swept, reps=1, out=tmp_path / "small")
    assert "writing" not in capsys.readouterr().err
