"""`anechoic claims` runs what the chosen claims need, and judges those."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from invented import EXPERIMENTS as FILES
from invented import invented

from anechoic.campaign import api
from anechoic.campaign.results import Results
from anechoic.papers.command import chosen, claims_command, default_folder, with_needed
from anechoic.papers.goel2006 import EXPERIMENTS


@pytest.fixture
def run_before(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Replace the campaigns by invented ones, and note which were asked for."""
    asked: list[str] = []

    def run(source: Path, *, reps: int | None, jobs: int | None, out: Path) -> Results:
        assert (reps, jobs) == (12, 2)
        asked.append(source.stem)
        out.mkdir(parents=True)
        return invented(source.stem)

    monkeypatch.setattr(api, "run", run)
    return asked


def judged(out: Path, *arguments: str) -> Result:
    options = ("--out", str(out), "--reps", "12", "--jobs", "2", "--experiments", str(FILES))
    return CliRunner().invoke(claims_command, [*arguments, *options])


def test_the_paper_stands_for_all_its_experiments() -> None:
    assert chosen(()) == chosen(("goel2006",)) == list(EXPERIMENTS)
    assert chosen(("goel-3", "goel-1")) == ["goel-1", "goel-3"]
    assert with_needed(["goel-8"]) == ["goel-1", "goel-8"]


def test_json_alone_goes_to_standard_output(tmp_path: Path, run_before: list[str]) -> None:
    result = judged(tmp_path / "out", "goel-8", "--json")
    assert result.exit_code == 0, result.output
    assert run_before == ["goel-1", "goel-8"]
    claims = json.loads(result.stdout)["claims"]
    assert [claim["id"] for claim in claims] == ["goel-8-a", "goel-8-b", "goel-8-c", "goel-8-d"]
    assert "scorecard:" in result.stderr


def test_the_scorecard_is_kept_beside_the_campaigns(tmp_path: Path, run_before: list[str]) -> None:
    result = judged(tmp_path / "out", "goel-5")
    assert result.exit_code == 0, result.output
    assert "2 pass" in result.stdout
    kept = {path.name for path in (tmp_path / "out").iterdir()}
    assert kept == {"goel-5", "scorecard.json", "scorecard.md"}
    assert run_before == ["goel-5"]


def test_an_unknown_experiment_is_bad_input(tmp_path: Path) -> None:
    result = judged(tmp_path, "goel-55")
    assert result.exit_code == 2
    assert "did you mean goel-5?" in result.stderr


def test_a_missing_file_is_bad_input(tmp_path: Path) -> None:
    result = CliRunner().invoke(claims_command, ["goel-1", "--experiments", str(tmp_path)])
    assert result.exit_code == 2
    assert "--experiments" in result.stderr


def test_without_a_folder_campaigns_of_another_build_are_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    files = {"goel-5": FILES / "goel-5.toml"}
    assert default_folder(files) == Path("results/goel2006")
    campaign = Path("results/goel2006/goel-5/campaign.json")
    campaign.parent.mkdir(parents=True)
    known = api.manifest_for(files["goel-5"])
    campaign.write_text(json.dumps(known), encoding="utf-8")
    assert default_folder(files) == Path("results/goel2006")
    known["campaign"]["version"] = "0.0.1"
    campaign.write_text(json.dumps(known), encoding="utf-8")
    assert default_folder(files) == Path("results/goel2006-2")
