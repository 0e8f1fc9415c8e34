"""Delays one way beside those of a capture at both interfaces; the clocks of the ends differ.

The clocks that are compared differ by what their machines' time namespaces say, to the nanosecond:
what a run finds is to be within the band that it states.
"""

import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from machines import Machine, paired
from measuring import Broken, Row

from endpoints.bench import LIFE_S, measured

PAYLOAD = 200
AHEAD_S = (0, 3600)
MEDIAN_US, P99_US, WITHIN = 20.0, 100.0, 0.99
CAPTURING_S = 20
APP = f'app = "udp", payload = {PAYLOAD}, rate = "160 kbit/s"'
SCENARIO = f"""
run = {{{{ duration = "{{seconds}} s", datagrams = true }}}}
host.server.stack = "linux-6"
host.laptop.stack = "linux-6"
wire.lan.between = ["server", "laptop"]
traffic.probe = {{{{ {APP}, from = "laptop", to = "server" }}}}
"""


def rows(seconds: int, rounds: int) -> Iterator[Row]:
    """Compare so many runs."""
    errors_us, offsets = [], []
    with (
        tempfile.TemporaryDirectory() as name,
        paired(Path(name), ahead_s=AHEAD_S, life_s=LIFE_S) as made,
    ):
        desk, *ends = made
        for _ in range(rounds):
            found, offset = _errors(desk, ends, Path(name), seconds)
            errors_us += found
            offsets.append(offset)
    sizes = sorted(map(abs, errors_us))
    median, p99 = statistics.median(sizes), sizes[int(0.99 * (len(sizes) - 1))]
    for what, value, goal in (("median", median, MEDIAN_US), ("99th percentile", p99, P99_US)):
        yield Row(f"error one way, {what}", f"{value:.1f} µs", f"{goal:.0f} µs", value <= goal)
    within = sum(error <= band for error, band in offsets)
    band = statistics.median(band for _, band in offsets)
    median = statistics.median(error for error, _ in offsets)
    figure = f"{within} of {len(offsets)} within ±{band:.2f} µs, median error {median:.2f} µs"
    yield Row("clocks an hour apart", figure, f"{WITHIN:.0%}", within >= WITHIN * len(offsets))


def _errors(
    desk: Machine, ends: Sequence[Machine], folder: Path, seconds: int
) -> tuple[list[float], tuple[float, float]]:
    """Give each delay's error, and that of the clocks' comparison with its band, in µs."""
    captures = [_capturing(machine) for machine in ends]
    results = measured(desk, SCENARIO.format(seconds=seconds), folder)
    sent, received = (_captured(capture) for capture in captures)
    (cell,) = results.cells
    band_us = 1e3 * cell.metrics["flow.probe-1.clock_band_ms"].mean
    ahead_s = cell.metrics["flow.probe-1.clock_ahead_s"].mean
    offset = 1e6 * abs(ahead_s - (AHEAD_S[1] - AHEAD_S[0])), band_us
    told = [
        1e6 * (row["received_s"] - row["sent_s"]) for row in results.datagrams(cell).to_pylist()
    ]
    if not len(sent) == len(received) == len(told):
        raise Broken(f"{len(sent)} left, {len(received)} came, {len(told)} were told")
    shown = [1e6 * (came - left) for left, came in zip(sent, received, strict=True)]
    return [own - other for own, other in zip(told, shown, strict=True)], offset


def _capturing(machine: Machine) -> "subprocess.Popen[str]":
    """Begin to capture the datagrams at a machine's interface; they are the only ones so long."""
    link = machine.run("ip", "-o", "link", "show", "type", "veth").stdout.split()[1]
    asked = ["-i", link.split("@")[0], "-f", f"udp[4:2] = {PAYLOAD + 8}"]
    words = machine.command("tshark", "-l", *asked, "-T", "fields", "-e", "frame.time_epoch")
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    deadline = time.monotonic() + CAPTURING_S
    while "Capturing on" not in process.stderr.readline():
        if time.monotonic() > deadline:
            raise Broken("tshark captures nothing")
    return process


def _captured(process: "subprocess.Popen[str]") -> list[float]:
    time.sleep(0.5)
    process.terminate()
    printed, _ = process.communicate()
    return [float(line) for line in printed.split()]
