"""Measure the emulator on this machine: how late it is, what it carries, and what it leaves.

    python benches/emulation.py [PROOF ...] [--runs N]

Each proof prints what it found beside what it is held against. They run on the wall clock, as root,
with iperf3 and ping; `lateness`, `wire` and `power` want a machine that does nothing else.
"""

import argparse
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from measuring import Row

import anechoic as an
from anechoic.emulating.cell import Emulation
from anechoic.emulating.console import EmulationFailed
from anechoic.emulating.outcome import is_valid

SECONDS = 20
PORT = 5201
ONE_WAY = f"{sys.executable} {Path(__file__).parent / 'one_way.py'}"
CAPACITY_MBPS = {"802.11b": 7, "802.11g": 32}
"""More than a cell carries."""

Rows = Iterator[Row]


def cell(stations: int, standard: str = "802.11g", **air: Any) -> str:
    """Give a scenario of real stations and a real server behind an access point."""
    more = "".join(f", {name} = {value!r}" for name, value in air.items())
    lines = [
        'host.server = { stack = "linux-6", port = true }',
        "ap.office = {}",
        'wire.lan.between = ["server", "office"]',
        f'air = {{ loss = "50 dB", standard = "{standard}"{more} }}',
    ]
    lines += [
        f'sta.s{number} = {{ ap = "office", stack = "linux-6", port = true }}'
        for number in range(1, stations + 1)
    ]
    return "\n".join(lines)


WIRE = """
host.left = { stack = "linux-6", port = true }
host.right = { stack = "linux-6", port = true }
wire.lan = { between = ["left", "right"], rate = "10 Gbit/s", delay = "10 ms" }
"""


