"""Hold the simulated token bucket against Linux's tbf.

Shapes one transfer at five rates on Linux (namespaces, veth, tbf; root is needed) and in
simulation, and prints one table: goodput and mean smoothed RTT under load of both, and how far
apart they are.
"""

import argparse
import datetime
import os
import platform
import sys
from concurrent.futures import ThreadPoolExecutor

from bottleneck_link import Bottleneck, Bucket, Clock, Outcome, beside, kernel, simulation
from measuring import ROOT, put_table

PAGE = ROOT / "docs" / "validation.md"

RATES_MBPS = (1, 2, 5, 10, 20)
RTT_MS = 20

# The bucket holds ten full frames, and 6 ms of the highest rate, twice what tbf's timer may be
# late.
BUCKET = Bucket(burst_bytes=15_140, latency_ms=100)

CLOCK = Clock(warmup_s=10.0, end_s=70.0)

GOODPUT_APART, RTT_APART = 0.02, 0.05
"""How far apart the two may be."""

Pair = tuple[Bottleneck, Outcome, Outcome]


def measured(place: int) -> Pair:
    """Simulate a rate, and measure it on Linux."""
    bottleneck = Bottleneck(RATES_MBPS[place], RTT_MS, 0, "cubic", BUCKET)
    simulated = simulation.run(bottleneck, CLOCK)
    real, _ = kernel.run(bottleneck, CLOCK, f"anechoic{os.getpid()}-{place}")
    print(line((bottleneck, real, simulated)), file=sys.stderr, flush=True)
    return bottleneck, real, simulated


def line(pair: Pair) -> str:
    """Give a row of the table."""
    bottleneck, real, simulated = pair
    columns = [
        bottleneck.rate_mbps,
        *beside.columns(real, simulated, GOODPUT_APART, RTT_APART),
    ]
    return f"| {' | '.join(map(str, columns))} |"


def table(pairs: list[Pair]) -> str:
    """Lay the rows out as Markdown, under the date and the machine."""
    today = datetime.date.today().isoformat()
    return "\n".join(
        [
            f"{today}, {os.cpu_count()} cores, {platform.system()} {platform.release()}",
            "",
            f"| Mbit/s | {beside.HEAD}|",
            "|---|---|---|---|---|---|---|---|",
            *map(line, pairs),
        ]
    )


def main() -> None:
    """Measure and compare every rate."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--write", action="store_true", help=f"put the table into {PAGE.name}")
    arguments = parser.parse_args()
    if os.geteuid() != 0:
        parser.error("namespaces, devices and real-time priority need root")
    try:
        with ThreadPoolExecutor(len(RATES_MBPS)) as pool:
            text = table(list(pool.map(measured, range(len(RATES_MBPS)))))
    except kernel.Broken as error:
        raise SystemExit(f"token_bucket.py: {error}") from None
    print(text)
    if arguments.write:
        put_table(PAGE, "python benches/token_bucket.py", text)


if __name__ == "__main__":
    main()
