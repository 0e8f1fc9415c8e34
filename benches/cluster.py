"""Run goel-1's campaign on two Dask workers: how fast, and what kills take away.

`python benches/cluster.py` races two workers of a thread each, with scheduler and client on the
same machine, against two jobs of one process, in turns; then it kills workers and clients at
random instants, ten in all, and compares the folder's bytes with those of an undisturbed run.
"""

import argparse
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from measuring import Broken

from anechoic.campaign.own_cluster import OwnCluster

COMMAND = [sys.executable, "-m", "anechoic.cli", "run", "goel-1"]
GOAL = 0.8
"""Part of the speed of two jobs that two workers are to reach."""
KILLS = 10


def main() -> None:
    """Print both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="turns of the race")
    parser.add_argument("--seed", type=int, default=1, help="of the instants of the kills")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        cluster = OwnCluster(workers=2)
        try:
            here = race(Path(folder), cluster, asked.rounds)
            kill(Path(folder), cluster, here, random.Random(asked.seed))
        finally:
            cluster.close()


def race(folder: Path, cluster: OwnCluster, rounds: int) -> Path:
    """Race both, print the medians and their ratio, and give the folder of an undisturbed run."""
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
    return folder / "0 two jobs" / "out"


def kill(folder: Path, cluster: OwnCluster, here: Path, luck: random.Random) -> None:
    """Kill workers and clients of one campaign, and say whether anything was lost."""
    out = folder / "killed" / "out"
    run, kept = client(out, "--on", cluster.address), 0
    for number in range(KILLS):
        time.sleep(luck.uniform(0.2, 1.5))
        if run.poll() is not None:
            raise Broken(f"the campaign ended before kill {number + 1}")
        if luck.random() < 0.5:
            victim = cluster.workers.pop(luck.randrange(len(cluster.workers)))
            victim.kill()
            victim.wait()
            cluster.start_worker()
        else:
            run.kill()
            run.wait()
            run = client(out, "--on", cluster.address)
        now = len(list(out.glob("records/*/[0-9][0-9][0-9][0-9].parquet")))
        if now < kept:
            raise Broken(f"of {kept} replications {now} are left")
        kept = now
    finish(run)
    if written(out) != written(here):
        raise Broken("the folder has other bytes than that of an undisturbed run")
    print(f"{KILLS} kills, the last with {kept} replications kept: the same bytes as undisturbed")


def client(out: Path, *options: str) -> "subprocess.Popen[bytes]":
    """Start a campaign."""
    quiet = subprocess.DEVNULL
    return subprocess.Popen([*COMMAND, "--out", str(out), *options], stdout=quiet, stderr=quiet)


def finish(run: "subprocess.Popen[bytes]") -> None:
    """Wait for the end of a campaign."""
    if run.wait() != 0:
        raise Broken(f"a campaign ended with status {run.returncode}")


def written(out: Path) -> dict[str, bytes]:
    """Give every file of a campaign's folder."""
    files = (path for path in sorted(out.rglob("*")) if path.is_file())
    return {str(path.relative_to(out)): path.read_bytes() for path in files}


if __name__ == "__main__":
    main()
