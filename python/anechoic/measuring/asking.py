"""What endpoints are asked to do for a plan, and what of a scenario they cannot do."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anechoic.measuring.placing import Places
from anechoic.scenario.errors import Problem, shown
from anechoic.scenario.model import Scenario

SHORTEST_SAMPLE_MS, LONGEST_SAMPLE_MS = 10, 100
TIMED = ("udp", "poisson", "on-off", "game", "voip")
"""Applications whose datagrams are timed one way."""

COMPARING_MS, SETTLING_MS, COMPARING_EVERY_MS = 1000, 300, 10
"""How long clocks are compared before traffic and behind it, how long a network has to fall silent,
and the time between two requests: a hundred, of which the fastest counts."""

PROBE_MS = 300
"""How long endpoints look whether the network between them is up."""

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
    step = plan["tcp_info_step_ns"]
    if step and not SHORTEST_SAMPLE_MS <= step / NS_PER_MS <= LONGEST_SAMPLE_MS:
        what = f"{scenario.run.tcp_info_step} is no step of endpoints"
        allowed = f"{SHORTEST_SAMPLE_MS} to {LONGEST_SAMPLE_MS} ms"
        problems.append(Problem("run.tcp_info_step", what, allowed))
    for table in ("tap", "window", "program"):
        if getattr(scenario, table):
            what = "cannot be had of real machines yet"
            problems.append(Problem(table, what, f"a scenario without a table {table}"))
    return problems


def problems_of_servers(plan: Plan, servers: Mapping[str, str]) -> list[Problem]:
    """Name what of a plan's traffic cannot be had of an iperf3 server.

    It is one end of TCP connections, of which a test has those of one direction.
    """
    problems = []
    tests: dict[str, Any] = {}
    for flow in plan["flows"]:
        ends = [plan["nodes"][flow[end]]["name"] for end in ("from", "to")]
        of = [end for end in ends if end in servers]
        if not of:
            continue
        path = f"traffic.{flow['name'].rpartition('-')[0]}"
        app = flow["app"]
        if len(of) == 2:
            problems.append(Problem(path, "both ends are iperf3 servers", "an endpoint at one end"))
        elif app["kind"] != "bulk" or app["bytes"] is not None:
            what = "an iperf3 server sends and receives as much as it can, alone"
            problems.append(Problem(f"{path}.app", what, '"bulk" without bytes'))
        else:
            begins = flow["start_ns"], flow["start_within_ns"] + flow["start_jitter_ns"]
            test = ends, begins, flow["stop_ns"]
            if tests.setdefault(of[0], test) != test:
                what = f"a test with {of[0]} has one direction, one start and one end"
                problems.append(Problem(path, what, "one traffic with it, of any count"))
    return problems


def _traffics(plan: Plan) -> dict[str, str]:
    """Give the application of each traffic, by its name."""
    return {flow["name"].rpartition("-")[0]: flow["app"]["kind"] for flow in plan["flows"]}


def nodes_of(plan: Plan) -> list[str]:
    """Name the nodes that have traffic."""
    ends = [flow[end] for flow in plan["flows"] for end in ("from", "to")]
    return [plan["nodes"][place]["name"] for place in dict.fromkeys(ends)]


def sample_ms(plan: Plan) -> int:
    """Give the time between samples: the step of what is asked for, as far as endpoints keep it."""
    step = plan["tcp_info_step_ns"] or plan["series_step_ns"] or LONGEST_SAMPLE_MS * NS_PER_MS
    return int(min(max(step // NS_PER_MS, SHORTEST_SAMPLE_MS), LONGEST_SAMPLE_MS))


@dataclass(frozen=True, slots=True)
class Schedule:
    """What endpoints do beside a plan's traffic, and when that begins."""

    pairs: tuple[tuple[int, int], ...]
    """The nodes whose clocks are compared, by their places in the plan; a flow each, behind the
    plan's."""
    lead_ms: int
    """How long clocks are compared before the traffic, and behind it."""
    duration_ms: int
    """How long the traffic takes."""

    @property
    def spans_ms(self) -> list[tuple[int, int]]:
        """Say when clocks are compared."""
        again = self.lead_ms + self.duration_ms + SETTLING_MS
        return [(0, self.lead_ms - SETTLING_MS), (again, again + self.lead_ms - SETTLING_MS)]

    @property
    def end_ms(self) -> int:
        """Say when all is over."""
        return self.spans_ms[-1][1] if self.pairs else self.lead_ms + self.duration_ms


