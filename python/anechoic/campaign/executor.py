"""Where replications are run: threads of this process, or whatever speaks these few verbs.

`cluster.py` has the other that there is, workers on other machines.
"""

import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Protocol

from anechoic.campaign.measured import Measured
from anechoic.campaign.task import Task


class Executor(Protocol):
    """Runs tasks at the same time. The outcome of a campaign does not depend on it."""

    @property
    def jobs(self) -> int:
        """Say how many tasks run at the same time."""

    def submit(self, task: Task) -> "Future[Measured]":
        """Begin a task."""

    def check(self) -> None:
        """Raise OSError where what is under way will never end."""

    def close(self, *, is_hurried: bool = False) -> None:
        """Take no more tasks, and wait for those under way unless one is in a hurry."""


class Threads:
    """Threads of this process: the core works without the interpreter lock."""

    def __init__(
        self, jobs: int | None = None, run: Callable[[Task], Measured] = Task.__call__
    ) -> None:
        """Use so many threads, or one for each core; ``run`` does a task and keeps its record."""
        self._jobs = jobs or available_cores()
        self._run = run
        self._pool = ThreadPoolExecutor(self._jobs, thread_name_prefix="replication")

    @property
    def jobs(self) -> int:
        """Say how many tasks run at the same time."""
        return self._jobs

    def submit(self, task: Task) -> "Future[Measured]":
        """Begin a task."""
        return self._pool.submit(self._run, task)

    def check(self) -> None:
        """Find nothing: a thread ends what it has begun."""

    def close(self, *, is_hurried: bool = False) -> None:
        """Take no more tasks, and wait for those under way unless one is in a hurry."""
        self._pool.shutdown(wait=not is_hurried, cancel_futures=True)


def available_cores() -> int:
    """Say how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
