"""From agents and mobile nodes to the plan of Mobile IP."""

from collections.abc import Iterator
from typing import Any

from anechoic.scenario.errors import Problem, listing, shown
from anechoic.scenario.mobile_ip import Agent, MobileIp
from anechoic.scenario.networks import Networks
from anechoic.scenario.quantities import nanoseconds
from anechoic.scenario.topology import Topology


def mobile_ip_plan(
    found: Topology, nets: Networks, problems: list[Problem]
) -> dict[str, Any] | None:
    """Give the agents and the mobile nodes of a scenario; None where nobody is mobile."""
    agents = dict(_agents(found, nets, problems))
    mobiles = list(_mobiles(found, nets, agents, problems))
    if not agents and not mobiles:
        return None
    return {"agents": [_agent(found, at, end) for at, end in agents.items()], "mobiles": mobiles}


def _agents(found: Topology, nets: Networks, problems: list[Problem]) -> Iterator[tuple[int, int]]:
    """Give each router that is an agent, and its interface to a network with access points."""
    served = {
        interface.network
        for at, machine in enumerate(found.machines)
        for interface in nets.interfaces[at]
        if machine.role == "ap"
    }
    for at, machine in enumerate(found.machines):
        if getattr(machine.part, "agent", None) is None:
            continue
        own = [place for place, each in enumerate(nets.interfaces[at]) if each.network in served]
        if len(own) == 1:
            yield at, own[0]
        else:
            what = f"{len(own)} of its networks have an access point"
            problems.append(Problem(f"{machine.path}.agent", what, "one network with some"))


def _agent(found: Topology, at: int, interface: int) -> dict[str, Any]:
    agent = getattr(found.machines[at].part, "agent", None)
    assert isinstance(agent, Agent)
    return {
        "at": {"node": at, "interface": interface},
        "interval_ns": nanoseconds(agent.advertisement_interval),
        "lifetime_s": agent.advertisement_lifetime,
        "registration_lifetime_s": agent.registration_lifetime,
    }


def _unreached(found: Topology, home: int, agents: dict[int, int], name: str) -> Iterator[Problem]:
    """Refuse agents to which their visitors' home agent has no way."""
    for agent in agents:
        if agent != home and not found.way(home, agent):
            what = f"no wire leads to {shown(name)}, so nobody can be reached there"
            path = f"{found.machines[agent].path}.agent"
            yield Problem(path, what, "wires between both agents")


def _mobiles(
    found: Topology, nets: Networks, agents: dict[int, int], problems: list[Problem]
) -> Iterator[dict[str, Any]]:
    for at, machine in enumerate(found.machines):
        mobile: MobileIp | None = getattr(machine.part, "mobile_ip", None)
        if mobile is None:
            continue
        path = f"{machine.path}.mobile_ip.home_agent"
        homes = [each for each in agents if found.machines[each].name == mobile.home_agent]
        if not homes:
            names = [found.machines[each].name for each in agents]
            what = f"{shown(mobile.home_agent)} is no router with an agent"
            problems.append(Problem(path, what, listing(names) or "a router with a table agent"))
            continue
        home = nets.interfaces[homes[0]][agents[homes[0]]]
        if home.network != nets.interfaces[at][0].network:
            what = f"{shown(mobile.home_agent)} does not serve the network of its access point"
            problems.append(Problem(path, what, "the agent of the network that it belongs to"))
            continue
        problems += [
            problem
            for problem in _unreached(found, homes[0], agents, mobile.home_agent)
            if problem not in problems
        ]
        if getattr(machine.part, "cost", None) is not None:
            what = "a mobile node's work takes no time here"
            problems.append(Problem(f"{machine.path}.cost", what, "none, or no mobile_ip"))
        yield {
            "at": {"node": at, "interface": 0},
            "home_agent": home.address,
            "key": list(bytes.fromhex(mobile.key)),
            "detection": mobile.detection,
            "memory_ns": None if mobile.memory is None else nanoseconds(mobile.memory),
            "lifetime_s": mobile.lifetime,
            "retry_ns": nanoseconds(mobile.retry),
        }
