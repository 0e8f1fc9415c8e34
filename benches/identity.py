"""Show that two builds of the core give the same records, to the last bit.

python benches/identity.py write FILE      hash what each run leaves, and keep the hashes
python benches/identity.py compare FILE    run all again and say what is no longer the same;
                                           exit status 1 if anything is

Runs are those of every cell of every experiment and example that ships, one replication each, with
its taps. `--seconds` limits how long each lasts, warm-up aside, and `--only` chooses by a part of
the name. A refactoring writes the file with the build before it and compares with its own.
"""

import argparse
import hashlib
import json
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from anechoic.campaign.sweep import cells_of
from anechoic.examples import examples
from anechoic.papers.study import experiments
from anechoic.scenario.core import Column, core
from anechoic.scenario.load import load

SEED = 1
NS = 1_000_000_000

Hashes = dict[str, str]
"""Of what a run left: of each metric, column and capture its hash."""


def plans(only: str, seconds: float | None) -> Iterator[tuple[str, str]]:
    """Give every plan there is by the name of its scenario and the number of its cell."""
    files = {name: each.file for name, each in experiments().items()} | examples()
    for name, file in files.items():
        if only not in name:
            continue
        for number, cell in enumerate(cells_of(load(file))):
            yield f"{name}/{number}", json.dumps(shortened(cell.plan, seconds))


def shortened(plan: dict[str, Any], seconds: float | None) -> dict[str, Any]:
    """Give a plan that lasts no longer than its warm-up and so many seconds."""
    if seconds is None:
        return plan
    longest = plan["warmup_ns"] + round(seconds * NS)
    return plan | {"duration_ns": min(plan["duration_ns"], longest)}


def hashed(named: tuple[str, str]) -> tuple[str, Hashes]:
    """Run a plan and hash what it leaves."""
    name, plan = named
    record, captures = core().run_captured(plan, SEED)
    left = {metric: digest(value.hex().encode()) for metric, value in record.metrics().items()}
    for table, columns in record.tables().items():
        left |= {f"{table}.{column}": of_column(own) for column, own in columns.items()}
    return name, left | {f"capture {tap}": digest(data) for tap, data in captures.items()}


def of_column(column: Column) -> str:
    """Hash the type, the values and the dictionary of a column."""
    kind, values, dictionary = column
    return digest(kind.encode(), values, json.dumps(dictionary).encode())


def digest(*parts: bytes) -> str:
    """Hash bytes."""
    whole = hashlib.blake2b(digest_size=8)
    for part in parts:
        whole.update(len(part).to_bytes(8, "little") + part)
    return whole.hexdigest()


def all_hashed(only: str, seconds: float | None, threads: int) -> dict[str, Hashes]:
    """Run all plans and hash what each leaves."""
    with ThreadPoolExecutor(threads) as pool:
        return dict(pool.map(hashed, plans(only, seconds)))


def differences(before: Mapping[str, Hashes], now: Mapping[str, Hashes]) -> Iterator[str]:
    """Name what only one of two builds has left, and what is not the same."""
    for run in dict.fromkeys([*before, *now]):
        one, other = before.get(run, {}), now.get(run, {})
        for what in dict.fromkeys([*one, *other]):
            if what not in other:
                yield f"{run}: {what} is gone"
            elif what not in one:
                yield f"{run}: {what} is new"
            elif one[what] != other[what]:
                yield f"{run}: {what} is not the same"


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=("write", "compare"))
    parser.add_argument("file", type=Path, help="the hashes of a build")
    parser.add_argument("--seconds", type=float, help="how long a run lasts at most")
    parser.add_argument("--only", default="", help="part of the names of the scenarios to run")
    parser.add_argument("--threads", type=int, default=2, help="runs at a time")
    return parser.parse_args()


def main() -> None:
    """Write the hashes of a build, or compare with them."""
    asked = arguments()
    now = all_hashed(asked.only, asked.seconds, asked.threads)
    count = f"{len(now)} runs, {sum(map(len, now.values()))} hashes"
    if asked.what == "write":
        asked.file.write_text(json.dumps(now, indent=0), encoding="utf-8")
        print(count)
        return
    kept = json.loads(asked.file.read_text(encoding="utf-8"))
    found = list(differences({run: kept[run] for run in kept if asked.only in run}, now))
    print(*found, f"{count}, {len(found)} not the same", sep="\n")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
