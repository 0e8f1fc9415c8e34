"""Record random exchanges with this machine's kernel, segment by segment.

A peer of our own, behind a TUN interface in a network namespace, receives what kernel sockets
send and loses, delays, repeats and reorders it at random. Every call, every segment both ways and
TCP_INFO after each go into the recording, with the times of CLOCK_MONOTONIC in nanoseconds. The
example `kernel` of the crate `anechoic-tcp` plays a recording to the simulated endpoint and
compares. Needs root and Linux:

    python benches/exchanges.py recording.txt 1000 --seed 1
    cargo run --release -p anechoic-tcp --example kernel -- recording.txt
"""

import argparse
import random
import socket
import struct
from collections.abc import Iterable
from pathlib import Path

from recording import FLAGS, MS, WINDOW_SHIFT, Bench, Block, Exchange, now, stamps_of

# struct tcp_info: the words from byte 8 on, and later ones by their place.
WORDS = [
    "rto",
    "ato",
    "snd_mss",
    "rcv_mss",
    "unacked",
    "sacked",
    "lost",
    "retrans",
    "fackets",
    "last_data_sent",
    "last_ack_sent",
    "last_data_recv",
    "last_ack_recv",
    "pmtu",
    "rcv_ssthresh",
    "rtt",
    "rttvar",
    "snd_ssthresh",
    "snd_cwnd",
    "advmss",
    "reordering",
    "rcv_rtt",
    "rcv_space",
    "total_retrans",
]
LATER = {"min_rtt": 148, "delivered": 192, "dsack_dups": 216, "reord_seen": 220}
TOLD = [
    "rto",
    "unacked",
    "sacked",
    "lost",
    "retrans",
    "rtt",
    "rttvar",
    "min_rtt",
    "snd_ssthresh",
    "snd_cwnd",
    "reordering",
    "total_retrans",
    "delivered",
    "dsack_dups",
    "reord_seen",
]


