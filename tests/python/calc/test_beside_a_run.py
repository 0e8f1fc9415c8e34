"""What closed forms say stands beside the figures of a run."""

from pathlib import Path

from scenarios import written

import anechoic as an
from anechoic.report.charts import charts_of

SCENARIO = """
run.duration = "2 s"
host.server.stack = "windows-2000"
ap.office.beacon_interval = "0 s"
sta.laptop = { ap = "office", stack = "windows-xp" }
wire.lan.between = ["server", "office"]
air.loss = "60 dB"
traffic.download = { app = "bulk", from = "server", to = "laptop" }
[[sweep]]
"ap.office.fragmentation_threshold" = [512, 1024, 2346]
[[figure]]
title = "Goodput"
x = "ap.office.fragmentation_threshold"
y = "goodput_mbps"
[[figure]]
title = "By flow"
each = "flow"
x = "ap.office.fragmentation_threshold"
y = "goodput_mbps"
kind = "bar"
[[figure]]
title = "Retransmissions"
x = "ap.office.fragmentation_threshold"
y = "tcp.retransmissions"
"""


def test_a_figure_has_a_calculated_line_or_bar_beside_what_was_measured(tmp_path: Path) -> None:
    results = an.run(written(tmp_path, SCENARIO), reps=1, out=tmp_path / "out", progress=False)
    expected = [
        cell.metrics["goodput_mbps"] for cell in an.calculate(tmp_path / "scenario.toml").cells
    ]
    assert [cell.calculated["goodput_mbps"] for cell in results.cells] == expected
    assert results.document()["cells"][0]["calculated"]["goodput_mbps"] == expected[0]

    again = an.Results.load(tmp_path / "out")
    charts, undrawn = charts_of(again)
    assert undrawn == []
    by_title = {chart.title: chart.views[0].panels[0].series for chart in charts}
    measured, formula = by_title["Goodput"]
    assert formula.label == "calculated" and formula.is_quiet and list(formula.ys) == expected
    assert all(0.95 < m / c < 1.05 for m, c in zip(measured.ys, formula.ys, strict=True))
    assert [each.label for each in by_title["By flow"]] == ["download-1", "download-1, calculated"]
    assert len(by_title["Retransmissions"]) == 1

    captions = {chart.title: chart.caption for chart in charts}
    forms = "Calculated, not run: download: windows over the channel's exchanges."
    assert captions["Goodput"].endswith(forms)
    assert "Calculated" not in captions["Retransmissions"]
