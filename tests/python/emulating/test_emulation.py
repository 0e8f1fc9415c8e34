"""Real kernels and programs on simulated air: what they see, and what is left behind."""

import os
import pty
import re
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import anechoic as an
from anechoic.emulating.console import EmulationRefused
from anechoic.emulating.entering import Running, running
from anechoic.emulating.replaying import replay
from anechoic.scenario.errors import ScenarioError

CELL = """
run.duration = "30 s"
host.server = { stack = "linux-6", port = true }
ap.office = {}
sta.laptop = { ap = "office", stack = "linux-6", port = true }
sta.phone = { ap = "office", stack = "linux-6" }
wire.lan.between = ["server", "office"]
air = { loss = "60 dB", standard = "802.11g" }
traffic.download = { app = "bulk", from = "server", to = "laptop" }
"""
HELLO = "python3 -c \"import socket;s=socket.create_connection(('server',80));print(s.recv(99))\""
GREET = (
    "python3 -c \"import socket;s=socket.create_server(('',80));"
    "s.accept()[0].sendall(b'hello from '+socket.gethostname().encode()[:0]+b'the server')\""
)


@pytest.fixture
def cell(tmp_path: Path) -> Path:
    # By its name it is told from whatever else is emulated on this machine.
    path = tmp_path / f"cell-{os.getpid()}-{tmp_path.name}.toml"
    path.write_text(CELL)
    return path


