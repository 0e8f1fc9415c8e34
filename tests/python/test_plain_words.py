"""What others wrote moves no cursor of ours, and is no program to a spreadsheet."""

from pathlib import Path

import pytest
from click.testing import CliRunner

import anechoic as an
from anechoic.cli import cli
from anechoic.csv_text import csv_text

EVIL = "\x1b]0;evil\x07\x9b31m\u202e"


@pytest.mark.usefixtures("core")
def test_a_title_s_controls_are_spelled_out(baseline: Path, tmp_path: Path) -> None:
    escaped = EVIL.encode("unicode_escape").decode().replace("\\x", "\\u00")
    text = baseline.read_text().replace("Baseline throughput", f"Baseline {escaped}")
    baseline.write_text(text)
    out = tmp_path / "out"
    for words in (["run", baseline, "--reps", "1", "--out", out], ["explain", baseline]):
        done = CliRunner().invoke(cli, [*map(str, words)])
        assert done.exit_code == 0, done.output
        assert not set(EVIL) - set("]0;evil31m") & set(done.stdout + done.stderr)
    assert (
        "Baseline \\u001b]0;evil\\u0007\\u009b31m\\u202e"
        in CliRunner().invoke(cli, ["run", str(baseline), "--reps", "1", "--out", str(out)]).stdout
    )


@pytest.mark.usefixtures("core")
def test_labels_that_are_formulas_stand_behind_an_apostrophe(
    baseline: Path, tmp_path: Path
) -> None:
    formula = '=HYPERLINK("http://evil")'
    baseline.write_text(
        baseline.read_text()
        + f"\n[[sweep]]\nname = \"what\"\nlabels = ['{formula}', '@x']\n"
        + '"traffic.pairs.count" = [2, 4]\n'
    )
    an.run(baseline, out=tmp_path / "out", reps=1, progress=False)
    rows = (tmp_path / "out" / "results.csv").read_text().splitlines()
    assert rows[1].startswith('"\'=HYPERLINK(""http://evil"")",')
    assert any(row.startswith("'@x,") for row in rows)


def test_numbers_are_no_formulas() -> None:
    rows = [["-5 dB", "-3.5", -2, "-x", "+1", "+1+cmd|' /C calc'!A0", "\tx"]]
    assert csv_text(rows) == "-5 dB,-3.5,-2,'-x,+1,'+1+cmd|' /C calc'!A0,'\tx\n"
