"""Made-up experiments of a few cells, for tests of what checks make of them."""

from collections.abc import Callable, Mapping
from itertools import product

from anechoic.campaign.replication import summarise
from anechoic.campaign.results import Cell, Value
from anechoic.papers.claim import check_of
from anechoic.papers.expression import parsed
from anechoic.papers.judging import FoundCells
from anechoic.papers.scope import NotRun, Scope
from anechoic.papers.verdict import Verdict

Parameters = Mapping[str, Value]
Law = Callable[..., float | list[float]]
"""A metric as a function of a cell's parameters: its mean, or the value of each replication."""


class Experiments(dict[str, FoundCells]):
    """Experiments that were run, by id."""

    def __missing__(self, experiment: str) -> FoundCells:
        raise NotRun(experiment)

    def called(self, mechanism: str, _scope: Scope) -> Verdict:
        raise AssertionError(mechanism)


def experiment(axes: Mapping[str, list[Value]], **laws: Law) -> FoundCells:
    """Give an experiment of twelve replications, each of which scatters by one in a thousand."""
    cells = {}
    for values in product(*axes.values()):
        parameters = dict(zip(axes, values, strict=True))
        metrics = {
            name.replace("__", "."): summarise(_values(law(*values))) for name, law in laws.items()
        }
        replications = len(next(iter(metrics.values())).values)
        cells[values] = Cell(parameters, replications, False, metrics)
    return FoundCells({name: tuple(values) for name, values in axes.items()}, cells)


def _values(given: float | list[float]) -> list[float]:
    if isinstance(given, list):
        return given
    return [given * (1 + 0.001 * (replication - 5.5) / 5.5) for replication in range(12)]


def decided(
    check: Mapping[str, object],
    terms: Mapping[str, str] | None = None,
    optional: frozenset[str] = frozenset(),
    **experiments: FoundCells,
) -> Verdict:
    """Decide a check in the first of these experiments."""
    known = {name: parsed(text) for name, text in (terms or {}).items()}
    first = next(iter(experiments))
    scope = Scope(Experiments(experiments), known, first, optional=optional)
    return check_of(check, "check").decide(scope)
