"""Measure Anechoic's speed beside ns-3, ns-2, tshark and tcptrace and print one table.

`make bench` builds what this needs and calls it. Programs that are compared run in turns, one
run of each per round, so that a busy moment of the machine falls on all of them; a figure is the
median over the rounds. A peer that is not installed or cannot be built gives "absent".

Our side is the example `bench` of the crate lab, called as `bench WORKLOAD SECONDS`; it prints
`segments=N goodput_mbps=X wall_s=W`. Wall time is taken from outside for every program, process
start included, so that all of them are measured alike.
"""

import argparse
import datetime
import os
import platform
import re
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import captures
import cells
import peers
import walking
from measuring import ABSENT, ROOT, Broken, Row, counted, in_turns, peak_kb, printed, put_table, run

OURS = ROOT / "target" / "release" / "examples" / "bench"
VARIANTS = OURS.with_name("variants")
COMMAND = Path(sys.executable).with_name("anechoic")
PAGE = ROOT / "docs" / "performance.md"

SECONDS = 60
"""The simulated length of both workloads."""

# What the table is held against: the speed figures the project set itself before it began.
TIMES_NS3 = {"A": 100.0, "B": 300.0}
TIMES_NS2 = {"A": 10.0, "B": 20.0}
INSTRUCTIONS_PER_SEGMENT = 6_000
INSTRUCTIONS_WITH_ALL_KEPT = 6_300
INSTRUCTIONS_OF_THREE_IMPAIRMENTS = 300
TIMES_A = {"R": ("under Rayleigh fading", 1.5), "M": ("with fades of 1 to 4 s", 1.1)}
NOISE, TIMES_UNDER_NOISE = "under 1908 bursts of noise a second", 2.0
TIMES_ON_TWO_CORES = 1.9
HELP_SECONDS = 0.3

TCP_VARIANTS = ("tahoe", "reno", "newreno", "sack", "cubic", "vegas", "westwood", "linux-6")

# Memory "does not grow" when ten times the simulated time adds less than this: the allocator and
# the page cache of the loader alone move the peak by some hundred kilobytes between equal runs.
MEMORY_SLACK_KB = 1024


def against_peers(workload: str, rounds: int, build: Path) -> list[Row]:
    """Race one workload against the peers that are there."""
    commands: dict[str, list[str | Path]] = {"Anechoic": [OURS, workload, str(SECONDS)]}
    commands |= peers.commands(workload, SECONDS, build)
    walls = in_turns(commands, rounds)
    ours = walls["Anechoic"]
    rows = [Row(f"{workload}, {SECONDS} s: wall, Anechoic", f"{ours:.4f} s")]
    goals = {"ns-3": TIMES_NS3[workload], "ns-2": TIMES_NS2[workload]}
    for peer, goal in goals.items():
        what = f"{workload}, {SECONDS} s: {peer}"
        if peer not in walls:
            rows.append(Row(what, ABSENT, f"≥ {goal:g} ×"))
            continue
        ratio = walls[peer] / ours
        figure = f"{walls[peer]:.3f} s, {ratio:.1f} ×"
        rows.append(Row(what, figure, f"≥ {goal:g} ×", ratio >= goal))
    return rows


