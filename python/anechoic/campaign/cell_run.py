"""The run of a cell: which of its replications count, and which are to be run next."""

from dataclasses import dataclass, field

from anechoic.campaign.manifest import rule_of
from anechoic.campaign.measured import Measured
from anechoic.campaign.replication import StoppingRule, Verdict
from anechoic.campaign.store import Store
from anechoic.scenario.errors import Problem, ScenarioError


@dataclass(slots=True, eq=False)
class CellRun:
    """A cell while it is run, and with it every other of the same plan."""

    index: int
    rule: StoppingRule
    finished: dict[int, Measured] = field(default_factory=dict)
    counted: list[Measured] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    under_way: set[int] = field(default_factory=set)
    taken_over: int = 0
    verdict: Verdict = "more"

    def settle(self) -> None:
        """Count what is finished, in order, until the rule is content."""
        while self.verdict == "more" and len(self.counted) in self.finished:
            metrics = self.finished[len(self.counted)]
            self.counted.append(metrics)
            # A run that has nothing to measure, as of an RTT, leaves the metric out.
            self.values.append(metrics.number(self.rule.metric))
            self.verdict = self.rule.verdict(self.values)

    def wanted(self, ahead: int) -> int | None:
        """Give the next replication to begin, at most so far ahead of the rule's decision."""
        certain = max(self.rule.minimum, len(self.counted) + 1)
        for replication in range(len(self.counted), min(self.rule.maximum, certain + ahead)):
            if replication not in self.finished and replication not in self.under_way:
                return replication
        return None


def finished_runs(store: Store) -> list[CellRun]:
    """Give the runs of a campaign's cells from its folder; refuse one with anything left to run.

    Raise Damaged where what is there is not what was written.
    """
    runs = runs_so_far(store, rule_of(store.manifest))
    done = sum(cell.verdict != "more" for cell in runs)
    if done < len(runs):
        what = f"it is not finished: {done} of {len(runs)} cells are"
        raise ScenarioError(str(store.root), [Problem("", what, "a finished campaign")])
    return runs


def runs_so_far(store: Store, rule: StoppingRule) -> list[CellRun]:
    """Give the run of each cell of a campaign by this rule, as far as its folder has it."""
    runs = []
    for index in range(len(store.hashes)):
        cell = CellRun(index, rule)
        while cell.verdict == "more":
            metrics = store.metrics(index, len(cell.counted))
            if metrics is None:
                break
            cell.finished[len(cell.counted)] = metrics
            cell.settle()
        runs.append(cell)
    return runs
