"""A claim, and how claims.toml says it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import ValidationError

from anechoic.papers import checks, joins, lines
from anechoic.papers.check import Check, Declared, Names
from anechoic.papers.explanation import MECHANISMS, UNEXPLAINED, Explanation
from anechoic.papers.expression import Expression, NotAnExpression, parsed
from anechoic.papers.scope import WrongClaim
from anechoic.papers.toml_file import read_toml
from anechoic.scenario.base import about
from anechoic.scenario.catalogue import metric
from anechoic.scenario.errors import (
    Problem,
    ScenarioError,
    listing,
    nearest_name,
    shown,
    unknown_name,
)
from anechoic.scenario.validation import problems_of

TERMS = "terms"
KINDS: dict[str, type[Check]] = {
    kind.kind: kind
    for kind in (
        lines.Falls,
        lines.Rises,
        lines.NeverFalls,
        lines.NeverRises,
        checks.Less,
        checks.More,
        checks.AtLeast,
        checks.AtMost,
        checks.Equal,
        checks.InBand,
        lines.Step,
        lines.Highest,
        lines.Lowest,
        checks.Probability,
        lines.Fit,
        checks.Rank,
        joins.AllOf,
        joins.Readings,
        joins.Shows,
        joins.Tells,
        joins.Mechanism,
    )
}


@dataclass(frozen=True)
class Claim:
    """A statement with its decidable check."""

    id: str
    experiment: str
    text: str
    """The statement in our own words."""
    tier: int
    """1: a stated result; 2: a mechanism; 3: a value that only a figure holds."""
    cite: str
    check: Check
    if_run: frozenset[str] = frozenset()
    """Experiments that the check takes in where they have been run."""
    leaves_out: str = ""
    """What the statement also speaks of and the check does not."""
    explanation: Explanation = UNEXPLAINED
    """Why its verdict is what it is."""
    input: str = ""
    """Why it is no evidence: so by construction, or fitted to."""
    missing: str = ""
    """The sentence that the text lacks, without which it cannot be tested."""
    flipped_by: str = ""
    """The changed model that turns it where it disagrees."""
    is_own: bool = False
    """Whether the study makes it, and not the paper."""
    is_held_out: bool = False
    """Whether it was set aside before any value was chosen."""
    chose_a_value: bool = False
    """Whether it was looked at when a value of the bench was chosen."""
    like: str = ""
    """The claim whose text and check it repeats; empty if it has its own."""
    says: str = ""
    """All that its verdict depends on, as it was written: two that say the same are the same."""


@dataclass(frozen=True)
class Claims:
    """A claims file: its claims in their order, and the expressions it has given names."""

    source: str
    claims: tuple[Claim, ...]
    terms: Mapping[str, Expression]


class Stated(Declared):
    """The table of a claim."""

    text: Annotated[str | None, about("the statement in our own words")] = None
    cite: Annotated[str, about("where it is stated", source="nowhere else")] = ""
    tier: Annotated[
        int, about("1: a stated result, 2: a mechanism, 3: only in a figure", ge=1, le=3)
    ] = 1
    experiment: Annotated[
        str | None, about("experiment", source="what stands before the last - of the claim's id")
    ] = None
    check: Annotated[Any, about("what must hold")] = None
    like: Annotated[str | None, about("claim whose text, tier and check it repeats")] = None
    if_run: Annotated[Names, about("experiments that need not have been run")] = []
    leaves_out: Annotated[str, about("what the check leaves out, in words")] = ""
    mechanism: Annotated[Names, about("what decides the verdict: names of mechanisms")] = []
    because: Annotated[str, about("the evidence for the mechanism, in a sentence or two")] = ""
    input: Annotated[
        str, about("why it is no evidence: so by construction, or a value was fitted to it")
    ] = ""
    missing: Annotated[
        str, about("the sentence that the text lacks, without which it cannot be tested")
    ] = ""
    flipped_by: Annotated[
        str, about("model of models.toml that changes the mechanism and turns the verdict")
    ] = ""

    @property
    def explanation(self) -> Explanation:
        """Why the verdict is what it is; raise WrongClaim for half an explanation."""
        for name in self.mechanism:
            if name not in MECHANISMS:
                raise WrongClaim(unknown_name("mechanism", name, MECHANISMS, "mechanism named"))
        if bool(self.mechanism) != bool(self.because):
            missing = "because" if self.mechanism else "mechanism"
            raise WrongClaim(Problem(missing, "missing", "a mechanism and because, or neither"))
        return Explanation(tuple(self.mechanism), self.because)


def read_claims(path: Path) -> Claims:
    """Read a claims file; raise ScenarioError with every problem found."""
    source, data = str(path), read_toml(path, "claims")
    problems: list[Problem] = []
    terms = _terms(data.pop(TERMS, {}), problems)
    claims: dict[str, Claim] = {}
    for name, table in data.items():
        try:
            claims[name] = _claim(name, table, claims)
        except WrongClaim as error:
            problems.append(error.problem.below(name))
        except ScenarioError as error:
            problems += (problem.below(name) for problem in error.problems)
    if problems:
        raise ScenarioError(source, problems)
    return Claims(source, tuple(claims.values()), terms)


def _claim(name: str, table: Any, before: Mapping[str, Claim]) -> Claim:
    if not isinstance(table, Mapping):
        raise WrongClaim(Problem("", f"{shown(table)} is no claim", "a table with text and check"))
    stated = _validated(Stated, table, "")
    experiment = stated.experiment or name.rpartition("-")[0]
    if not experiment:
        what = "missing, and no experiment's name stands before a - in the claim's"
        raise WrongClaim(Problem("experiment", what, 'a scenario beside the claims, as "office"'))
    if stated.like is not None:
        return _repeated(name, experiment, stated, stated.like, before)
    if stated.text is None or stated.check is None:
        missing = "text" if stated.text is None else "check"
        raise WrongClaim(Problem(missing, "missing", "a text and a check, or like = another claim"))
    check = check_of(stated.check, "check")
    optional = frozenset(stated.if_run)
    return Claim(
        name,
        experiment,
        stated.text,
        stated.tier,
        stated.cite,
        check,
        optional,
        stated.leaves_out,
        stated.explanation,
        stated.input,
        stated.missing,
        stated.flipped_by,
        says=_written(experiment, stated),
    )


def _written(experiment: str, stated: Stated) -> str:
    told = [experiment, stated.check, sorted(stated.if_run), stated.leaves_out]
    told += [stated.input, stated.missing, stated.flipped_by]
    return json.dumps(told, sort_keys=True, default=str)


def _repeated(
    name: str, experiment: str, stated: Stated, like: str, before: Mapping[str, Claim]
) -> Claim:
    if like not in before:
        raise WrongClaim(unknown_name("like", like, before, "claim further up named"))
    for field in ("text", "check", "tier"):
        if field in stated.model_fields_set:
            raise WrongClaim(Problem(field, "like = … says this too", "one of the two"))
    return replace(
        before[like],
        id=name,
        experiment=experiment,
        cite=stated.cite,
        explanation=stated.explanation,
        input=stated.input,
        missing=stated.missing,
        flipped_by=stated.flipped_by,
        like=before[like].like or like,
        says=f"{_written(experiment, stated)}: {before[like].says}",
    )


def check_of(data: Any, path: str) -> Check:
    """Read a check; raise WrongClaim or ScenarioError where it is none."""
    if not isinstance(data, Mapping):
        raise WrongClaim(Problem(path, f"{shown(data)} is no check", "a table"))
    kinds = [key for key in data if key in KINDS]
    if len(kinds) != 1:
        raise WrongClaim(_not_one_kind(path, data, kinds))
    values = dict(data)
    if kinds == [joins.AllOf.kind] and isinstance(parts := data["all-of"], list):
        values["all-of"] = [check_of(each, f"{path}.all-of[{n}]") for n, each in enumerate(parts)]
    if kinds == [joins.Readings.kind] and isinstance(named := data["readings"], Mapping):
        if len(named) < 2:
            what = "one reading is no choice" if named else "no reading"
            raise WrongClaim(Problem(f"{path}.readings", what, "two or more checks by name"))
        values["readings"] = {
            n: check_of(each, f"{path}.readings.{n}") for n, each in named.items()
        }
    check: Check = _validated(KINDS[kinds[0]], values, path)
    return check


def _not_one_kind(path: str, data: Mapping[str, Any], kinds: list[str]) -> Problem:
    if kinds:
        return Problem(path, f"{' and '.join(kinds)} are kinds of check", "one kind in a table")
    near = (nearest_name(key, KINDS) for key in data)
    nearest = next(filter(None, near), None)
    return Problem(
        path, f"no kind of check among {shown(list(data))}", listing(list(KINDS)), nearest
    )


def _terms(table: Any, problems: list[Problem]) -> dict[str, Expression]:
    terms: dict[str, Expression] = {}
    if not isinstance(table, Mapping):
        problems.append(Problem(TERMS, f"{shown(table)} is not a table", "expressions by name"))
        return terms
    for name, text in table.items():
        if not isinstance(text, str | int | float):
            problems.append(Problem(f"{TERMS}.{name}", f"{shown(text)} is no expression"))
            continue
        if metric(name).description:
            what = "it is the name of a metric, which it would hide"
            problems.append(Problem(f"{TERMS}.{name}", what, "a name of its own"))
            continue
        try:
            terms[name] = parsed(str(text))
        except NotAnExpression as error:
            what = f"{shown(text)} is refused: {error}"
            problems.append(Problem(f"{TERMS}.{name}", what, error.allowed))
    for name in terms:
        # Further down only: so none can come back to itself.
        later = list(terms)[list(terms).index(name) :]
        if wrong := [each for each in terms[name].names if each in later]:
            what = f"{wrong[0]} is not yet known here"
            problems.append(Problem(f"{TERMS}.{name}", what, "terms further up, and metrics"))
    return terms


def _validated(model: type[Any], data: Mapping[str, Any], path: str) -> Any:
    try:
        return model.model_validate(data)
    except ValidationError as error:
        problems = problems_of(error, data, model)
        raise ScenarioError("", [p.below(path) if path else p for p in problems]) from None
    except WrongClaim as error:
        raise (error.below(path) if path else error) from None