def anechoic(*arguments: str | Path) -> "subprocess.Popen[str]":
    """Start the command line in a session of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "anechoic.cli", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def finished(*arguments: str | Path) -> tuple[int, str, str]:
    process = anechoic(*arguments)
    output, errors = process.communicate(timeout=60)
    return process.returncode, output, errors


@pytest.fixture
def lasting(cell: Path, tmp_path: Path) -> Iterator["subprocess.Popen[str]"]:
    """An emulation that runs until it is ended."""
    process = anechoic("emulate", cell, "--for", "60s", "--out", tmp_path / "run")
    try:
        wait_for(lambda: len(own(cell)) == 1)
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def own(cell: Path) -> list[Running]:
    return [each for each in running() if each.scenario == cell.stem]


def wait_for(condition: Callable[[], bool], seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it takes too long"
        time.sleep(0.02)


def test_a_cell_without_traffic_of_its_own_has_a_page_too(cell: Path, tmp_path: Path) -> None:
    cell.write_text(CELL.replace("802.11g", "802.11n").partition("traffic")[0])
    status, output, errors = finished("emulate", cell, "--for", "1s", "--out", tmp_path / "run")
    assert status == 0, errors
    assert (tmp_path / "run" / "report.html").exists() and "report:" in output


def test_programs_in_two_kernels_talk_over_the_simulated_cell(cell: Path) -> None:
    with an.emulate(cell) as emulation:
        assert emulation.nodes == ["server", "laptop"]
        emulation["server"].start(GREET)
        time.sleep(0.3)
        heard = emulation["laptop"].run(HELLO, check=True)
    assert heard.stdout == "b'hello from the server'\n"
    goodput = emulation.metrics["flow.download-1.goodput_mbps"]
    assert goodput > 0, "what the programs sent counts for the scenario's flow"
    unseen = {"flow.download-1.retransmissions", "tcp.timeouts", "connections_failed"}
    assert not unseen & emulation.metrics.keys(), "what kernels do inside is not known, not 0"
    ports = {each["node"]: each for each in emulation.outcome["ports"]}
    # Questions for addresses go to the phone as well.
    assert ports["laptop"]["frames_in"] >= ports["server"]["frames_out"] > 4
    assert all(each["refused"] == each["not_taken"] == 0 for each in ports.values())


def test_a_node_has_the_addresses_names_and_congestion_control_of_the_scenario(cell: Path) -> None:
    settings = {"sta.laptop.tcp.congestion_control": "reno", "sta.laptop.mtu": 1400}
    with an.emulate(cell, set=settings) as emulation:
        laptop = emulation["laptop"]
        hosts = laptop.run("cat /etc/hosts").stdout
        interfaces = laptop.run("ls /sys/class/net").stdout
        mtu = laptop.run("cat /sys/class/net/wlan0/mtu").stdout
        routes = laptop.run("ip route").stdout
    assert hosts.split("\n")[1] == "10.0.0.1\tserver"
    assert (interfaces, mtu) == ("lo\nwlan0\n", "1400\n")
    assert "10.0.0.0/16 dev wlan0" in routes and "congctl reno" in routes


def test_a_replay_gives_what_left_byte_for_byte(cell: Path, tmp_path: Path) -> None:
    status, _, errors = finished(
        "emulate", cell, "--exec", f"server={GREET}", "--exec", f"laptop=sleep 0.3; {HELLO}",
        "--out", tmp_path / "run",
    )  # fmt: skip
    assert status in (0, 3), errors
    assert "[laptop] b'hello from the server'" in errors
    again = replay(tmp_path / "run")
    assert again.is_same and again.frames > 8
    log = next((tmp_path / "run").rglob("arrivals.lz4"))
    kept = log.read_bytes()
    log.write_bytes(kept[: len(kept) // 2])
    with pytest.raises(ScenarioError, match=r"arrivals\.lz4: it cannot be replayed: .*; allowed: "):
        replay(tmp_path / "run")


@pytest.mark.usefixtures("lasting")
def test_a_command_enters_a_node_and_its_status_comes_back(cell: Path) -> None:
    which = ["enter", "--run", str(own(cell)[0].process)]
    status, output, _ = finished(*which, "laptop", "sh", "-c", "ls /sys/class/net; exit 7")
    assert (status, output.split()) == (7, ["lo", "wlan0"])
    status, _, errors = finished(*which, "phone", "true")
    assert status == 2
    assert "phone is no real node: server, laptop" in errors


@pytest.mark.usefixtures("lasting")
def test_ctrl_c_ends_what_runs_in_a_shell_of_a_node(cell: Path) -> None:
    which = ["enter", "--run", str(own(cell)[0].process), "laptop"]
    child, terminal = pty.fork()
    if child == 0:
        os.environ["SHELL"] = "/bin/sh"
        os.execv(sys.executable, [sys.executable, "-m", "anechoic.cli", *which])
    try:
        read_until(terminal, b"# ")
        os.write(terminal, b"echo begun$((1 + 1)); sleep 60\n")
        read_until(terminal, b"begun2")
        time.sleep(0.5)
        os.write(terminal, b"\x03")
        os.write(terminal, b"echo after$((1 + 1)); exit\n")
        read_until(terminal, b"after2")
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(terminal)


def read_until(terminal: int, awaited: bytes, seconds: float = 20) -> None:
    got, end = b"", time.monotonic() + seconds
    while awaited not in got:
        assert select.select([terminal], [], [], max(end - time.monotonic(), 0))[0], got
        got += os.read(terminal, 65_536)


def test_a_program_that_fails_is_told_and_the_run_is_kept_until_it_is_replaced(
    cell: Path, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    command = ["emulate", cell, "--out", out, "--exec", "server=sleep 20"]
    failing = [*command, "--for", "1s", "--exec", "laptop=exit 4"]
    status, output, errors = finished(*failing)
    assert status in (1, 3), errors
    told = [line for line in errors.splitlines() if "ended with status" in line]
    assert told == ["laptop: exit 4 ended with status 4"], "the end of the emulation is no failure"
    assert "download-1 moved no data: server and laptop are real, and programs there" in output
    page = (out / "report.html").read_text()
    assert "by itself, status 4" in page and "with the emulation" in page
    status, _, errors = finished(*failing)
    assert status == 0 and "1 run of an earlier call kept, not run again; --replace" in errors
    status, _, errors = finished(*failing, "--replace")
    assert status in (1, 3) and "laptop: exit 4 ended with status 4" in errors


def test_a_call_that_a_program_outside_hears_has_no_score(cell: Path, tmp_path: Path) -> None:
    call = 'traffic.call = { app = "voip", from = "phone", to = "server" }'
    cell.write_text(f"{cell.read_text()}\n{call}")
    with an.emulate(cell, out=tmp_path / "run", length="1 s") as emulation:
        emulation["laptop"].run("sleep 0.5")
    metrics = emulation.metrics
    assert metrics["flow.call-1.bytes"] > 0
    assert metrics.get("flow.call-1.mos") is None and metrics.get("flow.call-1.unheard") is None


def test_what_is_interrupted_ends_whole(lasting: "subprocess.Popen[str]", tmp_path: Path) -> None:
    time.sleep(0.3)
    lasting.send_signal(signal.SIGINT)
    _, errors = lasting.communicate(timeout=30)
    assert lasting.returncode in (0, 3), errors
    assert (tmp_path / "run/report.html").exists()
    assert replay(tmp_path / "run").is_same


@pytest.mark.parametrize("victim", ["emulator", "console"])
def test_nothing_is_left_of_one_that_is_killed(cell: Path, tmp_path: Path, victim: str) -> None:
    seconds = f"98765{os.getpid()}"
    daemon = f"laptop=setsid sh -c 'sleep {seconds} & sleep {seconds}'"
    console = anechoic("emulate", cell, "--exec", daemon, "--out", tmp_path / "run")
    wait_for(lambda: processes(f"sleep {seconds}") == 2)
    (emulator,) = own(cell)
    os.kill(emulator.process if victim == "emulator" else console.pid, signal.SIGKILL)
    console.communicate(timeout=30)
    wait_for(lambda: not own(cell) and processes(f"sleep {seconds}") == 0)
    wait_for(lambda: not processes_of(cell))


def processes_of(cell: Path) -> list[str]:
    """Name the processes of an emulation that are left: they hold its namespaces."""
    name = str(cell.parent / "run")
    return [
        each.name
        for each in Path("/proc").glob("[0-9]*")
        if name in command_line(each) and "emulating.process" in command_line(each)
    ]


def command_line(process: Path) -> str:
    try:
        return (process / "cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


def processes(words: str) -> int:
    """Count the processes whose command line begins with these words."""
    lines = map(command_line, Path("/proc").glob("[0-9]*"))
    return sum(line.startswith(words) for line in lines)


def test_a_program_that_does_not_end_when_asked_to_is_named(cell: Path) -> None:
    with an.emulate(cell) as emulation:
        emulation["laptop"].start("trap '' TERM; while true; do sleep 0.1; done")
        time.sleep(0.3)
    (told,) = emulation.outcome["ended_by_force"]
    assert told.startswith("laptop: /bin/sh -c trap")


def test_a_command_that_is_not_there_is_refused_and_the_emulation_goes_on(cell: Path) -> None:
    with an.emulate(cell) as emulation:
        with pytest.raises(EmulationRefused, match="nonsense: No such file"):
            emulation["laptop"].run(["nonsense"])
        assert emulation["laptop"].run("exit 5").returncode == 5
        with pytest.raises(subprocess.TimeoutExpired):
            emulation["laptop"].run("sleep 60", timeout=0.2)
        with pytest.raises(KeyError, match="phone is no real node: server, laptop"):
            _ = emulation["phone"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--real", "printer"], r'--real: "printer" is no host, router, station or access point'),
        (["--exec", "phone=true"], r'program.exec1.node: "phone" is not real'),
        (["--real", "phone=eth1", "--exec", "phone=true"], r'"phone" is behind eth1, where'),
        (["--real", "phone=no name"], r'sta.phone.port: "no name" is refused: neither a flag nor'),
        (["--real", "office=eth1"], r"ap\.office\.port: "),
        (["--exec", "true"], r'"true" is refused; allowed: NODE=COMMAND'),
        (["--set", "sta.laptop.tcp.congestion_control=westwood"], "no kernel has"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_begins(
    cell: Path, tmp_path: Path, arguments: list[str], said: str
) -> None:
    status, _, errors = finished("emulate", cell, *arguments, "--out", tmp_path / "run")
    assert status == 2
    assert re.search(said, errors), errors
    assert "Traceback" not in errors and not (tmp_path / "run").exists()


def test_a_scenario_without_real_nodes_says_how_to_name_one(tmp_path: Path) -> None:
    path = tmp_path / "none.toml"
    path.write_text(CELL.replace(", port = true", ""))
    status, _, errors = finished("emulate", path)
    assert status == 2
    assert "no node of the scenario is real" in errors and "--real NODE" in errors


def test_more_nodes_than_this_machine_has_room_for_are_refused_before_anything_begins(
    cell: Path,
) -> None:
    limited = ["prlimit", "--nofile=70:70", sys.executable, "-m", "anechoic.cli", "emulate", cell]
    told = subprocess.run(limited, capture_output=True, text=True, timeout=30)
    assert told.returncode == 2
    assert "2 real nodes need 76 open files, and this process may have 70" in told.stderr


def test_another_user_gets_no_shell(lasting: "subprocess.Popen[str]", cell: Path) -> None:
    assert os.getuid() == 0, "only root can play another user"
    address = own(cell)[0].address
    knock = f"""
