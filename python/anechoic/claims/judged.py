"""Experiments run as claims need them, claims judged on what they give, and both kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from anechoic.campaign.api import free_folder, intended
from anechoic.campaign.folder import check_free_for, difference
from anechoic.campaign.options import whole_number
from anechoic.campaign.results import Results
from anechoic.claims.budget import Clock, Task, told
from anechoic.claims.chosen import Asked
from anechoic.claims.kept import Judged, basis_of, joined, keep, rows_in
from anechoic.claims.room import check_room
from anechoic.claims.written import CHECK, Writing
from anechoic.files import clear_unfinished
from anechoic.papers.judging import judge, needed
from anechoic.papers.scorecard import Row, Scorecard
from anechoic.papers.study import Experiment, Study
from anechoic.papers.verdict import Status, Verdict
from anechoic.running import REPORT, report_judged, run_experiment
from anechoic.saying import say
from anechoic.scenario.core import build
from anechoic.scenario.errors import Problem, ScenarioError

QUICK = 1
"""Replications of a first look at all claims."""


@dataclass(frozen=True)
class Order:
    """How experiments are to be run, and where all is kept."""

    out: Path | None
    jobs: int | None
    reps: int | None
    is_quick: bool = False

    @property
    def replications(self) -> int | None:
        """How many replications there shall be; None for as many as each experiment says."""
        return self.reps or (QUICK if self.is_quick else None)

    def check(self) -> None:
        """Raise ScenarioError for numbers that cannot be."""
        for option, number in (("--reps", self.reps), ("--jobs", self.jobs)):
            whole_number("anechoic claims", option, number)

    def folder(self, study: Study, *, is_shared: bool) -> Path:
        """Give the folder of a study."""
        if self.out is not None:
            return self.out / study.id if is_shared else self.out
        return self.root / study.id

    @property
    def root(self) -> Path:
        """The folder that holds all."""
        return self.out or Path("results") / ("quick" if self.is_quick else "")


@dataclass(frozen=True)
class _Work:
    asked: Asked
    folder: Path
    tasks: Sequence[Task]
    needs: Mapping[str, frozenset[str]]
    """The experiments that each claim asks for."""


def run_and_judge(asked: Sequence[Asked], order: Order) -> list[Judged]:
    """Run what these claims need and is not there yet, and judge what has changed.

    What is wrong with a claim, and what all will take, is said before anything runs.
    """
    order.check()
    if order.out is not None:
        check_room(order.out, [each.study for each in asked])
    works = [_planned(each, order, is_shared=len(asked) > 1) for each in asked]
    tasks = [task for work in works for task in work.tasks]
    for folder in {order.root, *(work.folder for work in works)}:
        clear_unfinished(folder)
    say(told(tasks))
    clock = Clock(sum(task.left_s for task in tasks))
    return [_judged(work, order, clock) for work in works]


def check_functions(judged: Sequence[Judged]) -> None:
    """Raise ScenarioError for functions that gave no verdict; those of the others are kept."""
    for each in judged:
        problems = [
            Problem(row.claim.id, row.verdict.reason)
            for row in each.rows
            if row.verdict.status is Status.ERROR
        ]
        if problems:
            raise ScenarioError(str(each.study.claims_file), problems)


def _planned(asked: Asked, order: Order, *, is_shared: bool) -> _Work:
    study, needs = asked.study, needed(asked.study, asked.claims)
    root = order.folder(study, is_shared=is_shared)
    tasks = []
    for name in needs.experiments:
        wanted = intended(study.file(name), order.replications, needs.cells[name])
        folder = root / name
        if order.out is not None:
            check_free_for(folder, wanted.manifest)
        else:
            folder = free_folder(folder, wanted.manifest)
            if folder.name != name:
                another = difference(root / name, wanted.manifest)
                what = f"another campaign ({another})" if another else "another campaign"
                say(f"{root / name} holds {what}: this one goes to {folder}")
        tasks.append(Task(Experiment(study, name), wanted, folder))
    return _Work(asked, root, tasks, needs.of_claims)


def _judged(work: _Work, order: Order, clock: Clock) -> Judged:
    study = work.asked.study
    results, ran = {}, set()
    for task in work.tasks:
        found = task.finished()
        if found is None:
            ran.add(task.experiment.id)
            found = _run(task, order, clock)
        results[task.experiment.id] = found
    before = rows_in(work.folder, study.claims)
    rows = _rows(work, results, before)
    scorecard = joined(study, {**before, **rows})
    if not order.is_quick:
        changed = {
            row.claim.experiment for row in scorecard.rows if before.get(row.claim.id) != row
        }
        _report(study, results, ran | changed, scorecard)
    # Last: what is kept is taken for told of, whenever this is killed.
    keep(work.folder, scorecard)
    return Judged(study, work.folder, list(rows.values()))


def _run(task: Task, order: Order, clock: Clock) -> Results:
    left_s = task.left_s
    say(f"{task.experiment.id}{clock.left()}")
    results = run_experiment(
        task.experiment, reps=order.replications, jobs=order.jobs, out=task.folder
    )
    clock.done_s += left_s
    return results


def _rows(work: _Work, results: Mapping[str, Results], before: Mapping[str, Row]) -> dict[str, Row]:
    """Give the rows of the claims that were asked for; those with the same basis are kept."""
    study, claims = work.asked.study, work.asked.claims
    writing = Writing(study)
    written = {claim.id: writing.of(claim, sorted(work.needs[claim.id])) for claim in claims}
    bases = {
        claim.id: basis_of(
            written[claim.id][CHECK],
            {name: results[name] for name in work.needs[claim.id] if name in results},
        )
        for claim in claims
    }
    folders = {task.experiment.id: task.folder.name for task in work.tasks}
    same = {
        name: replace(row, written=written[name])
        for name, row in before.items()
        if row.basis == bases.get(name)
        and row.campaign == folders.get(row.claim.experiment)
        and row.verdict.status is not Status.ERROR
    }
    changed = [claim for claim in claims if claim.id not in same]
    if changed and same:
        say(f"{study.id}: {len(same)} verdicts are kept, {len(changed)} to be found")
    judged = {
        claim.id: Row(
            claim,
            verdict,
            build(),
            bases[claim.id],
            folders[claim.experiment],
            written[claim.id],
            was=_before(before.get(claim.id), verdict),
        )
        for claim, verdict in judge(study, results, changed)
    }
    return {claim.id: judged.get(claim.id) or same[claim.id] for claim in claims}


def _before(row: Row | None, now: Verdict) -> Status | None:
    """Give the verdict that was kept, if it was another."""
    return None if row is None or row.verdict.status is now.status else row.verdict.status


def _report(
    study: Study, results: Mapping[str, Results], changed: set[str], scorecard: Scorecard
) -> None:
    """Write the reports of what was run, or whose claims have other verdicts than before."""
    for name, found in results.items():
        if name in changed or found.out is None or not (found.out / REPORT).is_file():
            evaluation = [
                (row.claim, row.verdict) for row in scorecard.rows if row.claim.experiment == name
            ]
            report_judged(found, Experiment(study, name), evaluation)
