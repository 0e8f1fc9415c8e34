"""Reading a scenario: a file, a mapping, and what is set from outside."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from anechoic.scenario.errors import Problem, nearest_name
from anechoic.scenario.extends import read
from anechoic.scenario.model import Scenario
from anechoic.scenario.origin import Origin
from anechoic.scenario.paths import path_problem, with_values
from anechoic.scenario.validation import problems_of


def load(
    path: str | Path,
    *,
    set: Mapping[str, Any] | None = None,  # noqa: A002 (as the command line calls it)
) -> Scenario:
    """Read a scenario file and those it extends; ``set`` replaces values by their field's path."""
    data, origin = read(path)
    scenario = validated(data, origin)
    return with_overrides(scenario, set) if set else scenario


def from_data(data: Mapping[str, Any], source: str, text: str | None = None) -> Scenario:
    """Build a scenario from plain data, as a file holds it."""
    return validated(data, Origin(source, text))


def with_overrides(scenario: Scenario, overrides: Mapping[str, Any]) -> Scenario:
    """Give the scenario with values replaced by the path of their field."""
    problems = [path_problem(scenario, path) for path in overrides]
    found = [problem for problem in problems if problem is not None]
    origin = replace(scenario.origin, overrides={**scenario.overrides, **overrides})
    if found:
        raise origin.refused(found)
    return validated(with_values(scenario.document(), overrides), origin)


def validated(data: Mapping[str, Any], origin: Origin) -> Scenario:
    """Check plain data of an origin; raise ScenarioError with every problem found."""
    try:
        return Scenario.model_validate(data).originating(origin)
    except ValidationError as error:
        problems = problems_of(error, data)
        raise origin.refused([_perhaps_misspelt(each, data, origin) for each in problems]) from None


def _perhaps_misspelt(problem: Problem, data: Mapping[str, Any], origin: Origin) -> Problem:
    """Offer the name that an extended file has, where a part of another name lacks something."""
    path, _, _ = problem.path.rpartition(".")
    around, _, name = path.rpartition(".")
    if not problem.what.startswith("missing") or not around:
        return problem
    table: Any = data
    for step in around.split("."):
        table = table.get(step) if isinstance(table, Mapping) else None
    own = origin.file_of(path)
    known = [
        each
        for each in (table if isinstance(table, Mapping) else ())
        if each != name and origin.file_of(f"{around}.{each}") != own
    ]
    nearest = nearest_name(name, known)
    return replace(problem, nearest=nearest and f"{around}.{nearest}")
