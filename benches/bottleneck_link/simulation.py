"""The bottleneck in simulation: two hosts of the profile `linux-6` and a wire.

The profile's timers count jiffies of 1 ms; here they count those of the kernel that is the other
side, which may have been built with another CONFIG_HZ.
"""

import gzip
import tempfile
from pathlib import Path

import anechoic as an
from bottleneck_link import Bottleneck, Clock, Outcome


def running_jiffy_ms() -> int | None:
    """Give the length of the running kernel's jiffy, if the kernel tells how it was built."""
    configuration = Path("/proc/config.gz")
    if not configuration.exists():
        return None
    with gzip.open(configuration, "rt") as lines:
        rates = [int(line.partition("=")[2]) for line in lines if line.startswith("CONFIG_HZ=")]
    return 1000 // rates[0] if rates else None


def run(bottleneck: Bottleneck, clock: Clock, jiffy_ms: int | None = None) -> Outcome:
    """Run the transfer once, with the running kernel's jiffy unless another one is given."""
    described = scenario(bottleneck, clock, jiffy_ms or running_jiffy_ms())
    with tempfile.TemporaryDirectory() as folder:
        results = an.run(described, reps=1, progress=False, out=Path(folder))
        cell = results.cells[0]
        samples = results.tcp_info(cell).to_pylist()
    return Outcome(
        clock, cell["goodput_mbps"].mean, [each for each in samples if each["end"] == "sender"]
    )


def scenario(bottleneck: Bottleneck, clock: Clock, jiffy_ms: int | None) -> an.Scenario:
    """Describe the same network and transfer."""
    host = an.Host(stack="linux-6", tcp={} if jiffy_ms is None else {"jiffy_ms": jiffy_ms})
    return an.Scenario(
        run=an.Run(
            duration=f"{clock.end_s} s",
            warmup=f"{clock.warmup_s} s",
            tcp_info_step=f"{clock.sample_s} s",
        ),
        host={"sender": host, "receiver": host},
        wire={"bottleneck": wire(bottleneck)},
        traffic={
            "transfer": an.Bulk(
                from_="sender",
                to="receiver",
                tcp={"congestion_control": bottleneck.congestion_control},
            )
        },
    )


def wire(bottleneck: Bottleneck) -> an.Wire:
    """Describe the wire: what limits is its own rate, or a bucket in both directions."""
    rate = f"{bottleneck.wire_mbps} Mbit/s"
    delay = f"{bottleneck.rtt_ms / 2} ms"
    between = ["sender", "receiver"]
    if (bucket := bottleneck.bucket) is None:
        own = {"kind": "drop-tail", "packets": bottleneck.queue_packets}
        queue = own if bottleneck.active is None else bottleneck.active.table
        return an.Wire(between=between, rate=rate, delay=delay, queue=queue)
    shaper = an.TokenBucket(
        rate=f"{bottleneck.rate_mbps} Mbit/s",
        burst=bucket.burst_bytes,
        latency=f"{bucket.latency_ms} ms",
    )
    return an.Wire(between=between, rate=rate, delay=delay, impair={"shaper": shaper})