import os, socket
os.setresuid(65534, 65534, 65534)
end = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
end.connect({address!r})
try:
    end.send(b'{{"stop":{{}}}}')
    print(end.recv(100))
except OSError as error:
    print(b"")
"""
    told = subprocess.run(
        ["/usr/bin/python3", "-c", knock], capture_output=True, text=True, check=True
    )
    assert told.stdout == "b''\n"
    time.sleep(0.3)
    assert lasting.poll() is None


@pytest.mark.usefixtures("lasting")
def test_who_took_the_name_of_an_emulation_gets_no_terminal(cell: Path) -> None:
    chosen = own(cell)[0]
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as door:
        door.bind(f"\0anechoic/{os.getuid()}/{chosen.process + 1}/false")
        door.listen()
        status, _, errors = finished("enter", "--run", str(chosen.process + 1), "laptop", "true")
    assert status == 2
    assert "listens in its place" in errors


def test_without_its_device_it_says_how_to_get_it(cell: Path) -> None:
    hidden = f"mount -t tmpfs none /dev/net && exec {sys.executable} -m anechoic.cli emulate {cell}"
    told = subprocess.run(
        ["unshare", "--mount", "sh", "-c", hidden], capture_output=True, text=True, timeout=30
    )
    assert told.returncode == 2
    assert "/dev/net/tun cannot be opened" in told.stderr and "module tun" in told.stderr
