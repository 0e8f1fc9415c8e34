"""The thesis's automation in an emulated cell: endpoints, and an access point set by SNMP."""

import os
from pathlib import Path

import pytest
from emulated_machines import emulated

import anechoic as an

CELL = """
run.duration = "4 s"
host.server = { stack = "linux-6", port = true }
ap.office.port = true
sta.laptop = { ap = "office", stack = "linux-6", port = true }
sta.phone = { ap = "office", stack = "linux-6", port = true }
wire.lan.between = ["server", "office"]
air = { loss = "60 dB", standard = "802.11b" }
traffic.laptop = { app = "bulk", from = "server", to = "laptop" }
traffic.phone = { app = "bulk", from = "server", to = "phone" }

[[sweep]]
name = "fragments"
"ap.office.fragmentation_threshold" = [2346, 512]
"""


@pytest.mark.parametrize("version", ["v2c", "v3"])
def test_a_sweep_over_snmp_gives_what_the_simulator_gives(tmp_path: Path, version: str) -> None:
    file = tmp_path / f"cell-{version}-{os.getpid()}.toml"
    file.write_text(CELL)
    out = tmp_path / "live"
    with emulated(tmp_path, file, version) as (desk, _):
        done = desk.anechoic("measure", file, "--reps", "2", "--out", out)
    assert done.returncode == 0, done.stderr
    measured, simulated = an.Results.load(out), an.run(file, reps=2, out=tmp_path / "sim")
    for real, ours in zip(measured.cells, simulated.cells, strict=True):
        threshold = real.metrics["node.office.fragmentation_threshold"].mean
        assert threshold == real.parameters["fragments"]
        of_ours = ours.metrics["goodput_mbps"].mean
        assert real.metrics["goodput_mbps"].mean == pytest.approx(of_ours, rel=0.1)
    whole, cut = (cell.metrics["goodput_mbps"].mean for cell in measured.cells)
    assert cut < 0.9 * whole, "or nothing was set"
