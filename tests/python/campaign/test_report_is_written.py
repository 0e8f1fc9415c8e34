"""A run from Python leaves what a run from the command line leaves."""

from pathlib import Path

import pytest

import anechoic as an


@pytest.mark.usefixtures("core")
def test_the_report_belongs_to_the_results_beside_it(baseline: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    an.run(baseline, out=out, reps=1, progress=False)
    (out / "report.html").write_text("of other replications")
    an.run(baseline, out=out, reps=2, progress=False)
    assert (out / "report.html").read_text() == "report"
