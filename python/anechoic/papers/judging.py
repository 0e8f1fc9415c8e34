"""The verdicts on a study's claims: looked through before anything runs, and then decided."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan

from anechoic.campaign.cells import Cell, Value
from anechoic.campaign.results import Results
from anechoic.campaign.sweep import CellPlan, cells_of
from anechoic.papers.check import told
from anechoic.papers.claim import Claim
from anechoic.papers.concluding import concluded
from anechoic.papers.mechanisms import Context, MechanismFailed, call, function_of
from anechoic.papers.points import MissingPoint
from anechoic.papers.replays import Replays
from anechoic.papers.scope import Cells, NotRun, Parameters, Scope, WrongClaim
from anechoic.papers.study import Study
from anechoic.papers.trial_record import MODELS, VALUES, Recorded
from anechoic.papers.verdict import Status, Verdict
from anechoic.scenario.catalogue import metric_names
from anechoic.scenario.errors import ScenarioError
from anechoic.scenario.load import load

Evaluation = list[tuple[Claim, Verdict]]


@dataclass(frozen=True)
class Needs:
    """The experiments that claims ask for."""

    experiments: list[str]
    """Those that they cannot be decided without, in the study's order."""
    of_claims: Mapping[str, frozenset[str]]
    """All that each claim takes in."""
    cells: Mapping[str, list[CellPlan]]
    """The cells of each experiment that was looked at, compiled."""


def needed(study: Study, claims: Sequence[Claim]) -> Needs:
    """Say what experiments these claims ask for.

    Every name that the claims use is looked up on the way: raise ScenarioError for what is not
    there, so that it is said before anything runs.
    """
    planned = Planned(study)
    needs: set[str] = set()
    of_claims: dict[str, frozenset[str]] = {}
    problems = []
    for claim in claims:
        planned.asked.clear()
        try:
            _decide(study, claim, planned)
        except WrongClaim as error:
            problems.append(error.problem)
        needs |= planned.asked - claim.if_run
        of_claims[claim.id] = frozenset(planned.asked)
    if problems:
        raise ScenarioError(str(study.claims_file), problems)
    cells = {name: each.plans for name, each in planned.cells.items()}
    return Needs([name for name in study.experiments if name in needs], of_claims, cells)


def judge(
    study: Study, results: Mapping[str, Results], claims: Sequence[Claim] | None = None
) -> Evaluation:
    """Say what these claims have come to, if not named all those on experiments that were run."""
    if claims is None:
        claims = [claim for claim in study.claims if claim.experiment in results]
    recorded = Recorded.of(study)
    return [
        (
            claim,
            concluded(
                claim,
                verdict,
                recorded.trials(MODELS, claim, asked),
                recorded.trials(VALUES, claim, asked),
            ),
        )
        for claim, verdict, asked in _checked(study, results, claims)
    ]


def checked(study: Study, results: Mapping[str, Results], claims: Sequence[Claim]) -> Evaluation:
    """Say what the checks of these claims give, whatever else is known of the claims."""
    return [(claim, verdict) for claim, verdict, _ in _checked(study, results, claims)]


def _checked(
    study: Study, results: Mapping[str, Results], claims: Sequence[Claim]
) -> Iterator[tuple[Claim, Verdict, frozenset[str]]]:
    """Give each claim with what its check gives, and the experiments that it takes in."""
    found = Found(study, results, Replays())
    for claim in claims:
        verdict = _verdict(study, claim, found)
        yield claim, verdict, frozenset(found.asked)


def _verdict(study: Study, claim: Claim, found: "Found") -> Verdict:
    found.asked.clear()
    try:
        verdict = _decide(study, claim, found)
    except MissingPoint as error:
        return Verdict(Status.NOT_RUN, (), str(error))
    except MechanismFailed as error:
        return Verdict(Status.ERROR, (), str(error))
    except WrongClaim as error:
        raise ScenarioError(str(study.claims_file), [error.problem]) from None
    if verdict.status is Status.NOT_RUN:
        return verdict
    if claim.leaves_out:
        verdict = verdict.noting(f"left out: {claim.leaves_out}")
    return verdict.noting(*_preliminary(study, found))


def _preliminary(study: Study, found: "Found") -> list[str]:
    """Say of the experiment with fewest replications what it had, if more were asked for.

    At least as many as the study asks for are, or as many as the experiment's own rule allows.
    """
    short = []
    for results in (found.results[name] for name in found.asked):
        had = min(cell.replications for cell in results.cells)
        asked = min(study.about.fewest_replications, results.scenario.replication.max)
        if had < asked:
            short.append((had, f"preliminary: {had} of at least {asked} replications"))
    return [min(short)[1]] if short else []


def _decide(study: Study, claim: Claim, campaigns: "Planned | Found") -> Verdict:
    with told(claim.id):
        with told("experiment"):
            campaigns[claim.experiment]
        for name in claim.if_run:
            with told("if-run"):
                study.check_experiment(name)
        scope = Scope(campaigns, study.terms, claim.experiment, optional=claim.if_run)
        with told("check"):
            return claim.check.decide(scope)