def instructions() -> list[Row]:
    """Count instructions per delivered segment, start-up and slow start taken off."""
    what, goal = "A: instructions per delivered segment", f"≤ {INSTRUCTIONS_PER_SEGMENT:,}"
    if shutil.which("valgrind") is None:
        return [Row(what, ABSENT, goal)]
    each = segment_cost("A")
    rows = [Row(what, f"{each:,.0f}", goal, each <= INSTRUCTIONS_PER_SEGMENT)]
    kept, goal = segment_cost("K"), f"≤ {INSTRUCTIONS_WITH_ALL_KEPT:,}"
    is_met = kept <= INSTRUCTIONS_WITH_ALL_KEPT
    rows.append(Row(f"{what}, with series and distributions", f"{kept:,.0f}", goal, is_met))
    for workload, (how, most) in TIMES_A.items():
        faded = segment_cost(workload)
        figure = f"{faded:,.0f}, {faded / each:.2f} ×"
        rows.append(Row(f"{what}, {how}", figure, f"≤ {most} ×", faded <= most * each))
    quiet, noisy = (cost_of_each(workload, "attempts") for workload in "AV")
    what = f"A: instructions per MAC attempt, {NOISE}"
    figure = f"{noisy:,.0f}, {noisy / quiet:.2f} ×"
    is_met = noisy <= TIMES_UNDER_NOISE * quiet
    rows.append(Row(what, figure, f"≤ {TIMES_UNDER_NOISE} ×", is_met))
    return rows


def segment_cost(workload: str) -> float:
    """Count the instructions of a delivered segment."""
    return cost_of_each(workload, "segments")


def cost_of_each(workload: str, what: str) -> float:
    """Count the instructions of each of what a workload prints the number of."""
    (short, first), (long, second) = (counted([OURS, workload, end]) for end in ("2", "20"))
    return (long - short) / (printed(second, what) - printed(first, what))


def impairments() -> list[Row]:
    """Count what impairments of a wire add to each packet."""
    goals = {"I": f"≤ {INSTRUCTIONS_OF_THREE_IMPAIRMENTS}", "D": ""}
    whats = {"I": "loss, copies and reordering of 1 % each", "D": "a delay that varies"}
    head = "instructions that a packet on a wire costs more by"
    if shutil.which("valgrind") is None:
        return [Row(f"{head} {whats[name]}", ABSENT, goal) for name, goal in goals.items()]
    bare, packets = wire_cost("W")
    rows = []
    for name, goal in goals.items():
        more = (wire_cost(name)[0] - bare) / packets
        is_met = more <= INSTRUCTIONS_OF_THREE_IMPAIRMENTS if goal else None
        rows.append(Row(f"{head} {whats[name]}", f"{more:,.0f}", goal, is_met))
    return rows


def wire_cost(workload: str) -> tuple[int, float]:
    """Count the instructions of ten seconds of a wire, and what arrives, start-up taken off."""
    (short, first), (long, second) = (counted([OURS, workload, end]) for end in ("2", "12"))
    return long - short, printed(second, "segments") - printed(first, "segments")


def variant_cost(variant: str, lose_every: int) -> float:
    """Count a variant's instructions per delivered segment, both ends, start-up taken off."""
    few, many = 10_000, 30_000
    short, long = (
        counted([VARIANTS, variant, str(segments), str(lose_every)])[0] for segments in (few, many)
    )
    return (long - short) / (many - few)


def variants() -> list[Row]:
    """Compare what a delivered segment costs with each variant, without losses and with."""
    what = "instructions per delivered segment, both ends of"
    if shutil.which("valgrind") is None:
        return [Row(f"{what} each variant", ABSENT)]
    rows = []
    for variant in TCP_VARIANTS:
        whole, lossy = variant_cost(variant, 0), variant_cost(variant, 200)
        figure = f"{whole:,.0f}; {lossy:,.0f} where one in 200 is lost"
        rows.append(Row(f"{what} `{variant}`", figure))
    return rows


def memory() -> list[Row]:
    """Compare the peak memory of a run with that of one ten times as long."""
    if not Path("/proc/self/status").exists():
        return [Row("A: peak memory", ABSENT, "no growth")]
    peaks = {seconds: peak_kb([OURS, "A", str(seconds)]) for seconds in (SECONDS, 10 * SECONDS)}
    short, long = peaks.values()
    figure = " and ".join(f"{peak / 1024:.1f} MiB ({s} s)" for s, peak in peaks.items())
    return [Row("A: peak memory", figure, "no growth", long - short < MEMORY_SLACK_KB)]


