"""Recordings of exchanges with this machine's kernel: the network, the calendar, one exchange.

A peer of our own stands behind a TUN interface in a network namespace of this process. Whoever
draws what the peer and the application do derives from `Exchange`; `Bench` keeps a number of them
going and writes down each when it is over.
"""

import ctypes
import fcntl
import heapq
import os
import random
import select
import socket
import struct
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any

MS = 1_000_000
CLONE_NEWNET = 0x40000000
TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
TCP_CONGESTION, TCP_INFO = 13, 11
FLAGS = "FSRP.U"
HOST, PEER = "192.168.0.1", "192.0.2.1"
HEADER = "!HHIIBBHHH"
WINDOW_SHIFT = 7
AT_ONCE = 20
now = time.monotonic_ns

NETWORK = """
ip link set lo up
ip addr add 192.168.0.1/24 dev tun0
ip link set tun0 txqueuelen 5000 gso_max_segs {segments} up
ip route add 192.0.2.0/24 dev tun0
tc qdisc replace dev tun0 root pfifo limit 5000
sysctl -qw net.ipv4.tcp_no_metrics_save=1 net.ipv4.tcp_wmem="4096 4194304 8388608"
sysctl -qw net.ipv4.tcp_rmem="4096 131072 6291456"
"""

Block = tuple[int, int]
Numbers = tuple[int, int, int | None, int]
"""Sequence number, bytes, acknowledgment number and window of a segment."""


def checksum(data: bytes) -> int:
    """Give the internet checksum."""
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    total = (total >> 16) + (total & 0xFFFF)
    folded: int = total + (total >> 16)
    return ~folded & 0xFFFF


def packet(segment: bytes) -> bytes:
    """Wrap a TCP segment in IPv4, with checksums."""
    ends = socket.inet_aton(PEER) + socket.inet_aton(HOST)
    pseudo = ends + struct.pack("!BBH", 0, socket.IPPROTO_TCP, len(segment))
    sum_of_all = struct.pack("!H", checksum(pseudo + segment))
    segment = segment[:16] + sum_of_all + segment[18:]
    head = struct.pack("!BBHHHBB", 0x45, 0, 20 + len(segment), 1, 0, 64, socket.IPPROTO_TCP)
    return head + struct.pack("!H", checksum(head + b"\0\0" + ends)) + ends + segment


def option(options: bytes, kind: int) -> bytes:
    """Find what the first option of a kind holds."""
    place = 0
    while place < len(options) and options[place] != 0:
        if options[place] == 1:
            place += 1
            continue
        if options[place] == kind:
            return options[place + 2 : place + options[place + 1]]
        place += options[place + 1]
    return b""


def stamps_of(options: bytes) -> Block | None:
    """Find the timestamps among a segment's options."""
    found = option(options, 8)
    return struct.unpack("!II", found) if found else None


class Calendar:
    """What is to be done when."""

    def __init__(self) -> None:
        """Begin with nothing to do."""
        self._queue: list[tuple[int, int, Callable[..., None], tuple[Any, ...]]] = []
        self._order = 0

    def at(self, when: int, action: Callable[..., None], *arguments: Any) -> None:
        """Have `action` called at `when`."""
        self._order += 1
        heapq.heappush(self._queue, (when, self._order, action, arguments))

    def run(self, tun: "Tun") -> None:
        """Go on until nothing is left to do."""
        poll = select.poll()
        poll.register(tun.file, select.POLLIN)
        while self._queue:
            wait = self._queue[0][0] - now()
            if wait > 0 and poll.poll(wait / 1e6):
                tun.drain()
            if self._queue[0][0] <= now():
                tun.drain()
                _, _, action, arguments = heapq.heappop(self._queue)
                action(*arguments)


class Tun:
    """The interface: segments out of the kernel go to the exchange they belong to."""

    def __init__(self, segments: int) -> None:
        """Make the interface, which takes so many segments at once."""
        self.file = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        request = struct.pack("16sH", b"tun0", IFF_TUN | IFF_NO_PI)
        fcntl.ioctl(self.file, TUNSETIFF, request)
        subprocess.run(["sh", "-ec", NETWORK.format(segments=segments)], check=True)
        self.exchanges: dict[int, Exchange] = {}

    def drain(self) -> None:
        """Take everything the kernel has sent."""
        while True:
            try:
                packet = os.read(self.file, 70_000)
            except BlockingIOError:
                return
            if packet[0] >> 4 == 4 and packet[9] == socket.IPPROTO_TCP:
                segment = packet[(packet[0] & 15) * 4 :]
                exchange = self.exchanges.get(struct.unpack("!H", segment[2:4])[0])
                if exchange:
                    exchange.take(segment)


