"""Hold the simulated stack against the kernel's own over the same wired bottleneck.

Builds the bottleneck of each cell once on Linux (namespaces, veth, tbf; root is needed) and once
in simulation, sends with Reno and with CUBIC over both, and prints one table: goodput and mean
smoothed RTT of both, and how far apart they are. `benches/bottleneck_link/` holds the two sides.
"""

import argparse
import csv
import datetime
import itertools
import os
import platform
import statistics
import sys
import textwrap
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from bottleneck_link import (
    ETHERNET_BYTES,
    FULL_PACKET,
    Bottleneck,
    Clock,
    Outcome,
    kernel,
    simulation,
)
from measuring import ROOT, put_table

PAGE = ROOT / "docs" / "kernel.md"

# The rates of 802.11b, which two cores emulate beside other work; delays of a town, a country, an
# ocean; buffers below and above the bandwidth-delay product (1.6 to 81 packets).
RATES_MBPS = (2, 5, 10)
RTTS_MS = (10, 30, 100)
QUEUES_PACKETS = (25, 100)
VARIANTS = ("reno", "cubic")
KNOWN = (*VARIANTS, "bbr")
"""Those that may be asked for."""

# The longest period of a window's sawtooth in these cells is 31 s (Reno, 2 Mbit/s, 100 ms, 100
# packets): the measured window holds three of them.
CLOCK = Clock(warmup_s=30.0, end_s=130.0)

GOODPUT_APART, RTT_APART = 0.05, 0.10
"""How far apart the two may be."""

PROSE_WIDTH = 120
"""The longest line of a page that is no table."""

JOBS = 12
"""Cells built at the same time on Linux: 68 Mbit/s in all, a fifth of one core."""

ATTEMPTS = 3
"""How often a cell is built anew when the machine was too late."""


@dataclass(frozen=True)
class Row:
    """One bottleneck, as the kernel and as the simulator have it."""

    bottleneck: Bottleneck
    real: Outcome
    simulated: Outcome
    late: list[kernel.Lateness]

    @property
    def goodput_apart(self) -> float:
        """Give the simulated goodput's distance from the real one, relative."""
        return self.simulated.goodput_mbps / self.real.goodput_mbps - 1

    @property
    def rtt_apart(self) -> float:
        """Give the simulated RTT's distance from the real one, relative."""
        return self.simulated.rtt_ms / self.real.rtt_ms - 1

    @property
    def is_late(self) -> bool:
        """Say whether the machine paused for longer than a quarter of what the queue can hold.

        What has waited meanwhile is let go at once, into a queue that other bursts fill too.
        """
        cell = self.bottleneck
        packet_us = (FULL_PACKET + ETHERNET_BYTES) * 8 / cell.rate_mbps
        return max(each.max_us for each in self.late) > cell.queue_packets * packet_us / 4

    @property
    def agrees(self) -> bool:
        """Say whether both distances are small enough."""
        return abs(self.goodput_apart) <= GOODPUT_APART and abs(self.rtt_apart) <= RTT_APART


def cells() -> list[Bottleneck]:
    """Give every combination, such that neighbours load the machine differently."""
    product = itertools.product(RTTS_MS, QUEUES_PACKETS, KNOWN, RATES_MBPS)
    return [Bottleneck(rate, rtt, queue, variant) for rtt, queue, variant, rate in product]


def measured(wanted: Sequence[Bottleneck], jobs: int, trace: Path | None) -> list[Row]:
    """Simulate the cells, then measure them on Linux, some at a time."""
    print("simulating", file=sys.stderr)
    simulated = [simulation.run(bottleneck, CLOCK) for bottleneck in wanted]

    def one(place: int) -> Row:
        for _ in range(ATTEMPTS):
            real, late = kernel.run(wanted[place], CLOCK, f"anechoic{os.getpid()}-{place}")
            row = Row(wanted[place], real, simulated[place], late)
            print(line(row), file=sys.stderr, flush=True)
            if not row.is_late:
                break
        if trace is not None:
            write_trace(trace, row)
        return row

    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(one, range(len(wanted))))


