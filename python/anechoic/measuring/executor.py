"""Replications as measurements: one after the other, since they share the network."""

import json
import time
from collections.abc import Mapping
from typing import Any

from anechoic.campaign.elsewhere import Carried
from anechoic.campaign.executor import Threads
from anechoic.campaign.measured import Measured
from anechoic.campaign.task import Task
from anechoic.measuring.access_points import AccessPoints, wanted
from anechoic.measuring.asking import asked, probe, schedule_of
from anechoic.measuring.placing import Places
from anechoic.measuring.radios import radios_of
from anechoic.measuring.record import record_of
from anechoic.measuring.snmp import AgentFailed
from anechoic.scenario.model import Scenario

PATIENCE_S, AGAIN_S = 60.0, 1.0
"""How long a network may take to come up when an access point was set, and between two looks."""


class MeasurementFailed(Exception):
    """A measurement did not come to its end; the message says why, in one line."""


class Endpoints(Threads):
    """Runs tasks between endpoints, with access points as each cell wants them."""

    def __init__(self, scenario: Scenario, places: Places, access_points: AccessPoints) -> None:
        """Take what stands for each node, and the agents of access points."""
        super().__init__(1, self._measure)
        self._scenario = scenario
        self._places = places
        self._access_points = access_points

    def _measure(self, task: Task) -> Measured:
        plan = json.loads(task.plan)
        schedule = schedule_of(plan, self._places.servers)
        settings = wanted(self._scenario, plan)
        try:
            if self._access_points.put(settings) and not self._places.servers:
                self._await_network(plan)
            found = dict(self._access_points.read(settings))
            test = asked(plan, schedule, task.seed, self._places)
            told, logs, seen = _run(test)
        except (ValueError, AgentFailed) as error:
            raise MeasurementFailed(str(error)) from None
        nodes = [each["node"] for each in test["endpoints"]]
        span_s = schedule.lead_ms / 1e3, plan["duration_ns"] / 1e9
        radios = radios_of(nodes, told["radios"], seen, span_s)
        record = record_of(plan, schedule, told["ends"], logs, radios)
        kept = Carried({**record.values, **found}, record.columns)
        return task.store.write(task.index, task.replication, kept)

    def _await_network(self, plan: Mapping[str, Any]) -> None:
        """Wait until datagrams get through between the ends of a plan's first flow."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                _run(probe(plan, self._places))
                return
            except ValueError:
                if time.monotonic() > deadline:
                    raise
            time.sleep(AGAIN_S)


Told = tuple[Any, list[tuple[bytes, bytes]], list[tuple[bytes, bytes, bytes]]]
"""What endpoints told, the logs of each end, and of each endpoint's radio."""


def _run(test: Mapping[str, Any]) -> Told:
    """Have endpoints run a test; raise ValueError where it does not come to its end."""
    from anechoic import _core

    outcome, logs, seen = _core.measure(json.dumps(test))
    return json.loads(outcome), logs, seen
