"""From traffic between names to flows between machines."""

from typing import Any

from anechoic.scenario.bounds import MOST_FLOWS
from anechoic.scenario.declared import planned
from anechoic.scenario.errors import Problem, shown
from anechoic.scenario.files import Traces, read_files
from anechoic.scenario.model import Scenario
from anechoic.scenario.networks import Networks
from anechoic.scenario.nodes import Host
from anechoic.scenario.openers import Openers
from anechoic.scenario.quantities import nanoseconds
from anechoic.scenario.radio import Station
from anechoic.scenario.script_steps import script_problems
from anechoic.scenario.stacks import Layer, resolved_stack
from anechoic.scenario.topology import Role, Topology
from anechoic.scenario.traffic import Connection, ConnectionEnd, Flow

# An access point has an address but no TCP: datagrams and echo requests may end there.
TCP_ROLES: tuple[Role, ...] = ("host", "sta")
IP_ROLES: tuple[Role, ...] = ("host", "sta", "ap")

# Of IPv4, and of UDP or an ICMP echo.
DATAGRAM_HEADERS = 28

Stacks = list[dict[str, Any] | None]


def flows(
    scenario: Scenario,
    found: Topology,
    nets: Networks,
    is_joined: bool,
    traces: Traces,
    problems: list[Problem],
) -> list[dict[str, Any]]:
    """Expand all traffic into flows, in the order of the file, and note the traces they replay."""
    expanded: list[dict[str, Any]] = []
    for name, traffic in scenario.traffic.items():
        path = f"traffic.{name}"
        _check_start(path, traffic, scenario, problems)
        problems += script_problems(path, traffic)
        app = planned(traffic) | read_files(path, traffic, scenario, traces, problems)
        stop = None if traffic.stop is None else nanoseconds(traffic.stop)
        pairs = _pairs(path, traffic, found, problems)
        if len(expanded) + len(pairs) > MOST_FLOWS:
            what = f"makes {len(expanded) + len(pairs)} flows, with those before it"
            problems.append(Problem(path, what, f"at most {MOST_FLOWS} in all"))
            break
        opener = Openers(path, traffic, app["kind"], found, nets, problems)
        if is_joined:
            _check_paths(path, pairs, found, problems)
            opener.look_at(pairs)
        _check_payloads(path, app, pairs, found, nets, problems)
        own: dict[tuple[int, int], Stacks] = {
            pair: _stacks(path, traffic, pair, found, problems) for pair in dict.fromkeys(pairs)
        }
        for number, (source, sink) in enumerate(pairs, start=1):
            expanded.append(
                {
                    "name": f"{name}-{number}",
                    **opener.ends(source, sink),
                    **_start(traffic, number - 1, len(pairs)),
                    "start_jitter_ns": nanoseconds(traffic.start_jitter),
                    "jitter_ns": nanoseconds(traffic.jitter),
                    "stop_ns": stop,
                    "dscp": traffic.dscp,
                    "stacks": own[source, sink],
                    "app": app,
                }
            )
    return expanded


