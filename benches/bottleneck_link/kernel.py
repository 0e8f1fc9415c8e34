"""The bottleneck on Linux: three namespaces, two veth pairs, and a wire between them.

    sender ── veth ── router ── veth ── receiver

In the router a packet goes out through a TUN device, one for each direction. Its tbf is the queue
and the rate of that direction of the wire, `delay_line` behind it the time on the wire; coming
back from there, the packet goes on to its destination.
"""

import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bottleneck_link import (
    ETHERNET_BYTES,
    ETHERNET_HEADER,
    FAST_MBPS,
    FULL_PACKET,
    LEAST_WIRE_BYTES,
    Bottleneck,
    Clock,
    Outcome,
)

HERE = Path(__file__).resolve().parent
PORT = 5001
SENDER, RECEIVER = "10.99.1.2", "10.99.2.2"

TIMER_SLACK_S = 0.003
"""How late tbf's timer may be without loss of rate: what its bucket holds beyond one frame."""


class Broken(Exception):
    """The machinery itself lost packets, or could not be built."""


@dataclass(frozen=True)
class Lateness:
    """How late a delay line woke up, and what it lost."""

    median_us: float
    p99_us: float
    max_us: float
    lost: list[int]
    """TCP sequence numbers of what it lost, if it was to lose any."""


def run(bottleneck: Bottleneck, clock: Clock, prefix: str) -> tuple[Outcome, list[Lateness]]:
    """Build the bottleneck in namespaces of this prefix, transfer, and take it down.

    Gives the outcome and what the two delay lines say of their lateness.
    """
    with contextlib.ExitStack() as stack:
        sender, router, receiver = stack.enter_context(namespaces(bottleneck, prefix))
        hand_over_bursts(sender)
        lines = [
            stack.enter_context(delay_line(router, name, bottleneck)) for name in ("there", "back")
        ]
        taking = stack.enter_context(receiving(receiver))
        arguments = [RECEIVER, str(PORT), bottleneck.congestion_control, str(clock.end_s)]
        giving = started(sender, "transfer.py", "send", *arguments)
        stack.callback(giving.kill)
        samples, read = finished(giving), finished(taking)
        drops = lost_by_devices(router)
        late = [lateness(line) for line in lines]
    if drops:
        raise Broken(f"{bottleneck.name}: the TUN devices dropped {drops} packets")
    return Outcome(clock, goodput_mbps(read, clock), samples), late


def goodput_mbps(read: list[tuple[float, int]], clock: Clock) -> float:
    """Say how fast the receiver read in the measured window."""
    before = max((total for at, total in read if at < clock.warmup_s), default=0)
    after = max(total for at, total in read if at < clock.end_s)
    return (after - before) * 8 / 1e6 / clock.measured_s


@contextlib.contextmanager
def namespaces(bottleneck: Bottleneck, prefix: str) -> Iterator[tuple[str, str, str]]:
    """Build sender, router and receiver; take them down afterwards."""
    names = (f"{prefix}-s", f"{prefix}-r", f"{prefix}-d")
    sender, router, receiver = names
    try:
        for name in names:
            command("ip", "netns", "add", name)
            # A solicitation of IPv6 routers that the full queue drops would count as a segment.
            within(name, "sysctl", "-qw", "net.ipv6.conf.all.disable_ipv6=1")
            within(name, "sysctl", "-qw", "net.ipv6.conf.default.disable_ipv6=1")
            within(name, "ip", "link", "set", "lo", "up")
        join(sender, router, "there", SENDER)
        join(receiver, router, "back", RECEIVER)
        within(router, "sysctl", "-qw", "net.ipv4.ip_forward=1")
        for table, (name, origin) in enumerate((("there", "veth-there"), ("back", "veth-back")), 1):
            within(router, "ip", "tuntap", "add", name, "mode", "tun")
            within(router, "ip", "link", "set", name, "up")
            add = ("tc", "qdisc", "add", "dev", name)
            within(router, *add, "root", "handle", "1:", *tbf(bottleneck))
            if bottleneck.active is not None:
                within(router, *add, "parent", "1:", *bottleneck.active.tc)
            within(router, "ip", "rule", "add", "iif", origin, "lookup", str(table))
            within(router, "ip", "route", "add", "default", "dev", name, "table", str(table))
        yield names
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "del", name], check=False, capture_output=True)


def join(end: str, router: str, name: str, address: str) -> None:
    """Join an end to the router by a veth pair that hands on one segment at a time."""
    gateway = address.rpartition(".")[0] + ".1"
    inner = f"veth-{name}"
    command(
        "ip", "link", "add", inner, "netns", router, "type", "veth", "peer", "eth", "netns", end
    )
    for namespace, device, own in ((end, "eth", address), (router, inner, gateway)):
        # Without this TCP would build segments of up to 64 KiB, which veth hands on uncut.
        within(namespace, "ip", "link", "set", device, "gso_max_segs", "1")
        within(namespace, "ip", "address", "add", f"{own}/24", "dev", device)
        within(namespace, "ip", "link", "set", device, "up")
    within(end, "ip", "route", "add", "default", "via", gateway)