@contextmanager
def emulated(text: str, name: str, length: str = "10 min") -> Iterator[Emulation]:
    """Emulate a scenario while the context is entered."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}-{os.getpid()}.toml"
        path.write_text(text)
        with an.emulate(path, length=length) as emulation:
            yield emulation


@contextmanager
def busy(processes: int) -> Iterator[None]:
    """Keep processors busy meanwhile."""
    loop = ["sh", "-c", "while :; do :; done"]
    running = [subprocess.Popen(loop) for _ in range(processes)]
    try:
        yield
    finally:
        for each in running:
            each.kill()
            each.wait()


def served(emulation: Emulation, node: str, ports: int) -> None:
    """Start servers of iperf3 in a node."""
    for port in range(PORT, PORT + ports):
        emulation[node].start(f"iperf3 -s -p {port}")
    time.sleep(1)


def downloads(emulation: Emulation, stations: range, seconds: int = SECONDS) -> None:
    """Let stations download at the same time, to the end."""
    running = [
        emulation[f"s{number}"].start(
            f"iperf3 -c server -p {PORT + place} -R -t {seconds} -i 0 >/dev/null"
        )
        for place, number in enumerate(stations)
    ]
    for each in running:
        each.wait()


def late(what: str, outcome: dict[str, Any], p99_us: float, p999_us: float | None) -> Row:
    """Say how late the frames out were."""
    found = {key: outcome["lateness_out"][f"{key}_ns"] / 1e3 for key in ("p50", "p99", "p999")}
    met = found["p99"] <= p99_us and (p999_us is None or found["p999"] <= p999_us)
    figure = ", ".join(f"{key} {value:.0f}" for key, value in found.items())
    figure += f" µs; {'valid' if is_valid(outcome) else 'not valid'}"
    more = "" if p999_us is None else f", p999 {p999_us:.0f}"
    return Row(what, figure, f"p99 {p99_us:.0f}{more} µs", met)


def lateness(runs: int) -> Rows:
    """Let ten real stations download over 802.11g, alone and beside eight busy loops."""
    del runs
    for processes, p99, p999 in ((0, 100, 500), (8, 150, None)):
        with emulated(cell(10), "lateness") as emulation, busy(processes):
            served(emulation, "server", 10)
            downloads(emulation, range(1, 11))
        yield late(f"802.11g, ten stations, {processes} busy", emulation.outcome, p99, p999)


def wire(runs: int) -> Rows:
    """Send a probe each 10 ms over an idle wire of 10 ms, from kernel to kernel."""
    del runs
    with emulated(WIRE, "wire") as emulation, tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "delays"
        waiting = emulation["right"].start(f"{ONE_WAY} receive 1500 > {out}")
        time.sleep(1)
        emulation["left"].run(f"{ONE_WAY} send right 1500")
        waiting.wait(10)
        delays = sorted(float(line) for line in out.read_text().split())
    more = [delay * 1e6 - 10_000 for delay in delays]
    p50, p99 = statistics.median(more), more[int(0.99 * len(more))]
    figure = f"median +{p50:.0f}, p99 +{p99:.0f} µs of {len(more)}"
    yield Row("idle wire of 10 ms, one way", figure, "+60, +250 µs", p50 <= 60 and p99 <= 250)


def rate(runs: int) -> Rows:
    """Send datagrams of 100 bytes over one wire, as many as stay valid."""
    del runs
    for frames in (60_000, 80_000, 100_000):
        with emulated(WIRE, "rate") as emulation:
            served(emulation, "right", 1)
            bits = frames * 100 * 8
            emulation["left"].run(
                f"iperf3 -c right -u -l 100 -b {bits} -t {SECONDS} -i 0 >/dev/null"
            )
        outcome = emulation.outcome
        out = sum(each["frames_out"] for each in outcome["ports"])
        per_second = out / (outcome["ran_ns"] / 1e9 - 1)
        reasons = outcome["verdict"]["reasons"]
        figure = f"{per_second:.0f}/s; {'valid' if is_valid(outcome) else reasons[0]}"
        goal = "valid" if frames == 60_000 else ""
        yield Row(f"{frames} frames a second over a wire", figure, goal, is_valid(outcome))


def hundred(runs: int) -> Rows:
    """Run a hundred real stations, each with a ping, and ten downloads."""
    del runs
    began = time.monotonic()
    with emulated(cell(100), "hundred") as emulation:
        up = time.monotonic() - began
        served(emulation, "server", 10)
        pings = [
            emulation[f"s{number}"].start(f"ping -q -c {SECONDS} server")
            for number in range(1, 101)
        ]
        downloads(emulation, range(1, 11))
        for each in pings:
            each.wait(30)
        ended = time.monotonic()
    down = time.monotonic() - ended
    outcome = emulation.outcome
    yield late("a hundred stations", outcome, 100, None)
    yield Row("up, down", f"{up:.1f} s, {down:.1f} s", "2 s, 6 s", up <= 2 and down <= 6)


def saturation(runs: int) -> Rows:
    """Saturate cells with datagrams of real kernels, and of the simulator."""
    for standard in ("802.11b", "802.11g"):
        for threshold in (2347, 500):
            for stations in (1, 2, 5, 10):
                yield _saturated(standard, threshold, stations, runs)


def _saturated(standard: str, threshold: int, stations: int, runs: int) -> Row:
    seconds, flood = 8, 1.5 * CAPACITY_MBPS[standard] / stations
    numbers = range(1, stations + 1)
    lines = [cell(stations, standard), f'run = {{ duration = "{seconds} s", warmup = "2 s" }}']
    lines += [
        f'traffic.f{number} = {{ app = "udp", from = "s{number}", to = "server", '
        f'payload = "1472 B", rate = "{flood} Mbit/s" }}'
        for number in numbers
    ]
    thresholds = {f"sta.s{number}.rts_threshold": threshold for number in numbers}
    goodputs = [f"flow.f{number}-1.goodput_mbps" for number in numbers]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"saturated-{os.getpid()}.toml"
        path.write_text("\n".join(lines))
        out = Path(folder) / "sim"
        told = an.run(path, set=thresholds, reps=max(runs, 4), out=out, progress=False)
        simulated = sum(told.cells[0].metrics[name].mean for name in goodputs)
        real, valid = [], 0
        for seed in range(runs):
            length = f"{seconds} s"
            with an.emulate(path, set=thresholds, seed=seed, length=length) as emulation:
                emulation["server"].start(f"{ONE_WAY} sink {PORT} {stations}")
                for number in numbers:
                    port = PORT + number - 1
                    emulation[f"s{number}"].start(
                        f"{ONE_WAY} flood server {port} {flood * 1e6} {seconds + 1}"
                    )
                time.sleep(seconds + 1)
            valid += is_valid(emulation.outcome)
            real.append(sum(emulation.metrics[name] for name in goodputs))
    off = 100 * (statistics.mean(real) / simulated - 1)
    name = f"{standard}, {stations} saturated{', RTS' if threshold == 500 else ''}"
    figure = f"{statistics.mean(real):.3f} of {simulated:.3f} Mbit/s, {off:+.2f} %; "
    return Row(name, figure + f"{valid} of {runs} valid", "1 %", abs(off) <= 1)


def memory(runs: int) -> Rows:
    """Watch the memory of the emulator over half an hour of a download."""
    del runs
    with emulated(cell(2), "memory", "1 h") as emulation:
        served(emulation, "server", 2)
        emulator = emulation._console._process.pid
        running = [
            emulation[f"s{number}"].start(
                f"iperf3 -c server -p {PORT - 1 + number} -R -t 1800 -i 0 >/dev/null"
            )
            for number in (1, 2)
        ]
        time.sleep(120)
        first = _resident_mb(emulator)
        for each in running:
            each.wait()
        last = _resident_mb(emulator)
    figure = f"{first:.1f} MiB after 2 min, {last:.1f} after 30"
    yield Row("memory", figure, "±5 MiB", abs(last - first) <= 5)


def _resident_mb(process: int) -> float:
    found = re.search(r"VmRSS:\s*(\d+) kB", Path(f"/proc/{process}/status").read_text())
    assert found is not None
    return int(found.group(1)) / 1024


DOWNLOAD = """
run = { duration = "5 s", warmup = "1 s" }
traffic.down = { app = "bulk", from = "server", to = "s1" }
"""
GOODPUT = "flow.down-1.goodput_mbps"
OFF = 0.02
"""How far a run may be from the mean of the simulated ones to count as right."""


def power(runs: int) -> Rows:
    """Judge downloads beside more and more busy processes: of those called valid, few are wrong."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"power-{os.getpid()}.toml"
        path.write_text(cell(1) + DOWNLOAD)
        told = an.run(path, reps=12, out=Path(folder) / "sim", progress=False)
        simulated = told.cells[0].metrics[GOODPUT].mean
        judged: list[tuple[float, bool]] = []
        for processes in range(9):
            with busy(processes):
                more = [_download(path, seed) for seed in range(runs)]
            rates = " ".join(f"{rate:.2f}{'' if is_valid else '*'}" for rate, is_valid in more)
            yield Row(f"beside {processes} busy; * is not valid", f"{rates} Mbit/s")
            judged += more
    trusted, distrusted = (
        [abs(rate / simulated - 1) > OFF for rate, is_valid in judged if is_valid == wanted]
        for wanted in (True, False)
    )
    figure = f"{sum(trusted)} of {len(trusted)} valid, {sum(distrusted)} of {len(distrusted)} not"
    is_met = bool(trusted) and sum(trusted) <= 0.05 * len(trusted)
    yield Row(f"off by over 2 % of {simulated:.2f} Mbit/s", figure, "5 % of the valid", is_met)


