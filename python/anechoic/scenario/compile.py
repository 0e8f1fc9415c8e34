"""From a scenario to a plan: no defaults, no units, no names left to resolve."""

from typing import Any

from anechoic.scenario.access_functions import access_functions, with_functions
from anechoic.scenario.air import air_plan
from anechoic.scenario.association_plan import associations_plan
from anechoic.scenario.bounds import node_problems, step_problems
from anechoic.scenario.catalogue import metric_names
from anechoic.scenario.cells import Cell, cells
from anechoic.scenario.chains import chains
from anechoic.scenario.costs import planned_cost
from anechoic.scenario.declared import planned
from anechoic.scenario.emulation import emulation_plan, is_emulated, is_real
from anechoic.scenario.errors import Problem, shown, unknown_name
from anechoic.scenario.experiment import Run
from anechoic.scenario.figures import figure_problems
from anechoic.scenario.files import Traces
from anechoic.scenario.filters import crossing
from anechoic.scenario.flows import flows
from anechoic.scenario.links import Wire
from anechoic.scenario.mac import mac_config, queue_of, tx_power_dbm
from anechoic.scenario.mobility_plan import mobile_ip_plan
from anechoic.scenario.model import Scenario
from anechoic.scenario.networks import PREFIX_LENGTH, Networks, loops, networks
from anechoic.scenario.nodes import Host
from anechoic.scenario.quantities import (
    bits_per_second,
    dbm,
    nanoseconds,
    size_in_bytes,
)
from anechoic.scenario.radio import AccessPoint, Client, Station
from anechoic.scenario.receivers import receivers
from anechoic.scenario.stacks import Layer, resolved_stack
from anechoic.scenario.topology import (
    STACK_ROLES,
    Antenna,
    Machine,
    Topology,
    join,
    named,
    segment_members,
    wire_ends,
)
from anechoic.scenario.windows import windows

PLAN_VERSION = 2
_SERIES_STEPS = 200
"""More are not told apart in a figure, and every replication keeps them."""

# Rates of half-duplex Ethernet, and half a slot of 512 bit times in ns (IEEE 802.3-2018 §4.4.2).
ETHERNETS = {10_000_000: 25_600, 100_000_000: 2_560}

Plan = dict[str, Any]


def compile_scenario(scenario: Scenario) -> Plan:
    """Compile a scenario; raise ScenarioError with every problem found in it."""
    problems: list[Problem] = [*node_problems(scenario)]
    if problems:
        raise scenario.refused(problems)
    found = named(scenario, problems)
    if problems:
        # A name that stands for two things would only lead to more of the same.
        raise scenario.refused(problems)
    join(found, scenario, problems)
    # Where a wire or a station hangs loose, a flow without a path is no news.
    is_joined = not problems
    problems += loops(scenario, found)
    nets = networks(scenario, found, problems)
    _check_air(scenario, found, problems)
    traces: Traces = {}
    plan = {
        "version": PLAN_VERSION,
        **_times(scenario, problems),
        "nodes": _nodes(scenario, found, nets, problems),
        "wires": _wires(scenario, found, nets, is_joined, problems),
        "segments": _segments(scenario, found, nets, problems),
        "mobile_ip": mobile_ip_plan(found, nets, problems),
        "caches_filled": scenario.run.caches == "filled",
        "air": None if scenario.air is None else air_plan(scenario, found, problems),
        "flows": flows(scenario, found, nets, is_joined, traces, problems),
        "traces": traces,
        "taps": _taps(scenario, found, problems),
        "tables": {
            "datagrams": scenario.run.datagrams,
            "attempts": scenario.run.attempts,
            "distributions": scenario.run.distributions,
        },
    }
    stacks = [node["stack"] for node in plan["nodes"]]
    emulation = emulation_plan(scenario, found, stacks, problems)
    if emulation is not None:
        plan["emulation"] = emulation
    made = associations_plan(scenario, found, problems)
    if made is not None:
        plan["associations"] = made
    plan["windows"] = windows(scenario, plan["flows"], problems)
    problems += step_problems(scenario, plan)
    _check_traffic(scenario, problems)
    _check_metrics(scenario, plan, problems)
    if problems:
        raise scenario.refused(problems)
    return plan


def _times(scenario: Scenario, problems: list[Problem]) -> dict[str, Any]:
    run = scenario.run
    duration, warmup = nanoseconds(run.duration), nanoseconds(run.warmup)
    if warmup >= duration:
        what = f"{shown(run.warmup)} leaves nothing to measure"
        problems.append(Problem("run.warmup", what, f"less than run.duration, {run.duration}"))
    steps: dict[str, int | None] = {}
    for field in ("series_step", "tcp_info_step"):
        written = getattr(run, field)
        step = steps[field] = None if written is None else nanoseconds(written)
        if step is not None and step > duration:
            what = f"{shown(written)} is longer than the run"
            problems.append(Problem(f"run.{field}", what, f"at most {run.duration}"))
    return {
        "duration_ns": duration,
        "warmup_ns": warmup,
        "series_step_ns": _series_step(run, steps["series_step"], duration - warmup),
        "tcp_info_step_ns": steps["tcp_info_step"],
    }