class Exchange(ABC):
    """One connection: what the peer and the application do, and the record of it."""

    mss: int
    """What the peer offers."""

    def __init__(self, number: int, chance: random.Random, bench: "Bench") -> None:
        """Begin a record; whoever derives from this writes its first line."""
        self.bench, self.chance, self.port = bench, chance, 20_000 + number % 40_000
        self.sack, self.stamps = chance.random() < 0.85, chance.random() < 0.5
        self.isn: int | None = None
        self.echo, self.is_over, self.is_closed = 0, False, False
        self.socket: socket.socket | None = None
        self.lines: list[str] = []
        bench.tun.exchanges[self.port] = self

    @abstractmethod
    def take(self, segment: bytes) -> None:
        """Record a segment of the kernel's, and let it fare as chance has it."""

    @abstractmethod
    def told(self, info: bytes) -> str:
        """Say of a tcp_info what is to be compared."""

    def options(self, is_syn: bool) -> tuple[bytes, str]:
        """Give the options of every segment of the peer, and how the record tells of them."""
        options, told = b"", ""
        if is_syn:
            options = struct.pack("!BBHBBBB", 2, 4, self.mss, 1, 3, 3, WINDOW_SHIFT)
            options += b"\1\1\4\2" if self.sack else b""
        if self.stamps:
            value, echo = now() // MS & 0xFFFFFFFF, 0 if is_syn else self.echo
            options += b"\1\1\x08\x0a" + struct.pack("!II", value, echo)
            told = f" ts {value} {echo}"
        return options, told

    def put(self, port: int, flags: str, numbers: Numbers, options: bytes, told: str) -> None:
        """Send a segment to a port of the kernel, numbered from the SYNs, and record it."""
        seq, size, ack, window = numbers
        number = 0 if ack is None else (ack + (self.isn or 0)) & 0xFFFFFFFF
        bits = sum(1 << FLAGS.index(flag) for flag in flags)
        line = f"< {flags} {seq} {size} {'-' if ack is None else ack} {window}{told}"
        when = now()
        offset = (20 + len(options)) // 4 << 4
        head = struct.pack(HEADER, self.port, port, seq, number, offset, bits, window, 0, 0)
        os.write(self.bench.tun.file, packet(head + options + b"x" * size))
        self.note(when, line)

    def close(self) -> None:
        """Close the sending direction."""
        if self.socket and not self.is_over and not self.is_closed:
            when = now()
            try:
                self.socket.shutdown(socket.SHUT_WR)
            except OSError:
                return
            self.is_closed = True
            self.note(when, "c")

    def finish(self) -> None:
        """End the exchange and keep its record."""
        if self.is_over:
            return
        self.is_over = True
        self.bench.keep(self.lines)
        if self.socket:
            linger = struct.pack("ii", 1, 0)
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            self.socket.close()
        del self.bench.tun.exchanges[self.port]
        self.bench.begin()

    def note(self, when: int, what: str) -> None:
        """Record a call or a segment in, what the kernel sends upon it, and TCP_INFO."""
        self.lines.append(f"{when} {what}")
        self.bench.tun.drain()
        if self.socket and not self.is_over:
            info = self.socket.getsockopt(socket.IPPROTO_TCP, TCP_INFO, 256)
            self.lines.append(f"{now()} i {info[0]} {info[1]} {info[4]} {self.told(info)}")


Kind = Callable[[int, random.Random, "Bench"], Exchange]


class Bench:
    """Sockets, interface and calendar, and as many exchanges at a time as it keeps going."""

    def __init__(self, kind: Kind, out: Path, count: int, seed: int, segments: int) -> None:
        """Make the network, which takes so many segments at once."""
        if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNET) != 0:
            raise SystemExit("a network namespace of its own needs root")
        self.kind, self.segments = kind, segments
        self.tun, self.calendar = Tun(segments), Calendar()
        self.chance, self.left, self.number = random.Random(seed), count, 0
        self.out = out.open("w", encoding="utf-8")
        self.ports = {"cubic": 8080, "reno": 8081}
        self.listeners = {name: self.listen(name, port) for name, port in self.ports.items()}
        self.accepted: dict[int, socket.socket] = {}

    def listen(self, control: str, port: int) -> socket.socket:
        """Open a listening socket with a congestion control."""
        listener = socket.socket()
        listener.setsockopt(socket.IPPROTO_TCP, TCP_CONGESTION, control.encode())
        listener.bind((HOST, port))
        listener.listen(200)
        listener.setblocking(False)
        return listener

    def accept(self, control: str, port: int) -> socket.socket | None:
        """Give the socket of the connection from `port`."""
        while port not in self.accepted:
            try:
                accepted, (_, peer) = self.listeners[control].accept()
            except BlockingIOError:
                return None
            accepted.setblocking(False)
            self.accepted[peer] = accepted
        return self.accepted.pop(port)

    def keep(self, lines: list[str]) -> None:
        """Write one exchange to the recording."""
        self.out.write("\n".join(lines) + "\n")

    def begin(self) -> None:
        """Begin another exchange if any is left to record."""
        if self.left > 0:
            self.left -= 1
            self.number += 1
            self.kind(self.number, self.chance, self)

    def run(self) -> None:
        """Record everything."""
        # Whoever runs beside us must not delay what is timed here.
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))
        for n in range(AT_ONCE):
            self.calendar.at(now() + n * 37 * MS, self.begin)
        self.calendar.run(self.tun)
        self.out.close()