def table(rows: Sequence[Row]) -> str:
    """Lay the rows out as Markdown, under the date, the machine and the verdict."""
    today = datetime.date.today().isoformat()
    agree = sum(row.agrees for row in rows)
    late = [each for row in rows for each in row.late]
    median = statistics.median(each.median_us for each in late)
    ninety_ninth = statistics.median(each.p99_us for each in late)
    verdict = (
        f"{agree} of {len(rows)} cells agree within {GOODPUT_APART:.0%} of goodput and "
        f"{RTT_APART:.0%} of RTT. The delay lines woke up {median:.0f} µs late in the median and "
        f"{ninety_ninth:.0f} µs at the 99th percentile (medians over the lines; the latest of all "
        f"{max(each.max_us for each in late) / 1000:.1f} ms)."
    )
    head = [
        f"{today}, {os.cpu_count()} cores, {platform.system()} {platform.release()}",
        "",
        textwrap.fill(verdict, PROSE_WIDTH),
        "",
        "| Mbit/s | RTT, ms | queue | sender | goodput, kernel | simulated | apart | "
        "mean RTT, kernel | simulated | apart | |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    by_rate = sorted(rows, key=lambda row: (row.bottleneck.rate_mbps, row.bottleneck.rtt_ms))
    return "\n".join([*head, *map(line, by_rate)])


def line(row: Row) -> str:
    """Give a row of the table."""
    cell, real, simulated = row.bottleneck, row.real, row.simulated
    columns = [
        *(cell.rate_mbps, cell.rtt_ms, cell.queue_packets, cell.congestion_control),
        f"{real.goodput_mbps:.3f}",
        f"{simulated.goodput_mbps:.3f}",
        f"{row.goodput_apart:+.1%}",
        f"{real.rtt_ms:.1f}",
        f"{simulated.rtt_ms:.1f}",
        f"{row.rtt_apart:+.1%}",
        " ".join(["" if row.agrees else "**apart**", "late" if row.is_late else ""]).strip(),
    ]
    return f"| {' | '.join(map(str, columns))} |"


def write_trace(folder: Path, row: Row) -> None:
    """Write what TCP_INFO said over time on either side."""
    cell = row.bottleneck
    name = f"{cell.rate_mbps}-{cell.rtt_ms}-{cell.queue_packets}-{cell.congestion_control}"
    folder.mkdir(parents=True, exist_ok=True)
    for side, outcome in (("kernel", row.real), ("simulated", row.simulated)):
        names = [each for each in row.real.samples[0] if each in row.simulated.samples[0]]
        with (folder / f"{name}.{side}.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, names, extrasaction="ignore")
            writer.writeheader()
            writer.writerows(outcome.samples)


def main() -> None:
    """Measure and compare every cell, or those asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    for name, known in (
        ("rates", RATES_MBPS),
        ("rtts", RTTS_MS),
        ("queues", QUEUES_PACKETS),
    ):
        parser.add_argument(f"--{name}", type=int, nargs="+", choices=known, default=known)
    parser.add_argument("--variants", nargs="+", choices=KNOWN, default=VARIANTS)
    parser.add_argument("--jobs", type=int, default=JOBS, help=f"cells at a time ({JOBS})")
    parser.add_argument("--trace", type=Path, metavar="FOLDER", help="keep TCP_INFO over time")
    parser.add_argument("--write", action="store_true", help=f"put the table into {PAGE.name}")
    arguments = parser.parse_args()
    if os.geteuid() != 0:
        parser.error("namespaces, devices and real-time priority need root")
    wanted = [
        cell
        for cell in cells()
        if cell.rate_mbps in arguments.rates
        and cell.rtt_ms in arguments.rtts
        and cell.queue_packets in arguments.queues
        and cell.congestion_control in arguments.variants
    ]
    try:
        text = table(measured(wanted, arguments.jobs, arguments.trace))
    except kernel.Broken as error:
        raise SystemExit(f"kernel.py: {error}") from None
    print(text)
    if arguments.write:
        asked = " ".join(arguments.variants)
        is_usual = tuple(arguments.variants) == VARIANTS
        command = "make kernel" if is_usual else f"python benches/kernel.py --variants {asked}"
        put_table(PAGE, command, text)


if __name__ == "__main__":
    main()
