"""Which endpoint stands for which node of a scenario."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from anechoic.scenario.errors import Problem, ScenarioError, listing, nearest_name, shown
from anechoic.scenario.model import Scenario


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An endpoint that this machine was paired with."""

    name: str
    address: str
    key: str


def known_endpoints() -> dict[str, Endpoint]:
    """Give the endpoints that this machine was paired with, by their names."""
    from anechoic import _core

    try:
        return {name: Endpoint(name, *rest) for name, *rest in _core.endpoints()}
    except ValueError as error:
        raise ScenarioError("peers", [Problem("", str(error))]) from None


def places(
    scenario: Scenario, nodes: Sequence[str], given: Sequence[str], known: Mapping[str, Endpoint]
) -> dict[str, Endpoint]:
    """Give the endpoint of each node: as given by NODE=NAME, or else the one of the node's name."""
    wanted = {node: node for node in nodes}
    problems = []
    for each in given:
        node, equals, name = each.partition("=")
        if not equals or node not in wanted:
            what = f"{shown(each)} names no node with traffic"
            allowed = f"NODE=NAME with NODE one of {listing(nodes)}"
            problems.append(Problem("--endpoint", what, allowed, nearest_name(node, nodes)))
        wanted[node] = name
    for node, name in wanted.items():
        if name not in known:
            what = f"no endpoint {shown(name)} stands for {node}"
            allowed = listing(list(known)) or "those of anechoic pair KEY NAME ADDRESS:PORT"
            problems.append(Problem("--endpoint", what, allowed, nearest_name(name, known)))
    problems += _shared(wanted)
    if problems:
        raise ScenarioError(scenario.source, problems)
    return {node: known[name] for node, name in wanted.items()}


def _shared(wanted: Mapping[str, str]) -> list[Problem]:
    taken: dict[str, str] = {}
    problems = []
    for node, name in wanted.items():
        if taken.setdefault(name, node) != node:
            what = f"{shown(name)} stands for {taken[name]} already"
            problems.append(Problem("--endpoint", what, f"another endpoint for {node}"))
    return problems