class Sending(Exchange):
    """A connection on which the kernel sends, to a peer that behaves as chance has it."""

    def __init__(self, number: int, chance: random.Random, bench: Bench) -> None:
        """Draw how the peer behaves, and open the connection."""
        super().__init__(number, chance, bench)
        self.control = chance.choice(["cubic", "reno"])
        self.mss = chance.choice([1000, 1000, 536, 1460])
        self.no_delay = chance.random() < 0.5
        self.rtt = chance.choice([15, 30, 60, 100, 150]) * MS
        self.jitter = chance.choice([0, 0, 2, 10]) * MS
        self.loss = chance.choice([0, 0.02, 0.05, 0.1, 0.25])
        self.ack_loss = chance.choice([0, 0, 0.1, 0.3])
        self.reordering = chance.choice([0, 0, 0, 0.05, 0.2])
        self.repeating = chance.choice([0, 0, 0, 0.05])
        self.delays_acks = chance.random() < 0.67
        self.reports_duplicates = chance.random() < 0.8
        self.window = chance.choice([65_535 * 4, 65_535 * 4, 20_000])
        self.silence_from = now() + chance.randint(150, 600) * MS if chance.random() < 0.1 else None
        self.next, self.waiting, self.owed, self.acknowledged = 1, list[Block](), 0, 1
        self.lines = [
            f"conn {number} cc={self.control} sack={self.sack:d} ts={self.stamps:d} "
            f"mss={self.mss} nodelay={self.no_delay:d} segments={bench.segments}"
        ]
        self.send("S", 0, None, 65_535)
        bench.calendar.at(now() + self.rtt, self.establish)

    # The application.

    def establish(self) -> None:
        """Complete the handshake and plan what the application does."""
        self.send(".", 1, 1, self.window)
        self.socket = self.bench.accept(self.control, self.port)
        if self.socket is None:
            self.finish()
            return
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4_000_000)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, int(self.no_delay))
        chance, when = self.chance, now() + 5 * MS
        kind = chance.choice(["bulk", "bulk", "bulk", "chunks", "small", "corked"])
        few, many = chance.randint(2, 8), chance.randint(5, 25)
        for n in range({"bulk": 1, "chunks": few, "small": many, "corked": many}[kind]):
            more = False
            if kind == "bulk":
                size, pause = chance.choice([10, 20, 40, 80]) * self.mss, 0
            elif kind == "chunks":
                size = chance.randint(1, 30) * self.mss + chance.choice([0, 0, 137])
                pause = chance.choice([20, 100, 300, 900])
            else:
                size, pause = chance.randint(20, 900), chance.choice([0, 3, 20, 100])
            if kind == "corked":
                more = chance.random() < 0.4
                if n % 4 == 0:
                    self.bench.calendar.at(when, self.cork, n % 8 == 0)
            self.bench.calendar.at(when, self.write, size, more)
            when += pause * MS
        if chance.random() < 0.4:
            self.bench.calendar.at(when + chance.choice([5, 300]) * MS, self.close)
        limit = now() + chance.choice([1500, 2500, 4000]) * MS
        self.bench.calendar.at(limit, self.finish)

    def write(self, size: int, more: bool) -> None:
        """Write as much as the socket takes, with more to follow (MSG_MORE) or not."""
        if self.socket and not self.is_over:
            when = now()
            try:
                taken = self.socket.send(b"x" * size, socket.MSG_MORE if more else 0)
            except OSError:
                return
            self.note(when, f"{'m' if more else 'w'} {taken}")

    def cork(self, on: bool) -> None:
        """Set or clear TCP_CORK."""
        if self.socket and not self.is_over:
            when = now()
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, int(on))
            self.note(when, f"k {on:d}")

    def told(self, info: bytes) -> str:
        """Say what a sender goes by."""
        values = dict(zip(WORDS, struct.unpack("24I", info[8:104]), strict=True))
        for name, place in LATER.items():
            (values[name],) = struct.unpack("I", info[place : place + 4])
        return " ".join(f"{name}={values[name]}" for name in TOLD)

    # The peer.

    def send(
        self, flags: str, seq: int, ack: int | None, window: int, blocks: Iterable[Block] = ()
    ) -> None:
        """Send a segment to the kernel."""
        if self.is_over:
            return
        is_syn, isn = "S" in flags, self.isn or 0
        options, told = self.options(is_syn)
        kept = list(blocks)[: 3 if self.stamps else 4]
        if kept:
            options += b"\1\1" + struct.pack("!BB", 5, 2 + 8 * len(kept))
            for block in kept:
                options += struct.pack("!II", *((edge + isn) & 0xFFFFFFFF for edge in block))
        field = window if is_syn else min(window >> WINDOW_SHIFT, 65_535)
        sacks = "".join(f" sack {start} {end}" for start, end in kept)
        port = self.bench.ports[self.control]
        self.put(port, flags, (seq, 0, ack, field), options, sacks + told)

    def take(self, segment: bytes) -> None:
        """Record a segment of the kernel's, and let it fare as chance has it."""
        _, _, seq, ack, offset, bits, window = struct.unpack("!HHIIBBH", segment[:16])
        header = (offset >> 4) * 4
        size, stamp = len(segment) - header, stamps_of(segment[20:header])
        if bits & 2:
            self.isn = seq
        place = (seq - (self.isn or 0)) & 0xFFFFFFFF
        flags = "".join(flag for bit, flag in enumerate(FLAGS) if bits >> bit & 1)
        text = f" ts {stamp[0]} {stamp[1]}" if stamp else ""
        when = now()
        if self.is_over:
            return
        self.lines.append(f"{when} > {flags} {place} {size} {ack} {window}{text}")
        if bits & 2:
            self.echo = stamp[0] if stamp else 0
            return
        length = size + (bits & 1)
        chance = self.chance
        if bits & 4 or not length or chance.random() < self.loss:
            return
        delay = self.rtt // 2 + chance.randint(0, self.jitter)
        if chance.random() < self.reordering:
            delay += chance.randint(1, 40) * MS
        if self.silence_from and when > self.silence_from:
            delay += chance.randint(200, 600) * MS
            self.silence_from = None
        self.bench.calendar.at(when + delay, self.arrive, place, place + length, stamp)
        if chance.random() < self.repeating:
            again = when + delay + chance.randint(0, 30) * MS
            self.bench.calendar.at(again, self.arrive, place, place + length, stamp)

    def arrive(self, start: int, end: int, stamp: Block | None) -> None:
        """Receive a segment as RFC 5681, RFC 2018 and RFC 2883 have it."""
        if self.is_over:
            return
        is_late = stamp is not None and (stamp[0] - self.echo) & 0xFFFFFFFF >= 1 << 31
        if stamp and start <= self.acknowledged and not is_late:
            self.echo = stamp[0]
        duplicate, at_once = None, True
        if end <= self.next:
            duplicate = (start, end)
        elif start <= self.next:
            at_once = bool(self.waiting)
            self.next = end
            self.owed += 1
        else:
            held = (b for b in self.waiting if b[0] <= start and end <= b[1])
            duplicate = (start, end) if any(held) else None
            self.waiting.insert(0, (start, end))
        self.merge()
        if at_once or not self.delays_acks or self.owed >= 2:
            self.acknowledge(duplicate)
        else:
            self.bench.calendar.at(now() + 40 * MS, self.acknowledge_owed)

    def merge(self) -> None:
        """Join the waiting blocks that touch, the newest first, and take what is in order."""
        blocks: list[Block] = []
        for start, end in self.waiting:
            joined = (start, end)
            for block in [b for b in blocks if b[0] <= joined[1] and joined[0] <= b[1]]:
                joined = (min(block[0], joined[0]), max(block[1], joined[1]))
                blocks.remove(block)
            blocks.append(joined)
        self.waiting = blocks
        for start, end in sorted(blocks):
            if start <= self.next:
                self.next = max(self.next, end)
                self.waiting.remove((start, end))

    def acknowledge_owed(self) -> None:
        """Acknowledge what the delayed acknowledgement's timer has waited for."""
        if self.owed:
            self.acknowledge(None)

    def acknowledge(self, duplicate: Block | None) -> None:
        """Send an acknowledgement, which may be lost."""
        self.owed, self.acknowledged = 0, self.next
        blocks = list(self.waiting) if self.sack else []
        if self.sack and duplicate and self.reports_duplicates:
            blocks.insert(0, duplicate)
        if self.chance.random() >= self.ack_loss:
            when = now() + self.rtt // 2
            self.bench.calendar.at(when, self.send, ".", 1, self.next, self.window, tuple(blocks))


def main() -> None:
    """Read the command line and record."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path, help="the recording")
    parser.add_argument("count", type=int, help="how many exchanges")
    parser.add_argument(
        "--seed", type=int, default=1, help="what the peers' behaviour is drawn from"
    )
    parser.add_argument(
        "--segments",
        type=int,
        default=65_535,
        help="how many segments the kernel may hand over at once (gso_max_segs; 1 for one by one)",
    )
    arguments = parser.parse_args()
    Bench(Sending, arguments.out, arguments.count, arguments.seed, arguments.segments).run()


if __name__ == "__main__":
    main()
