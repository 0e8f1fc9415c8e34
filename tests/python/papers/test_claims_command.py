"""`anechoic claims` runs what the chosen claims need, and judges those."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from conftest import SWEPT
from invented import THESIS, invented

from anechoic.campaign.results import Results
from anechoic.claims import chosen
from anechoic.cli import cli
from anechoic.papers.search import Judged, Space, Variant, ranked
from anechoic.papers.study import Experiment, shipped
from anechoic.papers.verdict import Status, Verdict
from anechoic.scenario.errors import ScenarioError

OWN = """\
[swept-a]
text = "More connections get less together."
check = { falls = "goodput_mbps", along = "connections", strictly = true }

[swept-b]
text = "Goodput is above 5.5 Mbit/s for eight connections."
check = { band = "goodput_mbps", where = { connections = 8 }, from = 5.5 }
"""

CALLED = '{ mechanism = "divides", each = "connections" }'


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in a folder with a study of one's own."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "swept.toml").write_text(SWEPT, encoding="utf-8")
    (tmp_path / "mine" / "claims.toml").write_text(OWN, encoding="utf-8")
    return tmp_path


@pytest.fixture
def run_before(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Replace the campaigns by invented ones, and note which were asked for."""
    asked: list[str] = []

    def run(experiment: Experiment, *, reps: int | None, jobs: int | None, out: Path) -> Results:
        assert (reps, jobs) == (12, 2)
        asked.append(experiment.id)
        out.mkdir(parents=True)
        return invented(experiment.id)

    monkeypatch.setattr("anechoic.running.run_experiment", run)
    return asked


def anechoic(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, list(map(str, arguments)), prog_name="anechoic")


def judged(out: Path, *arguments: str) -> Result:
    return anechoic("claims", *arguments, "--out", out, "--reps", "12", "--jobs", "2")


def ids(*names: str) -> list[str]:
    return [claim.id for asked in chosen(names) for claim in asked.claims]


def test_a_name_stands_for_a_study_an_experiment_or_a_claim() -> None:
    assert ids() == [claim.id for study in shipped() for claim in study.claims]
    assert ids("goel2006") == [claim.id for claim in THESIS.claims]
    assert ids("goel-5", "goel-3-c") == ["goel-3-c", "goel-5-a", "goel-5-b"]
    assert ids("mine") == ids("mine/claims.toml") == ["swept-a", "swept-b"]
    assert [asked.study.id for asked in chosen(["mine", "goel-1", "goel-2"])] == [
        "mine",
        "goel2006",
    ]


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


def test_one_claim_needs_no_more_than_its_experiments(
    tmp_path: Path, run_before: list[str]
) -> None:
    result = judged(tmp_path / "out", "goel-3-c", "--json")
    assert run_before == ["goel-2", "goel-3"]
    assert [claim["id"] for claim in json.loads(result.stdout)["claims"]] == ["goel-3-c"]


@pytest.mark.usefixtures("core")
def test_claims_of_one_s_own_are_judged_the_same_way(folder: Path) -> None:
    result = anechoic("claims", "mine", "--reps", "12")
    assert result.exit_code == 0, result.output
    assert "1 pass, 1 fail" in result.stdout
    out = folder / "results" / "mine"
    manifest = json.loads((out / "swept" / "campaign.json").read_text("utf-8"))
    assert manifest["campaign"]["experiment"] == "mine/swept"
    report = (out / "swept" / "report.html").read_text("utf-8")
    assert report == "report\nswept-a: pass\nswept-b: fail"
    again = anechoic("claims", "mine/claims.toml", "--reps", "12", "--json")
    assert json.loads(again.stdout)["study"] == "mine"


@pytest.mark.usefixtures("core")
def test_campaigns_of_another_build_are_left_alone(folder: Path) -> None:
    assert anechoic("claims", "mine", "--reps", "2").exit_code == 0
    campaign = folder / "results" / "mine" / "swept" / "campaign.json"
    known = json.loads(campaign.read_text("utf-8"))
    known["campaign"]["version"] = "0.0.1"
    campaign.write_text(json.dumps(known), encoding="utf-8")
    assert anechoic("claims", "mine", "--reps", "2").exit_code == 0
    assert (folder / "results" / "mine-2" / "scorecard.json").is_file()


@pytest.mark.usefixtures("core")
def test_studies_asked_for_together_have_a_folder_each(folder: Path) -> None:
    (folder / "mine").rename(folder / "yours")
    (folder / "ours").mkdir()
    for name in ("swept.toml", "claims.toml"):
        (folder / "ours" / name).write_text((folder / "yours" / name).read_text("utf-8"))
    result = anechoic("claims", "ours", "yours", "--reps", "2", "--out", "out", "--json")
    assert [document["study"] for document in json.loads(result.stdout)] == ["ours", "yours"]
    assert {path.name for path in (folder / "out").iterdir()} == {"ours", "yours"}


