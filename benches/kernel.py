"""Hold the simulated stack against the kernel's own over the same wired bottleneck.

Builds the bottleneck of each cell once on Linux (namespaces, veth, tbf; root is needed) and once
in simulation, sends with Reno and with CUBIC over both, and prints one table: goodput and mean
smoothed RTT of both, and how far apart they are. `benches/bottleneck/` holds the two sides.
"""

import argparse
import datetime
import itertools
import os
import platform
import statistics
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from bottleneck import Bottleneck, Clock, Outcome, kernel, simulation

PAGE = Path(__file__).resolve().parent.parent / "docs" / "kernel.md"
MARKS = ("<!-- table: make kernel -->", "<!-- end of table -->")

# Rates that two cores emulate exactly beside other work; delays of a LAN, a country, an ocean;
# buffers below and above the bandwidth-delay product (1.6 to 163 packets).
RATES_MBPS = (2, 6, 20)
RTTS_MS = (10, 30, 100)
QUEUES_PACKETS = (25, 100)
VARIANTS = ("reno", "cubic")

# The longest period of a window's sawtooth in these cells is 31 s (Reno, 2 Mbit/s, 100 ms, 100
# packets): the measured window holds three of them.
CLOCK = Clock(warmup_s=30.0, end_s=130.0)

GOODPUT_APART, RTT_APART = 0.05, 0.10
"""How far apart the two may be."""

JOBS = 6
"""Cells built at the same time on Linux: 112 Mbit/s in all, a fifth of one core."""


@dataclass(frozen=True)
class Row:
    """One bottleneck, as the kernel and as the simulator have it."""

    bottleneck: Bottleneck
    real: Outcome
    simulated: Outcome

    @property
    def goodput_apart(self) -> float:
        """Give the simulated goodput's distance from the real one, relative."""
        return self.simulated.goodput_mbps / self.real.goodput_mbps - 1

    @property
    def rtt_apart(self) -> float:
        """Give the simulated RTT's distance from the real one, relative."""
        return self.simulated.rtt_ms / self.real.rtt_ms - 1

    @property
    def agrees(self) -> bool:
        """Say whether both distances are small enough."""
        return abs(self.goodput_apart) <= GOODPUT_APART and abs(self.rtt_apart) <= RTT_APART


def cells() -> list[Bottleneck]:
    """Give every combination, such that neighbours load the machine differently."""
    product = itertools.product(RTTS_MS, QUEUES_PACKETS, VARIANTS, RATES_MBPS)
    return [Bottleneck(rate, rtt, queue, variant) for rtt, queue, variant, rate in product]


def measured(wanted: Sequence[Bottleneck], jobs: int) -> tuple[list[Row], list[kernel.Lateness]]:
    """Measure the cells on Linux, some at a time, and simulate each."""

    def one(place: int) -> tuple[Row, list[kernel.Lateness]]:
        bottleneck = wanted[place]
        real, late = kernel.run(bottleneck, CLOCK, f"anechoic{place}")
        row = Row(bottleneck, real, simulation.run(bottleneck, CLOCK))
        print(line(row), file=sys.stderr, flush=True)
        return row, late

    with ThreadPoolExecutor(jobs) as pool:
        done = list(pool.map(one, range(len(wanted))))
    return [row for row, _ in done], [each for _, late in done for each in late]


def table(rows: Sequence[Row], late: Sequence[kernel.Lateness]) -> str:
    """Lay the rows out as Markdown, under the date, the machine and the verdict."""
    today = datetime.date.today().isoformat()
    agree = sum(row.agrees for row in rows)
    median = statistics.median(each.median_us for each in late)
    ninety_ninth = statistics.median(each.p99_us for each in late)
    head = [
        f"{today}, {os.cpu_count()} cores, {platform.system()} {platform.release()}",
        "",
        f"{agree} of {len(rows)} cells agree within {GOODPUT_APART:.0%} of goodput and "
        f"{RTT_APART:.0%} of RTT. The delay lines released packets {median:.0f} µs late in the "
        f"median and {ninety_ninth:.0f} µs at the 99th percentile (medians over the lines; the "
        f"latest of all {max(each.max_us for each in late) / 1000:.1f} ms).",
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
        "" if row.agrees else "**apart**",
    ]
    return f"| {' | '.join(map(str, columns))} |"


def write(text: str) -> None:
    """Put the table between its marks in docs/kernel.md."""
    start, end = MARKS
    before, _, rest = PAGE.read_text().partition(start)
    _, found, after = rest.partition(end)
    if not found:
        raise SystemExit(f"{PAGE} has lost the marks around its table")
    PAGE.write_text(f"{before}{start}\n\n{text}\n\n{end}{after}")


def main() -> None:
    """Measure and compare every cell, or those asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    for name, known in (
        ("rates", RATES_MBPS),
        ("rtts", RTTS_MS),
        ("queues", QUEUES_PACKETS),
    ):
        parser.add_argument(f"--{name}", type=int, nargs="+", choices=known, default=known)
    parser.add_argument("--variants", nargs="+", choices=VARIANTS, default=VARIANTS)
    parser.add_argument("--jobs", type=int, default=JOBS, help=f"cells at a time ({JOBS})")
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
        text = table(*measured(wanted, arguments.jobs))
    except kernel.Broken as error:
        raise SystemExit(f"kernel.py: {error}") from None
    print(text)
    if arguments.write:
        write(text)


if __name__ == "__main__":
    main()
