"""Access points that a sweep sets: values are set, read back, and waited for."""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from anechoic.measuring.agents import Agent
from anechoic.measuring.snmp import AgentFailed, AgentRefused, following, get, put
from anechoic.mib import ADDRESS, OPERATION, SETTINGS
from anechoic.scenario.errors import Problem
from anechoic.scenario.model import Scenario

AGAIN_S, PATIENCE_S = 1.0, 60.0
"""Many access points restart their radio on a set: how often they are looked at, and how long."""

Plan = Mapping[str, Any]
Settings = Mapping[str, int]


def wanted(scenario: Scenario, plan: Plan) -> dict[str, dict[str, int]]:
    """Give what a cell says of each access point that the scenario or its sweep sets."""
    swept = {path for axis in scenario.sweep for path in axis.columns}
    found = {}
    for node in plan["nodes"]:
        written = scenario.ap.get(node["name"])
        radios = [each["radio"] for each in node["interfaces"] if each.get("radio")]
        if written is None or not radios:
            continue
        path = f"ap.{node['name']}"
        named = {
            name: int(radios[0]["mac"][name])
            for name in SETTINGS
            if getattr(written, name) is not None or f"{path}.{name}" in swept
        }
        if named:
            found[node["name"]] = named
    return found


@dataclass(slots=True)
class AccessPoints:
    """The access points that agents stand for, and what they were last set to."""

    agents: Mapping[str, Agent]
    _radios: dict[str, int] = field(default_factory=dict)
    _set: dict[str, Settings] = field(default_factory=dict)

    def check(self) -> None:
        """Raise AgentFailed unless every agent answers, and has a radio."""
        for agent in self.agents.values():
            self._radio(agent)

    def put(self, settings: Mapping[str, Settings]) -> bool:
        """Set what is not set yet, and read it back; say whether anything was set."""
        is_new = False
        for name, values in settings.items():
            agent = self.agents.get(name)
            if agent is not None and self._set.get(name) != values:
                self._put(agent, values)
                self._set[name] = dict(values)
                is_new = True
        return is_new

    def read(self, settings: Mapping[str, Settings]) -> Iterator[tuple[str, int]]:
        """Give what the agents say that is set, by the names of metrics."""
        for name, values in settings.items():
            agent = self.agents.get(name)
            if agent is not None:
                for field_name, value in zip(values, self._read(agent, values), strict=True):
                    if value is not None:
                        yield f"node.{name}.{field_name}", value

    def _radio(self, agent: Agent) -> int:
        """Give the number of the radio among an agent's interfaces."""
        if agent.interface is not None:
            return agent.interface
        if agent.name not in self._radios:
            addresses = (*OPERATION, ADDRESS)
            found = following(agent, addresses)
            if found[: len(addresses)] != addresses:
                raise AgentFailed(f"{agent.where} has no radio: no dot11OperationTable")
            self._radios[agent.name] = found[-1]
        return self._radios[agent.name]

    def _oid(self, agent: Agent, name: str) -> tuple[int, ...]:
        return (*OPERATION, SETTINGS[name], self._radio(agent))

    def _put(self, agent: Agent, values: Settings) -> None:
        for name, value in values.items():
            try:
                put(agent, self._oid(agent, name), value)
            except AgentRefused as refused:
                what = f"{agent.where} refuses {name} = {value}: {refused.status}"
                raise AgentFailed(what) from None
        self._await(agent, values)

    def _await(self, agent: Agent, values: Settings) -> None:
        """Wait until an access point answers with what it was set to."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                found = dict(zip(values, self._read(agent, values), strict=True))
                why = _other(found, values)
            except AgentFailed as failed:
                why = str(failed)
            if why is None:
                return
            if time.monotonic() > deadline:
                raise AgentFailed(f"{agent.where} was set, and {why}")
            time.sleep(AGAIN_S)

    def _read(self, agent: Agent, values: Settings) -> list[int | None]:
        return get(agent, [self._oid(agent, name) for name in values])


def _other(found: Mapping[str, int | None], values: Settings) -> str | None:
    for name, value in values.items():
        if found[name] != value:
            return f"{name} reads {found[name]}, not {value}"
    return None


def problems_of_sweep(
    scenario: Scenario, cells: Mapping[str, Plan], agents: Mapping[str, Agent]
) -> Iterator[Problem]:
    """Refuse cells between which nothing changes on real machines."""
    known: dict[str, str] = {}
    for parameters, plan in cells.items():
        settings = wanted(scenario, plan)
        ours = {name: values for name, values in settings.items() if name in agents}
        told = repr((_traffic(plan), sorted(ours.items())))
        if known.setdefault(told, parameters) != parameters:
            what = f"{known[told]} and {parameters} are the same on real machines"
            allowed = "traffic, run, and an access point's thresholds and limits, with an agent"
            yield Problem("sweep", what, allowed)
            return


def _traffic(plan: Plan) -> Any:
    names = [node["name"] for node in plan["nodes"]]
    ends = [(names[flow["from"]], names[flow["to"]]) for flow in plan["flows"]]
    fields = ("app", "start_ns", "stop_ns", "start_within_ns", "start_jitter_ns")
    flows = [[flow.get(each) for each in fields] for flow in plan["flows"]]
    return ends, flows, plan["duration_ns"], plan["warmup_ns"]
