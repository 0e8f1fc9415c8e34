"""Interfaces, the networks that they join, addresses, and the routes between networks."""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Network
from itertools import pairwise
from typing import Any

from anechoic.scenario.errors import Problem, shown, unknown_name
from anechoic.scenario.links import Segment, Wire
from anechoic.scenario.model import Scenario
from anechoic.scenario.nodes import MTU_MAX, Host
from anechoic.scenario.radio import Router, Station
from anechoic.scenario.topology import (
    BRIDGES,
    Antenna,
    Machine,
    Topology,
    segment_members,
    wire_ends,
)

PREFIX_LENGTH = 16
FIRST_NETWORK = IPv4Network("10.0.0.0/16")


@dataclass(slots=True)
class Interface:
    """What joins a machine to a medium: its radio, or an end of a cable, known by its path."""

    machine: int
    cable: str | None = None
    antenna: Antenna | None = None
    carries: int = MTU_MAX
    """The longest packet that the medium carries."""
    mtu: int = MTU_MAX
    """The longest packet that the machine sends here."""
    address: str = ""
    network: int = 0


@dataclass(slots=True)
class Networks:
    """All interfaces, by machine, and what is joined without a router between."""

    interfaces: list[list[Interface]]
    addresses: list[IPv4Network] = field(default_factory=list)
    routers: dict[int, list[Interface]] = field(default_factory=dict)
    outside: dict[int, int] = field(default_factory=dict)
    """Of each router that translates the interface that stands for those behind it."""

    def end(self, cable: str, machine: int) -> dict[str, int]:
        """Give the end of a wire or segment at a machine, as a plan names it."""
        own = self.interfaces[machine]
        place = next(at for at, each in enumerate(own) if each.cable == cable)
        return {"node": machine, "interface": place}

    def mtu(self, machine: int) -> int:
        """Give the longest packet that each of a machine's interfaces carries."""
        return min(each.mtu for each in self.interfaces[machine])

    def mtu_along(self, way: Sequence[int]) -> int:
        """Give the longest packet that every link of a way carries."""
        links = (
            each.mtu
            for before, after in pairwise(way)
            for each in self.interfaces[before]
            if each.network in {other.network for other in self.interfaces[after]}
        )
        return min(links, default=MTU_MAX)

    def hidden_by(self, way: Sequence[int]) -> int | None:
        """Give the router on a way that hides from who comes what is behind it, if there is one."""
        for before, gate in pairwise(way):
            if gate in self.outside and gate != way[-1]:
                entered = self.interfaces[gate][self.outside[gate]].network
                if entered in {each.network for each in self.interfaces[before]}:
                    return gate
        return None

    def routes(self, machine: int) -> list[dict[str, Any]]:
        """Give the routes of a machine to all networks beyond a router."""
        reached = {each.network for each in self.interfaces[machine]}
        routes = []
        own = enumerate(self.interfaces[machine])
        waiting: deque[tuple[int, str | None, int]] = deque(
            (each.network, None, at) for at, each in own
        )
        while waiting:
            network, gateway, via = waiting.popleft()
            for entrance in self.routers.get(network, []):
                # A machine's own interfaces lead to networks that it has reached.
                for beyond in self.interfaces[entrance.machine]:
                    if beyond.network in reached:
                        continue
                    reached.add(beyond.network)
                    first_hop = gateway or entrance.address
                    routes.append(self._route(beyond.network, first_hop, via))
                    waiting.append((beyond.network, first_hop, via))
        return routes

    def _route(self, network: int, gateway: str, interface: int) -> dict[str, Any]:
        return {
            "to": str(self.addresses[network].network_address),
            "prefix_length": PREFIX_LENGTH,
            "gateway": gateway,
            "interface": interface,
        }


def networks(scenario: Scenario, found: Topology, problems: list[Problem]) -> Networks:
    """Find all interfaces, what they join, and give each its address."""
    made = Networks(_interfaces(scenario, found))
    _number(made, found)
    _fit(made)
    _give_addresses(made, found, problems)
    made.outside = _outsides(found, made, problems)
    for machine, own in zip(found.machines, made.interfaces, strict=True):
        for each in own if machine.role == "router" else []:
            made.routers.setdefault(each.network, []).append(each)
    return made


def _outsides(found: Topology, nets: Networks, problems: list[Problem]) -> dict[int, int]:
    """Give the interface outside of each router that translates, by its index in the router."""
    found_at: dict[int, int] = {}
    for place, machine in enumerate(found.machines):
        if not isinstance(machine.part, Router) or machine.part.nat is None:
            continue
        names = [_own_name(machine, each) for each in nets.interfaces[place]]
        if machine.part.nat in names:
            found_at[place] = names.index(machine.part.nat)
        else:
            path = f"{machine.path}.nat"
            problems.append(unknown_name(path, machine.part.nat, names, "way out of the router"))
    return found_at


def _own_name(machine: Machine, interface: Interface) -> str:
    if interface.antenna is not None:
        return interface.antenna.path.removeprefix(f"{machine.path}.")
    return interface.cable or ""


def loops(scenario: Scenario, found: Topology) -> list[Problem]:
    """Refuse cables in which the frames that bridges pass on would go round for ever."""
    cables = list(_cables(scenario, found))
    joined = list(range(len(found.machines) + len(cables)))
    problems = []
    for cable, (path, _, ends) in enumerate(cables, start=len(found.machines)):
        for end in (end for end in ends if found.machines[end].role in BRIDGES):
            first, second = _root(joined, end), _root(joined, cable)
            if first == second:
                what = "it closes a loop of bridges, in which frames would go round"
                problems.append(Problem(path, what, "one way between any two"))
                break
            joined[first] = second
    return problems


