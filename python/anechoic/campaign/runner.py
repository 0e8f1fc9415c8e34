"""Running the cells of a campaign until the stopping rule is content with each.

A cell's replications are taken in their order, whatever order they end in, so the outcome
does not depend on how many run at the same time. What is run ahead of the rule's decision
to use idle cores, and is then not needed, is neither counted nor kept.
"""

import errno
import json
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from pathlib import Path

from anechoic.campaign.cell_run import CellRun
from anechoic.campaign.checksums import Damaged
from anechoic.campaign.elsewhere import ClusterGone
from anechoic.campaign.executor import Executor
from anechoic.campaign.interrupts import Interrupts
from anechoic.campaign.measured import Measured
from anechoic.campaign.neighbours import Neighbours
from anechoic.campaign.progress import Progress, Standing
from anechoic.campaign.replication import StoppingRule, replication_seed
from anechoic.campaign.result_files import write_results
from anechoic.campaign.results import Results, results_of
from anechoic.campaign.store import Store
from anechoic.campaign.sweep import CellPlan
from anechoic.campaign.task import Task
from anechoic.saying import say
from anechoic.scenario.core import reason_of
from anechoic.scenario.errors import ToldPlainly
from anechoic.scenario.model import Scenario

# How long Ctrl-C may go unnoticed while replications run.
POLL_S = 0.1
_MANY_CELLS = 500
"""Inferred: the results of so many are written in some seconds, the report in some more."""


class CampaignInterrupted(ToldPlainly, KeyboardInterrupt):
    """Ctrl-C or SIGTERM: everything finished is kept, and the same command goes on from there."""

    def __init__(self, out: Path, finished: int, interrupts: Interrupts, is_hurried: bool) -> None:
        """Say where the campaign is kept and how many replications are finished.

        ``is_hurried`` stands for a second one: replications are still under way.
        """
        self.out = out
        self.finished = finished
        self.signal = interrupts.signal
        self.is_hurried = is_hurried
        super().__init__(f"{finished} finished replications are kept in {out}")


class CampaignHalted(ToldPlainly, OSError):
    """No more could be kept, or run: what is finished stays, to be gone on from."""

    def __init__(self, store: Store, error: OSError) -> None:
        """Say what was refused, and how many replications are finished."""
        what = str(error)
        if not isinstance(error, ClusterGone):
            is_folder = error.errno == errno.EISDIR and error.filename is not None
            named = f"{Path(str(error.filename)).name} is a folder"
            what = f"cannot be written: {named if is_folder else reason_of(error)}"
        kept = f"{store.count_finished()} finished replications are kept"
        said = f"{what}; {kept}, and the same command goes on from there"
        super().__init__(error.errno, said, str(store.root))


UnderWay = dict[Future[Measured], tuple[CellRun, int]]


