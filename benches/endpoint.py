"""Throughput between two endpoints beside that of iperf3, in turns, over one pair of interfaces.

    python benches/endpoint.py [--seconds 5] [--rounds 3]

Needs root and iperf3. Each round runs iperf3 and us one after the other, so that whatever else the
machine does meets both; the figure is the median of the rounds' ratios.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from measuring import Broken, Row

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "python" / "measuring"))

from machines import Machine, paired

import anechoic as an

GOAL = 0.95
SCENARIO = """
run = {{ duration = "{seconds} s", time_series = false, distributions = false }}
host.server.stack = "linux-6"
host.laptop.stack = "linux-6"
wire.lan.between = ["server", "laptop"]
traffic.load = {{ app = "bulk", from = "{sender}", to = "{receiver}", count = {count} }}
"""


def iperf3(client: Machine, server: Machine, seconds: int, count: int, *, is_down: bool) -> float:
    """Give the goodput of an iperf3 client, in Mbit/s."""
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


def ours(desk: Machine, seconds: int, count: int, *, is_down: bool, folder: Path) -> float:
    """Give the goodput of two endpoints, in Mbit/s."""
    sender, receiver = ("server", "laptop") if is_down else ("laptop", "server")
    file = folder / "load.toml"
    text = SCENARIO.format(seconds=seconds, sender=sender, receiver=receiver, count=count)
    file.write_text(text)
    out = Path(tempfile.mkdtemp(dir=folder)) / "out"
    done = desk.anechoic("measure", file, "--reps", "1", "--out", out)
    if done.returncode:
        raise Broken(done.stderr)
    (cell,) = an.Results.load(out).cells
    return cell.metrics["goodput_mbps"].mean


def main() -> None:
    """Run all, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    fast = ("--max-mbps", "1000000")
    with tempfile.TemporaryDirectory() as name, paired(Path(name), options=[fast, fast]) as made:
        desk, laptop, server = made
        for count in (1, 32):
            for is_down in (False, True):
                pairs = [
                    (
                        iperf3(laptop, server, asked.seconds, count, is_down=is_down),
                        ours(desk, asked.seconds, count, is_down=is_down, folder=Path(name)),
                    )
                    for _ in range(asked.rounds)
                ]
                print(_row(count, pairs, is_down=is_down), flush=True)


def _row(count: int, pairs: list[tuple[float, float]], *, is_down: bool) -> Row:
    ratio = statistics.median(own / other for other, own in pairs)
    told = " ".join(f"{own:.0f}/{other:.0f}" for other, own in pairs)
    what = f"{count} connections {'down' if is_down else 'up'}"
    return Row(what, f"{ratio:.0%} of iperf3 (Mbit/s: {told})", f"{GOAL:.0%}", ratio >= GOAL)


if __name__ == "__main__":
    try:
        main()
    except (Broken, subprocess.SubprocessError) as error:
        sys.exit(str(error))
