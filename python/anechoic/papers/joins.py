"""The kinds of checks that are made of other checks, decide nothing, or are told in Python."""

from functools import partial
from typing import Annotated, ClassVar

from pydantic import Field

from anechoic.campaign.numbers import plain
from anechoic.papers.check import (
    Check,
    Formula,
    Names,
    all_that_were_run,
    line_of,
    point,
    told,
    unless_missing,
)
from anechoic.papers.comparisons import figures
from anechoic.papers.points import MissingPoint
from anechoic.papers.scope import Scope
from anechoic.papers.verdict import Status, Verdict, readings
from anechoic.scenario.base import about


class AllOf(Check):
    """Several checks that must all hold."""

    kind: ClassVar = "all-of"
    all_of: Annotated[list[Check], Field(min_length=1, description="checks")]

    @property
    def is_counted(self) -> bool:
        """Whether metrics alone decide all of them."""
        return all(check.is_counted for check in self.all_of)

    def here(self, scope: Scope) -> Verdict:
        """Decide each."""
        parts = [partial(self._part, number, scope) for number in range(len(self.all_of))]
        return all_that_were_run(scope, parts)

    def _part(self, number: int, scope: Scope) -> Verdict:
        with told(f"all-of[{number}]"):
            return unless_missing(partial(self.all_of[number].decide, scope))


class Readings(Check):
    """What an unclear text may mean, by name: not testable where the checks disagree."""

    kind: ClassVar = "readings"
    readings: Annotated[dict[str, Check], Field(min_length=2, description="checks by name")]

    @property
    def is_counted(self) -> bool:
        """Whether metrics alone decide each."""
        return all(check.is_counted for check in self.readings.values())

    def here(self, scope: Scope) -> Verdict:
        """Decide each."""
        return readings({name: self._reading(name, scope) for name in self.readings})

    def _reading(self, name: str, scope: Scope) -> Verdict:
        with told(f"readings.{name}"):
            return unless_missing(partial(self.readings[name].decide, scope))


class Shows(Check):
    """Expressions that decide nothing and are shown among the figures."""

    kind: ClassVar = "shows"
    shows: Annotated[list[Formula], Field(min_length=1, description="expressions")]

    def here(self, scope: Scope) -> Verdict:
        """Find the points."""
        points = [point("shows", each, scope) for each in self.shows]
        return Verdict(Status.AGREES, () if scope.is_planned else figures(*points))


class Tells(Check):
    """Expressions that decide nothing and are told in words: from an axis's begin to its end."""

    kind: ClassVar = "tells"
    tells: Annotated[dict[str, Formula], Field(min_length=1, description="expressions by name")]
    along: Annotated[str, about("axis")]

    def here(self, scope: Scope) -> Verdict:
        """Find the points at both ends."""
        places = line_of(scope, [self.along])
        words = []
        for name, expression in self.tells.items():
            try:
                points = [point(f"tells.{name}", expression, each) for each in places]
            except MissingPoint:
                # Real machines do not tell everything, and this decides nothing.
                words.append(f"{name} unknown")
                continue
            words.append(f"{name} {plain(points[0].mean)} to {plain(points[-1].mean)}")
        ends = f"{places[0].fixed[self.along]} to {places[-1].fixed[self.along]}"
        place = f"{scope.name}, " if scope.fixed else ""
        return Verdict(Status.AGREES).noting(f"{place}{self.along} from {ends}: {', '.join(words)}")


class Mechanism(Check):
    """A function of the study's mechanisms.py, for what no other kind can say."""

    kind: ClassVar = "mechanism"
    mechanism: Annotated[str, about("name of the function")]
    uses: Annotated[Names, about("further experiments that the function asks for")] = []
    is_counted: ClassVar = False

    def here(self, scope: Scope) -> Verdict:
        """Call the function in the place that is left."""
        with told("uses"):
            for experiment in self.uses:
                scope.of(experiment)
        with told("mechanism"):
            return scope.campaigns.called(self.mechanism, scope)
