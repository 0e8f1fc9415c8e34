"""Hold the queues that do not wait until they are full against Linux's.

Transfers over a wire with RED, CoDel, FQ-CoDel or PIE in front of it, by a Linux that runs as a
program (Debian's package user-mode-linux, as root) and in simulation, and prints one table: goodput
and mean smoothed RTT of both, and how far apart they are.
"""

import argparse
import datetime
import os
import sys
from concurrent.futures import ThreadPoolExecutor

from bottleneck_link import (
    ETHERNET_BYTES,
    FULL_PACKET,
    ActiveQueue,
    Bottleneck,
    Clock,
    Outcome,
    beside,
    guest,
    kernel,
    simulation,
)
from measuring import ROOT, put_table

PAGE = ROOT / "docs" / "validation.md"

RATES_MBPS = (2, 5, 10)
RTT_MS = 20
PACKETS = 1000

CLOCK = Clock(warmup_s=10.0, end_s=70.0)

JOBS = 3
"""Kernels that run at the same time."""

GOODPUT_APART, RTT_APART = 0.05, 0.10
"""How far apart the two may be: as far as the drop-tail queues of kernel.py."""

Row = tuple[Bottleneck, Outcome, Outcome]


def red(rate_mbps: int) -> ActiveQueue:
    """Give RED as both have it: Linux's is not gentle, its weights are powers of two.

    A burst of 60 packets makes tc choose 1/512.
    """
    low, high, weight = 5, 15, 1 / 512
    packet_us = (FULL_PACKET + ETHERNET_BYTES) * 8 / rate_mbps
    table = {
        "kind": "red",
        "min_threshold": low,
        "max_threshold": high,
        "max_probability": 0.1,
        "weight": weight,
        "gentle": False,
        "packet_time": f"{packet_us} us",
        "packets": PACKETS,
    }
    sizes = {"limit": PACKETS, "min": low, "max": high, "avpkt": 1}
    told = [word for name, packets in sizes.items() for word in (name, str(packets * FULL_PACKET))]
    own = ("burst", "60", "probability", "0.1", "bandwidth", f"{rate_mbps}mbit")
    return ActiveQueue(table, ("red", *told, *own))


def queues(rate_mbps: int) -> list[ActiveQueue]:
    """Give all of them, with the values of their RFCs, which are Linux's too, but for PIE."""
    limit = ("limit", str(PACKETS))
    delay = ("target", "5ms", "interval", "100ms", "noecn")
    return [
        red(rate_mbps),
        ActiveQueue(
            {"kind": "codel", "packets": PACKETS}, ("codel", *limit, *delay), is_taken_early=True
        ),
        ActiveQueue(
            {"kind": "fq-codel", "packets": PACKETS, "ecn": False},
            ("fq_codel", *limit, "flows", "1024", "quantum", "1514", *delay),
            is_taken_early=True,
        ),
        # Linux's timer counts jiffies, here of 10 ms, and takes one more: every 30 ms, as its
        # statistics show. tc counts alpha and beta in sixteenths.
        ActiveQueue(
            {"kind": "pie", "packets": PACKETS, "update": "30 ms"},
            ("pie", *limit, "target", "15ms", "tupdate", "20ms", "alpha", "2", "beta", "20"),
            is_taken_early=True,
        ),
    ]


def kind(bottleneck: Bottleneck) -> str:
    """Name the queue of a bottleneck."""
    assert bottleneck.active is not None
    return str(bottleneck.active.table["kind"])


def measured(bottleneck: Bottleneck) -> Row:
    """Simulate a queue, and measure it on Linux."""
    simulated = simulation.run(bottleneck, CLOCK, guest.JIFFY_MS)
    row = bottleneck, guest.run(bottleneck, CLOCK), simulated
    print(line(row), file=sys.stderr, flush=True)
    return row


def line(row: Row) -> str:
    """Give a row of the table."""
    bottleneck, real, simulated = row
    columns = [
        kind(bottleneck),
        bottleneck.rate_mbps,
        *beside.columns(real, simulated, GOODPUT_APART, RTT_APART),
    ]
    return f"| {' | '.join(map(str, columns))} |"


def table(rows: list[Row]) -> str:
    """Lay the rows out as Markdown, under the date and the kernel."""
    today = datetime.date.today().isoformat()
    return "\n".join(
        [
            f"{today}, {os.cpu_count()} cores, User-Mode Linux {guest.version()}",
            "",
            f"| queue | Mbit/s | {beside.HEAD}|",
            "|---|---|---|---|---|---|---|---|---|",
            *map(line, rows),
        ]
    )


def main() -> None:
    """Measure and compare every queue at every rate."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--write", action="store_true", help=f"put the table into {PAGE.name}")
    parser.add_argument("--rates", type=int, nargs="+", choices=RATES_MBPS, default=RATES_MBPS)
    arguments = parser.parse_args()
    if os.geteuid() != 0:
        parser.error("the files of the other kernel are root's")
    wanted = [
        Bottleneck(rate, RTT_MS, PACKETS, "cubic", active=active)
        for rate in arguments.rates
        for active in queues(rate)
    ]
    try:
        with ThreadPoolExecutor(JOBS) as pool:
            rows = list(pool.map(measured, wanted))
    except (kernel.Broken, FileNotFoundError) as error:
        raise SystemExit(f"active_queues.py: {error}") from None
    text = table(sorted(rows, key=lambda row: kind(row[0])))
    print(text)
    if arguments.write:
        put_table(PAGE, "python benches/active_queues.py", text)


if __name__ == "__main__":
    main()
