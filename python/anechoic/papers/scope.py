"""Where a check stands: an experiment, and the cells of it that are meant.

A scope begins as a whole experiment and is narrowed down by what a check says, until one cell
is left in which an expression can be worked out, replication by replication.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from anechoic.campaign.cells import Value
from anechoic.papers.expression import Expression, Scalar
from anechoic.papers.points import MissingPoint, Point
from anechoic.papers.verdict import Verdict
from anechoic.scenario.catalogue import OWNED
from anechoic.scenario.errors import Problem, listing, nearest_name, shown, unknown_name

Parameters = Mapping[str, Value]
Where = Mapping[str, Scalar | list[Scalar]]

_COMPARISON = re.compile(r"(<=|>=|!=|<|>)\s*(-?[\d.]+(?:[eE][+-]?\d+)?)")
_QUANTITY = re.compile(r"(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)\s*(.*)")
_UNITS = {
    "mbps": "Mbit/s",
    "ms": "ms",
    "us": "µs",
    "s": "s",
    "bytes": "bytes",
    "packets": "packets",
}
_UNIT = re.compile(rf"_({'|'.join(_UNITS)})(?:_mean|_max|_min)?$")


class WrongClaim(Exception):
    """A claim that asks for what is not there."""

    def __init__(self, problem: Problem) -> None:
        """Take what is wrong, and where within the claim."""
        self.problem = problem
        super().__init__(problem.what)

    def below(self, path: str) -> "WrongClaim":
        """Give the same in a larger whole."""
        return WrongClaim(self.problem.below(path))


class NotRun(MissingPoint):
    """Experiments that a check compares with have not been run."""

    def __init__(self, *experiments: str) -> None:
        """Name them."""
        self.experiments = experiments
        super().__init__(f"needs {', '.join(experiments)} too")


class Cells(Protocol):
    """The cells of one experiment: found by its campaign, or so far only planned."""

    @property
    def axes(self) -> Mapping[str, tuple[Value, ...]]:
        """The axes of the sweep and their values."""

    @property
    def is_planned(self) -> bool:
        """Whether nothing has been run yet."""

    def replications(self, parameters: Parameters) -> int:
        """Say how often a cell was run; raise MissingPoint if it was not."""

    def names(self, parameters: Parameters) -> Sequence[str]:
        """Name the metrics of a cell."""

    def check_window(self, parameters: Parameters, window: str, replication: int) -> None:
        """Raise MissingPoint if a window had no time in a run, IndexError beyond the last."""

    def value(self, parameters: Parameters, metric: str, replication: int) -> float:
        """Give a metric of one replication; raise IndexError beyond the last."""


class Campaigns(Protocol):
    """The experiments of a study, by id."""

    def __getitem__(self, experiment: str) -> Cells:
        """Give the cells of an experiment; raise NotRun, or WrongClaim if there is none."""

    def called(self, mechanism: str, scope: "Scope") -> Verdict:
        """Decide by a function of the study's."""