def campaign_seconds(repetitions: int, jobs: int) -> float:
    """Time a campaign of goel-1's five cells."""
    scenario = ROOT / "python" / "anechoic" / "studies" / "goel2006" / "goel-1.toml"
    with tempfile.TemporaryDirectory() as out:
        flags = ["--reps", str(repetitions), "--jobs", str(jobs), "--out", out, "--json"]
        return run([COMMAND, "run", scenario, *flags]).wall_s


def two_cores(rounds: int) -> list[Row]:
    """Compare the pace of replications on two cores with that on one.

    The pace is that of the replications between a short and a long campaign, so that start-up,
    compilation and the report fall out.
    """
    what, goal = "replications: two cores against one", f"≥ {TIMES_ON_TWO_CORES} ×"
    if (os.cpu_count() or 1) < 2:
        return [Row(what, ABSENT, goal)]
    few, many = 2, 10
    paces: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(rounds):
        for jobs, times in paces.items():
            times.append(campaign_seconds(many, jobs) - campaign_seconds(few, jobs))
    one, two = (statistics.median(times) for times in paces.values())
    return [Row(what, f"{one / two:.2f} ×", goal, one / two >= TIMES_ON_TWO_CORES)]


def help_time() -> list[Row]:
    """Time the answer to --help."""
    walls = in_turns({"help": [COMMAND, "--help"]}, rounds=7)
    return [
        Row(
            "`anechoic --help`",
            f"{walls['help']:.3f} s",
            f"< {HELP_SECONDS} s",
            walls["help"] < HELP_SECONDS,
        )
    ]


def processor() -> str:
    """Name the processor."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        name = re.search(r"model name\s*:\s*(.+)", cpuinfo.read_text())
        if name:
            return name.group(1)
    return platform.processor() or platform.machine()


def table(rows: Sequence[Row]) -> str:
    """Lay the rows out as Markdown, under the date and the machine."""
    words = {True: "met", False: "**missed**", None: ""}
    today = datetime.date.today().isoformat()
    lines = [
        f"{today}, {os.cpu_count()} × {processor()}, {platform.system()} {platform.release()}",
        "",
        "| measure | figure | goal | |",
        "|---|---|---|---|",
    ]
    lines += [f"| {row.what} | {row.figure} | {row.goal} | {words[row.met]} |" for row in rows]
    return "\n".join(lines)


def main() -> None:
    """Measure everything, or what was asked for."""
    parts: dict[str, Callable[[int], list[Row]]] = {
        "A": lambda rounds: against_peers("A", rounds, ROOT / "target" / "peers"),
        "B": lambda rounds: against_peers("B", rounds, ROOT / "target" / "peers"),
        "instructions": lambda _: instructions(),
        "cells": cells.rows,
        "walking": walking.rows,
        "impairments": lambda _: impairments(),
        "variants": lambda _: variants(),
        "memory": lambda _: memory(),
        "cores": two_cores,
        "help": lambda _: help_time(),
        "captures": captures.rows,
    }
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(parts)}")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each program (3)")
    parser.add_argument("--write", action="store_true", help=f"put the table into {PAGE.name}")
    arguments = parser.parse_args()
    unknown = sorted(set(arguments.parts) - set(parts))
    if unknown:
        parser.error(f"no part {', '.join(unknown)}; there are {', '.join(parts)}")

    rows: list[Row] = []
    broken = False
    for name in arguments.parts or parts:
        print(f"measuring {name}", file=sys.stderr)
        try:
            rows += parts[name](arguments.rounds)
        except (Broken, OSError) as error:
            # The other parts took minutes; they are worth their rows.
            print(f"{name}: {error}", file=sys.stderr)
            broken = True
    text = table(rows)
    print(text)
    if broken:
        raise SystemExit(1)
    if arguments.write:
        put_table(PAGE, "make bench", text)


if __name__ == "__main__":
    main()
