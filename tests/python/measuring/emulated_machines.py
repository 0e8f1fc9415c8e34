"""Machines in an emulated cell: an endpoint in each node, a console, an access point's snmpd."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from machines import Machine, end_all, introduce
from snmp_agent import COMMUNITY, KEY, PRIVACY_KEY, USER, snmpd

import anechoic as an
from anechoic.emulating.entering import running

UNWATCHED = {"run.time_series": False, "run.distributions": False}
LONGEST = "12 h"
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
def emulated(folder: Path, file: Path, version: str) -> Iterator[tuple[Emulated, an.Emulation]]:
    """Emulate a cell with all endpoints and agents; gives the console, beside its first node.

    ``version`` is that of SNMP by which the console sets the access points.
    """
    folder.mkdir(exist_ok=True)
    with ExitStack() as stack, an.emulate(file, set=UNWATCHED, length=LONGEST) as emulation:
        (process,) = (each.process for each in running() if each.scenario == file.stem)

        def machine(name: str, node: str) -> Emulated:
            home = folder / name
            home.mkdir()
            address = emulation[node].run("hostname -I", check=True).stdout.strip()
            return Emulated(name, address, home, process, node=node)

        access_points = list(an.load(file).ap)
        ends = [name for name in emulation.nodes if name not in access_points]
        desk, made = machine("desk", ends[0]), [machine(name, name) for name in ends]
        agents = [machine(name, name) for name in access_points]
        # Behind the emulation, which has ended what runs in its nodes.
        stack.callback(end_all, [*made, *agents])
        introduce(desk, made)
        for each in made:
            each.listen()
        for each in agents:
            each.start(*snmpd(each.home, "161", "-m anechoic.cli access-point"))
        _name_agents(desk, agents, version)
        yield desk, emulation


def _name_agents(desk: Emulated, agents: list[Emulated], version: str) -> None:
    file = desk.home / ".config" / "anechoic" / "agents.toml"
    tables = [f'[{each.name}]\naddress = "{each.address}"\n{AGENTS[version]}' for each in agents]
    file.write_text("\n".join(tables))
    file.chmod(0o600)
