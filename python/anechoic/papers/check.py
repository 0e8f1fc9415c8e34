"""What every check has: the cells it speaks of, and how what holds in each is joined.

A check is a table with the name of its kind among its keys, as ``falls = "goodput_mbps"``. The
kinds stand in `checks`, those made of other checks in `joins`.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError

from anechoic.papers.comparisons import figures
from anechoic.papers.expression import Expression, NotAnExpression, parsed
from anechoic.papers.points import MissingPoint, Point
from anechoic.papers.scope import NotRun, Scope, WrongClaim
from anechoic.papers.verdict import Status, Verdict, all_of, readings
from anechoic.scenario.base import Part, about
from anechoic.scenario.errors import Problem

Decision = Callable[[], Verdict]
"""A comparison of points that are found; of those only planned it is never made."""


def refusal(reason: str, allowed: str) -> PydanticCustomError:
    """Give the error of a value that is refused."""
    return PydanticCustomError("quantity", "{reason}", {"reason": reason, "allowed": allowed})


def _read(text: Any) -> Any:
    if isinstance(text, bool) or not isinstance(text, str | int | float):
        raise refusal("it is no expression", "a text or a number")
    try:
        return parsed(str(text))
    except NotAnExpression as error:
        raise refusal(str(error), error.allowed) from None


def _chosen(wanted: Any) -> Any:
    values = wanted if isinstance(wanted, list) else [wanted]
    if not values or not all(isinstance(value, bool | int | float | str) for value in values):
        raise refusal("it is no choice of values", 'a value, a list of values, or as ">= 4"')
    return wanted


def _listed(names: Any) -> Any:
    return [names] if isinstance(names, str) else names


Formula = Annotated[Expression, BeforeValidator(_read)]
Names = Annotated[list[str], BeforeValidator(_listed), Field(min_length=1)]
Choice = Annotated[Any, BeforeValidator(_chosen)]
Chosen = dict[str, Choice]


class Declared(Part):
    """A table of claims.toml, whose keys are written with dashes."""

    model_config = ConfigDict(
        alias_generator=lambda name: name.rstrip("_").replace("_", "-"),
        validate_by_name=False,
        arbitrary_types_allowed=True,
    )


class Check(Declared):
    """A part of a claim that results agree with or not."""

    kind: ClassVar[str]

    of: Annotated[Names | None, about("experiments whose cells are meant; absent: the claim's")] = (
        None
    )
    where: Annotated[Chosen, about("values of axes that alone are meant")] = {}
    each: Annotated[Names | None, about("axes; it must hold for each of their values")] = None
    reading: Annotated[Names | None, about("axes, whose values are readings of the text")] = None
    assumed: Annotated[
        Names,
        about(
            "what the text leaves open: axes, of which the first value decides, and experiments "
            "that assume otherwise; where one of these turns it, the claim agrees if it is so"
        ),
    ] = []
    window: Annotated[str | None, about("part of the run that is meant")] = None

    @property
    def is_counted(self) -> bool:
        """Whether metrics alone decide it, and no function that may run cells again."""
        return True

    @abstractmethod
    def here(self, scope: Scope) -> Verdict:
        """Decide it in a scope that of, where, each and reading have narrowed down."""

    def decide(self, scope: Scope) -> Verdict:
        """Decide it, and name the place within it of what is wrong."""
        scope = scope.within(self.window)
        parts = [partial(self._in, scope, name) for name in self.of or [scope.experiment]]
        return all_that_were_run(scope, parts)

    def _in(self, scope: Scope, experiment: str) -> Verdict:
        with told("of"):
            here = scope.of(experiment)
        here = self._where(here)
        axes = [name for name in self.assumed if name in here.cells.axes]
        with told("assumed"):
            first, *others = here.each(axes)
            elsewhere = {name: scope.of(name) for name in self.assumed if name not in axes}
        decided = {f"with {_name(place, axes)}": partial(self._read, place) for place in others}
        for name, place in elsewhere.items():
            decided[f"in {name}"] = partial(self._read, self._where(place))
        return hanging_on(self._read(first), decided)

    def _where(self, scope: Scope) -> Scope:
        with told("where"):
            return scope.where(self.where)

    def _read(self, scope: Scope) -> Verdict:
        if self.reading is None:
            return self._for_each(scope)
        with told("reading"):
            places = scope.each(self.reading)
        decided = {_name(place, self.reading): partial(self._for_each, place) for place in places}
        return readings({name: unless_missing(decide) for name, decide in decided.items()})

    def _for_each(self, scope: Scope) -> Verdict:
        if self.each is None:
            return self.here(scope)
        with told("each"):
            places = scope.each(self.each)
        return all_of([self.here(place) for place in places])


class Comparison(Check):
    """A check of what an expression gives; the field of the kind's name holds the expression."""

    over: Annotated[Names, about("axes over whose values the mean is taken")] = []
    beside: Annotated[list[Formula], about("expressions shown beside what decides")] = []

    @abstractmethod
    def compared(self, scope: Scope) -> Decision:
        """Find the points, and say how they are compared."""

    def here(self, scope: Scope) -> Verdict:
        """Find the points, and compare them unless they are only planned."""
        with told("over"):
            scope = scope.averaged(self.over)
        decision = self.compared(scope)
        more = [point("beside", each, scope) for each in self.beside]
        if scope.is_planned:
            return Verdict(Status.AGREES)
        found = decision()
        beside = Verdict(Status.AGREES, figures(*more))
        return all_of([found, beside], found.reason) if more else found

    @property
    def measured(self) -> Expression:
        """The expression that it is about."""
        expression: Expression = getattr(self, self.kind.replace("-", "_"))
        return expression

    def point(self, scope: Scope) -> Point:
        """Give the point of the one cell of a scope."""
        return point(self.kind, self.measured, scope)

    def line(self, scope: Scope, *axes: str) -> list[Point]:
        """Give the points along axes, the last of which runs fastest."""
        return [self.point(place) for place in line_of(scope, axes)]


