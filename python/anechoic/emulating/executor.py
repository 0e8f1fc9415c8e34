"""Replications as emulations: one after the other, each on the wall clock."""

import json
import shutil
import threading
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anechoic.campaign.elsewhere import Carried
from anechoic.campaign.measured import Measured
from anechoic.campaign.task import Task
from anechoic.emulating.console import Console
from anechoic.emulating.outcome import metrics_of
from anechoic.emulating.process import OUTCOME
from anechoic.emulating.programs import Programs, Show
from anechoic.emulating.ran import emulation_folder


@dataclass(slots=True)
class Ran:
    """An emulation that has run: how it went, and where it is kept."""

    folder: Path
    outcome: dict[str, Any]
    programs: list[Any]


@dataclass
class Emulator:
    """Runs tasks as emulations, one at a time."""

    name: str
    show: Show | None = None
    ends_with_programs: bool = True
    """Whether an emulation ends when its programs have, if there are any."""

    def __post_init__(self) -> None:
        """Begin with nothing running."""
        self.ran: list[Ran] = []
        self.console: Console | None = None
        self.is_interrupted = False
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="emulation")

    @property
    def jobs(self) -> int:
        """Say how many tasks run at the same time."""
        return 1

    def check(self) -> None:
        """Say nothing: what is wrong with an emulation shows when it begins."""

    def submit(self, task: Task) -> "Future[Measured]":
        """Begin a task."""
        return self._pool.submit(self._run, task)

    def close(self, *, is_hurried: bool = False) -> None:
        """Take no more tasks."""
        self.interrupt()
        self._pool.shutdown(wait=not is_hurried, cancel_futures=True)

    def status(self) -> Mapping[str, Any] | None:
        """Give the numbers of what runs now; None between two runs."""
        console = self.console
        return None if console is None or console.is_over() else console.status()

    def interrupt(self) -> None:
        """End what runs now."""
        self.is_interrupted = True
        if self.console is not None and not self.console.is_over():
            self.console.stop()

    def _run(self, task: Task) -> Measured:
        store, plan = task.store, json.loads(task.plan)
        folder = emulation_folder(store.root, store.hashes[task.index], task.replication)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        captures = store.capture_folder(task.index, task.replication) if task.is_tapped else None
        console = Console(
            task.plan,
            task.seed,
            folder,
            name=self.name,
            captures=captures,
        )
        self.console = console
        try:
            programs = Programs(console, plan, folder, self.show)
            self._follow(console, programs)
            outcome = console.wait()
        finally:
            self.console = None
            console.close()
        outcome["seed"] = task.seed
        (folder / OUTCOME).write_text(json.dumps(outcome, indent=1))
        self.ran.append(Ran(folder, outcome, programs.all))
        if captures is not None:
            store.keep_captures(task.index, task.replication)
        assert console.record is not None
        values = {**console.record.values, **metrics_of(outcome)}
        return store.write(task.index, task.replication, Carried(values, console.record.columns))

    def _follow(self, console: Console, programs: Programs) -> None:
        """Let the programs run; end the emulation behind the last of them."""

        def follow() -> None:
            programs.run()
            if programs.all and self.ends_with_programs and not console.is_over():
                console.stop()

        threading.Thread(target=follow, name="programs", daemon=True).start()
