"""What endpoints are asked to do for a plan, and what of a scenario they cannot do."""

import random
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anechoic.measuring.placing import CALLED, Places, Server
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
    for window in plan["windows"]:
        if any("at_ns" not in window[edge] for edge in ("from", "until")):
            what = "when traffic has begun or ended is not known on real machines"
            problems.append(Problem(f"window.{window['name']}", what, 'times, such as "10 s"'))
    for table in ("tap", "program"):
        if getattr(scenario, table):
            what = "cannot be had of real machines yet"
            problems.append(Problem(table, what, f"a scenario without a table {table}"))
    return problems


def problems_of_servers(plan: Plan, servers: Mapping[str, Server]) -> list[Problem]:
    """Name what of a plan's traffic cannot be had of servers of other kinds."""
    problems = []
    tests: dict[str, Any] = {}
    for flow in plan["flows"]:
        ends = [plan["nodes"][flow[end]]["name"] for end in ("from", "to")]
        of = [end for end in ends if end in servers]
        path = f"traffic.{flow['name'].rpartition('-')[0]}"
        if len(of) == 2:
            what = " and ".join(f"{end} is {CALLED[servers[end].kind]}" for end in ends)
            problems.append(Problem(path, what, "an endpoint at one end"))
        elif of and servers[of[0]].kind == "stamp":
            problems += _problems_of_reflector(path, flow, is_first=of[0] == ends[0])
        elif of:
            problems += _problems_of_iperf3(path, flow, plan, is_first=of[0] == ends[0])
            begins = flow["start_ns"], flow["start_within_ns"] + flow["start_jitter_ns"]
            test = ends, flow["app"], flow["dscp"], begins, flow["stop_ns"]
            if tests.setdefault(of[0], test) != test:
                what = f"a test with {of[0]} has one direction, one start and one end"
                problems.append(Problem(path, what, "one traffic with it, of any count"))
    return problems


def _problems_of_reflector(path: str, flow: Plan, *, is_first: bool) -> list[Problem]:
    app = flow["app"]
    if app["kind"] != "ping" or app["flood"] or is_first:
        what = "a STAMP reflector answers, and no more"
        return [Problem(f"{path}.app", what, '"ping" to it, and no flood')]
    return []


def _problems_of_iperf3(path: str, flow: Plan, plan: Plan, *, is_first: bool) -> list[Problem]:
    app = flow["app"]
    if app["kind"] == "bulk" and app["bytes"] is None:
        return []
    if app["kind"] != "udp":
        what = "an iperf3 server sends and receives as much as it can, alone"
        return [Problem(f"{path}.app", what, '"bulk" without bytes, or "udp"')]
    if app["payload"] < IPERF3_SHORTEST:
        what = f"{app['payload']} bytes are too few for an iperf3 server"
        return [Problem(f"{path}.payload", what, f"{IPERF3_SHORTEST} bytes or more")]
    if plan["warmup_ns"] and not is_first:
        what = "an iperf3 server counts from the first datagram on"
        return [Problem("run.warmup", what, "0 s")]
    return []


IPERF3_SHORTEST = 16
"""Bytes of a datagram that an iperf3 server wants at least."""


def _traffics(plan: Plan) -> dict[str, str]:
    """Give the application of each traffic, by its name."""
    return {flow["name"].rpartition("-")[0]: flow["app"]["kind"] for flow in plan["flows"]}


def nodes_of(plan: Plan) -> list[str]:
    """Name the nodes that have traffic, hosts before stations."""
    ends = {flow[end] for flow in plan["flows"] for end in ("from", "to")}
    return [plan["nodes"][place]["name"] for place in sorted(ends)]


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


def schedule_of(plan: Plan, servers: Container[str]) -> Schedule:
    """Say which clocks are compared for a plan: of endpoints between whom datagrams are timed."""
    duration = plan["duration_ns"] // NS_PER_MS
    timed = [(flow["from"], flow["to"]) for flow in plan["flows"] if is_timed(flow)]
    names = [node["name"] for node in plan["nodes"]]
    ours = (pair for pair in timed if not any(names[end] in servers for end in pair))
    pairs = tuple(dict.fromkeys(ours))
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
    rng = random.Random(seed)
    traffic = [
        {
            "app": flow["app"],
            **_span_ms(flow, plan, rng, schedule.lead_ms),
            "dscp": flow["dscp"],
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
        "dscp": 0,
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
    """Say between which endpoints a flow is, or which end of it is a server."""
    for end, node, real in (("initiator", one, other), ("responder", other, one)):
        if node in places.servers:
            place = nodes.index(real)
            found = places.servers[node]
            server = {"kind": found.kind, "end": end, "name": found.name}
            return {"from": place, "to": place, "server": server}
    return {"from": nodes.index(one), "to": nodes.index(other), "server": None}


def _span_ms(flow: Plan, plan: Plan, rng: random.Random, lead_ms: int) -> dict[str, int]:
    """Say when a flow begins and ends; one that begins late at random has a moment all the same."""
    start = lead_ms + _start_ns(flow, rng) // NS_PER_MS
    return {"start_ms": start, "end_ms": max(lead_ms + _end_ns(flow, plan) // NS_PER_MS, start + 1)}


def _start_ns(flow: Plan, rng: random.Random) -> int:
    spread = flow["start_within_ns"] + flow["start_jitter_ns"]
    return int(flow["start_ns"] + rng.random() * spread)


def _end_ns(flow: Plan, plan: Plan) -> int:
    stop = flow["stop_ns"]
    return int(plan["duration_ns"] if stop is None else min(stop, plan["duration_ns"]))
