"""What a worker on another machine does: run a plan, and hand the record back whole."""

import socket
from dataclasses import dataclass, field

from anechoic.scenario.core import Column, build, core


class OtherBuild(Exception):
    """A worker has another build of the package: its records would not be this one's."""


class ClusterGone(OSError):
    """What runs replications elsewhere does not answer any more."""


@dataclass(frozen=True, slots=True)
class Carried:
    """A record on its way between machines."""

    values: dict[str, float]
    columns: dict[str, dict[str, Column]]
    captures: dict[str, bytes] = field(default_factory=dict)
    """What each tap has captured."""

    def metrics(self) -> dict[str, float]:
        """Give every metric by name."""
        return self.values

    def tables(self) -> dict[str, dict[str, Column]]:
        """Give every table that has rows, and its columns."""
        return self.columns


@dataclass(frozen=True, slots=True)
class Work:
    """A replication to be run by whoever has this build of the package."""

    plan: str
    seed: int
    is_tapped: bool
    build: str

    def __call__(self) -> Carried:
        """Run it; raise OtherBuild where the package is another one."""
        if build() != self.build:
            what = f"{socket.gethostname()} has build {build()} of the package, not {self.build}"
            raise OtherBuild(what)
        if self.is_tapped:
            record, captures = core().run_captured(self.plan, self.seed)
            return Carried(record.metrics(), record.tables(), captures)
        record = core().run(self.plan, self.seed, None)
        return Carried(record.metrics(), record.tables())
