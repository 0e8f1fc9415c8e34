"""A run from Python leaves what a run from the command line leaves."""

import subprocess
import sys
from pathlib import Path

import pytest

import anechoic as an

FEW = """
run.duration = "1 s"
run.warmup = "100 ms"
host.server = { stack = "linux-6" }
ap.office = {}
sta.laptop = { ap = "office", stack = "linux-6", count = 2 }
wire.lan.between = ["server", "office"]
air.loss = "60 dB"
traffic.down = { app = "bulk", from = "server", to = "laptop" }
"""


@pytest.mark.usefixtures("core")
def test_the_report_belongs_to_the_results_beside_it(baseline: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    an.run(baseline, out=out, reps=1, progress=False)
    (out / "report.html").write_text("of other replications")
    an.run(baseline, out=out, reps=2, progress=False)
    assert (out / "report.html").read_text() == "report"


def test_a_campaign_loads_no_library_of_frames(tmp_path: Path) -> None:
    """Where pandas is installed pyarrow loads it when asked the wrong way: half a second."""
    (tmp_path / "few.toml").write_text(FEW, encoding="utf-8")
    code = "import anechoic as an, sys; an.run('few.toml', reps=2); print('pandas' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"
