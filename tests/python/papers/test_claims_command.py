"""`anechoic claims` runs what the chosen claims need, and judges those."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from conftest import SWEPT
from invented import THESIS, invented

import anechoic as an
from anechoic.campaign.checksums import sealed, unsealed
from anechoic.campaign.results import Results
from anechoic.claims.chosen import chosen, stated
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

    monkeypatch.setattr("anechoic.claims.judged.run_experiment", run)
    monkeypatch.setattr("anechoic.claims.judged.report_judged", lambda *_: None)
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


def test_several_names_of_one_folder_are_all_taken(folder: Path) -> None:
    assert ids("mine/swept-b", "mine/swept-a") == ["swept-a", "swept-b"]
    shutil.copytree(shipped()[0].folder, folder / "ours")
    named = ("ours/disagreements-rts-a", "ours/disagreements-rts-c")
    assert ids(*named) == ["disagreements-rts-a", "disagreements-rts-c"]
    listed = anechoic("claims", "list", *named).stdout
    assert all(name.partition("/")[2] in listed for name in named)


def test_a_quick_look_at_all_is_about_stated_results() -> None:
    asked = stated(chosen(()))
    assert [each.study for each in asked] == list(shipped())
    claims = {claim.id: claim for each in asked for claim in each.claims}
    assert {claim.tier for claim in claims.values()} == {1}
    assert "goel-1-a" in claims
    assert "vasudevan-fig2-a" not in claims, "a function reads captures for it"


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
    assert "2 agrees" in result.stdout
    kept = {path.name for path in (tmp_path / "out").iterdir()}
    assert kept == {"goel-5", "scorecard.json", "scorecard.html"}
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
    assert "1 agrees, 1 disagrees-unexplained" in result.stdout
    out = folder / "results" / "mine"
    manifest = json.loads((out / "swept" / "campaign.json").read_text("utf-8"))
    assert manifest["campaign"]["experiment"] == "mine/swept"
    report = (out / "swept" / "report.html").read_text("utf-8")
    assert report == "report\nswept-a: agrees\nswept-b: disagrees-unexplained"
    assert (folder / "results" / "scorecard.html").is_file()
    again = anechoic("claims", "mine/claims.toml", "--reps", "12", "--json")
    assert json.loads(again.stdout)["study"] == "mine"


@pytest.mark.usefixtures("core")
def test_campaigns_of_another_build_are_left_alone(folder: Path) -> None:
    assert anechoic("claims", "mine", "--reps", "2").exit_code == 0
    campaign = folder / "results" / "mine" / "swept" / "campaign.json"
    known = unsealed(campaign, campaign.read_bytes())
    known["campaign"]["version"] = "0.0.1"
    campaign.write_text(sealed(known), encoding="utf-8")
    result = anechoic("claims", "mine", "--reps", "2")
    assert result.exit_code == 0
    assert 'results/mine/swept holds another campaign (its version is "0.0.1", not' in result.stderr
    assert ": this one goes to results/mine/swept-2\n" in result.stderr
    assert (folder / "results" / "mine" / "swept-2" / "report.html").is_file()
    refused = anechoic("claims", "mine", "--reps", "2", "--out", "results/mine")
    assert refused.exit_code == 2
    assert refused.stderr.startswith(
        'anechoic: results/mine/swept: it holds another campaign: its version is "0.0.1", not '
    )


@pytest.mark.usefixtures("core")
def test_what_has_not_changed_is_neither_run_nor_judged_again(folder: Path) -> None:
    first = anechoic("claims", "run", "mine", "--reps", "2", "--json")
    assert "budget: 1 experiment, 3 cells, at least 6 replications; 6 to run, 0.5 h" in first.stderr
    kept = (folder / "results" / "mine" / "swept" / "report.html").stat().st_mtime_ns
    again = anechoic("claims", "run", "mine", "--reps", "2", "--json")
    assert "budget: 1 experiment, 3 cells; all is kept" in again.stderr
    assert again.stdout == first.stdout
    assert (folder / "results" / "mine" / "swept" / "report.html").stat().st_mtime_ns == kept
    claims = folder / "mine" / "claims.toml"
    claims.write_text(OWN.replace("from = 5.5", "from = 1"), encoding="utf-8")
    changed = anechoic("claims", "run", "mine", "--reps", "2", "--json")
    assert "mine: 1 verdicts are kept, 1 to be found" in changed.stderr
    assert [claim["verdict"] for claim in json.loads(changed.stdout)["claims"]] == ["agrees"] * 2
    report = (folder / "results" / "mine" / "swept" / "report.html").read_text("utf-8")
    assert report == "report\nswept-a: agrees\nswept-b: agrees"


@pytest.mark.usefixtures("core")
def test_a_quick_look_runs_each_cell_once_and_writes_no_reports(folder: Path) -> None:
    result = anechoic("claims", "run", "mine", "--quick", "--json")
    figures = json.loads(result.stdout)["claims"][0]["figures"]
    assert {figure["n"] for figure in figures} == {1}
    out = folder / "results" / "quick"
    assert (out / "mine" / "scorecard.json").is_file()
    assert not (out / "mine" / "swept" / "report.html").exists()
    assert (out / "scorecard.html").is_file()


@pytest.mark.usefixtures("core")
def test_what_is_kept_is_listed_shown_and_put_together(folder: Path) -> None:
    missing = anechoic("claims", "list", "mine")
    assert "swept-b  1  not-run                Goodput is above 5.5 Mbit/s" in missing.stdout
    nothing = "nothing of this was run yet; anechoic claims run runs and judges it\n"
    assert missing.stderr == nothing
    assert anechoic("claims", "run", "mine/swept-b", "--reps", "2").exit_code == 0
    some = anechoic("claims", "list", "mine", "--json")
    verdicts = [row["verdict"] for row in json.loads(some.stdout)["claims"]]
    assert verdicts == ["not-run", "unresolved"]
    assert "nothing" not in some.stderr
    shown = anechoic("claims", "show", "mine/swept-b").stdout
    assert '[swept-b]\n    text = "Goodput is above 5.5 Mbit/s for eight connections."' in shown
    assert "verdict: unresolved, by build" in shown
    assert "report: results/mine/swept/report.html" in shown
    card = anechoic("claims", "scorecard", "mine", "--json")
    assert json.loads(card.stdout)["verdicts"] == {"not-run": 1, "unresolved": 1}
    assert "not run yet: anechoic claims run mine/swept-a" in card.stderr
    assert "scorecard: results/scorecard.html" in card.stderr
    kept = folder / "results" / "mine" / "scorecard.json"
    text = json.dumps(unsealed(kept, kept.read_bytes())).replace('"build": "0', '"build": "9')
    kept.write_text(sealed(json.loads(text)), "utf-8")
    other = anechoic("claims", "scorecard", "mine")
    assert "1 verdicts are of another build than this one (9" in other.stderr


@pytest.mark.usefixtures("core")
def test_a_verdict_of_what_has_changed_since_says_so(folder: Path) -> None:
    bench, claims = folder / "mine" / "bench.toml", folder / "mine" / "claims.toml"
    (folder / "mine" / "swept.toml").rename(bench)
    (folder / "mine" / "swept.toml").write_text('extends = "bench.toml"\n', encoding="utf-8")
    assert anechoic("claims", "mine", "--reps", "2").exit_code == 0
    assert "changed since" not in anechoic("claims", "show", "mine").output

    claims.write_text(OWN.replace("from = 5.5", "from = 1"), encoding="utf-8")
    shown = anechoic("claims", "show", "mine").stdout
    assert "verdict: unresolved (its check changed since: run it again), by build" in shown
    assert shown.count("changed since") == 1, "the other claim says what it said"
    listed = anechoic("claims", "list", "mine").stdout
    assert "swept-b  1  unresolved             (its check changed since: run it again)" in listed
    card = anechoic("claims", "scorecard", "mine")
    assert "mine: 1 agrees, 1 unresolved; 1 of an earlier check or scenario" in card.stdout

    bench.write_text(SWEPT.replace("[2, 4, 8]", "[2, 4, 6]"), encoding="utf-8")
    rows = json.loads(anechoic("claims", "list", "mine", "--json").stdout)["claims"]
    both = ["its check", "swept.toml"]
    assert [row["changed_since"] for row in rows] == [["swept.toml"], both]

    claims.write_text(OWN, encoding="utf-8")
    bench.write_text(f"# Under another name.\n{SWEPT}", encoding="utf-8")
    assert "changed since" not in anechoic("claims", "show", "mine").stdout


@pytest.mark.usefixtures("core")
def test_after_a_change_it_is_said_what_the_verdict_was(folder: Path) -> None:
    assert anechoic("claims", "mine", "--reps", "2").exit_code == 0
    claims, bench = folder / "mine" / "claims.toml", folder / "mine" / "swept.toml"
    claims.write_text(OWN.replace("from = 5.5", "from = 1"), encoding="utf-8")
    changed = anechoic("claims", "mine", "--reps", "2").stdout
    assert "mine: 2 agrees; 1 changed: swept-b was unresolved" in changed
    assert re.search(r"│ agrees +│.*\n│ was unresolved │", changed)
    assert "changed" not in anechoic("claims", "mine", "--reps", "2").stdout

    bench.write_text(SWEPT.replace("[2, 4, 8]", "[2, 4, 6]"), encoding="utf-8")
    moved = anechoic("claims", "mine/swept-a", "--reps", "2").stderr
    where = "(mine/swept.toml with other values or another sweep: sweep)"
    assert f"results/mine/swept holds another campaign {where}: this one goes to" in moved


def test_where_nothing_was_run_it_is_said_where_verdicts_are_published(folder: Path) -> None:
    (folder / "results").mkdir()
    card = anechoic("claims", "scorecard")
    assert "published verdicts: docs/claims.md and docs/papers/*.md" in card.stderr
    assert "0 of" not in card.stdout.partition("settled")[2]
    repository = Path(__file__).parents[3]
    for study in shipped():
        listed = anechoic("claims", "list", study.id)
        page = re.search(r"and (docs/papers/\S+) of the repository", listed.stderr)
        assert page is not None and (repository / page[1]).is_file()


@pytest.mark.parametrize(
    ("where", "name", "file", "again"),
    [
        (".", "mine/swept-a", "mine/claims.toml, or of mine/swept.toml", "mine/swept-a"),
        ("mine", "claims.toml", "claims.toml, or of swept.toml", "./swept-a"),
    ],
)
def test_of_one_s_own_it_is_said_what_to_change(
    where: str, name: str, file: str, again: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(where)
    shown = anechoic("claims", "show", name).stdout
    assert "cp -r" not in shown
    assert f"change a line of {file} or what that" in shown
    assert f"    anechoic claims {again}\n" in shown
    assert ids(again)[0] == "swept-a"


def test_either_names_or_all_are_asked_for() -> None:
    for words in (("run",), ("run", "goel-1", "--all"), ("--json",)):
        result = anechoic("claims", *words)
        assert (result.exit_code, result.stdout) == (2, "")
        assert "name studies, experiments or claims, or ask for --all" in result.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("mine/swept-c",), "mine/swept-c: there is no experiment or claim of mine named"),
        (("empty",), "empty: there is no claims.toml in this folder; allowed: a folder that"),
        (("mine", "--reps", "0"), "--reps: 0 is out of range; allowed: 1 to 10000"),
        (("list", "goel-1x"), "goel-1x: there is no study, experiment or claim of this name"),
        (("show", "goel-1-z"), "did you mean goel-1-"),
        (("list", "--from", "nowhere"), "nowhere: there is no such folder; allowed: the folder of"),
        (("scorecard", "mine"), "results: there is no such folder; allowed: the folder of an"),
    ],
)
def test_what_cannot_be_is_refused_in_a_line(
    words: tuple[str, ...], said: str, folder: Path
) -> None:
    (folder / "empty").mkdir()
    result = anechoic("claims", *words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.usefixtures("core")
def test_studies_asked_for_together_have_a_folder_each(folder: Path) -> None:
    (folder / "mine").rename(folder / "yours")
    (folder / "ours").mkdir()
    for name in ("swept.toml", "claims.toml"):
        (folder / "ours" / name).write_text((folder / "yours" / name).read_text("utf-8"))
    result = anechoic("claims", "ours", "yours", "--reps", "2", "--out", "out", "--json")
    assert [document["study"] for document in json.loads(result.stdout)] == ["ours", "yours"]
    assert {path.name for path in (folder / "out").iterdir()} == {"ours", "yours", "scorecard.html"}


@pytest.mark.usefixtures("core")
def test_nothing_is_put_among_other_files(folder: Path) -> None:
    assert anechoic("run", "mine/swept.toml", "--reps", "1", "--out", "swept").exit_code == 0
    before = sorted(path.name for path in (folder / "swept").iterdir())
    for names, studies in ((["mine"], "mine"), (["mine", "goel-1"], "mine and goel2006")):
        refused = anechoic("claims", *names, "--reps", "1", "--out", "swept")
        assert (refused.exit_code, refused.stdout) == (2, "")
        said = f"anechoic: swept: it holds something else than claims of {studies}: "
        assert refused.stderr.startswith(said)
        assert refused.stderr.count("\n") == 1
    assert sorted(path.name for path in (folder / "swept").iterdir()) == before


@pytest.mark.usefixtures("core")
def test_a_folder_of_earlier_claims_is_gone_on_with(folder: Path) -> None:
    shutil.copytree(folder / "mine", folder / "ours")
    assert anechoic("claims", "mine", "--reps", "1", "--out", "one").exit_code == 0
    (folder / "mine" / "swept.toml").rename(folder / "mine" / "other.toml")
    renamed = OWN.replace("[swept-", "[other-")
    (folder / "mine" / "claims.toml").write_text(renamed, encoding="utf-8")
    assert anechoic("claims", "mine", "--reps", "1", "--out", "one").exit_code == 0
    for _ in range(2):
        both = anechoic("claims", "mine", "ours", "--reps", "1", "--out", "two")
        assert both.exit_code == 0
    assert "all is kept" in both.stderr


def test_an_unknown_name_is_bad_input(folder: Path) -> None:
    result = anechoic("claims", "goel-1x")
    assert result.exit_code == 2
    assert result.stderr == (
        "anechoic: goel-1x: there is no study, experiment or claim of this name, and no such file; "
        "allowed: disagreements, franceschinis, goel2006, janevski, nguyen-armitage, vasudevan, "
        "one of their experiments or claims, or a claims file; "
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
    assert "1 unresolved, 1 error" in result.stdout
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
    study = 'experiments = ["swept"]\nfewest-replications = 3\n'
    (folder / "mine" / "study.toml").write_text(study, encoding="utf-8")
    (folder / "mine" / "open.toml").write_text(OPEN, encoding="utf-8")
    asked = ("claims", "mine", "--search", "open.toml", "--reps", "2", "--json")
    result = anechoic(*asked)
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert len(found["variants"]) == 4
    counts = [each["agree"] for each in found["variants"]]
    assert counts == sorted(counts, reverse=True)
    assert max(found["best_with"]["preamble"].values()) == counts[0]
    assert found["agreeing"].keys() == {"swept-a", "swept-b"}
    best = [each["parameters"] for each in found["variants"][:3]]
    assert sorted(map(str, best)) == sorted(str(each["parameters"]) for each in found["finalists"])
    runs = [
        json.loads(path.read_bytes())["cells"][0]["replications"]
        for path in (folder / "results" / "mine-open").glob("*/swept/results.json")
    ]
    assert sorted(runs) == [2, 3, 3, 3], "the best three have all that the study asks for"
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


def climbed(folder: Path, passing: Callable[[list[int]], int]) -> list[Judged]:
    """Explore three axes of five values where so many claims pass as a function of these says."""
    axes = "".join(f'[[sweep]]\nname = "{name}"\n"x.{name}" = [0, 1, 2, 3, 4]\n' for name in "abc")
    (folder / "open.toml").write_text(axes, encoding="utf-8")
    [claim] = THESIS.claims[:1]

    def judge(variant: Variant) -> Judged:
        rows = [int(value) for value in variant.parameters.values()]
        return Judged(variant, [(claim, Verdict(Status.AGREES))] * passing(rows))

    return Space.of(folder / "open.toml").explore(judge)


def test_many_variants_are_climbed_from_the_first(tmp_path: Path) -> None:
    found = climbed(tmp_path, lambda rows: 12 - sum(abs(row - 3) for row in rows))
    assert ranked(found)[0].variant.parameters == {"a": 3, "b": 3, "c": 3}
    assert len(found) < 125 / 2
    first = found[: (5 + 4 + 4) + (4 + 4)]
    assert first[-1].variant.parameters["a"] == 3, "one way up, and what lies around its end"


def test_a_climb_from_elsewhere_finds_what_no_single_change_leads_to(tmp_path: Path) -> None:
    found = climbed(tmp_path, lambda rows: 9 if rows == [1, 1, 1] else 3 - min(sum(rows), 3))
    assert ranked(found)[0].variant.parameters == {"a": 1, "b": 1, "c": 1}


def test_claims_are_judged_on_campaigns_that_are_there(tmp_path: Path) -> None:
    times = {"run.duration": "4 s", "run.warmup": "1 s"}
    parts = {"some": ("[2, 4]", "[16, 8]"), "rest": ("[8]", "[4]")}
    for name, (pairs, transactions) in parts.items():
        text = SWEPT.replace("[2, 4, 8]", pairs).replace("[16, 8, 4]", transactions)
        (tmp_path / f"{name}.toml").write_text(text)
        an.run(tmp_path / f"{name}.toml", set=times, reps=2, out=tmp_path / name, progress=False)

    def verdicts(*names: str) -> dict[str, tuple[str, str]]:
        given = [word for name in names for word in ("--on", f"swept={tmp_path / name}")]
        done = anechoic("claims", "judge", "mine", *given, "--json")
        assert done.exit_code == 0, done.output
        rows = json.loads(done.stdout)["claims"]
        return {row["id"]: (row["verdict"], row["reason"]) for row in rows}

    assert verdicts("some")["swept-b"][0] == "not-run"
    status, reason = verdicts("some", "rest")["swept-b"]
    assert status in ("agrees", "disagrees-unexplained") and reason.endswith("simulated")
    assert not (tmp_path / "results").exists(), "nothing is kept"
    twice = anechoic("claims", "judge", "mine", "--on", "swept=some", "--on", "swept=some")
    assert twice.exit_code == 2 and "connections = 2 is in another folder, too" in twice.stderr


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("swept", '--on: "swept" names no experiment of those'),
        ("swpt=some", "did you mean swept?"),
        ("swept=nowhere", "nowhere"),
    ],
)
def test_a_campaign_that_is_not_there_is_told_in_a_line(given: str, said: str) -> None:
    done = anechoic("claims", "judge", "mine", "--on", given)
    assert done.exit_code == 2
    assert said in done.stderr and done.stderr.count("\n") == 1
