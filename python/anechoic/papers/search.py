"""What a text leaves open of its bench: which values satisfy most of a study's claims at once.

A file of ``[[sweep]]`` axes says what is open. A combination of their values is a variant, and all
experiments are run with it; so one variant has to serve all of them.
"""

import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, ValidationError

from anechoic.campaign.cells import Value
from anechoic.campaign.sweep import cells_of
from anechoic.papers.check import Declared
from anechoic.papers.judging import Evaluation
from anechoic.papers.tally import Share
from anechoic.papers.toml_file import read_toml
from anechoic.papers.verdict import Status
from anechoic.scenario.errors import ScenarioError, shown
from anechoic.scenario.experiment import Sweep
from anechoic.scenario.load import load
from anechoic.scenario.validation import problems_of

if TYPE_CHECKING:
    from rich.console import Console

_ALL = 64
"""Variants up to which every one is judged."""
_STARTS = 2
"""Climbs, where there are more."""
_SHOWN = 10
"""Variants that the screen shows; the file has all."""

Place = tuple[int, ...]
"""Of each axis the number of a row."""


class SearchFile(Declared):
    """What a search file says."""

    sweep: Annotated[list[Sweep], Field(min_length=1, description="axes of what is open")]


@dataclass(frozen=True)
class Variant:
    """One combination of values."""

    name: str
    """The numbers of its rows."""
    parameters: Mapping[str, Value]
    """By axis, as results name them."""
    values: Mapping[str, Any]
    """By path of the field."""


@dataclass(frozen=True)
class Judged:
    """A variant with the verdicts that it gives."""

    variant: Variant
    evaluation: Evaluation

    @property
    def chosen_by(self) -> list[Status]:
        """What the claims that a variant may be chosen by give: those that are not held out."""
        return [each.status for claim, each in self.evaluation if not claim.is_held_out]

    def count(self, status: Status) -> int:
        """Count those with this verdict."""
        return self.chosen_by.count(status)

    @property
    def held_out(self) -> Share:
        """How many of the claims that are held out agree."""
        found = [each.status for claim, each in self.evaluation if claim.is_held_out]
        return Share(found.count(Status.AGREES), len(found))

    @property
    def rank(self) -> tuple[int, int]:
        """Order by what agrees, and then by how little disagrees."""
        return self.count(Status.AGREES), -self.count(Status.UNEXPLAINED)


@dataclass(frozen=True)
class Space:
    """All variants."""

    axes: Sequence[Sweep]

    @classmethod
    def of(cls, path: Path) -> "Space":
        """Read a search file; raise ScenarioError for what it cannot say."""
        data = read_toml(path, "a search")
        try:
            return cls(SearchFile.model_validate(data).sweep)
        except ValidationError as error:
            raise ScenarioError(str(path), problems_of(error, data, SearchFile)) from None

    @property
    def sizes(self) -> list[int]:
        """Give how many rows each axis has."""
        return [len(axis.shown) for axis in self.axes]

    def variant(self, place: Place) -> Variant:
        """Give the variant of these rows."""
        chosen = list(zip(self.axes, place, strict=True))
        return Variant(
            "-".join(map(str, place)),
            {axis.title: _as_value(axis.shown[row]) for axis, row in chosen},
            {path: column[row] for axis, row in chosen for path, column in axis.columns.items()},
        )

    def neighbours(self, place: Place, axis: int) -> list[Place]:
        """Give the same with every row of one axis."""
        return [(*place[:axis], row, *place[axis + 1 :]) for row in range(self.sizes[axis])]

    def check(self, scenarios: Sequence[Path]) -> None:
        """Raise ScenarioError for a value that one of the scenarios refuses: each is tried."""
        first = (0,) * len(self.axes)
        for axis in range(len(self.axes)):
            for place in self.neighbours(first, axis):
                for scenario in scenarios:
                    cells_of(load(scenario, set=self.variant(place).values))

    def explore(self, judge: Callable[[Variant], Judged]) -> list[Judged]:
        """Judge every variant; where they are many, climb from two starts.

        A climb changes one axis after the other for the better, until no single one helps. The
        first begins with the first value of every axis, the second with the second.
        """
        known: dict[Place, Judged] = {}

        def at(place: Place) -> Judged:
            if place not in known:
                known[place] = judge(self.variant(place))
            return known[place]

        if prod(self.sizes) <= _ALL:
            return [at(place) for place in itertools.product(*map(range, self.sizes))]
        for row in range(_STARTS):
            self._climb(tuple(min(row, size - 1) for size in self.sizes), at)
        return list(known.values())

    def _climb(self, place: Place, at: Callable[[Place], Judged]) -> None:
        before = None
        while place != before:
            before = place
            for axis in range(len(self.axes)):
                better = [each for each in self.neighbours(place, axis) if each != place]
                place = max([place, *better], key=lambda each: at(each).rank)


