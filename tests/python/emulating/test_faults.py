"""What goes wrong while an emulation runs, and what it says of it."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import anechoic as an
from anechoic.emulating.cell import Emulation
from anechoic.emulating.console import EmulationFailed, Program
from anechoic.emulating.entering import running
from anechoic.emulating.replaying import replay

CELL = """
run.duration = "30 s"
host.server = { stack = "linux-6", port = true }
ap.office = {}
sta.laptop = { ap = "office", stack = "linux-6", port = true }
wire.lan.between = ["server", "office"]
air = { loss = "60 dB", standard = "802.11g" }
tap.lan.at = "wire.lan"
"""


@pytest.fixture
def cell(tmp_path: Path) -> Path:
    # By its name it is told from whatever else is emulated on this machine.
    path = tmp_path / f"faults-{os.getpid()}-{tmp_path.name}.toml"
    path.write_text(CELL)
    return path


def emulator(cell: Path) -> int:
    """Give the process of the emulation of a file."""
    (one,) = (each.process for each in running() if each.scenario == cell.stem)
    return one


def download(emulation: Emulation, seconds: float) -> Program:
    """Let the laptop download from the server."""
    emulation["server"].start("iperf3 -s -1")
    client = f"sleep 0.3; iperf3 -c server -R -t {seconds} >/dev/null 2>&1"
    return emulation["laptop"].start(client)


def port(emulation: Emulation, node: str) -> dict[str, Any]:
    """Give what passed at the port of a node."""
    return next(each for each in emulation.outcome["ports"] if each["node"] == node)


def test_an_emulator_that_was_stopped_names_the_stall_and_replays_the_same(
    cell: Path, tmp_path: Path
) -> None:
    with an.emulate(cell, out=tmp_path / "run") as emulation:
        loading = download(emulation, 2)
        time.sleep(0.8)
        process = emulator(cell)
        os.kill(process, signal.SIGSTOP)
        time.sleep(1)
        os.kill(process, signal.SIGCONT)
        assert loading.wait(20) == 0, "TCP survives a second"
    assert not emulation.is_valid
    assert "the emulator was kept from running" in emulation.outcome["verdict"]["reasons"][0]
    assert max(each["length_ns"] for each in emulation.outcome["stalls"]) > 0.9e9
    again = replay(tmp_path / "run")
    assert again.is_same and again.frames > 1000


@contextmanager
def wall_clock_set(seconds: float) -> Iterator[None]:
    """Put the wall clock forward, or back, meanwhile: it needs CAP_SYS_TIME, as root has it."""
    zero = time.time_ns() - time.monotonic_ns()
    time.clock_settime_ns(time.CLOCK_REALTIME, time.time_ns() + round(seconds * 1e9))
    try:
        yield
    finally:
        time.clock_settime_ns(time.CLOCK_REALTIME, zero + time.monotonic_ns())


def test_a_step_of_the_wall_clock_makes_no_frame_late(cell: Path) -> None:
    """Kernels stamp frames by the clock that is set, and the world goes by one that is not."""
    with an.emulate(cell) as emulation:
        pings = emulation["laptop"].start("ping -q -i 0.01 -c 150 server")
        time.sleep(0.5)
        for seconds in (1, -0.5):
            with wall_clock_set(seconds):
                time.sleep(0.2)
        assert pings.wait(20) == 0
    outcome = emulation.outcome
    assert outcome["lateness_in"]["frames"] >= 300
    # Of what was on its way at either step, the stamps are of no use.
    assert outcome["lateness_in"]["p99_ns"] < 20e6
    assert all(each["length_ns"] < 0.4e9 for each in outcome["stalls"])


def test_two_emulations_of_one_file_run_beside_each_other(cell: Path) -> None:
    with an.emulate(cell) as one:
        first = emulator(cell)
        with an.emulate(cell) as other:
            both = [each.process for each in running() if each.scenario == cell.stem]
            (second,) = set(both) - {first}
            networks = [entered(first), entered(second)]
            assert networks == [network(one), network(other)]
            assert networks[0] != networks[1]
            echoes = [each["laptop"].start("ping -q -i 0.02 -c 20 server") for each in (one, other)]
            assert [each.wait(10) for each in echoes] == [0, 0]
            unsaid = enter("laptop", "true")
    assert unsaid.returncode == 2
    assert re.search(r"--run: \d+ emulations run", unsaid.stderr), unsaid.stderr
    assert port(one, "laptop")["frames_in"] >= 20 and port(other, "laptop")["frames_in"] >= 20


def network(emulation: Emulation) -> str:
    """Name the network namespace of the laptop."""
    return emulation["laptop"].run("readlink /proc/self/ns/net").stdout


def entered(process: int) -> str:
    """Name the network namespace of the laptop of one of several emulations."""
    told = enter("--run", str(process), "laptop", "readlink", "/proc/self/ns/net")
    assert told.returncode == 0, told.stderr
    return told.stdout


def enter(*arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "anechoic.cli", "enter", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=30)


def test_an_interface_that_is_down_for_a_while_is_named_and_the_download_goes_on(
    cell: Path, tmp_path: Path
) -> None:
    with an.emulate(cell, out=tmp_path / "run") as emulation:
        laptop = emulation["laptop"]
        loading = download(emulation, 2)
        time.sleep(0.8)
        laptop.run("ip link set wlan0 down && sleep 0.2 && ip link set wlan0 up", check=True)
        assert loading.wait(20) == 0
    lost = port(emulation, "laptop")["not_taken"]
    assert lost > 0 and port(emulation, "server")["not_taken"] == 0
    assert (
        f"laptop did not take {lost} frames (wlan0): its interface was down, or full; leave it up"
        in emulation.outcome["verdict"]["reasons"]
    )
    assert replay(tmp_path / "run").is_same


def test_an_interface_that_is_deleted_ends_the_emulation_and_is_named(cell: Path) -> None:
    gone = "the interface wlan0 of laptop is gone, and the emulation ends with it"
    with pytest.raises(EmulationFailed, match=gone), an.emulate(cell) as emulation:
        emulation["laptop"].run("ip link del wlan0")
        emulation["server"].start("ping laptop").wait(10)


def test_a_program_that_is_killed_inside_leaves_the_others_and_the_run_whole(
    cell: Path, tmp_path: Path
) -> None:
    with an.emulate(cell, out=tmp_path / "run") as emulation:
        server = emulation["server"].start(["iperf3", "-s"])
        loading = emulation["laptop"].start("sleep 0.3; iperf3 -c server -R -t 60")
        time.sleep(0.8)
        server.signal(signal.SIGKILL)
        assert server.wait(5) == 128 + signal.SIGKILL
        assert loading.wait(10) not in (0, server.status), "it tells that its server is gone"
        assert emulation["laptop"].run("ping -c 1 server").returncode == 0
    assert emulation.outcome["ended_by_force"] == []
    assert port(emulation, "laptop")["frames_out"] > 100
    assert replay(tmp_path / "run").is_same


@pytest.mark.parametrize(
    "setting",
    ["gso_max_segs 65535", "gso_max_segs 1", "mtu 700"],
    ids=["as it is", "without segmentation offload", "with a smaller MTU"],
)
def test_every_frame_is_accounted_for_within_the_mtu_and_with_right_sums(
    cell: Path, tmp_path: Path, setting: str
) -> None:
    nodes = {"server": "eth0", "laptop": "wlan0"}
    with an.emulate(cell, out=tmp_path / "run") as emulation:
        for node, interface in nodes.items():
            emulation[node].run(f"ip link set {interface} {setting}", check=True)
        assert download(emulation, 1.5).wait(20) == 0
        sums = [emulation[node].run(WRONG_SUMS).stdout.split() for node in nodes]
    assert sums == [["0"], ["0"]], "segments that the kernels found broken"
    ports, fates = emulation.outcome["ports"], emulation.outcome["fates"]
    assert [each["refused"] for each in ports] == [0, 0]
    came = sum(each["frames_in"] for each in ports) + fates["cut"] + fates["copied"]
    left = sum(each["frames_out"] for each in ports)
    assert came == left + sum(fates["dropped"].values()) + fates["under_way"]
    assert left > 1000
    again = replay(tmp_path / "run", captures=tmp_path / "captures")
    assert again.is_same
    (capture,) = (tmp_path / "captures").glob("*.pcapng")
    frames = read(capture)
    assert max(length for length, _, _ in frames) == 14 + (700 if "mtu" in setting else 1500)
    segments = [sums for _, *sums in frames if sums[1]]
    assert len(segments) > 1000 and all(sums == [GOOD, GOOD] for sums in segments)


WRONG_SUMS = "awk '/^Tcp: [0-9]/ { print $NF }' /proc/net/snmp"
"""Prints how many TCP segments came with a wrong checksum (InCsumErrors)."""

GOOD = "1"


def read(capture: Path) -> list[tuple[int, str, str]]:
    """Give the length of each frame, and what tshark finds of its sums by IP and by TCP."""
    checks = [each for sum_of in ("ip", "tcp") for each in ("-o", f"{sum_of}.check_checksum:TRUE")]
    fields = ["-T", "fields", "-e", "frame.len", "-e", "ip.checksum.status"]
    fields += ["-e", "tcp.checksum.status"]
    command = ["tshark", "-n", "-r", str(capture), *checks, *fields]
    told = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    rows = (line.split("\t") for line in told.stdout.splitlines())
    return [(int(length), ip, tcp) for length, ip, tcp in rows]
