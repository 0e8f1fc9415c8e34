"""Run goel-1's campaign on two Dask workers: how fast.

`python benches/cluster.py` races two workers of a thread each, with scheduler and client on the
same machine, against two jobs of one process, in turns. What kills take away is a trial of
`python benches/trials.py`.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from measuring import Broken

from anechoic.campaign.keys import KeyFolder
from anechoic.campaign.own_cluster import OwnCluster

COMMAND = [sys.executable, "-m", "anechoic.cli", "run", "goel-1"]
GOAL = 0.8
"""Part of the speed of two jobs that two workers are to reach."""


def main() -> None:
    """Print the times and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="turns of the race")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        cluster = OwnCluster(workers=2)
        keys = KeyFolder(cluster.keys, Path(folder))
        os.environ.update(keys.environment())
        try:
            race(Path(folder), cluster, asked.rounds)
        finally:
            cluster.close()


def race(folder: Path, cluster: OwnCluster, rounds: int) -> None:
    """Race both, and print the medians and their ratio."""
    walls: dict[str, list[float]] = {"two jobs": [], "two workers": []}
    for turn in range(rounds):
        for name, options in (
            ("two jobs", ("--jobs", "2")),
            ("two workers", ("--on", cluster.address)),
        ):
            # Neighbours would lend each other their records.
            out = folder / f"{turn} {name}" / "out"
            start = time.perf_counter()
            finish(client(out, *options))
            walls[name].append(time.perf_counter() - start)
    jobs, workers = (statistics.median(each) for each in walls.values())
    print(f"two jobs {jobs:.1f} s, two workers {workers:.1f} s: {jobs / workers:.2f} of the speed")
    print(f"goal {GOAL}: {'met' if jobs / workers >= GOAL else 'missed'}")


def client(out: Path, *options: str) -> "subprocess.Popen[bytes]":
    """Start a campaign."""
    quiet = subprocess.DEVNULL
    return subprocess.Popen([*COMMAND, "--out", str(out), *options], stdout=quiet, stderr=quiet)


def finish(run: "subprocess.Popen[bytes]") -> None:
    """Wait for the end of a campaign."""
    if run.wait() != 0:
        raise Broken(f"a campaign ended with status {run.returncode}")


if __name__ == "__main__":
    main()