def _series_step(run: Run, written: int | None, measured: int) -> int | None:
    """Give the step of the series, if there are any."""
    if not run.time_series:
        return None
    if written is not None:
        return written
    power = 1
    while 5 * power * _SERIES_STEPS < measured:
        power *= 10
    return next(n * power for n in (1, 2, 5) if n * power * _SERIES_STEPS >= measured)


def _nodes(
    scenario: Scenario, found: Topology, nets: Networks, problems: list[Problem]
) -> list[dict[str, Any]]:
    goes_by = cells(scenario, found, problems)
    # A group of equal stations is compiled once, so that its problems are said once.
    stacks: dict[str, Any] = {}
    radios: dict[str, dict[str, Any]] = {}
    functions: dict[str, list[dict[str, Any]]] = {}
    nodes = []
    for place, machine in enumerate(found.machines):
        if machine.path not in stacks:
            stacks[machine.path] = _stack(machine, problems)
        for antenna in machine.antennas:
            if antenna.path not in radios:
                cell = goes_by[antenna.path]
                radios[antenna.path] = _radio(antenna, cell, problems)
                if apart := receivers(antenna, goes_by, found, problems):
                    radios[antenna.path]["receivers"] = apart
                functions[antenna.path] = access_functions(antenna, scenario, cell, problems)
        nodes.append(
            {
                "name": machine.name,
                "role": "port" if is_real(scenario, machine) else machine.role,
                "stack": stacks[machine.path],
                "interfaces": [
                    {
                        "address": each.address,
                        "prefix_length": PREFIX_LENGTH,
                        "mtu": each.mtu,
                        "radio": each.antenna
                        and with_functions(
                            {
                                "name": each.antenna.name,
                                "access_point": _radio_of(
                                    found.access_points.get(each.antenna.name)
                                ),
                                "frequency_mhz": goes_by[each.antenna.path].frequency_mhz,
                                **radios[each.antenna.path],
                            },
                            functions[each.antenna.path],
                        ),
                    }
                    for each in nets.interfaces[place]
                ],
                "routes": nets.routes(place),
                **_of_machine(scenario, machine, nets.outside.get(place)),
            }
        )
    return nodes


def _of_machine(scenario: Scenario, machine: Machine, outside: int | None) -> dict[str, Any]:
    """Give what a simulated machine does with packets; a real one does what it does."""
    if is_real(scenario, machine):
        return {"cost": None, "nat": None}
    return {"cost": planned_cost(getattr(machine.part, "cost", None)), "nat": outside}


def _radio_of(access_point: int | None) -> dict[str, int] | None:
    return None if access_point is None else {"node": access_point, "interface": 0}


def _stack(machine: Machine, problems: list[Problem]) -> dict[str, Any] | None:
    part = machine.part
    if isinstance(part, Host | Station):
        return resolved_stack([Layer(machine.path, part.stack, part.tcp)], problems)
    return None


def _radio(antenna: Antenna, cell: Cell, problems: list[Problem]) -> dict[str, Any]:
    part = antenna.part
    beacon = nanoseconds(part.beacon_interval) if isinstance(part, AccessPoint) else 0
    keeps_ledger = isinstance(part, AccessPoint) or (isinstance(part, Client) and part.ledger)
    freezes_below = part.freeze_below if isinstance(part, Station) else None
    return {
        **({"ledger": antenna.name} if keeps_ledger else {}),
        **({} if freezes_below is None else {"freeze_below_dbm": dbm(freezes_below)}),
        "mac": mac_config(antenna.path, part, cell, problems),
        "queue": None if (queue := queue_of(part)) is None else planned(queue),
        "tx_power_dbm": tx_power_dbm(part),
        "beacon_interval_ns": beacon or None,
    }


def _wires(
    scenario: Scenario, found: Topology, nets: Networks, is_joined: bool, problems: list[Problem]
) -> list[dict[str, Any]]:
    words = crossing(scenario, found) if is_joined else None
    wires = []
    for name, wire in scenario.wire.items():
        # What is wrong with the ends was said when the machines were joined.
        ends = wire_ends(found, f"wire.{name}", wire.between, [])
        wires.append(
            {
                "name": name,
                "ends": [nets.end(f"wire.{name}", end) for end in ends or ()],
                "rate_bps": bits_per_second(wire.rate),
                "delay_ns": nanoseconds(wire.delay),
                "queue": _queues(name, wire, problems),
                "impair": [*chains(scenario, found, name, ends, words, problems)] if ends else [],
            }
        )
    return wires


