"""What a study's claims give with models and values that are changed.

Wrong models show which checks tell a wrong model from a right one, and changed ones what turns
those that disagree; the other values of ``inferred.toml`` show which hang on what the bench was
given.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anechoic.campaign.results import Results
from anechoic.campaign.sweep import cells_of
from anechoic.papers.claim import Claim
from anechoic.papers.judging import checked, needed
from anechoic.papers.study import Study
from anechoic.papers.trial_record import Recorded
from anechoic.papers.verdict import Status
from anechoic.scenario.errors import ScenarioError
from anechoic.scenario.load import load
from anechoic.scenario.model import Scenario

Runner = Callable[[str, Mapping[str, Any]], Results]
"""Runs an experiment with other values, by path of the field."""


@dataclass(frozen=True)
class Trial:
    """A change of a study's bench or of its models."""

    name: str
    values: Callable[[Scenario], Mapping[str, Any]]
    """What it sets in a scenario, by path of the field."""


def changing(name: str, values: Mapping[str, Any]) -> Trial:
    """Give the trial that sets the same in every scenario."""
    return Trial(name, lambda _scenario: values)


Concerns = Callable[[Trial, Claim], bool]
"""Says whether a claim is judged in a trial."""

AS_IT_IS = "as it is"
"""The trial that changes nothing, with which the others are compared."""

Tried = dict[str, dict[str, Status]]
"""What claims came to, by the trial's name and the claim's id."""


def of_all(_trial: Trial, _claim: Claim) -> bool:
    """Judge every claim in every trial."""
    return True


def that_it_names(trial: Trial, claim: Claim) -> bool:
    """Judge a claim in the trial that it says it is turned by."""
    return claim.flipped_by == trial.name


def tried(
    study: Study,
    claims: Sequence[Claim],
    trials: Sequence[Trial],
    run: Runner,
    concerns: Concerns = of_all,
) -> Iterator[tuple[str, dict[str, Status]]]:
    """Judge the claims as they are, and in each trial that changes one of their experiments.

    An experiment that has not what a trial sets, or sweeps it, stays as it is, and so does one of
    which no claim is concerned.
    """
    wanted = needed(study, claims)
    own = {name: [cell.plan for cell in wanted.cells[name]] for name in wanted.experiments}
    results = {name: run(name, {}) for name in wanted.experiments}
    yield AS_IT_IS, _statuses(study, results, claims)
    for trial in trials:
        asked = [claim for claim in claims if concerns(trial, claim)]
        theirs = {name for claim in asked for name in wanted.of_claims[claim.id]}
        changed = {
            name: run(name, values)
            for name in wanted.experiments
            if name in theirs and (values := _values(study.file(name), trial, own[name]))
        }
        moved = [claim for claim in asked if not wanted.of_claims[claim.id].isdisjoint(changed)]
        if moved:
            yield trial.name, _statuses(study, {**results, **changed}, moved)


def _statuses(
    study: Study, results: Mapping[str, Results], claims: Sequence[Claim]
) -> dict[str, Status]:
    return {claim.id: verdict.status for claim, verdict in checked(study, results, claims)}


def _values(scenario: Path, trial: Trial, own: list[Any]) -> Mapping[str, Any]:
    """Give what a trial changes in an experiment; nothing if that refuses it or is the same."""
    before = load(scenario)
    values = trial.values(before)
    try:
        changed = load(scenario, set=values)
        plans = [cell.plan for cell in cells_of(changed)]
    except ScenarioError:
        return {}
    # The seed is none of a plan's.
    return values if plans != own or changed.run.seed != before.run.seed else {}


def recorded(study: Study, claims: Sequence[Claim], kind: str, found: Tried) -> Recorded:
    """Give the study's record with what these trials came to."""
    before, experiments = Recorded.of(study), needed(study, claims).of_claims
    others = {name: statuses for name, statuses in found.items() if name != AS_IT_IS}
    entries = {
        claim.id: {
            "written": before.written(claim, experiments[claim.id]),
            "own": found[AS_IT_IS][claim.id].value,
            "with": {
                name: statuses[claim.id].value
                for name, statuses in others.items()
                if claim.id in statuses
            },
        }
        for claim in claims
    }
    return before.with_(kind, entries)
