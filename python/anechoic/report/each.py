"""The metrics of each flow, traffic, station or group, as a figure draws them."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum, isnan, nan
from statistics import fmean
from typing import Any

from anechoic.campaign.cells import Cell
from anechoic.campaign.replication import Summary, summarise
from anechoic.campaign.results import Results
from anechoic.campaign.store import Store
from anechoic.scenario.catalogue import metric_of_each, together
from anechoic.scenario.figures import names_for_each
from anechoic.scenario.model import Scenario

Plan = Mapping[str, Any]

WORDS = {"sum": "the sum", "mean": "the mean", "largest": "the largest value"}


@dataclass(frozen=True)
class Each:
    """Whose metrics a figure draws: of each name and cell, the flows and nodes it stands for."""

    kind: str
    members: dict[str, list[Sequence[str]]]

    def summary(self, cell: Cell, place: int, name: str, metric: str) -> Summary | None:
        """Summarise a metric of a name in the cell at this place; None if it has none there."""
        wholes = (f"{member}.{metric}" for member in self.members[name][place])
        found = [cell.metrics[whole] for whole in wholes if whole in cell.metrics]
        if len(found) < 2:
            return found[0] if found else None
        rows = zip(*(summary.values for summary in found), strict=True)
        return summarise([_combined(metric, row) for row in rows])

    def calculated(self, cell: Cell, place: int, name: str, metric: str) -> float | None:
        """Give what closed forms say of the same, if they answer for all that it stands for."""
        wholes = [f"{member}.{metric}" for member in self.members[name][place]]
        given = [cell.calculated.get(each) for each in wholes if each in cell.metrics]
        found = [each for each in given if each is not None]
        return _combined(metric, found) if found and len(found) == len(given) else None

    def first(self, count: int) -> "Each":
        """Give the same for so many names at most."""
        return Each(self.kind, dict(list(self.members.items())[:count]))

    def together(self, metric: str) -> str | None:
        """Say what several flows' or nodes' values of a metric amount to, if one name has more."""
        table = f"{metric_of_each(metric).scope or 'node'}."
        counts = (
            sum(member.startswith(table) for member in members)
            for places in self.members.values()
            for members in places
        )
        if max(counts, default=0) < 2:
            return None
        return f"of several {table[:-1]}s {WORDS[together(metric)]}"


def each_of(results: Results, kind: str) -> Each:
    """Find what a figure has a line or bar for each of, in the order of the scenario."""
    return each_of_kinds(results, [kind])[kind]


def each_of_kinds(results: Results, kinds: Iterable[str]) -> dict[str, Each]:
    """Find the same for several kinds, reading each cell's plan once."""
    found = {kind: Each(kind, {}) for kind in kinds}
    alike: dict[tuple[str, ...], Sequence[str]] = {}
    for place, plan in enumerate(plans_of(results)):
        for kind, each in found.items():
            for name in names_for_each(kind, results.scenario, plan):
                places = each.members.setdefault(name, [()] * len(results.cells))
                own = tuple(_members(kind, name, results.scenario, plan))
                places[place] = alike.setdefault(own, own)
    return found


def plans_of(results: Results) -> Iterator[Plan]:
    """Give the plan of each cell; LookupError without a folder."""
    if results.out is None:
        raise LookupError("these results are not tied to a folder; load them from one")
    store = Store.open(results.out)
    for place in range(len(results.cells)):
        yield json.loads(store.plan(place))


def _members(kind: str, name: str, scenario: Scenario, plan: Plan) -> Iterator[str]:
    """Give the beginnings of the metrics' names: ``flow.download-1``, ``node.laptop``."""
    if kind in ("flow", "traffic"):
        wanted = re.escape(name) + ("" if kind == "flow" else r"-\d+")
        names = (flow["name"] for flow in plan["flows"])
        yield from (f"flow.{each}" for each in names if re.fullmatch(wanted, each))
        return
    nodes = [node["name"] for node in plan["nodes"]]
    own = {name} if kind == "station" else set(_nodes(name, scenario, nodes))
    for flow in plan["flows"]:
        if own & {nodes[flow["from"]], nodes[flow["to"]]}:
            yield f"flow.{flow['name']}"
    yield from (f"node.{each}" for each in nodes if each in own)


def _nodes(name: str, scenario: Scenario, nodes: Sequence[str]) -> Iterator[str]:
    """Give the nodes that a name stands for: a group's, those of counted stations, or itself."""
    if name in scenario.group:
        for member in scenario.group[name].members:
            yield from _nodes(member, scenario, nodes)
    elif name in nodes:
        yield name
    else:
        yield from (each for each in nodes if re.fullmatch(rf"{re.escape(name)}-\d+", each))


def _combined(metric: str, values: Sequence[float]) -> float:
    given = [value for value in values if not isnan(value)]
    if not given:
        return nan
    match together(metric):
        case "sum":
            return fsum(given)
        case "mean":
            return fmean(given)
        case "largest":
            return max(given)
