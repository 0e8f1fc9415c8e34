"""Faults of real machines at random instants of a measurement: nothing hangs, nothing is lost.

An endpoint or the console is killed, the machines are parted for up to 30 s, the disk fills up, a
port is in use, a second console calls. Each time the command ends by itself, without a traceback;
what was finished is kept and not measured again by the same command; traffic stops with its
console; and the endpoints are free for whoever comes next. Needs root.
"""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "python" / "measuring"))

from machines import Machine, paired, program_of

from trials.outcomes import scratch

SCENARIO = """
run = { duration = "1 s", time_series = false }
host.server.stack = "linux-6"
host.laptop.stack = "linux-6"
wire.lan.between = ["server", "laptop"]
traffic.down = { app = "bulk", from = "server", to = "laptop" }
traffic.talk = { app = "voip", from = "laptop", to = "server" }
"""
REPS = 3
HANG_S = 30
STOPS_S = 2
STILL_BYTES = 20_000
"""What else than a flow goes over an interface in half a second."""
PARTED_S = (1, 30)
LIFE_S = 6 * 3600
FULL_KB = 256


@dataclass(frozen=True)
class Bench:
    """Two machines, and what an undisturbed measurement takes."""

    desk: Machine
    laptop: Machine
    server: Machine
    folder: Path
    rng: random.Random
    took_s: float = 0.0

    @property
    def out(self) -> Path:
        """Give the folder that a measurement writes."""
        return self.folder / "disk" / "out"

    def words(self) -> list[str]:
        """Give the command of a measurement."""
        file = self.folder / "line.toml"
        asked = ["measure", str(file), "--reps", str(REPS), "--out", str(self.out)]
        return self.desk.command(*self.desk.python(), *asked)

    def begun(self) -> "subprocess.Popen[str]":
        """Begin one."""
        return subprocess.Popen(
            self.words(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )

    def await_instant(self) -> None:
        """Wait for an instant at random, at which one is under way or not yet or no more."""
        time.sleep(self.rng.uniform(0.0, self.took_s))

    def link(self, *words: str) -> None:
        """Set the interface at the laptop."""
        shown = self.laptop.run("ip", "-o", "link", "show", "type", "veth").stdout
        name = shown.split()[1].split("@")[0].rstrip(":")
        self.laptop.run("ip", "link", "set", name, *words)


def trial(count: int, seed: int) -> list[str]:
    """Try so often; give what went wrong."""
    rng = random.Random(seed)
    wrong: list[str] = []
    with scratch() as folder, paired(folder, life_s=LIFE_S) as (desk, laptop, server):
        (folder / "line.toml").write_text(SCENARIO)
        (folder / "disk").mkdir()
        bench = Bench(desk, laptop, server, folder, rng)
        begin = time.monotonic()
        status, said = _finished(bench.begun())
        assert status == 0, said
        shutil.rmtree(bench.out)
        bench = Bench(desk, laptop, server, folder, rng, time.monotonic() - begin)
        for number in range(count):
            fault = FAULTS[number % len(FAULTS)]
            what = f"fault {number}, {fault.__name__.strip('_')}"
            wrong += [f"{what}: {each}" for each in (*fault(bench), *_goes_on(bench))]
            shutil.rmtree(bench.out, ignore_errors=True)
    return wrong


def _goes_on(bench: Bench) -> Iterator[str]:
    """Say what is wrong when the same command is given once more, in peace."""
    kept = {path: path.stat().st_mtime_ns for path in bench.out.glob("records/*/*.sha256")}
    status, said = _finished(bench.begun())
    if status != 0:
        yield f"the same command ends with {status}: {said.strip()[-300:]}"
    if any(not path.exists() or path.stat().st_mtime_ns != then for path, then in kept.items()):
        yield "what was finished was measured again"
    whole = len(list(bench.out.glob("records/*/*.sha256")))
    if whole != REPS:
        yield f"{whole} of {REPS} are there"


def _finished(process: "subprocess.Popen[str]") -> tuple[int | None, str]:
    """Wait for the end; without a status if it hangs."""
    try:
        _, said = process.communicate(timeout=HANG_S)
        return process.returncode, said
    except subprocess.TimeoutExpired:
        process.kill()
        return None, process.communicate()[1]


def _ended(process: "subprocess.Popen[str]") -> Iterator[str]:
    """Say what is wrong with the end of a measurement that was disturbed."""
    status, said = _finished(process)
    if status is None:
        yield f"it hangs for {HANG_S} s"
    if "Traceback" in said:
        yield f"a traceback: {said.strip().splitlines()[-1]}"


def _an_endpoint_is_killed(bench: Bench) -> Iterator[str]:
    process = bench.begun()
    bench.await_instant()
    victim = bench.rng.choice((bench.laptop, bench.server))
    victim.running[-1].kill()
    victim.running[-1].wait()
    yield from _ended(process)
    victim.listen()


def _the_console_is_killed(bench: Bench) -> Iterator[str]:
    process = bench.begun()
    bench.await_instant()
    # It may have ended by itself meanwhile.
    with suppress(OSError, AssertionError):
        os.kill(program_of(process, "python"), signal.SIGKILL)
    process.communicate()
    time.sleep(STOPS_S)
    before = _carried(bench)
    time.sleep(0.5)
    if (more := _carried(bench) - before) > STILL_BYTES:
        yield f"{more} bytes in half a second, {STOPS_S} s behind its console's end"


def _carried(bench: Bench) -> int:
    """Give the bytes that the interface at the laptop has carried."""
    lines = bench.laptop.run("cat", "/proc/net/dev").stdout.splitlines()[2:]
    counts = [
        line.partition(":")[2].split() for line in lines if not line.lstrip().startswith("lo:")
    ]
    return sum(int(each[0]) + int(each[8]) for each in counts)


def _they_are_parted(bench: Bench) -> Iterator[str]:
    process = bench.begun()
    bench.await_instant()
    bench.link("down")
    time.sleep(bench.rng.uniform(*PARTED_S))
    bench.link("up")
    yield from _ended(process)


def _the_disk_is_full(bench: Bench) -> Iterator[str]:
    disk = bench.folder / "disk"
    size = f"size={FULL_KB}k"
    subprocess.run(["mount", "-t", "tmpfs", "-o", size, "tmpfs", str(disk)], check=True)
    try:
        (disk / "filler").write_bytes(bytes(1024 * bench.rng.randrange(FULL_KB // 2, FULL_KB)))
        yield from _ended(bench.begun())
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def _a_port_is_in_use(bench: Bench) -> Iterator[str]:
    machine = bench.rng.choice((bench.laptop, bench.server))
    held = "import socket,sys,time; s=socket.socket(); s.bind((sys.argv[1], 5302)); s.listen()"
    words = machine.command(sys.executable, "-c", f"{held}; time.sleep(60)", machine.address)
    with subprocess.Popen(words) as holder:
        bench.await_instant()
        yield from _ended(bench.begun())
        os.kill(program_of(holder, "python"), signal.SIGKILL)


def _a_second_console_calls(bench: Bench) -> Iterator[str]:
    first = bench.begun()
    bench.await_instant()
    other = bench.words()
    other[other.index("--out") + 1] = str(bench.folder / "disk" / "other")
    second = subprocess.Popen(other, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    status, said = _finished(first)
    if status not in (0, 2):
        yield f"the first ends with {status}: {said.strip()[-200:]}"
    yield from _ended(second)
    shutil.rmtree(bench.folder / "disk" / "other", ignore_errors=True)


FAULTS: tuple[Callable[[Bench], Iterator[str]], ...] = (
    _an_endpoint_is_killed,
    _the_console_is_killed,
    _they_are_parted,
    _the_disk_is_full,
    _a_port_is_in_use,
    _a_second_console_calls,
)
