"""What benches chose where a text is silent, changed one at a time."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from anechoic.campaign.sweep import cells_of
from anechoic.cli import cli
from anechoic.papers.calibration import INFERRED, Inferred, inferred_of
from anechoic.papers.study import Study, shipped
from anechoic.scenario.load import load

CHOSEN = [(study, each) for study in shipped() for each in inferred_of(study)]
SWEPT = [pair for pair in CHOSEN if pair[1].sweep is not None]


@pytest.mark.parametrize(("study", "parameter"), SWEPT, ids=lambda each: getattr(each, "name", ""))
def test_the_first_value_is_the_bench_s_own_and_the_others_can_be(
    study: Study, parameter: Inferred
) -> None:
    assert parameter.sweep is not None
    for name in parameter.experiments:
        assert name in study.experiments
        cells = [
            [cell.plan for cell in cells_of(load(study.file(name), set=values))]
            for values in ({}, *_rows(parameter))
        ]
        assert cells[0] == cells[1]
        assert all(cells[0] != other for other in cells[2:])


def _rows(parameter: Inferred) -> list[dict[str, Any]]:
    assert parameter.sweep is not None
    columns = parameter.sweep.columns
    rows = range(len(parameter.sweep.shown))
    return [{path: values[row] for path, values in columns.items()} for row in rows]


OFFICE = """
run = { duration = "1 s" }
host.server.stack = "linux-6"
ap.office.profile = "plain"
sta.laptop = { ap = "office", stack = "linux-6" }
wire.lan.between = ["server", "office"]
air.loss = "48 dB"
traffic.download = { app = "bulk", from = "server", to = "laptop" }
"""
CLAIMS = """
[office-a]
text = "More than 5 Mbit/s come."
check = { at-least = "goodput_mbps", than = 5 }
"""
CHOICES = """
[[parameter]]
name = "the preamble"
why = "Every radio knows the long one."
experiments = "office"
[parameter.sweep]
"ap.office.preamble" = ["long", "short"]
"sta.laptop.preamble" = ["long", "short"]

[[parameter]]
name = "the wire"
why = "It is never full."
unswept = "no claim is about it"
"""


def test_a_page_tells_what_hangs_on_what_was_chosen(tmp_path: Path) -> None:
    for name, text in (("office.toml", OFFICE), ("claims.toml", CLAIMS), (INFERRED, CHOICES)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    command = ["claims", "calibrate", str(tmp_path), "--reps", "4", "--out", str(tmp_path / "out")]
    result = CliRunner().invoke(cli, command, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    page = (tmp_path / "out" / "calibration.md").read_text(encoding="utf-8")
    assert "of 1 claims judged 0 have the same verdict" in page
    assert "- `office-a` refuted → pass with short" in page
    assert "| the wire | It is never full. | no claim is about it |" in page


def test_what_is_neither_swept_nor_not_is_refused(tmp_path: Path) -> None:
    (tmp_path / "claims.toml").write_text(CLAIMS, encoding="utf-8")
    half = CHOICES.replace('unswept = "no claim is about it"', "")
    (tmp_path / INFERRED).write_text(half, encoding="utf-8")
    result = CliRunner().invoke(cli, ["claims", "calibrate", str(tmp_path)])
    assert result.exit_code == 2
    assert "parameter[1]" in result.stderr
    assert "a sweep and experiments, or unswept" in result.stderr
