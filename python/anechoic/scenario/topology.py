"""Names resolved: which machines there are, how they are wired, who reaches whom."""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Literal

from anechoic.scenario.errors import Problem, listing, shown, unknown_name
from anechoic.scenario.model import Scenario
from anechoic.scenario.nodes import Host, Port, Switch
from anechoic.scenario.radio import AccessPoint, Client, Radio, Router, Station

Role = Literal["host", "port", "router", "switch", "ap", "sta"]
ROLES: Mapping[Role, str] = {
    "host": "a host",
    "port": "a port",
    "router": "a router",
    "switch": "a switch",
    "ap": "an access point",
    "sta": "a station",
}
STACK_ROLES = ("host", "router", "sta")
BRIDGES = ("switch", "ap")
WIRED: tuple[Role, ...] = ("host", "port", "router", "switch", "ap")
EVERY: tuple[Role, ...] = (*WIRED, "sta")


# The core's limit: so many may hold a frame that is for all of them.
MOST_MEMBERS = 100


@dataclass(frozen=True, slots=True)
class Antenna:
    """One radio of a machine: what it is reported as, and the part that describes it."""

    name: str
    path: str
    part: Radio


@dataclass(frozen=True, slots=True)
class Machine:
    """One node of the plan, and the part of the scenario that describes it."""

    name: str
    role: Role
    path: str
    part: Host | Port | Router | Switch | AccessPoint | Station

    @property
    def antennas(self) -> list[Antenna]:
        """Give its radios: an access point or a station is one, a router has those it names."""
        if isinstance(self.part, Radio):
            return [Antenna(self.name, self.path, self.part)]
        named = self.part.radio.items() if isinstance(self.part, Router) else ()
        return [
            Antenna(f"{self.name}-{name}", f"{self.path}.radio.{name}", radio)
            for name, radio in named
        ]


@dataclass(slots=True)
class Topology:
    """All machines in the order of the plan, and the names that stand for them."""

    machines: list[Machine] = field(default_factory=list)
    written: dict[str, list[int]] = field(default_factory=dict)
    groups: dict[str, list[int]] = field(default_factory=dict)
    members: dict[str, int] = field(default_factory=dict)
    access_points: dict[str, int] = field(default_factory=dict)
    neighbours: list[set[int]] = field(default_factory=list)

    def find(
        self,
        path: str,
        name: str,
        problems: list[Problem],
        roles: Iterable[Role] = EVERY,
        kind: str = "node",
    ) -> list[int]:
        """Give the machines that a name stands for; none, and a problem, if it has no role."""
        named = {**self.written, **self.groups}
        found = self.places(name)
        strangers = [self.machines[at] for at in found if self.machines[at].role not in roles]
        if found and not strangers:
            return found
        valid = [
            each
            for each, places in named.items()
            if all(self.machines[at].role in roles for at in places)
        ]
        if name in self.groups:
            what = f"{shown(name)} holds {strangers[0].path}, which cannot stand here"
            problems.append(Problem(path, what, listing(valid)))
        elif strangers:
            what = f"{shown(name)} is {ROLES[strangers[0].role]}"
            *others, last = (ROLES[role] for role in roles)
            needed = f"{', '.join(others)} or {last}" if others else last
            problems.append(Problem(path, what, f"{needed}: {listing(valid) or 'none'}"))
        else:
            problems.append(unknown_name(path, name, valid, kind))
        return []

    def find_radios(self, path: str, name: str, problems: list[Problem]) -> list[int]:
        """Give the machines with a radio that a name stands for."""
        found = self.find(path, name, problems, ("ap", "sta", "router"), "radio")
        if silent := [self.machines[at].path for at in found if not self.machines[at].antennas]:
            problems.append(Problem(path, f"{silent[0]} has no radio", "a node with a radio"))
            return []
        return found

    def find_one(
        self, path: str, name: str, problems: list[Problem], roles: Iterable[Role], kind: str
    ) -> int | None:
        """Give the one machine that a name stands for; None, and a problem, if it is not one."""
        found = self.find(path, name, problems, roles, kind)
        if len(found) > 1:
            problems.append(Problem(path, f"{shown(name)} are {len(found)} nodes", f"one {kind}"))
        return found[0] if len(found) == 1 else None

    def places(self, name: str) -> list[int]:
        """Give the machines that a name stands for, if there are any."""
        alone = [self.members[name]] if name in self.members else []
        return self.written.get(name) or self.groups.get(name) or alone

    def way(self, start: int, end: int) -> list[int]:
        """Give the machines that packets pass, both ends included; hosts pass on nothing."""
        before = {start: start}
        waiting = deque([start])
        while waiting and end not in before:
            at = waiting.popleft()
            if at == start or self.machines[at].role in (*BRIDGES, "router"):
                fresh = sorted(self.neighbours[at] - before.keys())
                before |= dict.fromkeys(fresh, at)
                waiting.extend(fresh)
        if end not in before:
            return []
        way = [end]
        while way[-1] != start:
            way.append(before[way[-1]])
        return way[::-1]


