"""What of a scenario is real where it is emulated, and the programs in it."""

from collections.abc import Iterable, Iterator
from typing import Any

from anechoic.scenario.errors import Problem, listing, shown
from anechoic.scenario.experiment import EmulationLimits
from anechoic.scenario.model import Scenario
from anechoic.scenario.nodes import Host, Port
from anechoic.scenario.quantities import nanoseconds
from anechoic.scenario.radio import AccessPoint, Router, Station
from anechoic.scenario.topology import Machine, Topology

KERNELS = {"newreno": "reno", "reno": "reno", "cubic": "cubic", "bbr": "bbr", "vegas": "vegas"}
"""The names that Linux has for congestion controls of scenarios."""


def is_emulated(scenario: Scenario) -> bool:
    """Say whether a scenario runs on the wall clock."""
    return scenario.run.backend == "emu"


def is_real(scenario: Scenario, machine: Machine) -> bool:
    """Say whether a machine is outside the simulated world, bridge and radio included."""
    part = machine.part
    if isinstance(part, AccessPoint) or not is_emulated(scenario):
        return isinstance(part, Port)
    return isinstance(part, Port) or bool(getattr(part, "port", False))


def has_kernel(scenario: Scenario, machine: Machine) -> bool:
    """Say whether a kernel has the address of a machine, whatever its bridge and its radio are."""
    part = machine.part
    is_within = isinstance(part, AccessPoint) and part.port
    return is_real(scenario, machine) or (is_within and is_emulated(scenario))


def check_is_simulated(scenario: Scenario, name: str) -> None:
    """Raise ScenarioError for a scenario of another backend, where it would be simulated."""
    backend = scenario.run.backend
    if backend != "sim":
        command = {"emu": "emulate", "live": "measure"}[backend]
        what = f'"{backend}" runs on the wall clock, by anechoic {command} {name}'
        raise scenario.refused([Problem("run.backend", what, '"sim"')])


def left_to_emulation(scenario: Scenario) -> Iterator[str]:
    """Give a sentence for each kind of what a simulation does otherwise than an emulation."""
    if is_emulated(scenario):
        return
    nodes = {
        **{f"host.{name}": host.port for name, host in scenario.host.items()},
        **{f"router.{name}": router.port for name, router in scenario.router.items()},
        **{f"sta.{name}": station.port for name, station in scenario.sta.items()},
        **{f"ap.{name}": ap.port for name, ap in scenario.ap.items()},
    }
    real = [path for path, is_port in nodes.items() if is_port]
    if real:
        yield f"simulated here, and real in anechoic emulate: {listing(real)}"
    if scenario.port:
        ports = _listed("port", scenario.port)
        yield f"nothing comes in at, and what arrives is discarded: {ports}"
    if scenario.program:
        yield f"run in anechoic emulate alone: {_listed('program', scenario.program)}"


def _listed(table: str, names: Iterable[str]) -> str:
    return listing([f"{table}.{name}" for name in names])


def emulation_plan(
    scenario: Scenario,
    found: Topology,
    stacks: list[dict[str, Any] | None],
    problems: list[Problem],
) -> dict[str, Any] | None:
    """Give what of a plan is real, by the machines' places; None where all is simulated."""
    if not is_emulated(scenario):
        return None
    places = [at for at, machine in enumerate(found.machines) if has_kernel(scenario, machine)]
    if not places:
        allowed = "port = true at a host, a router, a station or an ap, or --real NODE"
        problems.append(Problem("run.backend", "no node of the scenario is real", allowed))
    real = [_real(found.machines[at], at, stacks[at], problems) for at in places]
    _check_interfaces(found, real, problems)
    own = [each["node"] for each in real if each["interface"] is None]
    return {
        "real": real,
        "programs": _programs(scenario, found, own, problems),
        "limits": _limits(scenario.emulation),
    }


def _limits(limits: EmulationLimits) -> dict[str, Any]:
    return {
        "lateness_p99_ns": nanoseconds(limits.lateness),
        "stall_ns": nanoseconds(limits.stall),
        "changed_share": limits.changed,
        "starved_share": limits.starved,
    }


def _real(
    machine: Machine, place: int, stack: dict[str, Any] | None, problems: list[Problem]
) -> dict[str, Any]:
    return {
        "node": place,
        "congestion_control": _control(machine, stack, problems),
        "forwards": isinstance(machine.part, Router),
        "interface": _interface(machine),
    }


def _interface(machine: Machine) -> str | None:
    """Give the interface of this machine that a real one is behind; None in a namespace."""
    port = getattr(machine.part, "port", None)
    return port if isinstance(port, str) else None


def _check_interfaces(found: Topology, real: list[dict[str, Any]], problems: list[Problem]) -> None:
    """Refuse an interface that two are behind."""
    taken: dict[str, str] = {}
    for each in real:
        name, machine = each["interface"], found.machines[each["node"]]
        if name is not None and taken.setdefault(name, machine.name) != machine.name:
            what = f"{shown(name)} is the interface of {taken[name]} already"
            problems.append(Problem(f"{machine.path}.port", what, "an interface of its own"))


def _control(machine: Machine, stack: dict[str, Any] | None, problems: list[Problem]) -> str | None:
    is_ours = isinstance(machine.part, Host | Station) and _interface(machine) is None
    if stack is None or not is_ours:
        return None
    wanted = stack["congestion_control"]
    if wanted not in KERNELS:
        what = f"no kernel has {shown(wanted)}, which its stack asks for"
        allowed = ", ".join(KERNELS)
        problems.append(Problem(f"{machine.path}.tcp.congestion_control", what, allowed))
        return None
    return KERNELS[wanted]


def _programs(
    scenario: Scenario, found: Topology, places: list[int], problems: list[Problem]
) -> list[dict[str, Any]]:
    programs = []
    for name, program in scenario.program.items():
        path = f"program.{name}.node"
        for place in found.find(path, program.node, problems):
            if place not in places:
                interface = _interface(found.machines[place])
                is_behind = f"is behind {interface}, where its programs are started"
                is_none = f"is not real, as --real {program.node} makes it"
                what = f"{shown(program.node)} {is_none if interface is None else is_behind}"
                real = [found.machines[at].name for at in places]
                problems.append(Problem(path, what, listing(real) or "none"))
                break
            start = nanoseconds(program.start)
            programs.append({"node": place, "command": program.command, "start_ns": start})
    return programs
