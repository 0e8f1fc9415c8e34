"""Variants of a bench that a text leaves open: how many of a study's claims each satisfies at once.

A file of ``[[sweep]]`` axes says what is open. Every combination of their values is a variant,
and all of a study's experiments are run with each; so one variant has to serve all of them.
"""

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, ValidationError

from anechoic.campaign.cells import Value
from anechoic.campaign.sweep import cells_of
from anechoic.papers.check import Declared
from anechoic.papers.judging import Evaluation
from anechoic.papers.toml_file import read_toml
from anechoic.papers.verdict import Status
from anechoic.scenario.errors import ScenarioError
from anechoic.scenario.experiment import Sweep
from anechoic.scenario.load import load
from anechoic.scenario.validation import problems_of

if TYPE_CHECKING:
    from rich.console import Console

_SHOWN = 10
"""Variants that the screen shows; the files hold all."""


class Open(Declared):
    """What a search file says."""

    sweep: Annotated[list[Sweep], Field(min_length=1, description="axes of what is open")]


@dataclass(frozen=True)
class Variant:
    """One combination of values."""

    parameters: Mapping[str, Value]
    """By axis, as results name them."""
    values: Mapping[str, Any]
    """By path of the field."""


@dataclass(frozen=True)
class Judged:
    """A variant with the verdicts that it gives."""

    variant: Variant
    evaluation: Evaluation

    def count(self, status: Status) -> int:
        """Count the claims with this verdict."""
        return sum(verdict.status is status for _, verdict in self.evaluation)

    @property
    def rank(self) -> tuple[int, int]:
        """Order by what passes, and then by how little is refuted."""
        return self.count(Status.PASS), -self.count(Status.REFUTED)


def variants(path: Path) -> list[Variant]:
    """Read a search file; raise ScenarioError for what it cannot say."""
    data = read_toml(path, "a search")
    try:
        axes = Open.model_validate(data).sweep
    except ValidationError as error:
        raise ScenarioError(str(path), problems_of(error, data, Open)) from None
    rows = [
        [
            (axis.title, shown, dict(zip(axis.columns, row, strict=True)))
            for shown, row in _rows(axis)
        ]
        for axis in axes
    ]
    return [
        Variant(
            {name: shown for name, shown, _ in chosen},
            {path: value for _, _, values in chosen for path, value in values.items()},
        )
        for chosen in itertools.product(*rows)
    ]


def _rows(axis: Sweep) -> list[tuple[Any, tuple[Any, ...]]]:
    return list(zip(axis.shown, zip(*axis.columns.values(), strict=True), strict=True))


def check(found: Sequence[Variant], scenarios: Sequence[Path]) -> None:
    """Raise ScenarioError for a value that a scenario refuses: every one is tried, not all sets."""
    first = found[0].parameters
    for variant in found:
        if sum(value != first[axis] for axis, value in variant.parameters.items()) <= 1:
            for scenario in scenarios:
                cells_of(load(scenario, set=variant.values))


def ranked(judged: Sequence[Judged]) -> list[Judged]:
    """Order variants, the best first, and those that are as good as the file has them."""
    return sorted(judged, key=lambda each: each.rank, reverse=True)


def best_with(judged: Sequence[Judged]) -> dict[str, dict[Value, int]]:
    """Give of each axis and value how many claims pass at best with it."""
    found: dict[str, dict[Value, int]] = {}
    for each in judged:
        for axis, value in each.variant.parameters.items():
            values = found.setdefault(axis, {})
            values[value] = max(values.get(value, 0), each.count(Status.PASS))
    return found


def passes(judged: Sequence[Judged]) -> dict[str, int]:
    """Give of each claim with how many variants it passes."""
    found = {claim.id: 0 for claim, _ in judged[0].evaluation}
    for each in judged:
        for claim, verdict in each.evaluation:
            found[claim.id] += verdict.status is Status.PASS
    return found


def as_json(judged: Sequence[Judged]) -> str:
    """Give every variant with the verdict on every claim, the best first."""
    document = {
        "variants": [
            {
                "parameters": dict(each.variant.parameters),
                "pass": each.count(Status.PASS),
                "refuted": each.count(Status.REFUTED),
                "verdicts": {claim.id: verdict.status.value for claim, verdict in each.evaluation},
            }
            for each in ranked(judged)
        ],
        "best_with": best_with(judged),
        "passes": passes(judged),
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def sharpness(judged: Sequence[Judged]) -> list[str]:
    """Tell how many claims the best variants satisfy, and how far they stand out."""
    counts = [each.count(Status.PASS) for each in ranked(judged)]
    claims = len(judged[0].evaluation)
    by_claim = passes(judged)
    always = sum(count == len(judged) for count in by_claim.values())
    never = sum(count == 0 for count in by_claim.values())
    lines = [
        f"{counts[0]} of {claims} claims at best, with {_variants(counts.count(counts[0]))} "
        f"of {len(judged)}; the median variant satisfies {counts[len(counts) // 2]}",
        f"{always} claims hold with every variant, {never} with none: these decide nothing",
    ]
    for axis, values in best_with(judged).items():
        told = ", ".join(f"{count} with {value}" for value, count in values.items())
        lines.append(f"{axis}: at best {told}")
    return lines


def _variants(count: int) -> str:
    return f"{count} variant{'' if count == 1 else 's'}"


def print_search(judged: Sequence[Judged], console: "Console") -> None:
    """Print the best variants, and how far they stand out."""
    from rich.table import Table

    table = Table()
    for axis in judged[0].variant.parameters:
        table.add_column(axis, overflow="fold")
    for status in (Status.PASS, Status.REFUTED):
        table.add_column(status.value, justify="right", no_wrap=True)
    for each in ranked(judged)[:_SHOWN]:
        counts = (str(each.count(status)) for status in (Status.PASS, Status.REFUTED))
        table.add_row(*map(str, each.variant.parameters.values()), *counts)
    console.print(table)
    for line in sharpness(judged):
        console.print(line)
