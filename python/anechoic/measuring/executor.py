"""Replications as measurements: one after the other, since they share the network."""

import json
from collections.abc import Mapping

from anechoic.campaign.executor import Threads
from anechoic.campaign.measured import Measured
from anechoic.campaign.task import Task
from anechoic.measuring.asking import asked, schedule_of
from anechoic.measuring.placing import Endpoint
from anechoic.measuring.record import record_of


class MeasurementFailed(Exception):
    """A measurement did not come to its end; the message says why, in one line."""


class Endpoints(Threads):
    """Runs tasks between endpoints."""

    def __init__(self, places: Mapping[str, Endpoint]) -> None:
        """Take the endpoint of each node."""
        super().__init__(1, self._measure)
        self._places = places

    def _measure(self, task: Task) -> Measured:
        from anechoic import _core

        plan = json.loads(task.plan)
        schedule = schedule_of(plan)
        try:
            outcome, logs = _core.measure(json.dumps(asked(plan, schedule, task.seed, self._places)))
        except ValueError as error:
            raise MeasurementFailed(str(error)) from None
        record = record_of(plan, schedule, json.loads(outcome)["ends"], logs)
        return task.store.write(task.index, task.replication, record)
