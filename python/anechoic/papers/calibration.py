"""What a study's bench chose where the text is silent, and how verdicts change with it.

A file ``inferred.toml`` beside the claims lists what was chosen: a table for each parameter, with
why, and either other values that it may have had and the experiments to try them on, or why it is
not tried. One parameter is changed at a time; the first value is the bench's own.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from anechoic.campaign.results import Results
from anechoic.papers.check import Declared, Names
from anechoic.papers.claim import Claim
from anechoic.papers.judging import checked, needed
from anechoic.papers.study import Study
from anechoic.papers.toml_file import read_toml
from anechoic.papers.verdict import Status
from anechoic.scenario.base import about
from anechoic.scenario.errors import ScenarioError
from anechoic.scenario.experiment import Sweep
from anechoic.scenario.validation import problems_of

INFERRED = "inferred.toml"

Runner = Callable[[str, Mapping[str, Any]], Results]
"""Runs an experiment with other values, by path of the field."""


class Inferred(Declared):
    """A parameter that was chosen and not stated."""

    name: Annotated[str, about("what was chosen")]
    why: Annotated[str, about("why this value, and which others are as plausible")]
    sweep: Annotated[Sweep | None, about("its values, the bench's own first")] = None
    experiments: Annotated[Names, about("experiments on whose claims they are tried")] = []
    unswept: Annotated[str, about("why no others are tried")] = ""

    @model_validator(mode="after")
    def _swept_or_not(self) -> "Inferred":
        if bool(self.unswept) == (self.sweep is not None) or bool(self.unswept) == bool(
            self.experiments
        ):
            raise PydanticCustomError(
                "quantity",
                "{reason}",
                {
                    "reason": "neither swept nor not",
                    "allowed": "a sweep and experiments, or unswept",
                },
            )
        return self


class InferredFile(Declared):
    """What inferred.toml says."""

    parameter: Annotated[list[Inferred], Field(min_length=1, description="what was chosen")]


@dataclass(frozen=True)
class Tried:
    """The verdicts with one value of a parameter."""

    value: str
    statuses: Mapping[str, Status]
    """By the claim's id."""

    @property
    def passing(self) -> int:
        """Count the claims that pass."""
        return sum(status is Status.AGREES for status in self.statuses.values())


@dataclass(frozen=True)
class Calibrated:
    """A parameter with the verdicts at each of its values; without any if it was not tried."""

    parameter: Inferred
    tried: Sequence[Tried]

    @property
    def changes(self) -> list[str]:
        """Tell which claims have another verdict than with the bench's own value, and where."""
        if not self.tried:
            return []
        own, *others = self.tried
        return [
            f"`{claim}` {own.statuses[claim]} → {status} with {other.value}"
            for other in others
            for claim, status in other.statuses.items()
            if status != own.statuses[claim]
        ]


def inferred_of(study: Study) -> list[Inferred]:
    """Read what a study's bench chose; raise ScenarioError for what the file cannot say."""
    path: Path = study.folder / INFERRED
    data = read_toml(path, "what was inferred")
    try:
        return InferredFile.model_validate(data).parameter
    except ValidationError as error:
        raise ScenarioError(str(path), problems_of(error, data, InferredFile)) from None


def calibrated(study: Study, run: Runner) -> Iterator[Calibrated]:
    """Judge the claims with every value of every parameter, one after the other."""
    for parameter in inferred_of(study):
        claims = _claims_on(study, parameter.experiments)
        yield Calibrated(parameter, list(_tried(study, parameter, claims, run)))


def _tried(
    study: Study, parameter: Inferred, claims: Sequence[Claim], run: Runner
) -> Iterator[Tried]:
    if parameter.sweep is None:
        return
    for row, value in enumerate(parameter.sweep.shown):
        # The first row is the bench as it stands, whose runs all parameters share.
        columns = parameter.sweep.columns.items() if row else ()
        values = {path: column[row] for path, column in columns}
        results = {name: run(name, values) for name in parameter.experiments}
        found = checked(study, results, claims)
        yield Tried(str(value), {claim.id: verdict.status for claim, verdict in found})


def _claims_on(study: Study, experiments: Sequence[str]) -> list[Claim]:
    """Give the claims that these experiments suffice for."""
    own = [claim for claim in study.claims if claim.experiment in experiments]
    if not own:
        return []
    wanted = needed(study, own).of_claims
    return [claim for claim in own if wanted[claim.id] - claim.if_run <= set(experiments)]
