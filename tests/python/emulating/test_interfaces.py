"""A machine behind an interface of this one, in the place of a node."""

import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import anechoic as an
from anechoic.scenario.errors import ScenarioError

CELL = """
run.duration = "30 s"
host.server = { stack = "linux-6", port = true }
ap.office = {}
sta.laptop = { ap = "office", stack = "linux-6" }
wire.lan.between = ["server", "office"]
air = { loss = "60 dB", standard = "802.11g" }
traffic.upload = { app = "bulk", from = "laptop", to = "server" }
"""


@dataclass
class Outside:
    """Another machine: a namespace at the far end of a pair of interfaces."""

    interface: str
    process: int

    def run(self, command: str) -> "subprocess.CompletedProcess[str]":
        """Run a command there."""
        enter = ["nsenter", "--target", str(self.process), "--net", "sh", "-c", command]
        return subprocess.run(enter, capture_output=True, text=True, check=True)


def ip(command: str) -> None:
    """Set links of this machine."""
    subprocess.run(["ip", *command.split()], check=True)


@pytest.fixture
def outside() -> Iterator[Outside]:
    """A machine behind an interface; it has the address of the scenario's laptop."""
    near, far = f"near{os.getpid()}", f"far{os.getpid()}"
    with subprocess.Popen(["unshare", "--net", "sleep", "60"]) as machine:
        try:
            ip(f"link add {near} type veth peer name {far}")
            while Path(f"/proc/{machine.pid}/comm").read_text() != "sleep\n":
                pass
            ip(f"link set {far} netns {machine.pid}")
            ip(f"link set {near} up")
            other = Outside(near, machine.pid)
            other.run(f"ip address add 10.0.0.3/16 dev {far} && ip link set {far} up")
            yield other
        finally:
            machine.kill()
            subprocess.run(["ip", "link", "del", near], check=False, stderr=subprocess.DEVNULL)


@pytest.fixture
def cell(tmp_path: Path) -> Path:
    path = tmp_path / f"outside-{os.getpid()}-{tmp_path.name}.toml"
    path.write_text(CELL)
    return path


def test_a_machine_behind_an_interface_is_a_station_of_the_cell(
    cell: Path, outside: Outside
) -> None:
    with an.emulate(cell, real=[f"laptop={outside.interface}"]) as emulation:
        assert emulation.nodes == ["server"], "programs are started there by whoever has it"
        told = outside.run("ping -c 3 -i 0.05 10.0.0.1").stdout
        serve = "import socket; e = socket.create_server(('', 80)); e.accept()[0].recv(99)"
        emulation["server"].start(f'python3 -c "{serve}"')
        send = "import socket; socket.create_connection(('10.0.0.1', 80)).sendall(bytes(99))"
        outside.run(f'sleep 0.3; python3 -c "{send}"')
    assert "3 received" in told
    least = float(told.split("min/avg")[1].split("=")[1].split("/")[0])
    assert least > 0.2, "two frames and their acknowledgments over 802.11g"
    # The sender's kernel left its checksums to an interface that wrote none.
    assert emulation.metrics["flow.upload-1.goodput_mbps"] > 0
    laptop = next(each for each in emulation.outcome["ports"] if each["node"] == "laptop")
    assert laptop["interface"] == outside.interface and laptop["frames_in"] > 6


@pytest.mark.parametrize(
    ("change", "remedy"),
    [
        ("link set {} down", "is down: ip link set {} up"),
        ("address add 192.0.2.1/24 dev {}", "ip address flush dev {}"),
        ("link set {} mtu 1400", "ip link set {} mtu 1500"),
    ],
)
def test_an_interface_that_does_not_serve_is_refused_with_the_command_that_helps(
    cell: Path, outside: Outside, change: str, remedy: str
) -> None:
    ip(change.format(outside.interface))
    with (
        pytest.raises(Exception, match=remedy.format(outside.interface)),
        an.emulate(cell, real=[f"laptop={outside.interface}"]),
    ):
        pass


def test_an_interface_that_is_not_there_is_named_beside_those_that_are(cell: Path) -> None:
    with (
        pytest.raises(Exception, match=r"laptop: nowhere0 is no interface.*it has .*lo"),
        an.emulate(cell, real=["laptop=nowhere0"]),
    ):
        pass


def test_two_nodes_are_not_behind_one_interface(cell: Path) -> None:
    with pytest.raises(ScenarioError, match="is the interface of server already"):
        an.emulate(cell, real=["server=near0", "laptop=near0"])