def test_an_unknown_name_is_bad_input(folder: Path) -> None:
    result = anechoic("claims", "goel-1x")
    assert result.exit_code == 2
    assert result.stderr == (
        "anechoic: goel-1x: there is no study, experiment or claim of this name, and no such file; "
        "allowed: franceschinis, goel2006, janevski, nguyen-armitage, vasudevan, one of their "
        "experiments or claims, or a claims file; "
        "did you mean goel-1?\n"
    )
    with pytest.raises(ScenarioError, match="no such file"):
        chosen([str(folder / "empty")])


@pytest.mark.usefixtures("core")
def test_a_wrong_claim_is_refused_before_anything_runs(folder: Path) -> None:
    claims = folder / "mine" / "claims.toml"
    claims.write_text(OWN.replace('"goodput_mbps", where', '"goodput", where'), encoding="utf-8")
    result = anechoic("claims", "mine")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(
        "anechoic: mine/claims.toml: swept-b.check.band: there is no metric, axis or term"
    )
    assert result.stderr.endswith("did you mean goodput_mbps?\n")
    assert not (folder / "results").exists()


@pytest.mark.usefixtures("core")
def test_a_function_that_fails_ends_its_own_claim_and_no_other(folder: Path) -> None:
    own = OWN.replace('{ falls = "goodput_mbps", along = "connections", strictly = true }', CALLED)
    (folder / "mine" / "claims.toml").write_text(own, encoding="utf-8")
    (folder / "mine" / "mechanisms.py").write_text("def divides(context):\n    return 1 / 0\n")
    result = anechoic("claims", "mine", "--reps", "2")
    assert result.exit_code == 2
    assert "1 fail, 1 error" in result.stdout
    assert result.stderr.endswith(
        "anechoic: mine/claims.toml: swept-a: mechanisms.py: line 2: "
        "ZeroDivisionError: division by zero\n"
    )
    assert (folder / "results" / "mine" / "scorecard.json").is_file()


OPEN = """\
[[sweep]]
name = "preamble"
"ap.office.preamble" = ["long", "short"]

[[sweep]]
name = "queue"
labels = ["deep", "shallow"]
"ap.office.queue_packets" = [100, 20]
"""


@pytest.mark.usefixtures("core")
def test_variants_of_the_bench_are_ranked_by_the_claims_they_satisfy(folder: Path) -> None:
    (folder / "mine" / "open.toml").write_text(OPEN, encoding="utf-8")
    asked = ("claims", "mine", "--search", "open.toml", "--reps", "2", "--json")
    result = anechoic(*asked)
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert len(found["variants"]) == 4
    counts = [each["pass"] for each in found["variants"]]
    assert counts == sorted(counts, reverse=True)
    assert max(found["best_with"]["preamble"].values()) == counts[0]
    assert found["passes"].keys() == {"swept-a", "swept-b"}
    assert (
        json.loads((folder / "results" / "mine-open" / "search.json").read_text("utf-8")) == found
    )


def test_a_wrong_search_is_refused_before_anything_runs(folder: Path) -> None:
    (folder / "open.toml").write_text('[[swep]]\n"air.loss" = ["60 dB"]', encoding="utf-8")
    result = anechoic("claims", "mine", "--search", "open.toml")
    assert result.exit_code == 2
    assert "anechoic: open.toml: swep: unknown field; allowed: sweep" in result.stderr
    (folder / "open.toml").write_text(OPEN.replace("[100, 20]", "[100, 0]"), encoding="utf-8")
    result = anechoic("claims", "mine", "--search", "open.toml")
    assert result.exit_code == 2
    assert result.stderr.startswith("anechoic: mine/swept.toml: ap.office.queue_packets: 0 is")
    assert not (folder / "results").exists()


def test_many_variants_are_climbed_from_the_first(tmp_path: Path) -> None:
    rows = list(range(5))
    axes = "".join(f'[[sweep]]\nname = "{name}"\n"x.{name}" = {rows}\n' for name in "abc")
    (tmp_path / "open.toml").write_text(axes, encoding="utf-8")
    [claim] = THESIS.claims[:1]

    def judge(variant: Variant) -> Judged:
        near = 12 - sum(abs(int(value) - 3) for value in variant.parameters.values())
        return Judged(variant, [(claim, Verdict(Status.PASS))] * near)

    found = Space.of(tmp_path / "open.toml").explore(judge)
    assert ranked(found)[0].variant.parameters == {"a": 3, "b": 3, "c": 3}
    assert len(found) == (5 + 4 + 4) + (4 + 4), "of 125: one way up, and what lies around its end"
