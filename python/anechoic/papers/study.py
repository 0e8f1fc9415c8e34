"""Studies: a folder each, of experiments and the claims on them.

    study.toml      the paper, and its experiments in their order
    NAME.toml       an experiment: a scenario
    claims.toml     what must hold
    mechanisms.py   functions for what no declaration can say

A folder that holds a claims.toml and scenarios is a study too: its experiments are those that
the claims name.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError

from anechoic.campaign.cells import Value
from anechoic.campaign.sweep import axes_of
from anechoic.papers.check import Declared
from anechoic.papers.claim import Claim, Claims, read_claims
from anechoic.papers.scope import WrongClaim
from anechoic.papers.toml_file import read_toml
from anechoic.scenario.base import about
from anechoic.scenario.errors import ScenarioError, unknown_name
from anechoic.scenario.load import load
from anechoic.scenario.validation import problems_of

SHIPPED = Path(__file__).parents[1] / "studies"
CLAIMS, STUDY, MECHANISMS = "claims.toml", "study.toml", "mechanisms.py"


class StudyFile(Declared):
    """What study.toml says."""

    citation: Annotated[str, about("the paper, as one cites it")] = ""
    experiments: Annotated[
        list[str], Field(min_length=1, description="names of the scenario files, in order")
    ]
    fewest_replications: Annotated[
        int, about("replications below which a verdict is called preliminary", ge=2)
    ] = 12
    note: Annotated[str, about("what every report of an experiment has to say")] = ""
    own: Annotated[
        list[str],
        about("claims that the paper does not make: their names, or what stands before the last -"),
    ] = []
    held_out: Annotated[
        list[str], about("claims that no value of the bench may be chosen by: every third one")
    ] = []
    chosen_by: Annotated[
        list[str], about("claims that were looked at when values of the bench were chosen")
    ] = []


@dataclass(frozen=True)
class Study:
    """A folder of experiments and claims."""

    folder: Path
    claims_file: Path

    @property
    def id(self) -> str:
        """Name the study by its folder."""
        return self.folder.resolve().name

    @cached_property
    def about(self) -> StudyFile:
        """What study.toml says; without one, the experiments that the claims name."""
        path = self.folder / STUDY
        if self.claims_file.name == CLAIMS and path.is_file():
            data = read_toml(path, "a study")
            try:
                found = StudyFile.model_validate(data)
            except ValidationError as error:
                raise ScenarioError(str(path), problems_of(error, data, StudyFile)) from None
            self._check_files(path, found.experiments)
            return found
        named = dict.fromkeys(claim.experiment for claim in self._claims.claims)
        return StudyFile.model_validate({"experiments": list(named)})

    @property
    def experiments(self) -> tuple[str, ...]:
        """Name the experiments in their order."""
        return tuple(self.about.experiments)

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        """The claims in their order."""
        own, held_out = set(self.about.own), set(self.about.held_out)
        return tuple(
            replace(
                claim,
                is_own=not own.isdisjoint((claim.id, claim.id.rpartition("-")[0])),
                is_held_out=claim.id in held_out,
                chose_a_value=claim.id in self.about.chosen_by,
            )
            for claim in self._claims.claims
        )

    @property
    def terms(self) -> Mapping[str, Any]:
        """Give the expressions that the claims file has named."""
        return self._claims.terms

    @property
    def mechanisms_file(self) -> Path:
        """Say where the study's functions stand."""
        return self.folder / MECHANISMS

    def file(self, experiment: str) -> Path:
        """Say where the scenario of an experiment stands."""
        return self.folder / f"{experiment}.toml"

    def identity(self, experiment: str) -> str:
        """Give what a campaign's manifest calls an experiment of this study."""
        return f"{self.id}/{experiment}"

    def axes(self, experiment: str) -> dict[str, tuple[Value, ...]]:
        """Give the axes that an experiment sweeps."""
        return {axis.name: axis.values for axis in axes_of(load(self.file(experiment)))}

    def check_experiment(self, name: str) -> None:
        """Raise WrongClaim if there is no experiment of this name, or no file of it."""
        there = [
            each
            for each in self.experiments
            if Path(each).name == each and self.file(each).is_file()
        ]
        if name in there:
            return
        own = (STUDY, self.claims_file.name)
        files = sorted(path.stem for path in self.folder.glob("*.toml") if path.name not in own)
        known = there or files
        raise WrongClaim(unknown_name("", name, known, "experiment"))

    def _check_files(self, study_file: Path, experiments: Sequence[str]) -> None:
        """Raise ScenarioError, in the name of study.toml, for an experiment without a file."""
        own = (STUDY, self.claims_file.name)
        files = sorted(path.stem for path in self.folder.glob("*.toml") if path.name not in own)
        problems = [
            unknown_name(f"experiments[{place}]", name, files, "scenario beside it named")
            for place, name in enumerate(experiments)
            if name not in files
        ]
        if problems:
            raise ScenarioError(str(study_file), problems)

    @cached_property
    def _claims(self) -> Claims:
        return read_claims(self.claims_file)


@dataclass(frozen=True)
class Experiment:
    """An experiment of a study."""

    study: Study
    id: str

    @property
    def file(self) -> Path:
        """Say where its scenario stands."""
        return self.study.file(self.id)

    @property
    def identity(self) -> str:
        """Give what a campaign's manifest calls it."""
        return self.study.identity(self.id)


@cache
def shipped() -> tuple[Study, ...]:
    """Give the studies that ship with the package, by name."""
    folders = sorted(path.parent for path in SHIPPED.glob(f"*/{STUDY}"))
    return tuple(Study(folder, folder / CLAIMS) for folder in folders)


def experiments() -> dict[str, Experiment]:
    """Give the experiments that ship with the package, by their ids."""
    return {name: Experiment(study, name) for study in shipped() for name in study.experiments}


def experiment_at(path: Path) -> Experiment | None:
    """Give the experiment that ships as this file; None if it is a file of one's own."""
    place = path.resolve()
    if place.parent.parent != SHIPPED.resolve():
        return None
    found = experiments().get(place.stem)
    return found if found is not None and found.file.resolve() == place else None
