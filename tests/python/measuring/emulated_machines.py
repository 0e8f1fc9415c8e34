"""Machines in an emulated cell: an endpoint in each node, a console, an access point's snmpd."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from machines import Machine, end_all, introduce, namespace, set_link
from snmp_agent import COMMUNITY, KEY, PRIVACY_KEY, USER, snmpd

import anechoic as an
from anechoic.emulating.entering import running

UNWATCHED = {"run.time_series": False, "run.distributions": False}
LIFE_S = 12 * 3600
MANAGED = "10.40.0"
"""What the addresses of the console's network begin with."""
AGENTS = {
    "v2c": f'community = "{COMMUNITY}"',
    "v3": f"""user = "{USER}"
authentication = "SHA"
authentication_key = "{KEY}"
privacy = "AES"
privacy_key = "{PRIVACY_KEY}"
""",
}
"""What the console's file says of an agent, by the version of SNMP."""


@dataclass
class Emulated(Machine):
    """A real node of an emulation; its process is the emulator's."""

    node: str = ""

    def command(self, *words: str | Path) -> list[str]:
        """Give the command that runs another one here."""
        enter = [*self.python(), "enter", "--run", str(self.process), self.node]
        return [*enter, "env", f"HOME={self.home}", *map(str, words)]


@contextmanager
def emulated(folder: Path, file: Path, version: str) -> Iterator[tuple[Machine, an.Emulation]]:
    """Emulate a cell with all endpoints and agents; gives the console, in a network of its own.

    A wire leads from it to each node: what it says would wait on the air behind what it measures,
    for longer than an endpoint waits to hear of its console. ``version`` is that of SNMP by which
    it sets the access points.
    """
    folder.mkdir(exist_ok=True)
    with ExitStack() as stack, an.emulate(file, set=UNWATCHED, length=f"{LIFE_S} s") as emulation:
        (process,) = (each.process for each in running() if each.scenario == file.stem)
        desk = _desk(folder, stack.enter_context(namespace(LIFE_S)))
        made = []
        for number, node in enumerate(emulation.nodes, 1):
            home = folder / node
            home.mkdir()
            address = emulation[node].run("hostname -I", check=True).stdout.strip()
            wired = _wired(desk, emulation, node, number)
            made.append(Emulated(node, address, home, process, management=wired, node=node))
        # Behind the emulation, which has ended what runs in its nodes.
        stack.callback(end_all, made)
        access_points = [each for each in made if each.name in an.load(file).ap]
        ends = [each for each in made if each not in access_points]
        introduce(desk, ends)
        for each in ends:
            each.listen()
        for each in access_points:
            each.start(*snmpd(each.home, "161", "-m anechoic.cli access-point"))
        _name_agents(desk, access_points, version)
        yield desk, emulation


def _desk(folder: Path, process: int) -> Machine:
    """Give a machine with the console, where the wires from all nodes end."""
    desk = Machine("desk", f"{MANAGED}.254", folder / "desk", process)
    desk.home.mkdir()
    desk.run("ip", "link", "add", "wires", "type", "bridge")
    desk.run("ip", "address", "add", f"{desk.address}/24", "dev", "wires")
    desk.run("ip", "link", "set", "wires", "up")
    return desk


def _wired(desk: Machine, emulation: an.Emulation, node: str, number: int) -> str:
    """Join a node to the console's network; gives its address there."""
    name, address = f"m{os.getpid()}.{number}", f"{MANAGED}.{number}"
    set_link(f"link add {name} type veth peer name {name}n")
    set_link(f"link set {name} netns {desk.process}")
    set_link(f"link set {name}n netns {_process_in(emulation, node)}")
    desk.run("ip", "link", "set", name, "master", "wires", "up")
    add = f"ip address add {address}/24 dev {name}n && ip link set {name}n up"
    emulation[node].run(add, check=True)
    return address


def _process_in(emulation: an.Emulation, node: str) -> int:
    """Give a process in a node, by the number that it has outside."""
    emulation[node].start("sleep infinity")
    network = emulation[node].run("readlink /proc/self/ns/net", check=True).stdout.strip()
    for each in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if str((each / "ns" / "net").readlink()) == network:
                return int(each.name)
    raise AssertionError(f"nothing runs in {node}")


def _name_agents(desk: Machine, agents: list[Emulated], version: str) -> None:
    file = desk.home / ".config" / "anechoic" / "agents.toml"
    tables = [f'[{each.name}]\naddress = "{each.management}"\n{AGENTS[version]}' for each in agents]
    file.write_text("\n".join(tables))
    file.chmod(0o600)
