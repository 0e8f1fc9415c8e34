"""How much a scenario may ask for: what no machine's memory or patience holds is refused."""

from collections.abc import Iterator, Mapping
from typing import Any

from anechoic.scenario.errors import Problem, shown
from anechoic.scenario.model import Scenario

MOST_NODES = 4_000
"""Every radio knows how it hears every other: 4,000 of them take 1 GiB."""

MOST_FLOWS = 16_000
"""The core's limit, far beyond what one channel can carry."""

MOST_CELLS = 100_000
"""Each has a folder, and a plan of some ten kilobytes."""

MOST_VALUES = 10_000_000
"""Of series, or samples of TCP_INFO, in one replication: 150 bytes each until they are drawn."""

_OF_RUN, _OF_FLOW, _OF_RADIO, _OF_WIRE = 8, 7, 3, 2
"""Values of each step, at the least."""
_OF_CONNECTION = 2 * 40
"""Values of a sample of TCP_INFO at both ends of a connection."""


def node_problems(scenario: Scenario) -> Iterator[Problem]:
    """Refuse more nodes than can be built, before any is."""
    stations = {name: station.count or 1 for name, station in scenario.sta.items()}
    others = (scenario.host, scenario.port, scenario.router, scenario.switch, scenario.ap)
    number = sum(stations.values()) + sum(len(each) for each in others)
    if number > MOST_NODES:
        where = f"sta.{max(stations, key=stations.__getitem__)}" if stations else "host"
        yield Problem(where, f"the scenario has {number} nodes", f"at most {MOST_NODES} in all")


def step_problems(scenario: Scenario, plan: Mapping[str, Any]) -> Iterator[Problem]:
    """Refuse steps so short that what they leave fits no memory."""
    duration, warmup = plan["duration_ns"], plan["warmup_ns"]
    interfaces = (each for node in plan["nodes"] for each in node["interfaces"])
    radios = sum(each["radio"] is not None for each in interfaces)
    of_step = _OF_RUN + _OF_FLOW * len(plan["flows"]) + _OF_RADIO * radios
    of_step += _OF_WIRE * len(plan["wires"])
    if scenario.run.series_step is not None and plan["series_step_ns"]:
        yield from _too_many("series_step", scenario, duration - warmup, plan, of_step)
    if plan["tcp_info_step_ns"]:
        of_sample = _OF_CONNECTION * max(1, len(plan["flows"]))
        yield from _too_many("tcp_info_step", scenario, duration, plan, of_sample)


def _too_many(
    field: str, scenario: Scenario, length: int, plan: Mapping[str, Any], each: int
) -> Iterator[Problem]:
    step = plan[f"{field}_ns"]
    if length // step * each > MOST_VALUES:
        written = getattr(scenario.run, field)
        shortest = -(-length * each // MOST_VALUES)
        what = f"{shown(written)} leaves {length // step} rows of {each} values or more"
        allowed = f"at least {shortest} ns in this run, for {MOST_VALUES} values"
        yield Problem(f"run.{field}", what, allowed)
