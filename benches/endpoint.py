"""What endpoints of real machines carry, cost and are late by, beside what the kernel says.

    python benches/endpoint.py throughput [--seconds 5] [--rounds 3]
    python benches/endpoint.py samples|delay|start|flood [--seconds 5] [--rounds 3]

`throughput` runs iperf3 and us in turns, so that whatever else the machine does meets both;
`samples` asks what TCP_INFO costs and whether any is lost; `delay` compares delays one way, and
what the clocks' comparison errs by, with a capture at both interfaces; `start` looks when the first
segment of each of five endpoints leaves; `flood` what callers who show nothing take from a test.
Needs root, iperf3 and tshark. Machines are namespaces of this one, joined by a pair of interfaces.
"""

import argparse
import subprocess
import sys
from importlib import import_module
from pathlib import Path

from measuring import Broken

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "python" / "measuring"))

KINDS = ("throughput", "samples", "delay", "start", "flood")


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("kind", nargs="?", choices=KINDS, default=KINDS[0])
    parser.add_argument("--seconds", type=int, default=5, help="how long each run takes")
    parser.add_argument("--rounds", type=int, default=3, help="how often")
    asked = parser.parse_args()
    for row in import_module(f"endpoints.{asked.kind}").rows(asked.seconds, asked.rounds):
        met = {None: "", True: "met", False: "missed"}[row.met]
        print(f"{row.what:44} {row.figure:52} {row.goal:22} {met}", flush=True)


if __name__ == "__main__":
    try:
        main()
    except (Broken, subprocess.SubprocessError) as error:
        sys.exit(str(error))