def unless_missing(decide: Decision) -> Verdict:
    """Decide a part; one without a value is not run, which the parts beside it may outweigh."""
    try:
        return decide()
    except NotRun:
        raise
    except MissingPoint as error:
        return Verdict(Status.NOT_RUN, (), str(error))


def hanging_on(found: Verdict, assuming: Mapping[str, Decision]) -> Verdict:
    """Give what was found, or that it hangs on what was assumed: where else it is the opposite."""
    statuses = {where: unless_missing(decide).status for where, decide in assuming.items()}
    opposites = {Status.AGREES: Status.UNEXPLAINED, Status.UNEXPLAINED: Status.AGREES}
    turned = [where for where, status in statuses.items() if status is opposites.get(found.status)]
    other = {where: status for where, status in statuses.items() if status != found.status}
    if turned:
        begin = f"{found.status} with what the bench assumes, {opposites[found.status]} "
        reason = f"{begin}{', '.join(turned)}: {found.reason}"
        found = replace(found, status=Status.AGREES_IF, reason=reason)
        other = {where: status for where, status in other.items() if where not in turned}
    told = ", ".join(f"{status} {where}" for where, status in other.items())
    return found.noting(f"otherwise: {told}") if told else found


def all_that_were_run(scope: Scope, parts: Iterable[Decision]) -> Verdict:
    """Join parts that must all hold, without those that the claim allows to be missing."""
    verdicts: list[Verdict] = []
    missing: list[str] = []
    for part in parts:
        try:
            verdicts.append(part())
        except NotRun as error:
            if not scope.optional.issuperset(error.experiments):
                raise
            missing += error.experiments
    if not verdicts:
        raise NotRun(*missing)
    return all_of(verdicts).noting(*(f"not run: {name}" for name in missing))


def line_of(scope: Scope, axes: Sequence[str]) -> list[Scope]:
    """Give the places along axes, the last of which runs fastest."""
    places = [scope]
    with told("along"):
        for axis in axes:
            places = [each.at(axis, value) for each in places for value in each.line(axis)]
        if axes and len(places) < 2:
            raise WrongClaim(Problem("", "one value is no line", "two values at the least"))
    return places


def point(path: str, expression: Expression, scope: Scope) -> Point:
    """Give the point of an expression that stands at this path of the check."""
    with told(path):
        return scope.point(expression)


@contextmanager
def told(path: str) -> Iterator[None]:
    """Say of what is wrong within that it is at this path."""
    try:
        yield
    except WrongClaim as error:
        raise error.below(path) from None


def _name(place: Scope, axes: Sequence[str]) -> str:
    return ", ".join(f"{axis}={place.fixed[axis]}" for axis in axes)
