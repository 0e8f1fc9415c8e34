"""Show where the instructions of a workload go, by source file, per delivered segment.

`cargo build --release -p anechoic-lab --example bench`, then `python benches/costs.py A 20`.
The whole simulator is inlined into a few functions, so a table by function says little; debug
lines still know the file each instruction comes from. `speed.py instructions` gives the figure
that is held against the goal, start-up taken off; this one tells what it is made of.
"""

import argparse
import collections
import re
import subprocess
import tempfile
from pathlib import Path

import speed
from measuring import printed, run

COST = re.compile(r"\s*([\d,]+) \(\s*[\d.]+%\)\s+(\S+?):")
"""A line of callgrind_annotate: the cost, its share, and file:function."""


def by_file(workload: str, seconds: int) -> tuple[dict[str, int], float]:
    """Count instructions by source file, and the delivered segments."""
    with tempfile.TemporaryDirectory() as folder:
        counts = Path(folder) / "counts"
        tool = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={counts}"]
        output = run([*tool, speed.OURS, workload, str(seconds)]).output
        annotate = ["callgrind_annotate", "--inclusive=no", "--auto=no", "--threshold=100", counts]
        table = subprocess.run(annotate, capture_output=True, text=True, check=True).stdout
    costs: dict[str, int] = collections.Counter()
    for line in table.splitlines():
        if found := COST.match(line):
            costs["/".join(found[2].split("/")[-3:])] += int(found[1].replace(",", ""))
    return costs, printed(output, "segments")


def main() -> None:
    """Print the dearest files."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("workload", choices=("A", "B"))
    parser.add_argument("seconds", type=int, help="the simulated length")
    parser.add_argument("--rows", type=int, default=30, help="how many files (30)")
    arguments = parser.parse_args()
    costs, segments = by_file(arguments.workload, arguments.seconds)
    print(f"{sum(costs.values()) / segments:10,.0f}  all, per delivered segment")
    for file, cost in sorted(costs.items(), key=lambda row: -row[1])[: arguments.rows]:
        print(f"{cost / segments:10,.0f}  {file}")


if __name__ == "__main__":
    main()
