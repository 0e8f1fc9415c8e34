"""What endpoints are asked to do for a plan, and what of a scenario they cannot do."""

import random
from collections.abc import Mapping
from typing import Any

from anechoic.measuring.placing import Endpoint
from anechoic.scenario.errors import Problem, shown
from anechoic.scenario.model import Scenario

SHORTEST_SAMPLE_MS, LONGEST_SAMPLE_MS = 10, 100
NS_PER_MS = 1_000_000

Plan = Mapping[str, Any]


def problems_of(scenario: Scenario, plan: Plan) -> list[Problem]:
    """Name what of a scenario cannot be measured on real machines yet."""
    from anechoic import _core

    applications, most_flows = _core.endpoint_offers()
    problems = []
    for name, kind in _traffics(plan).items():
        if kind not in applications:
            what = f"traffic {shown(kind)} cannot be measured on real machines yet"
            problems.append(Problem(f"traffic.{name}.app", what, ", ".join(applications)))
    if any(flow["dscp"] for flow in plan["flows"]):
        what = "packets cannot be marked on real machines yet"
        problems.append(Problem("traffic", what, "no dscp"))
    if any(flow["stacks"] != [None, None] for flow in plan["flows"]):
        what = "a flow has the stack of its machine's kernel"
        problems.append(Problem("traffic", what, "no stack of its own"))
    if len(plan["flows"]) > most_flows:
        what = f"{len(plan['flows'])} flows cannot be measured at the same time"
        problems.append(Problem("traffic", what, f"up to {most_flows}"))
    for table in ("tap", "window", "program"):
        if getattr(scenario, table):
            what = "cannot be had of real machines yet"
            problems.append(Problem(table, what, f"a scenario without a table {table}"))
    return problems


def _traffics(plan: Plan) -> dict[str, str]:
    """Give the application of each traffic, by its name."""
    return {flow["name"].rpartition("-")[0]: flow["app"]["kind"] for flow in plan["flows"]}


def nodes_of(plan: Plan) -> list[str]:
    """Name the nodes that have traffic."""
    ends = [flow[end] for flow in plan["flows"] for end in ("from", "to")]
    return [plan["nodes"][place]["name"] for place in dict.fromkeys(ends)]


def sample_ms(plan: Plan) -> int:
    """Give the time between samples: the step of the series, as far as endpoints keep it."""
    step = (plan["series_step_ns"] or LONGEST_SAMPLE_MS * NS_PER_MS) // NS_PER_MS
    return int(min(max(step, SHORTEST_SAMPLE_MS), LONGEST_SAMPLE_MS))


def asked(plan: Plan, seed: int, places: Mapping[str, Endpoint]) -> dict[str, Any]:
    """Give what endpoints are asked to do in one replication of a plan."""
    nodes = nodes_of(plan)
    names = [node["name"] for node in plan["nodes"]]
    luck = random.Random(seed)
    return {
        "endpoints": [
            {"node": node, "address": places[node].address, "key": places[node].key}
            for node in nodes
        ],
        "flows": [
            {
                "from": nodes.index(names[flow["from"]]),
                "to": nodes.index(names[flow["to"]]),
                "app": flow["app"],
                "start_ms": _start_ns(flow, luck) // NS_PER_MS,
                "end_ms": _end_ns(flow, plan) // NS_PER_MS,
            }
            for flow in plan["flows"]
        ],
        "duration_ms": plan["duration_ns"] // NS_PER_MS,
        "sample_ms": sample_ms(plan),
    }


def _start_ns(flow: Plan, luck: random.Random) -> int:
    spread = flow["start_within_ns"] + flow["start_jitter_ns"]
    return int(flow["start_ns"] + luck.random() * spread)


def _end_ns(flow: Plan, plan: Plan) -> int:
    stop = flow["stop_ns"]
    return int(plan["duration_ns"] if stop is None else min(stop, plan["duration_ns"]))