def hand_over_bursts(end: str) -> None:
    """Let TCP hand over segments joined, as it does by default, and the interface split them."""
    within(end, "ip", "link", "set", "eth", "gso_max_segs", "65535")
    within(end, sys.executable, str(HERE / "split.py"), "eth")


def tbf(bottleneck: Bottleneck) -> list[str]:
    """Give the token bucket that takes a packet's time on the wire, and a queue of bytes.

    The bucket holds one frame and what the rate gives while the timer may be late. The queue
    counts IP bytes: the device has no Ethernet header.
    """
    rate = bottleneck.rate_mbps * 1_000_000
    if (bucket := bottleneck.bucket) is not None:
        wait = f"{bucket.latency_ms}ms"
        own = ["burst", str(bucket.burst_bytes), "latency", wait]
        return ["tbf", "rate", f"{rate}bit", *own, "overhead", str(ETHERNET_HEADER)]
    burst = FULL_PACKET + ETHERNET_BYTES + int(rate / 8 * TIMER_SLACK_S)
    limit = bottleneck.queue_packets * FULL_PACKET
    wire = ["overhead", str(ETHERNET_BYTES), "mpu", str(LEAST_WIRE_BYTES)]
    return ["tbf", "rate", f"{rate}bit", "burst", str(burst), "limit", str(limit), *wire]


@contextlib.contextmanager
def delay_line(
    router: str,
    name: str,
    bottleneck: Bottleneck,
    hold: Sequence[int] = (),
    lost: float = 0.0,
) -> Iterator[subprocess.Popen[str]]:
    """Start the delay line of one direction, and wait until it carries packets.

    `hold`, if given, is of which packets it holds one, and for how many µs longer; `lost` the share
    of packets that it loses by chance.
    """
    rate, delay = bottleneck.wire_mbps * 1_000_000, bottleneck.rtt_ms * 500
    if bottleneck.active is not None and bottleneck.active.is_taken_early:
        # A packet that waits for tokens outside its queue is on the wire meanwhile.
        rate = FAST_MBPS * 1_000_000
    wire = (rate, delay, *(hold or (0, 0)), lost)
    line = started(router, "delay_line.py", name, *map(str, wire))
    try:
        for _ in range(500):
            if "LOWER_UP" in within(router, "ip", "link", "show", name):
                break
            time.sleep(0.01)
        yield line
    finally:
        line.kill()


def lateness(line: subprocess.Popen[str]) -> Lateness:
    """End a delay line; give what it says."""
    said, _ = line.communicate("", timeout=30)
    return Lateness(**json.loads(said))


def lost_by_devices(router: str) -> int:
    """Count the packets that a TUN device had no room for; tbf's drops are not among them."""
    drops = 0
    for name in ("there", "back"):
        link = json.loads(within(router, "ip", "-json", "-statistics", "link", "show", name))[0]
        drops += link["stats64"]["tx"]["dropped"] - tbf_drops(router, name)
    return max(0, drops)


def tbf_drops(router: str, name: str) -> int:
    """Ask tc how many packets the tbf of a direction dropped."""
    told: list[dict[str, Any]] = json.loads(
        within(router, "tc", "-json", "-s", "qdisc", "show", "dev", name)
    )
    return int(told[0]["drops"])


@contextlib.contextmanager
def receiving(receiver: str, port: int = PORT) -> Iterator[subprocess.Popen[str]]:
    """Start what reads a connection to its end, and wait until it listens."""
    taking = started(receiver, "transfer.py", "receive", str(port))
    try:
        assert taking.stdout is not None
        taking.stdout.readline()
        yield taking
    finally:
        taking.kill()


def started(namespace: str, program: str, *arguments: str) -> subprocess.Popen[str]:
    """Start a program, by its path from here or its whole path, in a namespace."""
    line = ["ip", "netns", "exec", namespace, sys.executable, str(HERE / program), *arguments]
    return subprocess.Popen(
        line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=None, text=True
    )


def finished(program: subprocess.Popen[str]) -> Any:
    """Wait for a program; give what it printed."""
    said, _ = program.communicate()
    if program.returncode != 0:
        raise Broken(f"{program.args} failed")
    return json.loads(said)


def within(namespace: str, *words: str) -> str:
    """Run a command in a namespace; give what it printed."""
    return command("ip", "netns", "exec", namespace, *words)


def command(*words: str) -> str:
    """Run a command; give what it printed."""
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Broken(f"{' '.join(words)}: {done.stderr.strip()}")
    return done.stdout
