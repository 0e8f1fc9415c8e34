"""What a study's bench chose where the text is silent, and how claims change with it.

A file ``inferred.toml`` beside the claims lists what was chosen: a table for each parameter, with
why, and either other values that it may have had, the bench's own first, or why it is not tried.
Claims of the study are judged with each other value of one parameter, and with those of two.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from anechoic.papers.check import Declared
from anechoic.papers.study import Study
from anechoic.papers.toml_file import read_toml
from anechoic.papers.trials import Trial, changing
from anechoic.scenario.base import about
from anechoic.scenario.errors import ScenarioError
from anechoic.scenario.experiment import Sweep
from anechoic.scenario.validation import problems_of

INFERRED = "inferred.toml"


class Inferred(Declared):
    """A parameter that was chosen and not stated."""

    name: Annotated[str, about("what was chosen")]
    why: Annotated[str, about("why this value, and which others are as plausible")]
    sweep: Annotated[Sweep | None, about("its values, the bench's own first")] = None
    unswept: Annotated[str, about("why no others are tried")] = ""

    @model_validator(mode="after")
    def _swept_or_not(self) -> "Inferred":
        if bool(self.unswept) == (self.sweep is not None):
            raise PydanticCustomError(
                "quantity",
                "{reason}",
                {
                    "reason": "neither swept nor not",
                    "allowed": "a sweep, or unswept",
                },
            )
        return self


class InferredFile(Declared):
    """What inferred.toml says."""

    parameter: Annotated[list[Inferred], Field(min_length=1, description="what was chosen")]


def inferred_of(study: Study) -> list[Inferred]:
    """Read what a study's bench chose; raise ScenarioError for what the file cannot say."""
    path: Path = study.folder / INFERRED
    data = read_toml(path, "what was inferred")
    try:
        return InferredFile.model_validate(data).parameter
    except ValidationError as error:
        raise ScenarioError(str(path), problems_of(error, data, InferredFile)) from None


@dataclass(frozen=True)
class Other:
    """Another value of a parameter than the bench's own."""

    parameter: Inferred
    value: str
    values: Mapping[str, Any]
    """By path of the field."""

    @property
    def name(self) -> str:
        """Name the parameter and the value."""
        return f"{self.parameter.name}: {self.value}"


def sets_of(parameters: Sequence[Inferred], *, is_alone: bool = False) -> Iterator[Trial]:
    """Give every other value of one parameter, and then those of each two unless it is alone."""
    by_parameter = [others for each in parameters if (others := list(_others(each)))]
    for others in by_parameter:
        for other in others:
            yield changing(other.name, other.values)
    if is_alone:
        return
    for pair in combinations(by_parameter, 2):
        for one, two in product(*pair):
            if one.values.keys().isdisjoint(two.values):
                yield changing(f"{one.name}{AND}{two.name}", {**one.values, **two.values})


AND = "; "
"""What stands between the two values of a pair."""


def _others(parameter: Inferred) -> Iterator[Other]:
    if parameter.sweep is None:
        return
    for row, value in enumerate(parameter.sweep.shown):
        if row:
            columns = parameter.sweep.columns.items()
            yield Other(parameter, str(value), {path: column[row] for path, column in columns})
