"""How far a campaign is, on standard error or below the cell of a notebook."""

import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, Protocol

from anechoic.campaign.cells import Value
from anechoic.campaign.numbers import with_interval
from anechoic.campaign.replication import Summary, Verdict, summarise
from anechoic.saying import say

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress


@dataclass(frozen=True, slots=True)
class Standing:
    """How far a campaign is; ``expected`` is an estimate where the rule has yet to decide.

    Of the ``replications``, those ``taken_over`` were run by a campaign beside this one. The
    ``values`` are those of the metric in the current cell.
    """

    cells: int
    cells_done: int
    replications: int
    taken_over: int
    expected: int
    metric: str
    parameters: Mapping[str, Value] | None
    verdict: Verdict | None
    values: Sequence[float] | None

    @property
    def summary(self) -> Summary | None:
        """Summarise the metric of the current cell; whoever does not ask does not wait for it."""
        return None if self.values is None else summarise(self.values)

    def cell(self) -> str:
        """Say which cell it is."""
        return ", ".join(f"{name} = {value}" for name, value in (self.parameters or {}).items())

    def interval(self) -> str:
        """Say what the current cell's metric is so far."""
        summary = self.summary
        if summary is None:
            return ""
        if summary.n == 0:
            return f"no replication gave {self.metric}"
        return f"{self.metric} {with_interval(summary)}"


class Progress(Protocol):
    """Whoever wants to know."""

    def start(self, standing: Standing) -> None:
        """Begin; what an earlier run finished counts already."""

    def update(self, standing: Standing) -> None:
        """Take note of a finished replication."""

    def interrupted(self, running: int) -> None:
        """Take note of Ctrl-C, with so many replications under way."""

    def stop(self) -> None:
        """End."""

    def writing(self, what: str) -> None:
        """Take note of what is written after the runs, and takes a while."""


class Silence:
    """Nobody wants to know."""

    def start(self, standing: Standing) -> None:
        """Say nothing."""

    def update(self, standing: Standing) -> None:
        """Say nothing."""

    def interrupted(self, running: int) -> None:
        """Say nothing."""

    def stop(self) -> None:
        """Say nothing."""

    def writing(self, what: str) -> None:
        """Say nothing."""


class Clock:
    """The time left, from the pace of this run."""

    def __init__(self, standing: Standing) -> None:
        """Begin to count."""
        self._began = time.monotonic()
        self._resumed = standing.replications

    def left(self, standing: Standing) -> str:
        """Estimate the time left, as text."""
        done = standing.replications - standing.taken_over - self._resumed
        to_do = max(0, standing.expected - standing.replications)
        if to_do and done <= 0:
            return "…"
        seconds = round((time.monotonic() - self._began) / max(done, 1) * to_do)
        hours, rest = divmod(seconds, 3600)
        return f"{hours}:{rest // 60:02d}:{rest % 60:02d}"


class Lines:
    """A plain line for each finished cell, for logs and pipes."""

    def start(self, standing: Standing) -> None:
        """Say what is to be done."""
        self._clock = Clock(standing)
        self._done, self._taken_over = standing.cells_done, standing.taken_over
        if standing.replications:
            say(f"{_replications(standing.replications)} kept by an earlier run")
        cells = "1 cell" if standing.cells == 1 else f"{standing.cells} cells"
        say(f"{cells}, about {_replications(standing.expected)}")

    def update(self, standing: Standing) -> None:
        """Say that a cell is done."""
        self._taken_over = standing.taken_over
        if standing.cells_done == self._done or standing.values is None:
            return
        self._done = standing.cells_done
        limit = " (limit reached)" if standing.verdict == "limit" else ""
        cell = f"{standing.cell()}: " if standing.parameters else ""
        say(
            f"cell {standing.cells_done}/{standing.cells}: {cell}{standing.interval()}, "
            f"n = {len(standing.values)}{limit}, {self._clock.left(standing)} left"
        )

    def interrupted(self, running: int) -> None:
        """Say what Ctrl-C does."""
        say(_stopping(running))

    def stop(self) -> None:
        """Say how many replications needed no run: the results follow."""
        if self._taken_over:
            say(f"{_replications(self._taken_over)} taken over from campaigns beside this one")

    def writing(self, what: str) -> None:
        """Say what is written."""
        say(f"writing {what}")


