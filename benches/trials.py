"""Repeat the trials of a reviewer: kills, damages, and files that were tampered with.

`python benches/trials.py` runs all of them, `python benches/trials.py damages 40 --seed 2` one, so
often. The status is 1 where anything went wrong.
"""

import argparse
import sys
import time
from importlib import import_module

COUNTS = {
    "kills": 100,
    "damages": 400,
    "bits": 3000,
    "scenarios": 5000,
    "captures": 3000,
    "claims": 300,
    "scripts": 1000,
    "faults": 300,
}
"""Each kind, and how often by default."""


def main() -> None:
    """Run trials and print what went wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", nargs="?", choices=COUNTS, help="all of them if absent")
    parser.add_argument("count", nargs="?", type=int, help="how often")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    wrong = 0
    for kind in [asked.kind] if asked.kind else COUNTS:
        count, start = asked.count or COUNTS[kind], time.monotonic()
        found = import_module(f"trials.{kind}").trial(count, asked.seed)
        took_s = time.monotonic() - start
        print(f"{kind}: {count} in {took_s:.0f} s, {len(found)} went wrong", flush=True)
        for each in found:
            print(f"  {each}", flush=True)
        wrong += len(found)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
