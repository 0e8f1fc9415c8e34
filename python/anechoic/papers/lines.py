"""The kinds of checks that follow a value along an axis.

An axis goes upwards if its values are numbers, else in the order in which they are written.
"""

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import Annotated, Any, ClassVar

from pydantic import Field

from anechoic.papers.check import Choice, Comparison, Decision, Formula, line_of, point, told
from anechoic.papers.checks import Tolerance
from anechoic.papers.comparisons import (
    below,
    best,
    equal_within,
    every_step,
    never_falls,
    never_rises,
    steps_by,
    straight,
)
from anechoic.papers.expression import Scalar
from anechoic.papers.points import Point
from anechoic.papers.scope import Scope, WrongClaim
from anechoic.papers.verdict import Verdict, all_of
from anechoic.scenario.base import about
from anechoic.scenario.errors import Problem

Band = Annotated[list[float], Field(min_length=2, max_length=2)]


class Line(Comparison):
    """A value along an axis."""

    sign: ClassVar[int]

    along: Annotated[str, about("axis")]
    tolerance: Annotated[
        Tolerance, about("part of the step before that a step may go the other way")
    ] = 0.02

    def steps(self, points: Sequence[Point]) -> Verdict:
        """Decide whether no step goes the other way by more than the tolerance."""
        allowed = never_rises if self.sign < 0 else never_falls
        return allowed(points, self.tolerance)

    def ends(self, points: Sequence[Point]) -> Verdict:
        """Decide whether the last lies beyond the first."""
        low, high = (points[-1], points[0]) if self.sign < 0 else (points[0], points[-1])
        return below(low, high)

    @property
    def said(self) -> str:
        """What is so where the check is met."""
        return f"{self.measured} {self.kind.replace('-', ' ')} along {self.along}"


class Level(Line):
    """A value that never goes one way."""

    def compared(self, scope: Scope) -> Decision:
        """Compare each step."""
        points = self.line(scope, self.along)
        return lambda: all_of([self.steps(points)], self.said)


class NeverRises(Level):
    """No step goes up."""

    kind: ClassVar = "never-rises"
    sign: ClassVar = -1
    never_rises: Formula


class NeverFalls(Level):
    """No step goes down."""

    kind: ClassVar = "never-falls"
    sign: ClassVar = 1
    never_falls: Formula


class Trend(Line):
    """A value that goes one way: no step the other way, and the last beyond the first."""

    strictly: Annotated[bool, about("whether every step goes this way, and no tolerance")] = False
    steps_with: Annotated[
        Formula | None, about("expression of axes; where it changes, the value must step")
    ] = None
    level_within: Annotated[
        Tolerance | None, about("with steps-with: how near the values are where it stays")
    ] = None

    def compared(self, scope: Scope) -> Decision:
        """Compare each step and the ends."""
        points = self.line(scope, self.along)
        marks = self._marks(scope)
        return lambda: all_of(self._parts(points, marks), self.said)

    def _marks(self, scope: Scope) -> list[Point]:
        if self.steps_with is None:
            return []
        return [
            point("steps-with", self.steps_with, place) for place in line_of(scope, [self.along])
        ]

    def _parts(self, points: list[Point], marks: list[Point]) -> list[Verdict]:
        first = every_step(points, self.sign) if self.strictly else self.steps(points)
        parts = [first, self.ends(points)]
        for (left, right), (before, after) in zip(pairwise(marks), pairwise(points), strict=False):
            if left.mean != right.mean:
                parts.append(self.ends([before, after]))
            elif self.level_within is not None:
                parts.append(equal_within([before, after], self.level_within))
        return parts


class Falls(Trend):
    """It goes down along the axis."""

    kind: ClassVar = "falls"
    sign: ClassVar = -1
    falls: Formula


class Rises(Trend):
    """It goes up along the axis."""

    kind: ClassVar = "rises"
    sign: ClassVar = 1
    rises: Formula


class Step(Comparison):
    """A step between two values of an axis."""

    kind: ClassVar = "step"
    step: Formula
    along: Annotated[str, about("axis")]
    between: Annotated[
        list[Scalar], Field(min_length=2, max_length=2, description="two values of it")
    ]
    by: Annotated[float, about("part of the first that it is at least; below zero: down")]

    def compared(self, scope: Scope) -> Decision:
        """Compare the two."""
        with told("between"):
            before, after = (scope.where({self.along: value}) for value in self.between)
        return partial(steps_by, self.point(before), self.point(after), self.by)


class Extreme(Comparison):
    """Where along an axis a value is best."""

    sign: ClassVar[int]

    along: Annotated[str, about("axis")]
    at: Annotated[Choice, about("value of the axis, values, or a comparison")]
    within: Annotated[Tolerance, about("part by which another may be better")] = 0.0

    def compared(self, scope: Scope) -> Decision:
        """Compare the best of those wanted with all others."""
        points = {
            place.fixed[self.along]: self.point(place) for place in line_of(scope, [self.along])
        }
        with told("at"):
            wanted = [points[value] for value in scope.choice(self.along, self.at)]
        return partial(best, list(points.values()), wanted, self.within, self.sign)


class Highest(Extreme):
    """The highest value of an axis's."""

    kind: ClassVar = "highest"
    sign: ClassVar = 1
    highest: Formula


class Lowest(Extreme):
    """The lowest value of an axis's."""

    kind: ClassVar = "lowest"
    sign: ClassVar = -1
    lowest: Formula


class Fit(Comparison):
    """A straight line through the means along an axis."""

    kind: ClassVar = "fit"
    fit: Formula
    along: Annotated[str, about("axis")]
    against: Annotated[Formula | None, about("expression; absent: the axis's own values")] = None
    through_origin: Annotated[bool, about("whether the line goes through the origin")] = False
    slope: Annotated[Band | None, about("least and most")] = None
    intercept: Annotated[Band | None, about("least and most")] = None
    r2: Annotated[Band | None, about("least and most of R²")] = None

    def model_post_init(self, _context: Any, /) -> None:
        """Refuse a line of which nothing is asked."""
        if self.slope is None and self.intercept is None and self.r2 is None:
            raise WrongClaim(Problem("", "nothing is asked of the line", "slope, intercept or r2"))

    def compared(self, scope: Scope) -> Decision:
        """Compare slope, intercept and R² with their bands."""
        places = line_of(scope, [self.along])
        points = [self.point(place) for place in places]
        if self.against is None:
            with told("along"):
                xs = [place.number(self.along, place.fixed[self.along]) for place in places]
        else:
            xs = [point("against", self.against, place).mean for place in places]
        bands = {"slope": self.slope, "intercept": self.intercept, "r2": self.r2}
        asked = {name: (band[0], band[1]) for name, band in bands.items() if band is not None}
        return partial(straight, xs, points, asked, through_origin=self.through_origin)