class Bar:
    """A bar with the time left and the interval so far, for terminals."""

    def start(self, standing: Standing) -> None:
        """Draw the bar."""
        self._clock = Clock(standing)
        self._bar = _rich_bar()
        self._task = self._bar.add_task("", total=standing.expected, cells="", left="", now="")
        self._bar.start()
        self.update(standing)

    def update(self, standing: Standing) -> None:
        """Move the bar."""
        self._bar.update(
            self._task,
            completed=standing.replications,
            total=standing.expected,
            cells=_place(standing),
            left=self._clock.left(standing),
            now=" ".join(part for part in (standing.cell(), standing.interval()) if part),
        )

    def interrupted(self, running: int) -> None:
        """Say what Ctrl-C does."""
        self._bar.console.print(_stopping(running), highlight=False)

    def stop(self) -> None:
        """Leave the bar as it is."""
        self._bar.stop()

    def writing(self, what: str) -> None:
        """Say what is written."""
        say(f"writing {what}")


class NotebookBar:
    """A bar below the cell of a notebook, drawn anew while replications end."""

    def start(self, standing: Standing) -> None:
        """Draw the bar."""
        from IPython.display import display

        self._clock, self._drawn_at = Clock(standing), time.monotonic()
        self._last = self._shown(standing)
        self._drawing: Any = display(self._last, display_id=True)

    def update(self, standing: Standing) -> None:
        """Move the bar, at most so often as an eye can follow."""
        self._last = self._shown(standing)
        if time.monotonic() - self._drawn_at >= _REDRAWN_S:
            self._draw()

    def interrupted(self, running: int) -> None:
        """Say what an interrupt does."""
        say(_stopping(running))

    def stop(self) -> None:
        """Leave the bar as it is."""
        self._draw()

    def writing(self, what: str) -> None:
        """Say what is written."""
        say(f"writing {what}")

    def _draw(self) -> None:
        self._drawn_at = time.monotonic()
        self._drawing.update(self._last)

    def _shown(self, standing: Standing) -> "_Shown":
        parts = [_place(standing), f"{standing.replications}/{standing.expected}"]
        parts += [f"{self._clock.left(standing)} left", standing.cell(), standing.interval()]
        told = "  ".join(part for part in parts if part)
        return _Shown(standing.replications, standing.expected, told)


@dataclass(frozen=True)
class _Shown:
    """A state of a bar, as a notebook asks for it."""

    done: int
    most: int
    told: str

    def __repr__(self) -> str:
        return self.told

    def _repr_html_(self) -> str:
        bar = f'<progress value="{self.done}" max="{self.most}"></progress>'
        return f"{bar} <span>{escape(self.told)}</span>"


_REDRAWN_S = 0.1
"""Each drawing is a message to the browser."""


def for_watcher() -> Progress:
    """Choose between a bar, in a notebook or a terminal, and plain lines."""
    if _is_notebook():
        return NotebookBar()
    return Bar() if sys.stderr.isatty() else Lines()


def _is_notebook() -> bool:
    """Say whether a kernel runs this, whose messages a browser draws."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return getattr(shell, "kernel", None) is not None


def _place(standing: Standing) -> str:
    place = f"cell {min(standing.cells_done + 1, standing.cells)}/{standing.cells}"
    return f"{place}, {standing.taken_over} taken over" if standing.taken_over else place


def _replications(count: int) -> str:
    return f"{count} replication{'' if count == 1 else 's'}"


def _rich_bar() -> "RichProgress":
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
    from rich.progress import Progress as RichProgress

    return RichProgress(
        TextColumn("{task.fields[cells]}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[left]} left"),
        TextColumn("{task.fields[now]}", markup=False),
        console=Console(stderr=True),
    )


def _stopping(running: int) -> str:
    return f"stopping: waiting for {running} replications under way (Ctrl-C again to drop them)"
