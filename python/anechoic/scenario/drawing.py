"""The network of a scenario drawn as text: a tree of machines and what joins them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from anechoic.fitting import filled, width
from anechoic.scenario.compile import compile_scenario
from anechoic.scenario.model import Scenario

_ROLES = {"ap": "access point", "sta": "station"}
_MOST_ENDS = 3
"""Machines that a line of traffic names on either side; of more, the first and the last."""


@dataclass(frozen=True, slots=True)
class _Link:
    """What joins two boxes, and what is said of it."""

    ends: tuple[str, str]
    said: str


def drawing(scenario: Scenario) -> str:
    """Draw the machines of a scenario, what joins them, and between whom its traffic goes.

    Where a sweep changes the network, it is drawn as the file has it.
    """
    plan = compile_scenario(scenario)
    names = [node["name"] for node in plan["nodes"]]
    box_of = {name: _box(name, scenario) for name in names}
    links = [*_wired(scenario, box_of), *_radio(plan, box_of)]
    boxes = {box_of[node["name"]]: _about(node, box_of, scenario) for node in plan["nodes"]}
    boxes |= {name: f"{name}  shared cable" for name in scenario.segment}
    lines: list[str] = []
    seen: set[str] = set()
    for name in boxes:
        if name not in seen:
            seen.add(name)
            lines += [boxes[name], *_below(name, "", boxes, links, seen)]
    return "\n".join([*lines, "", *_traffic(plan, scenario)])


def _box(name: str, scenario: Scenario) -> str:
    """Give the name that several stations of one count are drawn under, or the node's own."""
    counted = (own for own, station in scenario.sta.items() if station.count)
    return next((own for own in counted if re.fullmatch(rf"{re.escape(own)}-\d+", name)), name)


def _about(node: Mapping[str, Any], box_of: Mapping[str, str], scenario: Scenario) -> str:
    name = box_of[node["name"]]
    role = _ROLES.get(node["role"], node["role"])
    count = f" × {list(box_of.values()).count(name)}" if name != node["name"] else ""
    own = getattr(scenario, node["role"], {}).get(name)
    facts = [getattr(own, field, None) for field in ("profile", "stack")]
    return f"{name}{count}  {', '.join([role, *filter(None, facts)])}"


def _wired(scenario: Scenario, box_of: Mapping[str, str]) -> Iterator[_Link]:
    for name, wire in scenario.wire.items():
        first, second = (box_of.get(end, end) for end in wire.between)
        stages = [f"{own} ({stage.kind})" for own, stage in wire.impair.items()]
        yield _Link((first, second), f"wire {', '.join([name, wire.rate, wire.delay, *stages])}")
    for name, segment in scenario.segment.items():
        groups = {own: group.members for own, group in scenario.group.items()}
        members = [end for member in segment.members for end in groups.get(member, [member])]
        for end in dict.fromkeys(box_of.get(member, member) for member in members):
            yield _Link((end, name), f"{segment.rate}, {segment.delay}")


def _radio(plan: Mapping[str, Any], box_of: Mapping[str, str]) -> Iterator[_Link]:
    losses: dict[tuple[str, str], list[float]] = {}
    for place, node in enumerate(plan["nodes"]):
        for interface in node["interfaces"]:
            point = (interface["radio"] or {}).get("access_point")
            if point is not None:
                ends = (box_of[plan["nodes"][point["node"]]["name"]], box_of[node["name"]])
                losses.setdefault(ends, []).append(plan["air"]["loss_db"][place][point["node"]])
    for ends, found in losses.items():
        span = f"{min(found):g}" + (f" to {max(found):g}" if min(found) < max(found) else "")
        yield _Link(ends, f"radio, path loss {span} dB")


def _below(
    name: str, margin: str, boxes: Mapping[str, str], links: list[_Link], seen: set[str]
) -> Iterator[str]:
    """Draw what a box is joined to and was not drawn yet, each with what is below it."""
    while mine := [link for link in links if name in link.ends]:
        link = mine[0]
        links.remove(link)
        other = link.ends[link.ends[0] == name]
        is_last = len(mine) == 1
        branch, further = ("└─ ", "   ") if is_last else ("├─ ", "│  ")
        is_new = other not in seen
        seen.add(other)
        told = f"{boxes[other]}  [{link.said}]" if is_new else f"{other}, as above  [{link.said}]"
        first, *rest = filled(told, width() - len(margin) - 3)
        yield f"{margin}{branch}{first}"
        yield from (f"{margin}{further}{line}" for line in rest)
        if is_new:
            yield from _below(other, margin + further, boxes, links, seen)


def _traffic(plan: Mapping[str, Any], scenario: Scenario) -> Iterator[str]:
    names = [node["name"] for node in plan["nodes"]]
    ends: dict[str, tuple[dict[str, None], dict[str, None], list[str]]] = {}
    for flow in plan["flows"]:
        senders, receivers, flows = ends.setdefault(flow["name"].rpartition("-")[0], ({}, {}, []))
        senders[names[flow["from"]]] = receivers[names[flow["to"]]] = None
        flows.append(flow["name"])
    for traffic, (senders, receivers, flows) in ends.items():
        count = f" × {len(flows)}" if len(flows) > 1 else ""
        app = scenario.traffic[traffic].app
        told = f"{traffic}{count}  {app}, {_some(senders)} → {_some(receivers)}"
        first, *rest = filled(told, width() - 4)
        yield first
        yield from (f"    {line}" for line in rest)


def _some(names: Mapping[str, None]) -> str:
    listed = list(names)
    if len(listed) <= _MOST_ENDS:
        return ", ".join(listed)
    return f"{listed[0]} … {listed[-1]} ({len(listed)})"
