"""One direction of a wire behind its queue: the time a packet takes on it.

`python delay_line.py DEVICE RATE_BPS DELAY_US [EVERY HOLD_US [LOST]]` reads IP packets from a TUN
device, holds each for the time its bits take at the rate and for the propagation delay, and hands
it back to the kernel; one in so many it may hold for longer, so that others overtake it, and a
share of them, LOST, it loses by chance. The device's tbf releases a packet when its first bit may
leave; here the last one arrives. It runs until its standard input ends and then prints as JSON how
late it was (the median, the 99th percentile and the maximum of the time from when it wanted to wake
up until it did, in µs) and `lost`, the TCP sequence numbers of what it lost.
"""

import fcntl
import gc
import heapq
import json
import os
import random
import select
import struct
import sys
import time
from dataclasses import dataclass

# include/uapi/linux/if_tun.h: attach to a device that gives bare IP packets.
TUNSETIFF = 0x400454CA
IFF_TUN, IFF_NO_PI = 0x0001, 0x1000
LARGEST_PACKET = 65_535
ETHERNET_BYTES, LEAST_WIRE_BYTES = 38, 84
NANOSECONDS = 1_000_000_000

LOOK_NS = 2_000_000
"""It looks about at least so often, to know how late it is even where nothing is to be done: a
packet that is fetched late is released late too, and nobody else would tell."""


@dataclass(frozen=True)
class Wire:
    """How long packets are on it."""

    rate_bps: int
    delay_ns: int
    hold_every: int
    """One packet in so many is held longer; none if 0."""
    hold_ns: int
    lost: float
    """The share of packets that it loses, each by chance."""

    def arrival(self, number: int, packet: bytes, now: int) -> int:
        """Say when a packet arrives, numbered from 1, whose first bit leaves now."""
        wire_bytes = max(len(packet) + ETHERNET_BYTES, LEAST_WIRE_BYTES)
        transmission = wire_bytes * 8 * NANOSECONDS // self.rate_bps
        is_held = self.hold_every > 0 and number % self.hold_every == 0
        return now + transmission + self.delay_ns + (self.hold_ns if is_held else 0)


def opened(device: str) -> int:
    """Attach to an existing TUN device."""
    descriptor = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    request = struct.pack("16sH22x", device.encode(), IFF_TUN | IFF_NO_PI)
    fcntl.ioctl(descriptor, TUNSETIFF, request)
    return descriptor


def run(device: int, wire: Wire) -> tuple[list[int], list[int]]:
    """Carry packets until the standard input ends.

    Gives how late each wake-up was, in ns, and the sequence numbers of what was lost.
    """
    held: list[tuple[int, int, bytes]] = []
    number = 0
    late: list[int] = []
    lost: list[int] = []
    chance = random.Random()
    end = sys.stdin.fileno()
    while True:
        now = time.monotonic_ns()
        wake_at = min(held[0][0], now + LOOK_NS) if held else now + LOOK_NS
        readable, _, _ = select.select([device, end], [], [], max(0, wake_at - now) / NANOSECONDS)
        now = time.monotonic_ns()
        if not readable:
            late.append(now - wake_at)
        if end in readable:
            return late, lost
        if device in readable:
            while packet := waiting(device):
                number += 1
                if chance.random() < wire.lost:
                    lost.append(sequence_number(packet))
                    continue
                heapq.heappush(held, (wire.arrival(number, packet, now), number, packet))
        while held and held[0][0] <= time.monotonic_ns():
            os.write(device, heapq.heappop(held)[2])


def waiting(device: int) -> bytes:
    """Give the next packet that has come, or nothing."""
    try:
        return os.read(device, LARGEST_PACKET)
    except BlockingIOError:
        return b""


def sequence_number(packet: bytes) -> int:
    """Give that of a TCP segment in IPv4 (RFC 9293 §3.1)."""
    header_bytes = 4 * (packet[0] & 0x0F)
    number: int = struct.unpack_from("!I", packet, header_bytes + 4)[0]
    return number


def main() -> None:
    """Carry packets, then say how late it was."""
    device = opened(sys.argv[1])
    rate_bps, delay_us, hold_every, hold_us = map(int, [*sys.argv[2:6], 0, 0][:4])
    lost_share = float(sys.argv[6]) if len(sys.argv) > 6 else 0.0
    wire = Wire(rate_bps, delay_us * 1000, hold_every, hold_us * 1000, lost_share)
    # Before every ordinary process: packets wait for the clock, not for the processor.
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))
    gc.disable()
    waits, lost = run(device, wire)
    late = sorted(waits)
    shares = {"median_us": 500, "p99_us": 990, "max_us": 1000}
    last = len(late) - 1
    lateness = {name: late[last * share // 1000] / 1000 for name, share in shares.items()}
    print(json.dumps({**lateness, "lost": lost}))


if __name__ == "__main__":
    main()