def _download(path: Path, seed: int) -> tuple[float, bool]:
    """Give the goodput of an emulated download, and whether its run is valid."""
    with an.emulate(path, seed=seed, length="5 s") as emulation:
        emulation["server"].start("iperf3 -s")
        time.sleep(0.2)
        emulation["s1"].start("iperf3 -c server -R -t 10 -i 0 >/dev/null").wait()
    return emulation.metrics[GOODPUT], is_valid(emulation.outcome)


MARK = "ANECHOIC_KILLS"
"""An environment variable that all processes of an emulation inherit."""


def kills(runs: int) -> Rows:
    """Kill emulators at random instants, with programs of all kinds inside: nothing is left."""
    os.environ[MARK] = str(os.getpid())
    before, most, left = _standing(), 0, 0
    for _ in range(runs):
        most = max(most, _killed())
        left += not _settles(lambda: _marked() == 0, 5)
    figure = f"{left} of them left any of their up to {most} processes"
    yield Row(f"{runs} emulators killed at random", figure, "none", left == 0)
    # Who emulates beside this has namespaces as well, for a while.
    _settles(lambda: _standing() == before, 60)
    after = _standing()
    told = ", ".join(f"{before[what]} and {after[what]} {what}" for what in before)
    yield Row("before and after", told, "the same", after == before)


def _settles(condition: Callable[[], bool], seconds: float) -> bool:
    """Wait until something holds, at most so long, and say whether it does."""
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)
    return condition()


def _killed() -> int:
    """Begin an emulation with a daemon, a shell and a download inside, and kill it.

    Give how many processes it had.
    """
    try:
        with emulated(cell(2), "kills") as emulation:
            emulator = emulation._console._process.pid
            emulation["server"].start("iperf3 -s")
            emulation["s1"].start("sleep 0.2; iperf3 -c server -R -t 60")
            emulation["s2"].start("setsid sh -c 'sleep 600 & sleep 600' & exit")
            enter = [sys.executable, "-m", "anechoic.cli", "enter", "--run", str(emulator), "s1"]
            pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
            shell = subprocess.Popen([*enter, "sh"], stdin=pipe, stderr=nowhere)
            time.sleep(random.uniform(0, 2))
            inside = _marked()
            os.kill(emulator, signal.SIGKILL)
            shell.communicate(timeout=10)
    except EmulationFailed:
        return inside
    raise AssertionError("it was killed and went on")


def _marked() -> int:
    """Count the processes that have descended from this one."""
    mark = f"{MARK}={os.getpid()}".encode()
    found = 0
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # It may have ended meanwhile.
            found += mark in (process / "environ").read_bytes()
    return found


def _standing() -> dict[str, int]:
    """Count what this machine has of that which an emulation makes."""
    namespaces = set[Path]()
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            namespaces |= {each.readlink() for each in (process / "ns").iterdir()}
    return {
        "namespaces": len(namespaces),
        "interfaces": len(list(Path("/sys/class/net").iterdir())),
        "mounts": len(Path("/proc/self/mountinfo").read_text().splitlines()),
    }


PROOFS: dict[str, Callable[[int], Rows]] = {
    "lateness": lateness,
    "wire": wire,
    "rate": rate,
    "hundred": hundred,
    "saturation": saturation,
    "memory": memory,
    "power": power,
    "kills": kills,
}


def main() -> None:
    """Run the proofs that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("proof", nargs="*", choices=[[], *PROOFS], default=[])
    parser.add_argument("--runs", type=int, default=3)
    asked = parser.parse_args()
    for name in asked.proof or PROOFS:
        for row in PROOFS[name](asked.runs):
            said = {None: "", True: "met", False: "MISSED"}[row.met]
            print(f"{row.what:44} {row.figure:60} {row.goal:20} {said}", flush=True)


if __name__ == "__main__":
    main()
