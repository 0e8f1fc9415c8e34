"""Replications as measurements: one after the other, since they share the network."""

import json
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor

from anechoic.campaign.measured import Measured
from anechoic.campaign.task import Task
from anechoic.measuring.asking import asked
from anechoic.measuring.placing import Endpoint
from anechoic.measuring.record import record_of


class MeasurementFailed(Exception):
    """A measurement did not come to its end; the message says why, in one line."""


class Endpoints:
    """Runs tasks between endpoints."""

    def __init__(self, places: Mapping[str, Endpoint]) -> None:
        """Take the endpoint of each node."""
        self._places = places
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="measurement")

    @property
    def jobs(self) -> int:
        """Say how many tasks run at the same time."""
        return 1

    def check(self) -> None:
        """Say nothing: an endpoint that is gone ends its measurement."""

    def submit(self, task: Task) -> "Future[Measured]":
        """Begin a task."""
        return self._pool.submit(self._run, task)

    def close(self, *, is_hurried: bool = False) -> None:
        """Take no more tasks, and wait for the one under way unless one is in a hurry."""
        self._pool.shutdown(wait=not is_hurried, cancel_futures=True)

    def _run(self, task: Task) -> Measured:
        from anechoic import _core

        plan = json.loads(task.plan)
        try:
            outcome = _core.measure(json.dumps(asked(plan, task.seed, self._places)))
        except ValueError as error:
            raise MeasurementFailed(str(error)) from None
        record = record_of(plan, json.loads(outcome))
        return task.store.write(task.index, task.replication, record)
