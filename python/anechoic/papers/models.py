"""The models that claims are tried with: wrong ones, the same for every study, and its own changes.

A check that no wrong model fails tells nothing of a model. What a study changes itself, in
``models.toml``, removes the mechanism that is to explain why a claim disagrees.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Annotated, Any

from pydantic import Field, ValidationError

from anechoic.papers.check import Declared
from anechoic.papers.concluding import SEED
from anechoic.papers.study import Study
from anechoic.papers.toml_file import read_toml
from anechoic.papers.trials import Trial, changing
from anechoic.scenario.base import about
from anechoic.scenario.errors import ScenarioError
from anechoic.scenario.model import Scenario
from anechoic.scenario.validation import problems_of

OWN_MODELS = "models.toml"

_RADIO: dict[str, dict[str, Any]] = {
    "no back-off": {"cw_min": 0, "cw_max": 0},
    "no rate control": {"rate_control": "fixed"},
    "no retries": {"short_retry_limit": 1, "long_retry_limit": 1},
}
"""What every radio is given."""
_ACCESS_POINT: dict[str, dict[str, Any]] = {
    "an endless queue": {"queue_packets": 1_000_000},
    "a queue of ten": {"queue_packets": 10},
}
_TCP: dict[str, dict[str, Any]] = {
    "an ACK for each segment": {"tcp.delayed_ack_segments": 1},
    "a window of two segments": {"tcp.receive_window_bytes": 2920},
}
"""What every machine with a stack is given."""
_OTHER_SEED = 20_071


class Changed(Declared):
    """A model that a study changes."""

    name: Annotated[str, about("what claims call it, in flipped-by")]
    why: Annotated[str, about("the mechanism that is not there any more")]
    set: Annotated[dict[str, Any], Field(min_length=1, description="values by path of the field")]


class ModelsFile(Declared):
    """What models.toml says."""

    model: Annotated[list[Changed], Field(min_length=1, description="changed models")]


def models_of(study: Study) -> list[Trial]:
    """Give the models that a study's claims are tried with."""
    return [
        changing(SEED, {"run.seed": _OTHER_SEED}),
        *_wrong(),
        *(changing(each.name, each.set) for each in _own(study)),
    ]


def _wrong() -> Iterator[Trial]:
    kinds = ((_RADIO, _radios), (_ACCESS_POINT, _access_points), (_TCP, _stacks))
    for models, nodes in kinds:
        for name, fields in models.items():
            yield Trial(name, partial(_on_each, nodes, fields))


def _on_each(
    nodes: Callable[[Scenario], Iterator[str]], fields: Mapping[str, Any], scenario: Scenario
) -> dict[str, Any]:
    return {f"{node}.{field}": value for node in nodes(scenario) for field, value in fields.items()}


def _access_points(scenario: Scenario) -> Iterator[str]:
    return (f"ap.{name}" for name in scenario.ap)


def _radios(scenario: Scenario) -> Iterator[str]:
    yield from _access_points(scenario)
    yield from (f"sta.{name}" for name in scenario.sta)


def _stacks(scenario: Scenario) -> Iterator[str]:
    yield from (f"host.{name}" for name, each in scenario.host.items() if each.stack is not None)
    yield from (f"sta.{name}" for name, each in scenario.sta.items() if each.stack is not None)


def _own(study: Study) -> list[Changed]:
    """Read what a study changes; raise ScenarioError for what the file cannot say."""
    path = study.folder / OWN_MODELS
    if not path.is_file():
        return []
    data = read_toml(path, "changed models")
    try:
        return ModelsFile.model_validate(data).model
    except ValidationError as error:
        raise ScenarioError(str(path), problems_of(error, data, ModelsFile)) from None
