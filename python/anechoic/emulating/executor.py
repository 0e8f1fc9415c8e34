"""Replications as emulations: one after the other, each on the wall clock."""

import json
import shutil
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anechoic.campaign.elsewhere import Carried
from anechoic.campaign.executor import Threads
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


class Emulator(Threads):
    """Runs tasks as emulations, one at a time."""

    def __init__(self, name: str, show: Show | None = None) -> None:
        """Begin with nothing running."""
        super().__init__(1, self._emulate)
        self.name = name
        self.show = show
        self.ran: list[Ran] = []
        self.console: Console | None = None

    def close(self, *, is_hurried: bool = False) -> None:
        """End what runs now, and take no more tasks."""
        self.interrupt()
        super().close(is_hurried=is_hurried)

    def status(self) -> Mapping[str, Any] | None:
        """Give the numbers of what runs now; None between two runs."""
        console = self.console
        return None if console is None or console.is_over() else console.status()

    def interrupt(self) -> None:
        """End what runs now."""
        if self.console is not None and not self.console.is_over():
            self.console.stop()

    def _emulate(self, task: Task) -> Measured:
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
        outcome["programs"] = programs.told()
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
            if programs.all and not console.is_over():
                console.stop()

        threading.Thread(target=follow, name="programs", daemon=True).start()