def _queues(name: str, wire: Wire, problems: list[Problem]) -> list[dict[str, Any]]:
    """Give what waits at the first end of a wire, and at the other."""
    for end in wire.queue_at.keys() - set(wire.between):
        path = f"wire.{name}.queue_at.{end}"
        problems.append(unknown_name(path, end, wire.between, "end of the wire"))
    return [planned(wire.queue_at.get(end, wire.queue)) for end in wire.between]


def _segments(
    scenario: Scenario, found: Topology, nets: Networks, problems: list[Problem]
) -> list[dict[str, Any]]:
    segments = []
    for name, segment in scenario.segment.items():
        path = f"segment.{name}"
        rate, delay = bits_per_second(segment.rate), nanoseconds(segment.delay)
        if rate not in ETHERNETS:
            what = f"{shown(segment.rate)} is no rate of half-duplex Ethernet here"
            problems.append(Problem(f"{path}.rate", what, "10 Mbit/s or 100 Mbit/s"))
        elif delay > ETHERNETS[rate]:
            what = f"{shown(segment.delay)} is more than half a slot: collisions would go unseen"
            problems.append(Problem(f"{path}.delay", what, f"at most {ETHERNETS[rate]} ns"))
        # What is wrong with the members was said when the machines were joined.
        members = segment_members(found, path, segment.members, [])
        segments.append(
            {
                "name": name,
                "members": [nets.end(path, member) for member in members],
                "rate_bps": rate,
                "delay_ns": delay,
                "queue": planned(segment.queue),
            }
        )
    return segments


def _taps(scenario: Scenario, found: Topology, problems: list[Problem]) -> list[dict[str, Any]]:
    places = _tap_places(scenario, found)
    taps = []
    for name, tap in scenario.tap.items():
        if tap.at in places:
            taps.append({"name": name, "at": places[tap.at], "snap_bytes": size_in_bytes(tap.snap)})
        else:
            problem = unknown_name(f"tap.{name}.at", tap.at, list(places), "point to tap")
            problems.append(problem)
    return taps


def tap_places(scenario: Scenario) -> list[str]:
    """Name the places where a tap may sit."""
    return list(_tap_places(scenario, named(scenario, [])))


def _tap_places(scenario: Scenario, found: Topology) -> dict[str, dict[str, Any]]:
    """Give the places where a tap may sit, as a plan has them."""
    machines = list(enumerate(found.machines))
    return {
        **{f"wire.{name}": {"wire": at} for at, name in enumerate(scenario.wire)},
        **{f"segment.{name}": {"segment": at} for at, name in enumerate(scenario.segment)},
        **{
            f"{machine.role}.{antenna.name}": {"air": {"node": at, "interface": number}}
            for at, machine in machines
            for number, antenna in enumerate(machine.antennas)
        },
        **{
            f"events.{antenna.name}": {"events": {"node": at, "interface": number}}
            for at, machine in machines
            for number, antenna in enumerate(machine.antennas)
            if machine.role == "sta"
        },
        **{
            f"stack.{machine.name}": {"stack": at}
            for at, machine in machines
            if machine.role in STACK_ROLES
        },
        **{f"drops.{machine.name}": {"drops": at} for at, machine in machines},
    }


def _check_air(scenario: Scenario, found: Topology, problems: list[Problem]) -> None:
    radios = [each.path for machine in found.machines for each in machine.antennas]
    radio = next(iter([*radios, *(f"noise.{name}" for name in scenario.noise)]), None)
    if scenario.air is None and radio is not None:
        problems.append(Problem("air", f"missing, and there is {radio}", "a table [air]"))


def _check_traffic(scenario: Scenario, problems: list[Problem]) -> None:
    if not scenario.traffic and not is_emulated(scenario):
        problems.append(Problem("traffic", "missing: nothing runs", "a table [traffic.NAME]"))


def _check_metrics(scenario: Scenario, plan: Plan, problems: list[Problem]) -> None:
    try:
        names = metric_names(plan)
    except ValueError:
        # What is wrong with the plan has been said; what it would give is not known.
        names = None
    rule = scenario.replication
    if names is not None and rule.metric not in names:
        problems.append(unknown_name("replication.metric", rule.metric, names, "metric"))
    problems += figure_problems(scenario, plan, names)
    if rule.min > rule.max:
        what = f"{rule.min} is more than replication.max, {rule.max}"
        problems.append(Problem("replication.min", what, f"at most {rule.max}"))
