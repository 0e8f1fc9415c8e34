"""A study's own functions: what no kind of check can say is decided by one of them."""

import importlib.util
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from anechoic.campaign.cells import Value
from anechoic.campaign.results import Results
from anechoic.papers.expression import Scalar, parsed
from anechoic.papers.points import MissingPoint, Point
from anechoic.papers.replays import Made, Replays
from anechoic.papers.scope import Scope, Where, WrongClaim
from anechoic.papers.verdict import Verdict
from anechoic.scenario.compile import compile_scenario
from anechoic.scenario.errors import Problem, ScenarioError, unknown_name
from anechoic.scenario.load import with_overrides

if TYPE_CHECKING:
    import pyarrow

    from anechoic.captures.analysis import Analysis


class MechanismFailed(Exception):
    """A study's function that gives no verdict: what it raised, and in which line."""


@dataclass(frozen=True)
class Context:
    """What a mechanism is given: the place that its check is decided in, and all results."""

    scope: Scope
    results: Mapping[str, Results]
    """The experiments that have been run, by id."""
    replays: Replays = field(repr=False)

    @property
    def experiment(self) -> str:
        """The experiment in which the check is decided."""
        return self.scope.experiment

    @property
    def place(self) -> Mapping[str, Value]:
        """The parameters that of, where, each and reading have fixed."""
        return self.scope.fixed

    def values(self, axis: str) -> list[Value]:
        """Give the values of an axis that are meant."""
        return self.scope.values(axis)

    def point(self, expression: str, of: str | None = None, **where: Scalar) -> Point:
        """Work an expression out in one cell, replication by replication.

        The cell is that of the place, with other values of axes, or of another experiment.
        """
        return self._there(of, where).point(parsed(expression))

    def analysis(
        self, tap: str, of: str | None = None, replication: int = 0, **where: Scalar
    ) -> "Analysis":
        """Run one replication of a cell again, and give our analysis of a tap's frames.

        ``tap`` names a tap of the scenario, or a place for one: ``wire.lan``, ``ap.office``,
        ``stack.server``.
        """
        scope = self._there(of, where)
        results = self.results[scope.experiment]
        return self.replays.analysis(results, scope.fixed, tap, replication)

    def made(
        self,
        make: Callable[..., Made],
        *taps: str,
        of: str | None = None,
        replication: int = 0,
        **where: Scalar,
    ) -> Made:
        """Run one replication of a cell again, and give what a function makes of taps' files.

        ``taps`` are named as for ``analysis``, or are ``events.NAME``; ``make`` is called with the
        path of each one's file. What it gives is kept for all claims that ask with it, and the
        files are not: it is best small.
        """
        scope = self._there(of, where)
        results = self.results[scope.experiment]
        return self.replays.made(results, scope.fixed, taps, replication, make)

    def tcp_info(
        self, of: str | None = None, replication: int = 0, **where: Scalar
    ) -> "pyarrow.Table":
        """Give the samples of TCP_INFO of one replication, where the scenario has a step for them.

        A row for each step, flow and end of it.
        """
        scope = self._there(of, where)
        results = self.results[scope.experiment]
        return results.tcp_info(results.select(scope.fixed), replication)

    def refuses(self, values: Mapping[str, Any]) -> bool:
        """Say whether the experiment is refused with other values of fields, by their paths."""
        try:
            compile_scenario(with_overrides(self.results[self.experiment].scenario, values))
        except ScenarioError:
            return True
        return False

    def _there(self, of: str | None, where: Where) -> Scope:
        return self.scope.of(of or self.experiment).where(where)


def function_of(file: Path, name: str) -> Callable[[Context], Verdict]:
    """Give a function of a mechanisms file; raise WrongClaim if there is none of this name."""
    if not file.is_file():
        what = f"there is no {file.name} beside the claims file"
        raise WrongClaim(Problem("", what, f"a function {name} in {file}"))
    module = _module(file)
    functions = {
        each: value
        for each, value in vars(module).items()
        if callable(value) and getattr(value, "__module__", "") == module.__name__
    }
    if name not in functions:
        raise WrongClaim(unknown_name("", name, functions, f"function in {file.name} named"))
    found: Callable[[Context], Verdict] = functions[name]
    return found


def call(file: Path, name: str, context: Context) -> Verdict:
    """Decide by a function; raise MechanismFailed, with the line, if it gives no verdict."""
    function = function_of(file, name)
    try:
        found = function(context)
    except MissingPoint:
        raise
    except Exception as error:
        raise MechanismFailed(_failure(file, error).message(file.name)) from error
    if not isinstance(found, Verdict):
        problem = Problem(name, f"gave {found!r}", "a Verdict")
        raise MechanismFailed(problem.message(file.name))
    return found


@cache
def _module(file: Path) -> ModuleType:
    specification = importlib.util.spec_from_file_location(f"mechanisms of {file}", file)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    try:
        specification.loader.exec_module(module)
    except Exception as error:
        raise ScenarioError(str(file), [_failure(file, error)]) from error
    return module


def _failure(file: Path, error: Exception) -> Problem:
    # A module knows its file by the whole path, whatever it was asked for by.
    frames = traceback.extract_tb(error.__traceback__)
    own = [each.lineno for each in frames if Path(each.filename) == file.absolute()]
    line = error.lineno if isinstance(error, SyntaxError) else own[-1] if own else None
    place = f"line {line}" if line else ""
    if isinstance(error, WrongClaim):
        return error.problem.below(place) if place else error.problem
    return Problem(place, f"{type(error).__name__}: {error}")
