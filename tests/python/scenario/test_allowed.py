"""What a message says to be allowed is allowed, of every field of a scenario."""

import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from pydantic import BaseModel

import anechoic as an
from anechoic.scenario.allowed import fields_of
from anechoic.scenario.errors import Problem
from anechoic.scenario.load import from_data
from anechoic.scenario.model import Scenario
from anechoic.scenario.validation import KINDS, models_in

pytestmark = pytest.mark.usefixtures("core")

WRONG: tuple[Any, ...] = ({"no": 1}, [[1]], "no such thing", -1, 10**12, True, 0.5, [], ["x"])
"""Of these every field refuses some."""

Wrapped = Callable[[Any], dict[str, Any]]


@dataclass(frozen=True)
class Field:
    """A field of a scenario: its path, and the scenario that has a value there."""

    path: str
    written: Wrapped

    def problem(self, value: Any) -> Problem | None:
        """Give what is wrong with it, or with what is in it, as far as a value tells by itself."""
        try:
            from_data(self.written(value), "lab.toml")
        except an.ScenarioError as error:
            return next((each for each in error.problems if self._holds(each.path)), None)
        return None

    def _holds(self, path: str) -> bool:
        return path == self.path or path.startswith((f"{self.path}.", f"{self.path}["))


def every_field() -> Iterator[Field]:
    """Give every field of every table, of every kind of what has kinds."""
    yield from _of_model(Scenario, "", lambda value: value, frozenset())


def _of_model(
    model: type[BaseModel], path: str, around: Wrapped, above: frozenset[type[BaseModel]]
) -> Iterator[Field]:
    tag = {tag: name for tag, _, models in KINDS for name, each in models.items() if each is model}
    for name, own in fields_of(model).items():
        if name in tag:
            continue

        def written(value: Any, name: str = name) -> dict[str, Any]:
            return around({**tag, name: value})

        at = f"{path}.{name}" if path else name
        yield Field(at, written)
        annotation = model.model_fields[own].annotation
        is_by_name, is_list = "dict[" in str(annotation), "list[" in str(annotation)
        for inner in models_in(annotation):
            if inner in above or is_list:
                continue  # Tables of a list have tests of their own.
            below = f"{at}.x" if is_by_name else at

            def nested(
                value: Any, written: Wrapped = written, by_name: bool = is_by_name
            ) -> dict[str, Any]:
                return written({"x": value} if by_name else value)

            yield from _of_model(inner, below, nested, above | {model, inner})


FIELDS: dict[str, list[Field]] = {}
for field in every_field():
    FIELDS.setdefault(field.path.partition(".")[0], []).append(field)
TABLES = [table for table in FIELDS if table not in ("sweep", "figure")]


def allowed_values(allowed: str) -> list[Any]:
    """Give values that a message says to be allowed, as a file has them."""
    is_pair = allowed.startswith("[lowest, highest], each ")
    if example := re.search(r"such as (.+?)(?: \(|$|, more|, at most)", allowed):
        value = tomllib.loads(f"value = {example[1]}")["value"]
        if is_pair:
            return [[value, value]]
        return [[value]] if allowed.startswith("a list, each") else [value]
    if limits := re.search(r"(-?[\d.]+) to (-?[\d.]+)", allowed):
        ends = [tomllib.loads(f"value = {limit}")["value"] for limit in limits.groups()]
        return [ends] if is_pair else ends
    if kinds := re.match(r"a table with (\w+) = (.+)$", allowed):
        return [{kinds[1]: kind} for kind in re.findall(r'"([^"]*)"', kinds[2])]
    if choices := re.findall(r'"([^"]*)"', allowed):
        return choices
    words = {"true or false": [True, False], "a text": ["x"], "a name": ["x", "a-b_2"]}
    return words.get(allowed, [])


@pytest.mark.parametrize("table", TABLES)
def test_what_is_said_to_be_allowed_is_taken(table: str) -> None:
    for field in FIELDS[table]:
        found = {repr(value): field.problem(value) for value in WRONG}
        problems = [each for each in found.values() if each is not None]
        assert problems, f"{field.path} takes anything"
        for problem in problems:
            assert problem.what and problem.allowed, problem
            # What is allowed is no sentence, and gives no reasons.
            assert not re.search(r";|because|\bis\b|\bare\b", problem.allowed), problem
            for value in allowed_values(problem.allowed) if problem.path == field.path else ():
                again = field.problem(value)
                # Another value may be missing, or stand in its way.
                is_taken = again is None or again.allowed != problem.allowed
                assert is_taken, (problem, value, again)