def schedule_of(plan: Plan) -> Schedule:
    """Say which clocks are compared for a plan: of those between whom datagrams are timed."""
    duration = plan["duration_ns"] // NS_PER_MS
    timed = [(flow["from"], flow["to"]) for flow in plan["flows"] if is_timed(flow)]
    pairs = tuple(dict.fromkeys(timed))
    if not pairs or len(plan["flows"]) + len(pairs) > _most_flows():
        return Schedule((), 0, duration)
    return Schedule(pairs, COMPARING_MS + SETTLING_MS, duration)


def is_timed(flow: Plan) -> bool:
    """Say whether a flow's datagrams are timed: not where they fill the interface."""
    app = flow["app"]
    return app["kind"] in TIMED and not (app["kind"] == "udp" and app["rate"] is None)


def _most_flows() -> int:
    from anechoic import _core

    return _core.endpoint_offers()[1]


def asked(plan: Plan, schedule: Schedule, seed: int, places: Places) -> dict[str, Any]:
    """Give what endpoints are asked to do in one replication of a plan."""
    luck = random.Random(seed)
    traffic = [
        {
            "app": flow["app"],
            "start_ms": schedule.lead_ms + _start_ns(flow, luck) // NS_PER_MS,
            "end_ms": schedule.lead_ms + _end_ns(flow, plan) // NS_PER_MS,
            "is_stamped": is_timed(flow),
            "may_fail": False,
        }
        for flow in plan["flows"]
    ]
    comparing = {**_comparing(schedule.spans_ms), "may_fail": True}
    ends = [(flow["from"], flow["to"]) for flow in plan["flows"]] + list(schedule.pairs)
    flows = traffic + [comparing] * len(schedule.pairs)
    return _test(plan, list(zip(ends, flows, strict=True)), schedule.end_ms, places)


def probe(plan: Plan, places: Places) -> dict[str, Any]:
    """Give what endpoints are asked to do to see whether the network is up: very little."""
    first = plan["flows"][0]
    flow = {**_comparing([(0, PROBE_MS)]), "may_fail": False}
    return _test(plan, [((first["from"], first["to"]), flow)], PROBE_MS, places)


def _comparing(spans_ms: Sequence[tuple[int, int]]) -> dict[str, Any]:
    return {
        "app": {
            "kind": "compare-clocks",
            "when": {"spans_ms": spans_ms, "every_ms": COMPARING_EVERY_MS},
        },
        "start_ms": 0,
        "end_ms": spans_ms[-1][1],
        "is_stamped": True,
    }


def _test(
    plan: Plan,
    flows: Sequence[tuple[tuple[int, int], Mapping[str, Any]]],
    duration_ms: int,
    places: Places,
) -> dict[str, Any]:
    nodes = [node for node in nodes_of(plan) if node not in places.servers]
    names = [node["name"] for node in plan["nodes"]]
    return {
        "endpoints": [
            {
                "node": node,
                "address": places.endpoints[node].address,
                "key": places.endpoints[node].key,
            }
            for node in nodes
        ],
        "flows": [
            {**_ends(names[one], names[other], nodes, places), **flow}
            for (one, other), flow in flows
        ],
        "duration_ms": duration_ms,
        "sample_ms": sample_ms(plan),
    }


def _ends(one: str, other: str, nodes: Sequence[str], places: Places) -> dict[str, Any]:
    """Say between which endpoints a flow is, or which end of it is an iperf3 server."""
    for end, node, real in (("initiator", one, other), ("responder", other, one)):
        if node in places.servers:
            place = nodes.index(real)
            server = {"end": end, "name": places.servers[node]}
            return {"from": place, "to": place, "server": server}
    return {"from": nodes.index(one), "to": nodes.index(other), "server": None}


def _start_ns(flow: Plan, luck: random.Random) -> int:
    spread = flow["start_within_ns"] + flow["start_jitter_ns"]
    return int(flow["start_ns"] + luck.random() * spread)


def _end_ns(flow: Plan, plan: Plan) -> int:
    stop = flow["stop_ns"]
    return int(plan["duration_ns"] if stop is None else min(stop, plan["duration_ns"]))