@dataclass(slots=True)
class Campaign:
    """A prepared campaign: what is to be run, and where it is kept."""

    scenario: Scenario
    cells: list[CellPlan]
    rule: StoppingRule
    store: Store
    neighbours: Neighbours = field(init=False)
    _written: tuple[int, frozenset[str], str] | None = field(init=False, default=None)
    _refused: OSError | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        """Look for campaigns that have run some of it already."""
        self.neighbours = Neighbours(self.store)

    @property
    def is_large(self) -> bool:
        """Say whether writing down what it found takes so long that one wants to know of it."""
        return len(self.cells) >= _MANY_CELLS

    def run(self, executor: Executor, progress: Progress) -> Results:
        """Run what is not finished yet and give the results."""
        runs = self._begun()
        with Interrupts() as interrupts:
            progress.start(self._standing(runs, None))
            try:
                self._run_all(runs, executor, progress, interrupts)
            finally:
                progress.stop()
        if self.is_large:
            progress.writing("the results")
        write_results(results_of(self.store, self.scenario, runs), self.store.root)
        # Once more: the files took every summary that there is, where readers want a few.
        return results_of(self.store, self.scenario, runs)

    def _run_all(
        self,
        runs: list[CellRun],
        executor: Executor,
        progress: Progress,
        interrupts: Interrupts,
    ) -> None:
        under_way: UnderWay = {}
        self._fill(runs, executor, progress, interrupts, under_way)
        while under_way and not interrupts.count and self._refused is None:
            self._take_ended(runs, executor, progress, under_way)
            if self._refused is None:
                self._fill(runs, executor, progress, interrupts, under_way)
        if under_way:
            progress.interrupted(len(under_way))
        while under_way and interrupts.count < 2:
            self._take_ended(runs, executor, progress, under_way)
        if self._refused is not None:
            raise self._refused
        if interrupts.count:
            kept = sum(len(cell.finished) for cell in dict.fromkeys(runs))
            raise CampaignInterrupted(self.store.root, kept, interrupts, bool(under_way))

    def _take_ended(
        self, runs: list[CellRun], executor: Executor, progress: Progress, under_way: UnderWay
    ) -> None:
        executor.check()
        ended, _ = wait(under_way, POLL_S, FIRST_COMPLETED)
        for future in ended:
            cell, replication = under_way.pop(future)
            self._take(cell, replication, future)
            progress.update(self._standing(runs, cell))

    def _fill(
        self,
        runs: list[CellRun],
        executor: Executor,
        progress: Progress,
        interrupts: Interrupts,
        under_way: UnderWay,
    ) -> None:
        for cell, replication in _next_tasks(runs, executor.jobs):
            if len(under_way) >= executor.jobs:
                return
            # What a neighbour captured, it captured for itself; no two emulations are the same.
            is_own = bool(self.scenario.tap) or self.scenario.run.backend != "sim"
            theirs = None if is_own else self.neighbours.take(cell.index, replication)
            if theirs is None:
                cell.under_way.add(replication)
                future = executor.submit(self._task(cell.index, replication))
                under_way[future] = (cell, replication)
            else:
                cell.taken_over += 1
                self._count(cell, replication, theirs)
                progress.update(self._standing(runs, cell))
                if interrupts.count:
                    return

    def _task(self, index: int, replication: int) -> Task:
        taps = frozenset(
            name
            for name, tap in self.scenario.tap.items()
            if tap.replications == "all" or replication == 0
        )
        # Writing the plan down may take longer than running it, and each cell has many turns.
        if self._written is None or self._written[:2] != (index, taps):
            plan = self.cells[index].plan
            tapped = {**plan, "taps": [tap for tap in plan["taps"] if tap["name"] in taps]}
            self._written = (index, taps, json.dumps(tapped))
        seed = replication_seed(self.scenario.run.seed, replication)
        return Task(self.store, index, replication, self._written[2], seed, bool(taps))

    def _take(self, cell: CellRun, replication: int, future: Future[Measured]) -> None:
        cell.under_way.discard(replication)
        try:
            metrics = future.result()
        except OSError as error:
            self._refused = error
            return
        self._count(cell, replication, metrics)

    def _count(self, cell: CellRun, replication: int, metrics: Measured) -> None:
        cell.finished[replication] = metrics
        cell.settle()
        if cell.verdict != "more":
            self._discard_surplus(cell)

    def _discard_surplus(self, cell: CellRun) -> None:
        for replication in [each for each in cell.finished if each >= len(cell.counted)]:
            del cell.finished[replication]
            self.store.discard(cell.index, replication)

    def _begun(self) -> list[CellRun]:
        """Give the run of each cell; cells of the same plan have theirs in common."""
        begun: dict[str, CellRun] = {}
        for index, name in enumerate(self.store.hashes):
            if name not in begun:
                begun[name] = self._resumed(index)
        return [begun[name] for name in self.store.hashes]

    def _resumed(self, index: int) -> CellRun:
        cell = CellRun(index, self.rule)
        for replication in range(self.rule.maximum):
            if self.store.is_finished(index, replication):
                try:
                    cell.finished[replication] = self.store.checked(index, replication)
                except Damaged as damage:
                    say(f"{damage.file}: {damage.what}; its replication is run again")
        cell.settle()
        if cell.verdict != "more":
            # Kept by an earlier run under a rule that asked for more: not this run's to remove.
            cell.finished = dict(enumerate(cell.counted))
        return cell

    def _standing(self, runs: list[CellRun], current: CellRun | None) -> Standing:
        distinct = list(dict.fromkeys(runs))
        expected = sum(
            len(cell.counted)
            if cell.verdict != "more"
            else max(self.rule.expected(cell.values), len(cell.counted) + 1)
            for cell in distinct
        )
        return Standing(
            cells=len(runs),
            cells_done=sum(cell.verdict != "more" for cell in runs),
            replications=sum(len(cell.finished) for cell in distinct),
            taken_over=sum(cell.taken_over for cell in distinct),
            expected=expected,
            metric=self.rule.metric,
            parameters=None if current is None else self.cells[current.index].parameters,
            verdict=None if current is None else current.verdict,
            values=None if current is None else current.values,
        )


def _next_tasks(runs: list[CellRun], jobs: int) -> Iterator[tuple[CellRun, int]]:
    # First what is certainly needed, cell by cell; idle cores then run ahead of decisions.
    for ahead in range(jobs):
        for cell in runs:
            while cell.verdict == "more":
                replication = cell.wanted(ahead)
                if replication is None:
                    break
                yield cell, replication
