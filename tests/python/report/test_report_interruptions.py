"""What changes of access points took is drawn part behind part."""

from pathlib import Path

import pytest

import anechoic as an
from anechoic.report.interruptions import interruptions


def test_the_parts_of_an_interruption_add_up_to_a_bar(tmp_path: Path) -> None:
    results = an.run(
        "roaming", reps=2, set={"run.duration": "30 s"}, out=tmp_path / "out", progress=False
    )
    (chart,) = interruptions(results)
    (panel,) = chart.views[0].panels
    assert [series.label for series in panel.series][-1] == "First packet"
    for place, cell in enumerate(results.cells):
        if cell.parameters["speed"] != "14 m/s":
            continue
        parts = ("unheard", "scan", "join", "register", "resume")
        whole = sum(cell[f"node.walker.roam_{part}_s"].mean for part in parts)
        assert sum(series.ys[place] for series in panel.series) == pytest.approx(whole)


def test_nothing_is_drawn_where_nobody_roams(tmp_path: Path) -> None:
    results = an.run(
        "hidden", reps=1, set={"run.duration": "3 s"}, out=tmp_path / "out", progress=False
    )
    assert list(interruptions(results)) == []
