"""Studies are found by their folders, and an experiment is known by where it was loaded from."""

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from invented import THESIS

from anechoic.campaign.store import Store
from anechoic.cli import cli
from anechoic.papers.claim import Claim
from anechoic.papers.judging import needed
from anechoic.papers.study import CLAIMS, SHIPPED, STUDY, Study, shipped
from anechoic.papers.verdict import Status
from anechoic.running import located, run
from anechoic.scenario.errors import ScenarioError
from anechoic.scenario.load import load

TESTS = Path(__file__).parents[2]


def test_every_folder_with_a_study_file_is_a_study() -> None:
    folders = sorted(path.parent.name for path in SHIPPED.glob("*/study.toml"))
    assert [study.id for study in shipped()] == folders
    for study in shipped():
        assert study.claims
        assert all(study.file(name).is_file() for name in study.experiments)


@pytest.mark.parametrize("study", shipped(), ids=lambda study: study.id)
def test_what_every_claim_asks_for_is_there(study: Study) -> None:
    """Looked up in compiled scenarios: experiments, axes and their values, metrics, functions."""
    assert set(needed(study, study.claims).experiments) <= set(study.experiments)


def test_claims_without_a_study_file_name_their_experiments(tmp_path: Path) -> None:
    claims = '[a-1]\ntext = "x"\ncheck = { shows = ["measured_s"] }\n'
    (tmp_path / CLAIMS).write_text(claims + '[b-1]\nlike = "a-1"\n', encoding="utf-8")
    assert Study(tmp_path, tmp_path / CLAIMS).experiments == ("a", "b")


def test_a_wrong_study_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / STUDY).write_text('experiments = ["a"]\nyear = 2006', encoding="utf-8")
    with pytest.raises(ScenarioError, match=r"study.toml: year: unknown field; allowed: citation"):
        _ = Study(tmp_path, tmp_path / CLAIMS).experiments


def test_a_misspelt_experiment_is_told_once_and_of_the_file_that_has_it(tmp_path: Path) -> None:
    (tmp_path / "office.toml").write_text("", encoding="utf-8")
    (tmp_path / STUDY).write_text('experiments = ["ofice"]', encoding="utf-8")
    with pytest.raises(ScenarioError) as refused:
        _ = Study(tmp_path, tmp_path / CLAIMS).experiments
    assert str(refused.value) == (
        f'{tmp_path}/study.toml: experiments[0]: there is no scenario beside it named "ofice"; '
        "allowed: office; did you mean office?"
    )


@pytest.mark.usefixtures("core")
def test_a_copy_or_a_namesake_is_not_the_experiment(tmp_path: Path) -> None:
    copies = [tmp_path / "mine.toml", tmp_path / "goel-1.toml"]
    shutil.copy(THESIS.file("bench"), tmp_path / "bench.toml")
    for copy in copies:
        shutil.copy(THESIS.file("goel-1"), copy)
    identities = [_identity(source, tmp_path) for source in ("goel-1", *copies)]
    assert identities == ["goel2006/goel-1", None, None]
    assert _identity(THESIS.file("goel-1"), tmp_path) == "goel2006/goel-1"


def _identity(source: str | Path, tmp_path: Path) -> str | None:
    out = tmp_path / "out"
    short = {"run.duration": "1 s", "run.warmup": "0 s"}
    run(source, set=short, sweep={"vendor": ["vendor-a"]}, reps=1, out=out, progress=False)
    identity: str | None = Store.open(out).manifest["campaign"]["experiment"]
    shutil.rmtree(out)
    return identity


def test_a_file_wins_over_an_experiment_of_the_same_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert located("goel-1")[0] == THESIS.file("goel-1")
    (tmp_path / "goel-1").write_text("title = 'mine'", encoding="utf-8")
    assert located("goel-1") == ("goel-1", None)


def test_a_scenario_built_in_python_is_no_experiment() -> None:
    scenario = load(THESIS.file("goel-1"))
    assert located(scenario) == (scenario, None)


@pytest.mark.parametrize("command", ["run", "check", "explain"])
def test_an_unknown_experiment_is_bad_input(command: str) -> None:
    refused = CliRunner().invoke(cli, [command, "goel-33"], prog_name="anechoic")
    assert refused.exit_code == 2
    assert refused.stderr.startswith(
        "anechoic: goel-33: there is no such file, and no experiment or example of this name; "
        "allowed: "
    )
    assert refused.stderr.endswith("did you mean goel-3?\n")


def test_check_and_explain_take_an_experiment() -> None:
    checked = CliRunner().invoke(cli, ["check", "goel-1"], prog_name="anechoic")
    assert checked.stdout == "goel-1: fine, 10 cells\n"
    explained = CliRunner().invoke(cli, ["explain", "goel-1"], prog_name="anechoic")
    assert "ap.office.fragmentation_threshold" in explained.stdout


NEEDS_EVIDENCE = ("agrees-if", "disagrees-explained", "disagrees-unexplained")
"""What a verdict does not say itself: why it is so."""


def test_every_claim_that_is_recorded_to_disagree_has_an_explanation() -> None:
    recorded = json.loads((TESTS / "verdicts.json").read_text(encoding="utf-8"))
    claims = {claim.id: claim for study in shipped() for claim in study.claims}
    assert recorded.keys() <= claims.keys()
    assert set(recorded.values()) <= set(Status)
    disagreeing = [name for name, verdict in recorded.items() if verdict in NEEDS_EVIDENCE]
    assert len(disagreeing) > 10
    assert [name for name in disagreeing if not claims[name].explanation.because] == []


CATALOGUED = {
    "disagreements": (0, 0),
    "franceschinis": (67, 22),
    "goel2006": (118, 39),
    "janevski": (31, 10),
    "nguyen-armitage": (44, 14),
    "vasudevan": (42, 14),
}
"""Claims that the paper makes, and those of them that are held out."""


@pytest.mark.parametrize("study", shipped(), ids=lambda study: study.id)
def test_every_third_claim_of_a_paper_is_held_out(study: Study) -> None:
    papers = [claim for claim in study.claims if not claim.is_own]
    held_out = [claim.id for claim in papers if claim.is_held_out]
    assert (len(papers), len(held_out)) == CATALOGUED[study.id]
    assert held_out == study.about.held_out
    assert set(held_out) == _every_third_that_is_free(papers)
    stems = {stem for claim in study.claims for stem in (claim.id, claim.id.rpartition("-")[0])}
    assert set(study.about.own) <= stems


def _every_third_that_is_free(papers: list[Claim]) -> set[str]:
    """Give every third claim; for one that chose a value the next free one, in a circle."""
    free = [claim.id for claim in papers if not claim.chose_a_value]
    found = {claim.id for claim in papers[2::3] if not claim.chose_a_value}
    for place, claim in enumerate(papers):
        if place % 3 == 2 and claim.chose_a_value:
            ahead = (each.id for each in [*papers[place:], *papers[:place]])
            found.add(next(name for name in ahead if name in free and name not in found))
    return found


@pytest.mark.parametrize("study", shipped(), ids=lambda study: study.id)
def test_what_chose_a_value_is_a_claim_of_the_paper_and_not_held_out(study: Study) -> None:
    chosen_by = study.about.chosen_by
    assert chosen_by == [
        claim.id for claim in study.claims if claim.id in chosen_by and not claim.is_own
    ]
    assert set(chosen_by).isdisjoint(study.about.held_out)
