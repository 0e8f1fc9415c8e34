"""The report says what to look at before trusting it."""

from pathlib import Path

import anechoic as an
from anechoic.campaign.table import text
from anechoic.report.warnings import warnings

DEAF = """\
run.duration = "1 s"
host.server = {}
ap.office = {}
sta.laptop = { ap = "office" }
wire.lan.between = ["server", "office"]
air.loss = "60 dB"
traffic.stream = { app = "udp", from = "server", to = "laptop", rate = "1 Mbit/s" }

[[sweep]]
"air.loss" = ["60 dB", "120 dB"]

[replication]
metric = "rtt_ms_mean"
min = 2
max = 2
"""


def test_radios_out_of_reach_and_a_metric_that_nothing_gives_are_warned_of(tmp_path: Path) -> None:
    file = tmp_path / "deaf.toml"
    file.write_text(DEAF, encoding="utf-8")
    results = an.run(file, out=tmp_path / "out", progress=False)
    assert warnings(results)[-2:] == [
        "No replication gave a value of rtt_ms_mean in 2 of 2 cells: none is measured of udp.",
        "stream-1 moved no data in 1 of 2 cells (air.loss = 120 dB): laptop and office are out of "
        "range of each other, -105 dBm arrive where -94 dBm are detected.",
    ]
    assert results.in_short()[0].about == "not_given"
    assert "none is measured of udp" in " ".join(text(results).split())
    assert "out of range of each other" in (tmp_path / "out" / "report.html").read_text("utf-8")
