"""What is to be run for claims, before it is run: how much, and how much of it is kept already."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from anechoic.campaign.intended import Intended
from anechoic.campaign.results import Results
from anechoic.papers.study import Experiment


@dataclass(frozen=True)
class Task:
    """An experiment that is to be run, and where."""

    experiment: Experiment
    intended: Intended
    folder: Path

    @property
    def left(self) -> int:
        """How many replications are to be run at the least."""
        return sum(max(0, self.intended.fewest - kept) for kept in self._kept.values())

    @property
    def left_s(self) -> float:
        """How much simulated time that is."""
        seconds = self.intended.seconds
        return sum(
            max(0, self.intended.fewest - kept) * seconds[name] for name, kept in self._kept.items()
        )

    def finished(self) -> Results | None:
        """Give the results if the very campaign was run to its end."""
        return self.intended.finished_in(self.folder)

    @property
    def _kept(self) -> dict[str, int]:
        return self.intended.kept_in(self.folder)


def told(tasks: Sequence[Task]) -> str:
    """Say what running these takes: cells, replications, simulated time."""
    cells = sum(len(task.intended.seconds) for task in tasks)
    every = sum(len(task.intended.seconds) * task.intended.fewest for task in tasks)
    left = sum(task.left for task in tasks)
    hours = sum(task.left_s for task in tasks) / 3600
    many = "experiment" if len(tasks) == 1 else "experiments"
    if not left:
        return f"budget: {len(tasks)} {many}, {cells} cells; all is kept"
    kept = f", {every - left} are kept" if left < every else ""
    return (
        f"budget: {len(tasks)} {many}, {cells} cells, at least {every} replications{kept}; "
        f"{left} to run, {hours:.1f} h of simulated time"
    )


@dataclass
class Clock:
    """The time left for several experiments, from the pace of those that are done."""

    to_do_s: float
    """Simulated time."""
    done_s: float = 0.0
    _began: float = field(default_factory=time.monotonic)

    def left(self) -> str:
        """Say how long it will take, once that is known."""
        if not self.done_s:
            return ""
        seconds = (time.monotonic() - self._began) / self.done_s * (self.to_do_s - self.done_s)
        return f", about {seconds / 60:.0f} min left" if seconds >= 90 else ", about a minute left"