def _as_value(written: Any) -> Value:
    return shown(written) if isinstance(written, list | bool) else written


def ranked(judged: Sequence[Judged]) -> list[Judged]:
    """Order variants, the best first."""
    return sorted(judged, key=lambda each: each.rank, reverse=True)


def best_with(judged: Sequence[Judged]) -> dict[str, dict[Value, int]]:
    """Give of each axis and value how many claims agree at best with it."""
    found: dict[str, dict[Value, int]] = {}
    for each in judged:
        for axis, value in each.variant.parameters.items():
            values = found.setdefault(axis, {})
            values[value] = max(values.get(value, 0), each.count(Status.AGREES))
    return found


def agreeing(judged: Sequence[Judged]) -> dict[str, int]:
    """Give of each claim with how many variants it agrees."""
    found = {claim.id: 0 for claim, _ in judged[0].evaluation if not claim.is_held_out}
    for each in judged:
        for claim, verdict in each.evaluation:
            if claim.id in found:
                found[claim.id] += verdict.status is Status.AGREES
    return found


def as_json(judged: Sequence[Judged], finals: Sequence[Judged]) -> str:
    """Give every variant with the verdict on every claim, the best first, and the finalists."""
    document = {
        "finalists": [_told(each) for each in ranked(finals)],
        "variants": [_told(each) for each in ranked(judged)],
        "best_with": best_with(judged),
        "agreeing": agreeing(judged),
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _told(judged: Judged) -> dict[str, Any]:
    return {
        "parameters": dict(judged.variant.parameters),
        "agree": judged.count(Status.AGREES),
        "disagree": judged.count(Status.UNEXPLAINED),
        "agree_of_held_out": judged.held_out.count,
        "verdicts": {claim.id: verdict.status.value for claim, verdict in judged.evaluation},
    }


def sharpness(judged: Sequence[Judged]) -> list[str]:
    """Tell how many claims the best variants satisfy, and how far they stand out."""
    counts = [each.count(Status.AGREES) for each in ranked(judged)]
    by_claim = agreeing(judged)
    always = sum(count == len(judged) for count in by_claim.values())
    never = sum(count == 0 for count in by_claim.values())
    tied = counts.count(counts[0])
    lines = [
        f"{counts[0]} of {len(by_claim)} claims agree at best, with {tied} of {len(judged)} "
        f"variants judged; with the median one {counts[len(counts) // 2]}",
        f"{always} claims agree with every variant and {never} with none: these decide nothing",
    ]
    for axis, values in best_with(judged).items():
        told = ", ".join(f"{count} with {value}" for value, count in values.items())
        lines.append(f"{axis}: at best {told}")
    return lines


def print_search(judged: Sequence[Judged], finals: Sequence[Judged], console: "Console") -> None:
    """Print the best variants, how far they stand out, and the finalists."""
    _print_table(ranked(judged)[:_SHOWN], console)
    for line in sharpness(judged):
        console.print(line)
    if finals:
        console.print("\nThe best of them, with all replications that the study asks for:")
        _print_table(ranked(finals), console)


def _print_table(judged: Sequence[Judged], console: "Console") -> None:
    from rich.table import Table

    table = Table()
    for axis in judged[0].variant.parameters:
        table.add_column(axis, overflow="fold")
    for status in (Status.AGREES, Status.UNEXPLAINED):
        table.add_column(status.value, justify="right", no_wrap=True)
    table.add_column("agrees of held out", justify="right")
    for each in judged:
        counts = (str(each.count(status)) for status in (Status.AGREES, Status.UNEXPLAINED))
        values = map(str, each.variant.parameters.values())
        table.add_row(*values, *counts, str(each.held_out))
    console.print(table)
