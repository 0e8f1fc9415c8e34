"""The kinds of checks: what may be asked of an expression's values.

All compare means over the replications, and decide by the 95 % intervals of what lies between them.
"""

from functools import partial
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field

from anechoic.papers.check import (
    Chosen,
    Comparison,
    Decision,
    Declared,
    Formula,
    Names,
    line_of,
    point,
    told,
)
from anechoic.papers.comparisons import (
    below,
    equal_within,
    in_band,
    not_above,
    probable,
    same_order,
)
from anechoic.papers.expression import Expression
from anechoic.papers.points import Point
from anechoic.papers.scope import Scope, WrongClaim
from anechoic.scenario.base import about
from anechoic.scenario.errors import Problem

Tolerance = Annotated[float, Field(ge=0, lt=1)]
Band = Annotated[list[float], Field(min_length=2, max_length=2)]


class Operand(Declared):
    """What a check compares with: another expression, experiment or cell."""

    value: Annotated[Formula | None, about("expression; absent: the check's own")] = None
    of: Annotated[str | None, about("experiment; absent: the check's own")] = None
    where: Annotated[Chosen, about("values of axes; absent: those of the check")] = {}

    def model_post_init(self, _context: Any, /) -> None:
        """Refuse an empty table, which would compare a value with itself."""
        if not self.model_fields_set:
            raise WrongClaim(Problem("", "there is nothing to compare with", "value, of or where"))

    def point(self, path: str, scope: Scope, own: Expression) -> Point:
        """Give the point in the cell that it means, seen from this one."""
        with told(f"{path}.of"):
            scope = scope.of(self.of or scope.experiment)
        with told(f"{path}.where"):
            scope = scope.where(self.where)
        return point(path, self.value or own, scope)


def _as_operand(written: Any) -> Any:
    return {"value": written} if isinstance(written, str | int | float) else written


Other = Annotated[Operand, BeforeValidator(_as_operand)]


class Ordered(Comparison):
    """One value beside another."""

    than: Annotated[Other, about("what it is compared with: an expression, or {of, where, value}")]

    def pair(self, scope: Scope) -> tuple[Point, Point]:
        """Give both points."""
        return self.point(scope), self.than.point("than", scope, self.measured)


class Less(Ordered):
    """A lower mean than another."""

    kind: ClassVar = "less"
    less: Formula

    def compared(self, scope: Scope) -> Decision:
        """Compare the two."""
        low, high = self.pair(scope)
        return partial(below, low, high)


class More(Ordered):
    """A higher mean than another."""

    kind: ClassVar = "more"
    more: Formula

    def compared(self, scope: Scope) -> Decision:
        """Compare the two."""
        high, low = self.pair(scope)
        return partial(below, low, high)


class Lenient(Ordered):
    """One mean not beyond another."""

    tolerance: Annotated[Tolerance, about("part of the other that is forgiven")] = 0.0


class AtMost(Lenient):
    """A mean not above another."""

    kind: ClassVar = "at-most"
    at_most: Formula

    def compared(self, scope: Scope) -> Decision:
        """Compare the two."""
        low, high = self.pair(scope)
        return partial(not_above, low, high, self.tolerance)


class AtLeast(Lenient):
    """A mean not below another."""

    kind: ClassVar = "at-least"
    at_least: Formula

    def compared(self, scope: Scope) -> Decision:
        """Compare the two."""
        high, low = self.pair(scope)
        return partial(not_above, low, high, self.tolerance)


class Banded(Comparison):
    """A number between two others, of which one may be absent."""

    from_: Annotated[float | None, about("lower end")] = None
    to: Annotated[float | None, about("upper end")] = None

    def model_post_init(self, _context: Any, /) -> None:
        """Refuse a band without ends, or with none between them."""
        if self.from_ is None and self.to is None:
            raise WrongClaim(Problem("", "the band has no end", "from, to or both"))
        if self.from_ is not None and self.to is not None and self.from_ > self.to:
            what = f"nothing lies between {self.from_:g} and {self.to:g}"
            raise WrongClaim(Problem("", what, "from at most to"))


class InBand(Banded):
    """A mean in a band."""

    kind: ClassVar = "band"
    band: Formula
    printed: Annotated[float | None, about("the number that the paper prints for it", gt=0)] = None

    def compared(self, scope: Scope) -> Decision:
        """Compare the mean with the ends."""
        return partial(in_band, self.point(scope), self.from_, self.to, self.printed)


class Probability(Banded):
    """The part of the replications in which an expression is true, with Wilson's interval."""

    kind: ClassVar = "probability"
    probability: Formula

    def compared(self, scope: Scope) -> Decision:
        """Compare the part with the ends."""
        if not self.probability.is_truth(scope.terms):
            what = f'"{self.probability}" is neither true nor false'
            raise WrongClaim(Problem(self.kind, what, "a comparison, as connections_failed > 0"))
        return partial(probable, self.point(scope), self.from_, self.to)


class Rank(Banded):
    """Spearman's correlation of two values over the cells along axes."""

    kind: ClassVar = "rank"
    rank: Formula
    with_: Annotated[Other, about("what it is compared with: an expression, or {of, where, value}")]
    along: Annotated[Names, about("axes")]

    def compared(self, scope: Scope) -> Decision:
        """Compare the correlation with the ends."""
        places = line_of(scope, self.along)
        first = [self.point(place) for place in places]
        second = [self.with_.point("with", place, self.measured) for place in places]
        return partial(same_order, first, second, self.from_, self.to)


class Equal(Comparison):
    """Values that are near each other: along axes, or one and another."""

    kind: ClassVar = "equal"
    equal: Formula
    along: Annotated[Names, about("axes")] = []
    with_: Annotated[
        Other | None, about("what it is compared with: an expression, or {of, where, value}")
    ] = None
    within: Annotated[Tolerance, about("part of the smallest by which the largest lies above it")]

    def model_post_init(self, _context: Any, /) -> None:
        """Refuse a value that would be compared with itself."""
        if not self.along and self.with_ is None:
            raise WrongClaim(Problem("", "there is nothing to compare with", "along or with"))

    def compared(self, scope: Scope) -> Decision:
        """Compare the extremes."""
        points = self.line(scope, *self.along)
        if self.with_ is not None:
            points += [
                self.with_.point("with", each, self.measured) for each in line_of(scope, self.along)
            ]
        return partial(equal_within, points, self.within)
