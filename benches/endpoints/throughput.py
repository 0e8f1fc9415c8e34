"""Goodput between two endpoints beside that of iperf3, in turns: the median of the ratios."""

import json
import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path

from machines import Machine, paired
from measuring import Broken, Row

from endpoints.bench import LIFE_S, UNLIMITED, measured

GOAL = 0.95
SCENARIO = """
run = {{ duration = "{seconds} s", time_series = false, distributions = false }}
host.server.stack = "linux-6"
host.laptop.stack = "linux-6"
wire.lan.between = ["server", "laptop"]
traffic.load = {{ app = "bulk", from = "{sender}", to = "{receiver}", count = {count} }}
"""


def rows(seconds: int, rounds: int) -> Iterator[Row]:
    """Compare 1 and 32 connections in both directions."""
    with (
        tempfile.TemporaryDirectory() as name,
        paired(Path(name), options=[UNLIMITED, UNLIMITED], life_s=LIFE_S) as (desk, laptop, server),
    ):
        for count in (1, 32):
            for is_down in (False, True):
                pairs = [
                    (
                        _iperf3(laptop, server, seconds, count, is_down=is_down),
                        _ours(desk, seconds, count, is_down=is_down, folder=Path(name)),
                    )
                    for _ in range(rounds)
                ]
                yield _row(count, pairs, is_down=is_down)


def _iperf3(client: Machine, server: Machine, seconds: int, count: int, *, is_down: bool) -> float:
    server.start("iperf3", "-s", "-1")
    direction = ["-R"] if is_down else []
    words = ["-c", server.address, "-t", str(seconds), "-P", str(count), "-J", *direction]
    for _ in range(20):
        done = client.run("iperf3", *words)
        if "unable to connect" not in done.stdout:
            break
    found = json.loads(done.stdout)
    if "error" in found:
        raise Broken(f"iperf3: {found['error']}")
    return float(found["end"]["sum_received"]["bits_per_second"]) / 1e6


def _ours(desk: Machine, seconds: int, count: int, *, is_down: bool, folder: Path) -> float:
    sender, receiver = ("server", "laptop") if is_down else ("laptop", "server")
    text = SCENARIO.format(seconds=seconds, sender=sender, receiver=receiver, count=count)
    (cell,) = measured(desk, text, folder).cells
    return cell.metrics["goodput_mbps"].mean


def _row(count: int, pairs: list[tuple[float, float]], *, is_down: bool) -> Row:
    ratio = statistics.median(own / other for other, own in pairs)
    told = " ".join(f"{own:.0f}/{other:.0f}" for other, own in pairs)
    what = f"{count} connections {'down' if is_down else 'up'}"
    return Row(what, f"{ratio:.0%} of iperf3 (Mbit/s: {told})", f"{GOAL:.0%}", ratio >= GOAL)