@dataclass(frozen=True)
class Scope:
    """The cells of an experiment that are meant so far."""

    campaigns: Campaigns
    terms: Mapping[str, Expression]
    experiment: str
    fixed: dict[str, Value] = field(default_factory=dict)
    domains: dict[str, list[Value]] = field(default_factory=dict)
    window: str | None = None
    over: tuple[str, ...] = ()
    optional: frozenset[str] = frozenset()
    """Experiments that may be missing."""

    @property
    def cells(self) -> Cells:
        """The cells of the experiment, whichever are meant."""
        return self.campaigns[self.experiment]

    @property
    def is_planned(self) -> bool:
        """Whether nothing has been run: names are looked up, numbers are unknown."""
        return self.cells.is_planned

    @property
    def name(self) -> str:
        """Name the parameters that are fixed so far."""
        fixed = (axis for axis in self.cells.axes if axis in self.fixed)
        return ", ".join(f"{axis}={self.fixed[axis]}" for axis in fixed)

    def of(self, experiment: str) -> "Scope":
        """Give the same place in another experiment, as far as that has the same axes."""
        if experiment == self.experiment:
            return self
        axes = self.campaigns[experiment].axes
        fixed = {axis: value for axis, value in self.fixed.items() if axis in axes}
        domains = {axis: values for axis, values in self.domains.items() if axis in axes}
        return replace(self, experiment=experiment, fixed=fixed, domains=domains)

    def where(self, chosen: Where) -> "Scope":
        """Fix axes at values, or leave some of their values; raise WrongClaim for what is not."""
        scope = self
        for axis, wanted in chosen.items():
            values = self.choice(axis, wanted)
            if isinstance(wanted, list) or _is_comparison(wanted):
                domains = {**scope.domains, axis: values}
                fixed = {name: value for name, value in scope.fixed.items() if name != axis}
                scope = replace(scope, domains=domains, fixed=fixed)
            else:
                scope = scope.at(axis, values[0])
        return scope

    def choice(self, axis: str, wanted: Scalar | list[Scalar]) -> list[Value]:
        """Give the values of an axis that a value, a list or a comparison means."""
        self._check_axis(axis)
        known = list(self.cells.axes[axis])
        if isinstance(wanted, str) and (found := _COMPARISON.fullmatch(wanted.strip())):
            bound = float(found[2])
            numbers = {value: self.number(axis, value) for value in known}
            values = [value for value in known if _holds(numbers[value], found[1], bound)]
            if not values:
                what = f"no value of {axis} is {wanted}"
                raise WrongClaim(Problem("", what, listing(list(map(str, known)))))
            return values
        wanted = wanted if isinstance(wanted, list) else [wanted]
        for value in wanted:
            if value not in known:
                names = [str(each) for each in known]
                raise WrongClaim(unknown_name("", str(value), names, f"value of {axis}"))
        return [known[known.index(value)] for value in wanted]

    def at(self, axis: str, value: Value) -> "Scope":
        """Fix an axis at one of its values."""
        return replace(self, fixed={**self.fixed, axis: value})

    def within(self, window: str | None) -> "Scope":
        """Give the same cells in a part of the run; None leaves it as it is."""
        return self if window is None else replace(self, window=window)

    def averaged(self, axes: Sequence[str]) -> "Scope":
        """Give the same cells, the mean to be taken over these axes."""
        for axis in axes:
            self.values(axis)
        return replace(self, over=tuple(axes))

    def each(self, axes: Sequence[str]) -> "list[Scope]":
        """Give every combination of the values of these axes; ``*`` stands for all left over."""
        scopes = [self]
        for axis in self.free() if list(axes) == ["*"] else axes:
            scopes = [scope.at(axis, value) for scope in scopes for value in scope.values(axis)]
        return scopes

    def values(self, axis: str) -> list[Value]:
        """Give the values of an axis that are meant, in the order of the sweep or of where."""
        self._check_axis(axis)
        if axis in self.fixed:
            what = f"{axis} is fixed at {shown(self.fixed[axis])} already"
            raise WrongClaim(Problem("", what, "an axis once"))
        return self.domains.get(axis, list(self.cells.axes[axis]))

    def line(self, axis: str) -> list[Value]:
        """Give an axis's values as a line goes: ascending numbers, or the order as written."""
        values = self.values(axis)
        if axis in self.domains and not self._is_sorted_domain(axis):
            return values
        numbers = self._numbers(axis)
        return values if numbers is None else sorted(values, key=lambda value: numbers[value])

    def free(self) -> list[str]:
        """Name the axes that nothing fixes yet."""
        return [axis for axis in self.cells.axes if axis not in (*self.fixed, *self.over)]

    def number(self, axis: str, value: Value) -> float:
        """Give the number of an axis's value, without its unit if all have the same."""
        numbers = self._numbers(axis)
        if numbers is None:
            what = f"{axis} has no numbers: {listing(list(map(str, self.cells.axes[axis])))}"
            raise WrongClaim(Problem("", what, "an axis of numbers, or of one unit"))
        return numbers[value]

    def point(self, expression: Expression) -> Point:
        """Work an expression out in the one cell that is left, replication by replication."""
        if unfixed := self.free():
            what = f"{unfixed[0]} is swept and stays open"
            raise WrongClaim(
                Problem("", what, f"{unfixed[0]} in where, each, reading, along or over")
            )
        if expression.number is not None:
            return Point.exactly(expression.text, expression.number)
        what = self._label(expression)
        values = list(self._by_replication(expression))
        if self.is_planned:
            return Point.exactly(what, float("nan"))
        return Point.of(what, values, _unit(expression))

    def _by_replication(self, expression: Expression) -> Iterator[float]:
        scopes = [replace(each, over=()) for each in replace(self, over=()).each(self.over)]
        runs = min(each.cells.replications(each.fixed) for each in scopes)
        for replication in range(runs):
            try:
                values = [expression.value(_Run(each, replication)) for each in scopes]
            except IndexError:
                return  # Another cell that it is paired with was run less often.
            yield sum(values) / len(values)

    def _label(self, expression: Expression) -> str:
        window = f" {self.window}" if self.window else ""
        over = [f"mean over {axis}" for axis in self.over]
        place = ", ".join([*([self.name] if self.fixed else []), *over])
        return f"{self.experiment} {expression}{window}{f' ({place})' if place else ''}"

    def _check_axis(self, axis: str) -> None:
        if axis not in self.cells.axes:
            problem = unknown_name("", axis, self.cells.axes, f"axis of {self.experiment}")
            raise WrongClaim(problem)

    def _is_sorted_domain(self, axis: str) -> bool:
        known = list(self.cells.axes[axis])
        places = [known.index(value) for value in self.domains[axis]]
        return places == sorted(places)

    def _numbers(self, axis: str) -> dict[Value, float] | None:
        values = self.cells.axes[axis]
        parts = {value: _quantity(value) for value in values}
        units = {part[1] for part in parts.values() if part is not None}
        if len(units) > 1 or None in parts.values():
            return None
        return {value: part[0] for value, part in parts.items() if part is not None}