@dataclass
class Planned:
    """The experiments of a study before anything is run."""

    study: Study
    asked: set[str] = field(default_factory=set)
    """Experiments that were asked for."""
    cells: dict[str, "PlannedCells"] = field(default_factory=dict)

    def __getitem__(self, experiment: str) -> Cells:
        """Give the cells of an experiment, compiled."""
        if experiment not in self.cells:
            self.study.check_experiment(experiment)
            self.cells[experiment] = PlannedCells.of(self.study, experiment)
        self.asked.add(experiment)
        return self.cells[experiment]

    def called(self, mechanism: str, _scope: Scope) -> Verdict:
        """Look a function up."""
        function_of(self.study.mechanisms_file, mechanism)
        return Verdict(Status.AGREES)


@dataclass
class Found:
    """The experiments of a study that were run."""

    study: Study
    results: Mapping[str, Results]
    replays: Replays
    asked: set[str] = field(default_factory=set)
    """Experiments that were asked for."""
    _cells: dict[str, "FoundCells"] = field(default_factory=dict)

    def __getitem__(self, experiment: str) -> Cells:
        """Give the cells that a campaign found, along the axes that the experiment sweeps."""
        if experiment not in self.results:
            raise NotRun(experiment)
        self.asked.add(experiment)
        if experiment not in self._cells:
            axes = self.study.axes(experiment)
            self._cells[experiment] = FoundCells.of(axes, self.results[experiment])
        return self._cells[experiment]

    def called(self, mechanism: str, scope: Scope) -> Verdict:
        """Decide by a function of the study's."""
        context = Context(scope, self.results, self.replays)
        return call(self.study.mechanisms_file, mechanism, context)


@dataclass(frozen=True)
class PlannedCells:
    """The cells of an experiment before anything is run: each has names and no numbers."""

    axes: Mapping[str, tuple[Value, ...]]
    plans: list[CellPlan]
    names_of: Mapping[tuple[Value, ...], Sequence[str]]
    is_planned: bool = True

    @classmethod
    def of(cls, study: Study, experiment: str) -> "PlannedCells":
        """Compile every cell of an experiment."""
        cells = cells_of(load(study.file(experiment)))
        names = {tuple(cell.parameters.values()): metric_names(cell.plan) for cell in cells}
        return cls(study.axes(experiment), cells, names)

    def replications(self, _parameters: Parameters) -> int:
        """Say that once is enough to look up every name."""
        return 1

    def names(self, parameters: Parameters) -> Sequence[str]:
        """Name the metrics that a run of a cell can give."""
        return self.names_of[tuple(parameters[axis] for axis in self.axes)]

    def check_window(self, _parameters: Parameters, _window: str, _replication: int) -> None:
        """Let every window be: when it begins is not known."""

    def value(self, _parameters: Parameters, _metric: str, _replication: int) -> float:
        """Give no number."""
        return float("nan")


@dataclass(frozen=True)
class FoundCells:
    """The cells that a campaign found."""

    axes: Mapping[str, tuple[Value, ...]]
    cells: Mapping[tuple[Value, ...], Cell]
    is_planned: bool = False

    @classmethod
    def of(cls, axes: Mapping[str, tuple[Value, ...]], results: Results) -> "FoundCells":
        """Find the cells of a campaign along these axes; a changed sweep may have others."""
        same = (cell for cell in results.cells if cell.parameters.keys() == axes.keys())
        return cls(axes, {tuple(cell.parameters[axis] for axis in axes): cell for cell in same})

    def replications(self, parameters: Parameters) -> int:
        """Say how often a cell was run."""
        return self._cell(parameters).replications

    def names(self, parameters: Parameters) -> Sequence[str]:
        """Name the metrics of a cell."""
        return list(self._cell(parameters).metrics)

    def check_window(self, parameters: Parameters, window: str, replication: int) -> None:
        """Raise MissingPoint if a window of the run had no time in a replication."""
        metrics = self._cell(parameters).metrics.items()
        own = (summary for name, summary in metrics if name.endswith(f"@{window}"))
        if all(isnan(summary.values[replication]) for summary in own):
            what = f"the window {window} has no time in replication {replication}"
            raise MissingPoint(f"{what}: what it begins with never came, or it ended before")

    def value(self, parameters: Parameters, metric: str, replication: int) -> float:
        """Give a metric of one replication."""
        cell = self._cell(parameters)
        if metric not in cell.metrics:
            raise MissingPoint(f"the results hold no metric {metric}")
        return cell.metrics[metric].values[replication]

    def _cell(self, parameters: Parameters) -> Cell:
        found = self.cells.get(tuple(parameters[axis] for axis in self.axes))
        if found is None:
            name = ", ".join(f"{axis} = {value}" for axis, value in parameters.items())
            raise MissingPoint(f"the results hold no cell {name}")
        return found
