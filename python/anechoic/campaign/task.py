"""One replication as a task: run it here or elsewhere, keep it here, give its metrics."""

from dataclasses import dataclass

from anechoic.campaign.elsewhere import Carried, Work
from anechoic.campaign.measured import Measured
from anechoic.campaign.store import Store
from anechoic.scenario.core import build, core


@dataclass(frozen=True, slots=True)
class Task:
    """A replication of a cell, and the store that keeps it."""

    store: Store
    index: int
    replication: int
    plan: str
    seed: int
    is_tapped: bool

    def __call__(self) -> Measured:
        """Run it in this process and keep it."""
        if not self.is_tapped:
            return self.store.write(
                self.index, self.replication, core().run(self.plan, self.seed, None)
            )
        folder = self.store.capture_folder(self.index, self.replication)
        record = core().run(self.plan, self.seed, str(folder))
        self.store.keep_captures(self.index, self.replication)
        return self.store.write(self.index, self.replication, record)

    def work(self) -> Work:
        """Give what another machine needs to run it."""
        return Work(self.plan, self.seed, self.is_tapped, build())

    def keep(self, carried: Carried) -> Measured:
        """Keep what another machine has run."""
        if self.is_tapped:
            folder = self.store.capture_folder(self.index, self.replication)
            for tap, data in carried.captures.items():
                (folder / f"{tap}.pcapng").write_bytes(data)
            self.store.keep_captures(self.index, self.replication)
        return self.store.write(self.index, self.replication, carried)