@dataclass(frozen=True)
class _Run:
    """One replication of the one cell of a scope, as an expression asks of it."""

    scope: Scope
    replication: int

    def value(self, name: str) -> float:
        scope = self.scope
        if name in scope.terms:
            return scope.terms[name].value(self)
        if name in scope.cells.axes:
            return scope.number(name, scope.fixed[name])
        metric = self._in_window(name)
        if scope.is_planned and metric not in (names := scope.cells.names(scope.fixed)):
            known = [*scope.terms, *scope.cells.axes, *names]
            kind = f"metric, axis or term in {scope.experiment}"
            raise WrongClaim(unknown_name("", metric, known, kind))
        return scope.cells.value(scope.fixed, metric, self.replication)

    def values(self, pattern: str) -> list[float]:
        scope, metric = self.scope, self._in_window(pattern)
        any_word = re.compile(re.escape(metric).replace(r"\*", r"[^.@]+"))
        names = [name for name in scope.cells.names(scope.fixed) if any_word.fullmatch(name)]
        if not names:
            what = f"no metric of {scope.experiment} is of the form {metric}"
            if scope.is_planned:
                forms = list(dict.fromkeys(map(_form, scope.cells.names(scope.fixed))))
                near = nearest_name(metric, forms)
                raise WrongClaim(Problem("", what, listing(forms), near))
            raise MissingPoint(what)
        return [scope.cells.value(scope.fixed, name, self.replication) for name in names]

    def elsewhere(self, choice: Mapping[str, Scalar]) -> "_Run":
        where = dict(choice)
        scope = self.scope
        if (experiment := where.pop("of", None)) is not None:
            scope = scope.of(str(experiment))
        scope = scope.where(where)
        if unfixed := scope.free():
            what = f"{unfixed[0]} of {scope.experiment} is swept and stays open"
            raise WrongClaim(Problem("", what, f"{unfixed[0]} = … too"))
        return _Run(scope, self.replication)

    def _in_window(self, name: str) -> str:
        window = self.scope.window
        metric = name if window is None or "@" in name else f"{name}@{window}"
        if "@" in metric:
            window = metric.rpartition("@")[2]
            self.scope.cells.check_window(self.scope.fixed, window, self.replication)
        return metric


def _form(metric: str) -> str:
    """Give the form that a metric shares with those of other owners, as flow.*.goodput_mbps."""
    scope, dot, rest = metric.partition(".")
    if scope not in OWNED or not dot:
        return metric
    return f"{scope}.*.{rest.partition('.')[2]}"


def _is_comparison(wanted: object) -> bool:
    return isinstance(wanted, str) and _COMPARISON.fullmatch(wanted.strip()) is not None


def _holds(number: float, comparison: str, bound: float) -> bool:
    return {
        "<": number < bound,
        "<=": number <= bound,
        ">": number > bound,
        ">=": number >= bound,
        "!=": number != bound,
    }[comparison]


def _quantity(value: Value) -> tuple[float, str] | None:
    if not isinstance(value, str):
        return float(value), ""
    found = _QUANTITY.fullmatch(value.strip())
    return (float(found[1]), found[2]) if found else None


def _unit(expression: Expression) -> str:
    """Give the unit that a name ends in; what is worked out from several has none."""
    found = _UNIT.search(expression.measure)
    return _UNITS[found[1]] if found else ""