def _cables(
    scenario: Scenario, found: Topology
) -> Iterator[tuple[str, Wire | Segment, Sequence[int]]]:
    """Give each wire and segment with its path and the machines at it."""
    for name, wire in scenario.wire.items():
        path = f"wire.{name}"
        yield path, wire, wire_ends(found, path, wire.between, []) or ()
    for name, segment in scenario.segment.items():
        path = f"segment.{name}"
        yield path, segment, segment_members(found, path, segment.members, [])


def _interfaces(scenario: Scenario, found: Topology) -> list[list[Interface]]:
    """Give each machine's interfaces: radios first, then its cables in the order of the file."""
    made: list[list[Interface]] = [
        [Interface(place, antenna=each) for each in machine.antennas]
        for place, machine in enumerate(found.machines)
    ]
    for path, cable, ends in _cables(scenario, found):
        for end in ends:
            made[end].append(Interface(end, path, carries=cable.mtu, mtu=cable.mtu))
    for machine, own in zip(found.machines, made, strict=True):
        if isinstance(machine.part, Host | Station) and machine.part.mtu is not None:
            for each in own:
                each.mtu = min(each.mtu, machine.part.mtu)
    # One that hangs loose has an address all the same.
    return [own or [Interface(place)] for place, own in enumerate(made)]


def _number(made: Networks, found: Topology) -> None:
    """Give a number to each network: what wires, associations and access points join."""
    flat = [each for own in made.interfaces for each in own]
    place = {id(each): at for at, each in enumerate(flat)}
    joined = list(range(len(flat)))

    def join(one: Interface, other: Interface) -> None:
        joined[_root(joined, place[id(one)])] = _root(joined, place[id(other)])

    by_cable: dict[str, list[Interface]] = {}
    for each in flat:
        if each.cable is not None:
            by_cable.setdefault(each.cable, []).append(each)
    for ends in by_cable.values():
        for one, other in pairwise(ends):
            join(one, other)
    for machine, own in enumerate(made.interfaces):
        if found.machines[machine].role in BRIDGES:
            for one, other in pairwise(own):
                join(one, other)
        for each in own:
            if each.antenna is not None and each.antenna.name in found.access_points:
                join(each, made.interfaces[found.access_points[each.antenna.name]][0])
    numbers: dict[int, int] = {}
    for at, each in enumerate(flat):
        each.network = numbers.setdefault(_root(joined, at), len(numbers))


def _fit(made: Networks) -> None:
    """Let no interface send more than every cable of its network carries.

    Bridges neither fragment nor tell (IEEE 802.1D-2004 §6.3.8), so whoever sets up a network keeps
    to the least of its MTUs.
    """
    least: dict[int, int] = {}
    for each in (each for own in made.interfaces for each in own if each.cable is not None):
        least[each.network] = min(each.carries, least.get(each.network, MTU_MAX))
    for each in (each for own in made.interfaces for each in own):
        each.mtu = min(each.mtu, least.get(each.network, MTU_MAX))


def _give_addresses(made: Networks, found: Topology, problems: list[Problem]) -> None:
    """Give every interface its address: the one written, or the next of its network's."""
    taken = _written(made, found, problems)
    free: dict[int, IPv4Address] = {}
    for number, network in enumerate(made.addresses):
        free[number] = network.network_address + 1
    for machine, own in zip(found.machines, made.interfaces, strict=True):
        for each in own:
            if not each.address and machine.role == "ap" and each is not own[0]:
                each.address = own[0].address
            while not each.address:
                candidate = str(free[each.network])
                free[each.network] += 1
                if candidate not in taken:
                    each.address = candidate


def _written(made: Networks, found: Topology, problems: list[Problem]) -> dict[str, str]:
    """Take the written addresses, and the networks that they are of; answer who has them."""
    taken: dict[str, str] = {}
    chosen: dict[int, tuple[IPv4Network, str]] = {}
    for machine, each, part, part_path in _addressed(made, found):
        address = getattr(part, "address", None)
        if address is None:
            continue
        path = f"{part_path}.address"
        if address in taken:
            what = f"{shown(address)} is the address of {taken[address]} too"
            problems.append(Problem(path, what, "one address for each node"))
        taken[address] = machine.name
        network = IPv4Network((address, PREFIX_LENGTH), strict=False)
        known, owner = chosen.setdefault(each.network, (network, machine.name))
        if known != network:
            what = f"{shown(address)} is not in the network of {owner}, which it is joined with"
            problems.append(Problem(path, what, f"an address in {known}"))
        each.address = address
    count = 1 + max((each.network for own in made.interfaces for each in own), default=-1)
    used = {network for network, _ in chosen.values()}
    unused = (each for each in _all_networks() if each not in used)
    made.addresses = [
        chosen[number][0] if number in chosen else next(unused) for number in range(count)
    ]
    return taken


def _addressed(made: Networks, found: Topology) -> Iterator[tuple[Machine, Interface, object, str]]:
    """Give each interface whose address may be written, with the part that says it."""
    for machine, own in zip(found.machines, made.interfaces, strict=True):
        for each in own:
            if each.antenna is not None:
                yield machine, each, each.antenna.part, each.antenna.path
            elif each is own[0]:
                yield machine, each, machine.part, machine.path


def _all_networks() -> Any:
    return (
        IPv4Network((int(FIRST_NETWORK.network_address) + (step << 16), PREFIX_LENGTH))
        for step in range(2**12)
    )


def _root(joined: Sequence[int], at: int) -> int:
    while joined[at] != at:
        at = joined[at]
    return at