def _start(traffic: Flow, place: int, count: int) -> dict[str, int]:
    """Give when one of so many flows starts, and within which time from then at random.

    The arrivals of a Poisson process of which the number is known are spread evenly over the time
    (S. M. Ross: Stochastic Processes, theorem 2.3.1).
    """
    start, spread = nanoseconds(traffic.start), nanoseconds(traffic.start_spread)
    if traffic.start_pattern == "poisson":
        return {"start_ns": start, "start_within_ns": spread}
    return {"start_ns": start + place * spread // count, "start_within_ns": 0}


def flow_numbers(scenario: Scenario, found: Topology) -> dict[str, range]:
    """Give the numbers that a plan has for the flows of each traffic."""
    numbers: dict[str, range] = {}
    first = 0
    for name, traffic in scenario.traffic.items():
        last = first + len(_pairs(f"traffic.{name}", traffic, found, []))
        numbers[name] = range(first, last)
        first = last
    return numbers


def _pairs(
    path: str, traffic: Flow, found: Topology, problems: list[Problem]
) -> list[tuple[int, int]]:
    is_tcp = isinstance(traffic, Connection)
    roles = TCP_ROLES if is_tcp else IP_ROLES
    sources = found.find(f"{path}.from", traffic.from_, problems, roles)
    sinks = found.find(f"{path}.to", traffic.to, problems, roles)
    if isinstance(traffic, Connection) and traffic.stack is None:
        _check_stack(f"{path}.from", traffic.sender, sources, found, problems)
        _check_stack(f"{path}.to", traffic.receiver, sinks, found, problems)
    if both := set(sources) & set(sinks):
        name = found.machines[min(both)].name
        problems.append(Problem(path, f"{shown(name)} sends to itself", "two nodes"))
        return []
    number = len(sources) * len(sinks) * traffic.count
    if number > MOST_FLOWS:
        problems.append(Problem(path, f"makes {number} flows", f"at most {MOST_FLOWS}"))
        return []
    pairs = [(source, sink) for source in sources for sink in sinks]
    return [pair for pair in pairs for _ in range(traffic.count)]


def _check_paths(
    path: str,
    pairs: list[tuple[int, int]],
    found: Topology,
    problems: list[Problem],
) -> None:
    for source, sink in dict.fromkeys(pairs):
        if not found.way(source, sink):
            names = f"{found.machines[source].name} and {found.machines[sink].name}"
            what = f"there is no path between {names}"
            allowed = "nodes joined by wires, access points and their stations"
            problems.append(Problem(path, what, allowed))
            return


def _check_payloads(
    path: str,
    app: dict[str, Any],
    pairs: list[tuple[int, int]],
    found: Topology,
    nets: Networks,
    problems: list[Problem],
) -> None:
    """Refuse datagrams that an end or a router would have to fragment: nothing here does that."""
    payloads = {field: value for field, value in app.items() if field.endswith("payload")}
    if not pairs or not payloads:
        return
    end = min((at for pair in pairs for at in pair), key=nets.mtu)
    along = min(nets.mtu_along(found.way(*pair)) for pair in dict.fromkeys(pairs))
    at_end = nets.mtu(end) <= along
    most = min(nets.mtu(end), along) - DATAGRAM_HEADERS
    where = f"of {found.machines[end].path}" if at_end else "on its way"
    for field, value in payloads.items():
        if value > most:
            what = f"{value} bytes do not fit into a packet {where}"
            problems.append(Problem(f"{path}.{field}", what, f"at most {most}"))


def _check_stack(
    path: str,
    end: ConnectionEnd | None,
    places: list[int],
    found: Topology,
    problems: list[Problem],
) -> None:
    if end is not None and end.stack is not None:
        return
    # The stations of a group are made by one table and lack a stack together.
    for machine in {found.machines[at].path: found.machines[at] for at in places}.values():
        if isinstance(machine.part, Host | Station) and machine.part.stack is None:
            what = f"{machine.path} has no TCP stack; {machine.path}.stack gives it one"
            problems.append(Problem(path, what, "a node with a TCP stack"))


def _stacks(
    path: str,
    traffic: Flow,
    pair: tuple[int, int],
    found: Topology,
    problems: list[Problem],
) -> Stacks:
    """Give the stacks of a connection's ends, the sender's first, where they are its own."""
    if not isinstance(traffic, Connection):
        return [None, None]
    both = Layer(path, traffic.stack, traffic.tcp)
    stacks: Stacks = []
    for place, name in zip(pair, ("sender", "receiver"), strict=True):
        end = getattr(traffic, name) or ConnectionEnd()
        own = [both, Layer(f"{path}.{name}", end.stack, end.tcp)]
        machine = found.machines[place]
        part = machine.part
        if not any(layer.profile or layer.overrides for layer in own):
            stacks.append(None)
        elif isinstance(part, Host | Station):
            node = Layer(machine.path, part.stack, part.tcp)
            stacks.append(resolved_stack([node, *own], problems))
    return stacks


def _check_start(path: str, traffic: Flow, scenario: Scenario, problems: list[Problem]) -> None:
    if nanoseconds(traffic.start) >= nanoseconds(scenario.run.duration):
        what = f"{shown(traffic.start)} is not before the end of the run"
        problems.append(Problem(f"{path}.start", what, f"less than {scenario.run.duration}"))
    end = min(scenario.run.duration, traffic.stop or scenario.run.duration, key=nanoseconds)
    spread = nanoseconds(traffic.start_spread)
    if spread and nanoseconds(traffic.start) + spread > nanoseconds(end):
        what = f"{shown(traffic.start_spread)} from {traffic.start} on is beyond {end}"
        problems.append(Problem(f"{path}.start_spread", what, f"until {end}"))
    if traffic.stop is not None and nanoseconds(traffic.stop) <= nanoseconds(traffic.start):
        what = f"{shown(traffic.stop)} is not after its start"
        problems.append(Problem(f"{path}.stop", what, f"more than {traffic.start}"))