def named(scenario: Scenario, problems: list[Problem]) -> Topology:
    """Name all machines and groups."""
    found = Topology()
    # Stations come last, so that one more of them moves no other machine's place.
    _add_all(found, "host", scenario.host, problems)
    _add_all(found, "port", scenario.port, problems)
    _add_all(found, "router", scenario.router, problems)
    _add_all(found, "switch", scenario.switch, problems)
    _add_all(found, "ap", scenario.ap, problems)
    _add_all(found, "sta", scenario.sta, problems)
    found.neighbours = [set() for _ in found.machines]
    for antenna in (each for machine in found.machines for each in machine.antennas):
        owner = _owner(found, antenna.name)
        if owner is not None and not antenna.path.startswith(owner):
            problems.append(_clash(antenna.path, antenna.name, owner))
    for name in scenario.noise:
        if (owner := _owner(found, name)) is not None:
            problems.append(_clash(f"noise.{name}", name, owner))
    for name in scenario.group:
        if (owner := _owner(found, name)) is None:
            _gather(found, scenario, name, (), problems)
        else:
            problems.append(_clash(f"group.{name}", name, owner))
    return found


def join(found: Topology, scenario: Scenario, problems: list[Problem]) -> None:
    """Connect what wires and associations connect."""
    told: set[str] = set()
    for place, machine in enumerate(found.machines):
        for antenna in machine.antennas:
            if not isinstance(antenna.part, Client):
                continue
            # What is wrong with a group of equal stations is said once.
            said = [] if antenna.path in told else problems
            told.add(antenna.path)
            path = f"{antenna.path}.ap"
            ap = found.find_one(path, antenna.part.ap, said, ("ap",), "access point")
            if ap is not None:
                found.access_points[antenna.name] = ap
                _join(found, place, ap)
    for name, wire in scenario.wire.items():
        ends = wire_ends(found, f"wire.{name}", wire.between, problems)
        if ends is not None:
            _join(found, *ends)
    for name, segment in scenario.segment.items():
        for first, second in combinations(
            segment_members(found, f"segment.{name}", segment.members, problems), 2
        ):
            _join(found, first, second)


def wire_ends(
    found: Topology, path: str, between: list[str], problems: list[Problem]
) -> tuple[int, int] | None:
    """Give the places of a wire's two ends."""
    where = f"{path}.between"
    first, second = (found.find_one(where, name, problems, WIRED, "node") for name in between)
    if first is None or second is None:
        return None
    if first == second:
        problems.append(Problem(where, f"both ends are {shown(between[0])}", "two nodes"))
        return None
    return first, second


def segment_members(
    found: Topology, path: str, members: list[str], problems: list[Problem]
) -> list[int]:
    """Give the places of the machines that share a segment; none, and a problem, if too few."""
    places: list[int] = []
    said = len(problems)
    for number, name in enumerate(members):
        where = f"{path}.members[{number}]"
        own = found.find(where, name, problems, WIRED)
        if set(own) & set(places):
            problems.append(Problem(where, f"{shown(name)} stands twice", "each node once"))
        places += own
    if len(problems) > said:
        return []
    if not 2 <= len(places) <= MOST_MEMBERS:
        what = f"{len(places)} nodes share it"
        problems.append(Problem(f"{path}.members", what, f"2 to {MOST_MEMBERS} nodes"))
        return []
    return places


def _add_all(
    found: Topology,
    role: Role,
    parts: "Mapping[str, Host | Port | Router | Switch | AccessPoint | Station]",
    problems: list[Problem],
) -> None:
    for name, part in parts.items():
        path = f"{role}.{name}"
        count = part.count if isinstance(part, Station) else None
        names = [name] if count is None else [f"{name}-{place + 1}" for place in range(count)]
        clash = next((each for each in (name, *names) if _owner(found, each)), None)
        if clash is not None:
            problems.append(_clash(path, clash, _owner(found, clash)))
            continue
        found.written[name] = []
        for each in names:
            found.written[name].append(len(found.machines))
            found.members[each] = len(found.machines)
            found.machines.append(Machine(each, role, path, part))


def _gather(
    found: Topology,
    scenario: Scenario,
    name: str,
    around: tuple[str, ...],
    problems: list[Problem],
) -> list[int]:
    """Find the members of a group that is a member of those around it."""
    if name in found.groups:
        return found.groups[name]
    places: list[int] = []
    members = scenario.group[name].members
    for number, member in enumerate(members):
        path = f"group.{name}.members[{number}]"
        if member in members[:number]:
            problems.append(Problem(path, f"{shown(member)} stands twice", "each member once"))
        elif member in (*around, name):
            problems.append(Problem(path, f"{shown(member)} would be a member of itself", "others"))
        elif member in scenario.group:
            places += _gather(found, scenario, member, (*around, name), problems)
        else:
            places += found.find(path, member, problems)
    found.groups[name] = list(dict.fromkeys(places))
    return found.groups[name]


def _clash(path: str, name: str, owner: str | None) -> Problem:
    what = f"{shown(name)} is the name of {owner} too"
    return Problem(path, what, "a name that no other node has")


def _owner(found: Topology, name: str) -> str | None:
    places = found.written.get(name, [])
    place = places[0] if places else found.members.get(name)
    return None if place is None else found.machines[place].path


def _join(found: Topology, first: int, second: int) -> None:
    found.neighbours[first].add(second)
    found.neighbours[second].add(first)
