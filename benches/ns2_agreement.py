"""Hold ns-2's view against ns-2 itself, and print two tables.

`python benches/ns2_agreement.py` runs two scenarios in both: a station some metres from its base
station under ns-2's shadowing, flooded and with an FTP of each variant (`peers/hop.tcl` and
`.toml`), and the walk of Janevski and Petrov (`peers/walk.tcl` and `.toml`). `--write` puts the
tables into docs/validation.md, which explains what is apart.
"""

import argparse
import datetime
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import peers
from measuring import ROOT, printed, put_table, run
from scipy.stats import t as student

import anechoic as an
from anechoic.scenario.load import load

PAGE = ROOT / "docs" / "validation.md"

HOP_SEEDS = 6
WALK_SEEDS = 20

VARIANTS: Mapping[str, tuple[str, bool, str]] = {
    "Tahoe": ("tahoe", False, "reno"),
    "Reno": ("reno", False, "reno"),
    "Newreno": ("newreno", False, "reno"),
    "Sack1": ("sack", True, "reno"),
    "Vegas": ("vegas", False, "vegas-ns-2"),
}
"""ns-2's names of its agents; our recovery, use of SACK and congestion control."""


def ns2(script: str, seeds: int, *settings: object) -> list[float]:
    """Give ns-2's goodput in Mbit/s for each seed."""

    def one(seed: int) -> float:
        return printed(
            run(["ns", peers.HERE / script, *map(str, settings), str(seed)]).output, "goodput"
        )

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(one, range(1, seeds + 1)))


def ours(scenario: str, flow: str, seeds: int, values: Mapping[str, Any]) -> list[float]:
    """Give our goodput in Mbit/s for each seed."""
    with tempfile.TemporaryDirectory() as folder:
        loaded = load(peers.HERE / scenario, set=values)
        results = an.run(loaded, reps=seeds, progress=False, out=Path(folder))
        return list(results.cells[0][f"flow.{flow}.goodput_mbps"].values)


def variant(name: str, sender: str, receiver: str) -> dict[str, Any]:
    """Give what makes our two ends ns-2's agents of this name."""
    recovery, sack, control = VARIANTS[name]
    return {
        f"{sender}.tcp.recovery": recovery,
        f"{sender}.tcp.sack": sack,
        f"{receiver}.tcp.sack": sack,
        f"{sender}.tcp.congestion_control": control,
    }


def everywhere(nodes: Sequence[str], field: str, value: object) -> dict[str, Any]:
    """Give every node's field a value."""
    return {f"{node}.{field}": value for node in nodes}


def hop(traffic: str, metres: int, retries: int) -> tuple[list[float], list[float]]:
    """Measure a hop in both."""
    values = everywhere(["ap.base", "sta.station"], "long_retry_limit", retries)
    values["sta.station.position"] = [f"{metres} m", "0 m"]
    theirs = ns2("hop.tcl", HOP_SEEDS, traffic, retries, metres)
    if traffic == "udp":
        return theirs, ours("flood.toml", "transfer-1", HOP_SEEDS, values)
    values |= variant(traffic, "host.server", "sta.station")
    return theirs, ours("hop.toml", "transfer-1", HOP_SEEDS, values)


def walk(name: str, speed: float, retries: int) -> tuple[list[float], list[float]]:
    """Measure the walk in both, with queues of 50 packets, in ours one with the MAC."""
    radios = ["ap.bs0", "ap.bs1", "sta.n0", "sta.n1", "sta.n2", "sta.n3"]
    values = {
        **everywhere(radios, "long_retry_limit", retries),
        **everywhere(radios, "queue_packets", 51),
        **variant(name, "host.a3", "sta.n3"),
        "sta.n3.movement.speed": f"{speed} m/s",
    }
    theirs = ns2("walk.tcl", WALK_SEEDS, name, retries, 50, speed)
    return theirs, ours("walk.toml", "ftp-1", WALK_SEEDS, values)


def shown(values: Sequence[float]) -> str:
    """Give mean and half-width of the 95 % interval."""
    half = student.ppf(0.975, len(values) - 1) * stdev(values) / len(values) ** 0.5
    return f"{fmean(values):.3f} ± {half:.3f}"


def row(of: Sequence[object], both: tuple[list[float], list[float]]) -> str:
    """Give a row: what is measured, ns-2's goodput and ours."""
    theirs, mine = both
    text = " | ".join([*map(str, of), shown(theirs), shown(mine)])
    print(text, file=sys.stderr, flush=True)
    return f"| {text} |"


def rows_of_hop() -> Iterator[str]:
    """Measure every hop."""
    for traffic in ("udp", *VARIANTS):
        for metres in (80, 108):
            for retries in (1, 2, 4):
                yield row([traffic, metres, retries], hop(traffic, metres, retries))


def rows_of_walk() -> Iterator[str]:
    """Measure every walk."""
    for speed in (4.16, 7, 14):
        for retries in (1, 2, 3, 4):
            yield row([speed, retries], walk("Sack1", speed, retries))


def table(head: Sequence[str], rows: Iterator[str], what: str) -> str:
    """Lay rows out as Markdown, under the date and what was run."""
    columns = [*head, "ns-2", "ours"]
    heading = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    return "\n".join([f"{datetime.date.today().isoformat()}, Mbit/s, {what}", "", *heading, *rows])


def main() -> None:
    """Measure both scenarios."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--write", action="store_true", help=f"put the tables into {PAGE.name}")
    arguments = parser.parse_args()
    if shutil.which("ns") is None:
        raise SystemExit("ns-2 is not here: Debian's ns2 is needed")
    hops = table(["traffic", "metres", "attempts"], rows_of_hop(), f"{HOP_SEEDS} runs of 60 s")
    walks = table(["m/s", "attempts"], rows_of_walk(), f"SACK, {WALK_SEEDS} runs of the FTP's 75 s")
    text = f"{hops}\n\n{walks}"
    print(text)
    if arguments.write:
        put_table(PAGE, "python benches/ns2_agreement.py", text)


if __name__ == "__main__":
    main()
