"""Endpoints for one measurement, through a real sshd; nothing of them is left behind."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from machines import Machine, machines, program_of

import anechoic as an

PORT = "2239"
SCENARIO = """
run.duration = "2 s"
host.server.stack = "linux-6"
host.laptop.stack = "linux-6"
wire.lan.between = ["server", "laptop"]
traffic.down = { app = "bulk", from = "server", to = "laptop" }
traffic.probe = { app = "ping", from = "laptop", to = "server", interval = "100 ms" }
"""
CONFIGURED = """
ListenAddress {address}:{port}
HostKey {folder}/host
PidFile none
AuthorizedKeysFile {folder}/authorized
StrictModes no
UsePAM no
PermitRootLogin prohibit-password
SetEnv TMPDIR={folder}/temporary
"""


@dataclass
class Bench:
    """This machine and one that has an sshd."""

    here: Machine
    there: Machine
    ssh: str
    temporary: Path

    def measure(self, file: Path, *words: str | Path) -> "subprocess.CompletedProcess[str]":
        """Measure from here."""
        command = [f"ANECHOIC_SSH={self.ssh}", *self.here.python(), "measure", file, *words]
        return self.here.run("env", *command)

    def left(self) -> list[str]:
        """Name what is left on the other machine: files, and programs that run."""
        programs = subprocess.run(
            ["pgrep", "--full", str(self.temporary)], capture_output=True, text=True, check=False
        )
        return [*map(str, self.temporary.iterdir()), *programs.stdout.split()]


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    folder = tmp_path / "sshd"
    temporary = folder / "temporary"
    temporary.mkdir(parents=True)
    Path("/run/sshd").mkdir(exist_ok=True)
    for name in ("host", "own"):
        key = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name]
        subprocess.run(key, check=True)
    (folder / "authorized").write_bytes((folder / "own.pub").read_bytes())
    with machines(tmp_path) as (here, there):
        file = folder / "sshd_config"
        file.write_text(CONFIGURED.format(address=there.address, port=PORT, folder=folder))
        there.start("/usr/sbin/sshd", "-D", "-e", "-f", file)
        options = f"-p {PORT} -i {folder}/own -o UserKnownHostsFile={folder}/known"
        ssh = f"ssh -F none {options} -o StrictHostKeyChecking=accept-new"
        found = Bench(here, there, ssh, temporary)
        for _ in range(50):
            if here.run(*ssh.split(), f"root@{there.address}", "true").returncode == 0:
                break
        yield found


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "down.toml"
    path.write_text(SCENARIO)
    return path


def test_a_machine_with_nothing_but_sshd_is_measured_and_left_as_it_was(
    bench: Bench, file: Path, tmp_path: Path
) -> None:
    host = f"server=root@{bench.there.address}"
    done = bench.measure(file, "--ssh", host, "--reps", "2", "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    (cell,) = an.Results.load(tmp_path / "out").cells
    assert cell.metrics["flow.down-1.goodput_mbps"].mean > 50
    assert cell.metrics["flow.probe-1.rtt_ms_p50"].mean > 0
    assert bench.left() == []


def test_a_console_that_is_killed_leaves_nothing_either(
    bench: Bench, file: Path, tmp_path: Path
) -> None:
    words = ["--ssh", f"root@{bench.there.address}", "--set", "run.duration=60 s"]
    command = [*bench.here.python(), "measure", file, *words, "--out", tmp_path / "out"]
    console = bench.here.start("env", f"ANECHOIC_SSH={bench.ssh}", *command)
    while not bench.left():
        assert console.poll() is None, bench.here.log()
    os.kill(program_of(console, "python"), signal.SIGKILL)
    console.wait()
    deadline = time.monotonic() + 20
    while bench.left():
        assert time.monotonic() < deadline, bench.left()
        time.sleep(0.1)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--ssh", "server=root@10.39.0.9"], "server: no endpoint on root@10.39.0.9: "),
        (["--ssh", "sever=root@10.39.0.2"], '"sever=root@10.39.0.2" names no node'),
        (["--ssh", "a", "--endpoint", "server=x"], "paired endpoints do not know one that --ssh"),
    ],
)
def test_a_machine_that_cannot_be_had_is_told_in_one_line(
    words: list[str], said: str, bench: Bench, file: Path, tmp_path: Path
) -> None:
    done = bench.measure(file, *words, "--out", tmp_path / "out")
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
