"""What benches chose where a text is silent, changed alone and in pairs, and wrong models."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from anechoic.campaign.checksums import unsealed
from anechoic.campaign.sweep import cells_of
from anechoic.cli import cli
from anechoic.papers.calibration import INFERRED, Inferred, inferred_of, sets_of
from anechoic.papers.concluding import SEED
from anechoic.papers.models import OWN_MODELS, models_of
from anechoic.papers.study import Study, shipped
from anechoic.papers.trial_record import MODELS as MODEL_TRIALS
from anechoic.papers.trial_record import Recorded
from anechoic.scenario.errors import ScenarioError
from anechoic.scenario.load import load

CHOSEN = [(study, each) for study in shipped() for each in inferred_of(study)]
SWEPT = [pair for pair in CHOSEN if pair[1].sweep is not None]


@pytest.mark.parametrize(("study", "parameter"), SWEPT, ids=lambda each: getattr(each, "name", ""))
def test_the_first_value_is_the_bench_s_own_and_the_others_can_be(
    study: Study, parameter: Inferred
) -> None:
    """In the first experiment that has what it sets, and neither sweeps it nor says otherwise."""
    found = filter(None, (_plans(study, name, parameter) for name in study.experiments))
    plans = next((each for each in found if each[0] == each[1]), None)
    assert plans is not None, "no experiment has the first value"
    assert all(plans[0] != other for other in plans[2:])


def _plans(study: Study, experiment: str, parameter: Inferred) -> list[list[Any]]:
    """Compile an experiment as it is and with each row; nothing where it takes none of them."""
    try:
        plans = [
            [cell.plan for cell in cells_of(load(study.file(experiment), set=values))]
            for values in ({}, *_rows(parameter))
        ]
    except ScenarioError:
        return []
    return plans if plans[0] != plans[2] else []


@pytest.mark.parametrize("study", shipped(), ids=lambda study: study.id)
def test_a_model_that_a_claim_names_is_there_and_changes_its_experiment(study: Study) -> None:
    models = {model.name: model for model in models_of(study)}
    for claim in study.claims:
        if claim.flipped_by:
            file = study.file(claim.experiment)
            values = models[claim.flipped_by].values(load(file))
            own, changed = (cells_of(load(file, set=each)) for each in ({}, values))
            assert [cell.plan for cell in own] != [cell.plan for cell in changed], claim.id


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
flipped-by = "a better radio"

[office-b]
text = "Something comes."
check = { more = "goodput_mbps", than = 0 }

[office-c]
text = "Next to nothing is given up."
check = { band = "node.office.drops_retry_limit / node.office.attempts", to = 0.01 }
"""
MODELS = """
[[model]]
name = "a better radio"
why = "The long preamble."
[model.set]
"ap.office.preamble" = "short"
"sta.laptop.preamble" = "short"
"""
CHOICES = """
[[parameter]]
name = "the preamble"
why = "Every radio knows the long one."
[parameter.sweep]
"ap.office.preamble" = ["long", "short"]
"sta.laptop.preamble" = ["long", "short"]

[[parameter]]
name = "the wire"
why = "It is never full."
unswept = "no claim is about it"
"""


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Study:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "mine"
    folder.mkdir()
    files = {"office.toml": OFFICE, "claims.toml": CLAIMS, INFERRED: CHOICES, OWN_MODELS: MODELS}
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return Study(folder, folder / "claims.toml")


def anechoic(*words: str) -> str:
    result = CliRunner().invoke(cli, ["claims", *words], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def statuses(study: Study) -> dict[str, str]:
    anechoic("run", str(study.folder), "--reps", "4")
    kept = unsealed(Path("scorecard"), Path("results/mine/scorecard.json").read_bytes())
    return {row["id"]: row["verdict"] for row in kept["claims"]}


def test_what_another_value_turns_hangs_on_it(study: Study) -> None:
    assert statuses(study)["office-a"] == "disagrees-unexplained"
    anechoic("calibrate", str(study.folder), "--reps", "4", "--record")
    page = Path("results/trials-values/values.md").read_text(encoding="utf-8")
    assert "- short: 1 of 3 claims move" in page
    assert "  - `office-a` disagrees-unexplained → agrees" in page
    assert "| the wire | It is never full. | no claim is about it |" in page
    assert statuses(study)["office-a"] == "agrees-if"
    office = study.file("office")
    office.write_text(OFFICE.replace("48 dB", "49 dB"), encoding="utf-8")
    assert statuses(study)["office-a"] == "disagrees-unexplained", "another bench was tried"


def test_wrong_models_tell_what_is_explained_and_what_is_no_evidence(study: Study) -> None:
    anechoic("discriminate", str(study.folder), "--reps", "4", "--record")
    page = Path("results/trials-models/models.md").read_text(encoding="utf-8")
    assert "1 agree with every one: `office-b`" in page
    assert "Another seed turns 0: none" in " ".join(page.split())
    known = Recorded.of(study).kinds[MODEL_TRIALS]["office-c"]["with"]
    assert known.keys() >= {SEED, "no back-off", "no retries", "an endless queue"}
    assert statuses(study) == {
        "office-a": "disagrees-explained",
        "office-b": "input",
        "office-c": "agrees",
    }


def test_what_is_to_be_explained_is_tried_with_the_model_that_it_names(study: Study) -> None:
    anechoic("discriminate", str(study.folder), "--reps", "4", "--explaining", "--record")
    known = Recorded.of(study).kinds[MODEL_TRIALS]
    assert {claim: list(each["with"]) for claim, each in known.items()} == {
        "office-a": ["a better radio"]
    }
    assert statuses(study) == {
        "office-a": "disagrees-explained",
        "office-b": "agrees",
        "office-c": "agrees",
    }


def test_values_of_two_parameters_are_tried_together() -> None:
    rows = {"a": [1, 2, 3], "b": [1, 2], "c": [1, 2]}
    parameters = [
        Inferred.model_validate({"name": name, "why": "", "sweep": {f"x.{name}": values}})
        for name, values in rows.items()
    ]
    names = [trial.name for trial in sets_of(parameters)]
    assert names[:4] == ["a: 2", "a: 3", "b: 2", "c: 2"]
    assert names[4:] == ["a: 2; b: 2", "a: 3; b: 2", "a: 2; c: 2", "a: 3; c: 2", "b: 2; c: 2"]
    assert [trial.name for trial in sets_of(parameters, is_alone=True)] == names[:4]


def test_what_is_neither_swept_nor_not_is_refused(tmp_path: Path) -> None:
    (tmp_path / "claims.toml").write_text(CLAIMS, encoding="utf-8")
    half = CHOICES.replace('unswept = "no claim is about it"', "")
    (tmp_path / INFERRED).write_text(half, encoding="utf-8")
    result = CliRunner().invoke(cli, ["claims", "calibrate", str(tmp_path)])
    assert result.exit_code == 2
    assert "parameter[1]" in result.stderr
    assert "a sweep, or unswept" in result.stderr
