"""Results that people keep: no run takes away what an earlier one has found."""

import errno
import os
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import anechoic as an
from anechoic.campaign import record_files
from anechoic.cli import cli
from anechoic.files import write_whole

pytestmark = pytest.mark.usefixtures("core")

RULE = "\n[replication]\nmin = 4\nmax = 20\nprecision = {}\n"


def with_rule(baseline: Path, precision: float) -> Path:
    file = baseline.with_name("ruled.toml")
    file.write_text(baseline.read_text() + RULE.format(precision))
    return file


def test_a_report_of_more_replications_is_not_replaced(baseline: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    an.run(baseline, out=out, reps=5, progress=False)
    before = (out / "results.json").read_bytes(), (out / "campaign.json").read_bytes()
    with pytest.raises(an.ScenarioError) as refused:
        an.run(baseline, out=out, reps=3, progress=False)
    assert str(refused.value) == (
        f"{out}: its report has more replications: 5, not 3; "
        "allowed: as many or more, another --out, or --replace"
    )
    assert ((out / "results.json").read_bytes(), (out / "campaign.json").read_bytes()) == before


def test_a_rule_that_would_be_content_with_less_is_not_applied_to_a_report(
    baseline: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    many = an.run(with_rule(baseline, 0.01), out=out, progress=False).cells[0].replications
    with pytest.raises(an.ScenarioError, match=f"more replications: {many}, not 4"):
        an.run(with_rule(baseline, 0.5), out=out, progress=False)


def test_a_rule_that_asks_for_more_goes_on_from_the_report(baseline: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    few = an.run(with_rule(baseline, 0.5), out=out, progress=False).cells[0]
    more = an.run(with_rule(baseline, 0.01), out=out, progress=False).cells[0]
    assert few.replications == 4 < more.replications
    assert more["goodput_mbps"].values[:4] == few["goodput_mbps"].values


def test_without_a_folder_fewer_replications_have_their_own(
    baseline: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    whole = an.run(baseline, reps=5, progress=False)
    first_look = an.run(baseline, reps=2, progress=False)
    assert (whole.out, first_look.out) == (Path("results/baseline"), Path("results/baseline-2"))
    theirs, ours = (next(each.out.glob("records/*/0000.parquet")) for each in (whole, first_look))
    assert theirs.samefile(ours)  # linked, not run again


def test_a_folder_that_holds_something_else_is_refused(baseline: Path, tmp_path: Path) -> None:
    with pytest.raises(an.ScenarioError) as refused:
        an.run(baseline, out=tmp_path, reps=1, progress=False)
    assert str(refused.value) == (
        f"{tmp_path}: it holds no campaign but something else: baseline.toml; "
        "allowed: an empty folder, or a new one"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["baseline.toml"]
    (tmp_path / "empty").mkdir()
    assert an.run(baseline, out=tmp_path / "empty", reps=1, progress=False).cells


def test_a_full_disk_ends_with_what_was_finished_kept(
    baseline: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, written = tmp_path / "out", []

    def until_full(path: Path, data: Any) -> None:
        if len(written) == 3 * 3:  # three replications of three tables
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        written.append(path)
        write_whole(path, data)

    words = ["run", str(baseline), "--reps", "6", "--jobs", "1", "--out", str(out)]
    with monkeypatch.context() as disk:
        disk.setattr(record_files, "write_whole", until_full)
        done = CliRunner().invoke(cli, words)
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.splitlines()[-1] == (
        f"anechoic: {out}: cannot be written: No space left on device; 3 finished replications "
        "are kept, and the same command goes on from there"
    )
    again = CliRunner().invoke(cli, words)
    assert again.exit_code == 0
    assert again.stderr.startswith("3 replications kept by an earlier run")


def test_a_report_without_room_leaves_the_replications(
    baseline: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_results: object, root: Path) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(root / "results.json"))

    monkeypatch.setattr("anechoic.campaign.runner.write_results", full)
    with pytest.raises(OSError, match="2 finished replications are kept"):
        an.run(baseline, out=tmp_path / "out", reps=2, progress=False)


def test_replacing_keeps_the_cells_that_both_have_and_what_others_put_there(
    baseline: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    an.run(baseline, out=out, reps=3, progress=False, sweep={"air.loss": ["50 dB", "60 dB"]})
    (out / "notes.txt").write_text("mine")
    common = {path.name for path in (out / "records").iterdir()}
    changed = {"air.loss": ["60 dB", "70 dB"]}
    with pytest.raises(an.ScenarioError, match=r"it holds another campaign.*--replace"):
        an.run(baseline, out=out, reps=2, progress=False, sweep=changed)
    results = an.run(baseline, out=out, reps=2, progress=False, sweep=changed, replace=True)
    assert [cell.parameters for cell in results.cells] == [
        {"air.loss": "60 dB"},
        {"air.loss": "70 dB"},
    ]
    now = {path.name for path in (out / "records").iterdir()}
    assert len(now) == 2
    assert len(now & common) == 1
    assert (out / "notes.txt").read_text() == "mine"
    assert len(an.Results.load(out).cells) == 2


def test_a_folder_of_something_else_is_not_replaced(baseline: Path, tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "thesis.tex").write_text("mine")
    with pytest.raises(an.ScenarioError, match=r"no campaign but something else: thesis\.tex"):
        an.run(baseline, out=own, reps=2, progress=False, replace=True)
    assert (own / "thesis.tex").exists()
