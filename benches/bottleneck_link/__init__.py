"""One wired bottleneck, built on Linux and simulated, and what a transfer over it achieves."""

from dataclasses import dataclass
from statistics import fmean

FULL_PACKET = 1500
"""Bytes of IP in a full Ethernet frame (RFC 894)."""

ETHERNET_BYTES = 38
"""Byte times around an IP packet: preamble 8, header 14, FCS 4, gap 12 (IEEE 802.3 3.1.1)."""

LEAST_WIRE_BYTES = 84
"""Byte times of the shortest frame: 64 bytes, preamble and gap."""

FAST_MBPS = 1000
"""The rate of a wire that is not what limits."""


ETHERNET_HEADER = 14
"""Bytes in front of an IP packet that Linux counts, and a TUN device does not have."""


@dataclass(frozen=True)
class Bucket:
    """A token bucket: the bytes of a burst, and the longest wait for tokens."""

    burst_bytes: int
    latency_ms: int


@dataclass(frozen=True)
class ActiveQueue:
    """A queue that does not wait until it is full: its table in a scenario, and what tc is told.

    Linux's tbf looks at the next packet of some queues, and takes it out of others, before it has
    the tokens for it (`is_taken_early`).
    """

    table: dict[str, object]
    tc: tuple[str, ...]
    is_taken_early: bool = False


@dataclass(frozen=True)
class Bottleneck:
    """A full-duplex wire with a queue, and the transfer over it.

    `rate_mbps` is that of the bits on the wire, `rtt_ms` twice the propagation delay,
    `queue_packets` how many full packets can wait besides the one being sent; the queue is
    drop-tail, unless it is an `active` one. With a `bucket` the wire itself is fast, and what
    limits is the bucket, whose tokens come at the rate.
    """

    rate_mbps: int
    rtt_ms: int
    queue_packets: int
    congestion_control: str
    bucket: Bucket | None = None
    active: ActiveQueue | None = None

    @property
    def wire_mbps(self) -> int:
        """Give the rate at which bits are on the wire itself."""
        return self.rate_mbps if self.bucket is None else FAST_MBPS

    @property
    def name(self) -> str:
        """Say which one it is."""
        return (
            f"{self.rate_mbps} Mbit/s, {self.rtt_ms} ms, {self.queue_packets} packets, "
            f"{self.congestion_control}"
        )


@dataclass(frozen=True)
class Clock:
    """When a transfer is measured, in seconds from its start."""

    warmup_s: float
    end_s: float
    sample_s: float = 0.01

    @property
    def measured_s(self) -> float:
        """Give the length of the measured window."""
        return self.end_s - self.warmup_s


Sample = dict[str, float]
"""What TCP_INFO says at the sender: `time_s` from the start, and the kernel's names and units."""


@dataclass(frozen=True)
class Outcome:
    """What a transfer achieved: goodput is what the receiving application read in the window."""

    clock: Clock
    goodput_mbps: float
    samples: list[Sample]

    @property
    def rtt_ms(self) -> float:
        """Give the mean of the sender's smoothed RTT over the samples of the window."""
        window = (each for each in self.samples if each["time_s"] >= self.clock.warmup_s)
        return fmean(each["tcpi_rtt"] for each in window) / 1000
