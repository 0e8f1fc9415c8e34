"""Which endpoint stands for which node of a scenario."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from anechoic.measuring.agents import FILE, Agent
from anechoic.scenario.errors import Problem, ScenarioError, listing, nearest_name, shown
from anechoic.scenario.model import Scenario


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An endpoint that this machine was paired with."""

    name: str
    address: str
    key: str


@dataclass(frozen=True, slots=True)
class Server:
    """What stands for a node without anything of ours, by the name that the other end knows."""

    kind: str
    """iperf3, or stamp for a reflector of RFC 8762."""
    name: str


CALLED = {"iperf3": "an iperf3 server", "stamp": "a STAMP reflector"}
"""What a server of each kind is called."""


@dataclass(frozen=True, slots=True)
class Places:
    """What stands for each node of a scenario: an endpoint, or a server of another kind."""

    endpoints: Mapping[str, Endpoint]
    servers: Mapping[str, Server]


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
    problems: list[Problem] = []
    wanted = {node: node for node in nodes}
    wanted |= _given("--endpoint", nodes, given, problems)
    for node, name in wanted.items():
        if name not in known:
            what = f"no endpoint {shown(name)} stands for {node}"
            allowed = listing(list(known)) or "those of anechoic pair KEY NAME ADDRESS:PORT"
            problems.append(Problem("--endpoint", what, allowed, nearest_name(name, known)))
    problems += _shared(wanted)
    if problems:
        raise ScenarioError(scenario.source, problems)
    return {node: known[name] for node, name in wanted.items()}


def served(
    scenario: Scenario, nodes: Sequence[str], given: Mapping[str, Sequence[str]]
) -> dict[str, Server]:
    """Give the server of each node that is one, as NODE=NAME says for each kind."""
    problems: list[Problem] = []
    found: dict[str, Server] = {}
    for kind, words in given.items():
        for node, name in _given(f"--{kind}", nodes, words, problems).items():
            if node in found:
                what = f"{node} is {CALLED[found[node].kind]} already"
                problems.append(Problem(f"--{kind}", what, "one of them"))
            found[node] = Server(kind, name)
    if problems:
        raise ScenarioError(scenario.source, problems)
    return found


def visited(
    scenario: Scenario, nodes: Sequence[str], endpoints: Sequence[str], ssh: Sequence[str]
) -> tuple[dict[str, str], str | None]:
    """Give the machine of each node, and the node that is this machine, if one is left.

    A HOST without NODE stands for the first node that none is given for.
    """
    problems: list[Problem] = []
    free = [node for node in nodes if not any(each.startswith(f"{node}=") for each in ssh)]
    named = [each if "=" in each or not free else f"{free.pop(0)}={each}" for each in ssh]
    hosts = _given("--ssh", nodes, named, problems)
    left = [node for node in nodes if node not in hosts]
    if endpoints:
        what = "paired endpoints do not know one that --ssh begins"
        problems.append(Problem("--endpoint", what, "--ssh alone"))
    if len(left) > 1:
        allowed = "NODE=HOST for all nodes but one, which is this machine"
        problems.append(Problem("--ssh", f"no machine is given for {listing(left)}", allowed))
    if problems:
        raise ScenarioError(scenario.source, problems)
    return hosts, left[0] if left else None


def agents_of(
    scenario: Scenario, given: Sequence[str], known: Mapping[str, Agent]
) -> dict[str, Agent]:
    """Give the agents of access points: as given by NODE=NAME, or else those of their names."""
    problems: list[Problem] = []
    wanted = {name: name for name in scenario.ap if name in known}
    for node, name in _given("--agent", list(scenario.ap), given, problems).items():
        if name not in known:
            allowed = listing(list(known)) or f"those of ~/{FILE}"
            what = f"no agent {shown(name)} is known for {node}"
            problems.append(Problem("--agent", what, allowed, nearest_name(name, known)))
        wanted[node] = name
    if problems:
        raise ScenarioError(scenario.source, problems)
    return {node: known[name] for node, name in wanted.items()}


def _given(
    option: str, nodes: Sequence[str], given: Sequence[str], problems: list[Problem]
) -> dict[str, str]:
    """Read what is given as NODE=NAME."""
    found = {}
    for each in given:
        node, equals, name = each.partition("=")
        if not equals or node not in nodes:
            what = f"{shown(each)} names no node of those"
            allowed = f"NODE=NAME with NODE one of {listing(nodes)}"
            problems.append(Problem(option, what, allowed, nearest_name(node, nodes)))
        found[node] = name
    return found


def _shared(wanted: Mapping[str, str]) -> list[Problem]:
    taken: dict[str, str] = {}
    problems = []
    for node, name in wanted.items():
        if taken.setdefault(name, node) != node:
            what = f"{shown(name)} stands for {taken[name]} already"
            problems.append(Problem("--endpoint", what, f"another endpoint for {node}"))
    return problems
