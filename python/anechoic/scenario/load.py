"""Reading a scenario: a file, a mapping, and what is set from outside."""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from anechoic.files import closed_folder
from anechoic.scenario.errors import Problem, ScenarioError
from anechoic.scenario.model import Scenario
from anechoic.scenario.paths import path_problem, with_values
from anechoic.scenario.slips import twice_in_a_list
from anechoic.scenario.validation import problems_of


def load(
    path: str | Path,
    *,
    set: Mapping[str, Any] | None = None,  # noqa: A002 (as the command line calls it)
) -> Scenario:
    """Read a scenario file; ``set`` replaces values by the path of their field."""
    source = str(path)
    text = _text(Path(path), source)
    try:
        data = tomllib.loads(text)
    except ValueError as error:
        raise ScenarioError(source, [_not_toml(str(error), text)]) from None
    except RecursionError:
        raise ScenarioError(source, [Problem("", "not a scenario: nested too deeply")]) from None
    if not data:
        raise ScenarioError(source, [Problem("", "the file is empty", "a scenario")])
    return from_data(data, source, text, set or {})


def from_data(
    data: Mapping[str, Any],
    source: str,
    text: str | None = None,
    overrides: Mapping[str, Any] | None = None,
) -> Scenario:
    """Build a scenario from plain data, as a file holds it."""
    scenario = validated(data, source).originating(source, text, {})
    return with_overrides(scenario, overrides) if overrides else scenario


def with_overrides(scenario: Scenario, overrides: Mapping[str, Any]) -> Scenario:
    """Give the scenario with values replaced by the path of their field."""
    problems = [path_problem(scenario, path) for path in overrides]
    found = [problem for problem in problems if problem is not None]
    if found:
        raise ScenarioError(scenario.source, found)
    changed = validated(with_values(scenario.document(), overrides), scenario.source)
    return changed.originating(scenario.source, scenario.text, {**scenario.overrides, **overrides})


def validated(data: Mapping[str, Any], source: str) -> Scenario:
    """Check plain data; raise ScenarioError with every problem found."""
    try:
        return Scenario.model_validate(data)
    except ValidationError as error:
        raise ScenarioError(source, problems_of(error, data)) from None


def _text(path: Path, source: str) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        what = f"not UTF-8: byte 0x{error.object[error.start]:02x} in line {line}"
        raise ScenarioError(source, [Problem("", what, "a text file in UTF-8")]) from None
    except FileNotFoundError:
        raise ScenarioError(source, [_missing(path)]) from None
    except IsADirectoryError:
        what = "this is a directory"
        raise ScenarioError(source, [Problem("", what, "a scenario file")]) from None
    except OSError as error:
        what = closed_folder(path) or f"cannot be read: {error.strerror or error}"
        raise ScenarioError(source, [Problem("", what)]) from None


def _not_toml(said: str, text: str) -> Problem:
    if (problem := twice_in_a_list(said, text)) is not None:
        return problem
    # tomllib shows the table's name as a tuple of Python's.
    twice = re.match(r"Cannot declare \((.*?),?\) twice \((at .*)\)", said)
    if twice is None:
        return Problem("", f"not TOML: {said}")
    name = ".".join(part.strip(" '\"") for part in twice[1].split(","))
    return Problem("", f"the table [{name}] stands twice, again {twice[2]}", "each table once")


def _missing(path: Path) -> Problem:
    from anechoic.scenario.errors import nearest_name

    try:
        names = sorted(each.name for each in path.parent.iterdir() if each.suffix == ".toml")
    except OSError:
        names = []
    nearest = nearest_name(path.name, names)
    return Problem("", "there is no such file", nearest=nearest and str(path.parent / nearest))
