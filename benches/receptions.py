"""Record how this machine's kernel receives: random exchanges, segment by segment.

As `exchanges.py` does for the sender: a peer of our own behind a TUN interface sends to kernel
sockets, in bursts, with loss, repetition and reordering at random, while an application reads,
answers and closes as chance has it. Recorded are every call, every segment both ways with its
window, and TCP_INFO after each. The example `kernel` of the crate `anechoic-tcp` plays a recording
to the simulated endpoint and compares. Needs root and Linux:

    python benches/receptions.py recording.txt 1000 --seed 1
    cargo run --release -p anechoic-tcp --example kernel -- recording.txt
"""

import argparse
import random
import socket
import struct
from pathlib import Path

from recording import (
    FLAGS,
    MS,
    Bench,
    Exchange,
    now,
    option,
    stamps_of,
)

SO_MEMINFO = 55
# struct tcp_info, by the place of each word.
TOLD = {"ato": 12, "rcv_mss": 20, "rcv_ssthresh": 64, "rcv_rtt": 92, "rcv_space": 96}
LATER = {"rcv_ooopack": 224, "rcv_wnd": 232}


class Reception(Exchange):
    """A connection on which the kernel receives, from a peer that sends as chance has it."""

    def __init__(self, number: int, chance: random.Random, bench: Bench) -> None:
        """Draw how both behave, and open the connection."""
        super().__init__(number, chance, bench)
        self.mss = chance.choice([1000, 536, 1460, 1460])
        self.rtt = chance.choice([2, 15, 30, 60, 150]) * MS
        self.loss = chance.choice([0, 0, 0.02, 0.1, 0.25])
        self.jitter = chance.choice([0, 0, 0, 3, 30]) * MS
        self.repeating = chance.choice([0, 0, 0.1])
        self.strange = chance.choice([0, 0, 0, 0.05])
        self.is_obedient = chance.random() < 0.95
        self.reading = chance.choice(["at once", "at once", "at times", "in bits", "late", "never"])
        self.answering = chance.choice([0, 0, 0, 0.3, 1])
        self.next, self.sent, self.edge = 1, 1, 0
        self.shift, self.acknowledged = 0, 1
        self.lines = [
            f"conn {number} cc=cubic sack={self.sack:d} ts={self.stamps:d} mss={self.mss} "
            f"nodelay=1 segments={bench.segments} receives=1"
        ]
        self.send("S", 0, 0, None)
        bench.calendar.at(now() + self.rtt, self.establish)

    def establish(self) -> None:
        """Complete the handshake and plan what is sent and read."""
        self.send(".", 1, 0, 1)
        self.socket = self.bench.accept("cubic", self.port)
        if self.socket is None:
            self.finish()
            return
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        chance = self.chance
        end = self.plan_sending(now() + chance.choice([0, 5, 300]) * MS)
        if self.reading == "late":
            for k in range(20):
                self.bench.calendar.at(now() + (500 + 20 * k) * MS, self.read, 1 << 20)
        elif self.reading in ("at times", "in bits"):
            pause = chance.choice([1, 7, 30, 110]) * MS
            size = 1 << 20 if self.reading == "at times" else chance.randint(100, 4000)
            for k in range(min(400, 2500 * MS // pause)):
                self.bench.calendar.at(now() + k * pause, self.read, size)
        if chance.random() < 0.15:
            self.bench.calendar.at(now() + chance.randint(0, 600) * MS, self.close)
        self.bench.calendar.at(end + chance.choice([300, 1500]) * MS, self.finish)

    def plan_sending(self, start: int) -> int:
        """Put the peer's segments into the calendar; when the last leaves."""
        chance, when, place = self.chance, start, 1
        kind = chance.choice(["bulk", "bulk", "odd", "small"])
        rounds, burst = chance.randint(2, 15), chance.choice([1, 2, 4, 10])
        gap = chance.choice([0, 0, 1, 5]) * MS
        for _ in range(rounds):
            for k in range(burst):
                full = kind == "bulk" or (kind == "odd" and chance.random() < 0.6)
                size = self.full if full else chance.randint(1, self.full if kind == "odd" else 300)
                is_pushed = k == burst - 1 or kind == "small"
                self.plan(when + k * gap, place, size, "P." if is_pushed else ".")
                place += size
            burst = min(60, burst * chance.choice([1, 1, 2]))
            when += max(self.rtt, burst * gap) + chance.choice([0, 0, 0, 20, 260]) * MS
        if chance.random() < 0.5:
            self.plan(when, place, 0, "F.")
        return when

    @property
    def full(self) -> int:
        """The payload of a full segment."""
        return self.mss - 12 * self.stamps

    def plan(self, when: int, start: int, size: int, flags: str) -> None:
        """Plan a segment's arrival, lost or late as it may be, and its repetition."""
        while self.chance.random() < self.loss:
            when += self.rtt + self.chance.choice([1, 5, 220]) * MS
        when += self.chance.randint(0, self.jitter)
        self.bench.calendar.at(when, self.transmit, start, size, flags, 40)
        if self.chance.random() < self.repeating:
            begin = max(1, start - self.chance.choice([0, 0, 100, self.full]))
            length = min(self.full, start + size - begin)
            again = when + self.chance.choice([0, 3, 40, 250]) * MS
            self.bench.calendar.at(again, self.transmit, begin, length, ".", 40)
        if self.chance.random() < self.strange:
            self.bench.calendar.at(when + self.chance.randint(0, 50) * MS, self.puzzle)

    # The application.

    def read(self, size: int) -> None:
        """Read as much as there is of `size`."""
        if self.socket and not self.is_over:
            when = now()
            try:
                taken = len(self.socket.recv(size))
            except OSError:
                return
            self.note(when, f"r {taken} {size}")
            if taken and self.chance.random() < self.answering:
                pause = self.chance.choice([0, 0, 5, 60]) * MS
                size = self.chance.choice([1, 100, self.full, 3000])
                self.bench.calendar.at(now() + pause, self.write, size)

    def write(self, size: int) -> None:
        """Write an answer."""
        if self.socket and not self.is_over and not self.is_closed:
            when = now()
            try:
                taken = self.socket.send(b"x" * size)
            except OSError:
                return
            self.note(when, f"w {taken}")

    def told(self, info: bytes) -> str:
        """Say what a receiver goes by."""
        places = TOLD | LATER
        told = [f"{n}={struct.unpack_from('I', info, at)[0]}" for n, at in places.items()]
        if self.socket:
            memory = struct.unpack("9I", self.socket.getsockopt(socket.SOL_SOCKET, SO_MEMINFO, 36))
            told += [f"rmem={memory[0]}", f"rcvbuf={memory[1]}"]
        return " ".join(told)

    # The peer.

    def transmit(self, start: int, size: int, flags: str, patience: int) -> None:
        """Send data; where the window is too small for them, try again later."""
        if self.is_over:
            return
        if self.is_obedient and start + size > self.edge and patience:
            later = now() + 50 * MS
            self.bench.calendar.at(later, self.transmit, start, size, flags, patience - 1)
            return
        self.sent = max(self.sent, start + size + ("F" in flags))
        self.send(flags, start, size, self.next)
        if self.reading == "at once":
            self.read(1 << 20)

    def puzzle(self) -> None:
        """Send what a peer in good order would not."""
        strange = [
            (".", self.acknowledged - 1, 0, self.next),
            (".", max(0, self.acknowledged - 1), 1, self.next),
            (".", self.edge + self.chance.randint(0, 3000), 100, self.next),
            (".", self.edge, 0, self.next),
            ("S", self.acknowledged + self.chance.randint(0, 9), 0, None),
            (".", self.sent, 0, self.next + 5000),
            ("R", self.acknowledged + 1 + self.chance.randint(0, 9), 0, None),
        ]
        self.send(*self.chance.choice(strange))

    def acknowledge(self) -> None:
        """Acknowledge what the kernel has sent."""
        self.send(".", self.sent, 0, self.next)

    def send(self, flags: str, seq: int, size: int, ack: int | None) -> None:
        """Send a segment to the kernel."""
        if self.is_over:
            return
        while now() % MS > 900_000:
            pass  # the kernel's clock of timestamps shall show what ours does
        is_syn = "S" in flags
        options, told = self.options(is_syn)
        numbers = (seq, size, ack, 65_535 if is_syn else 2047)
        self.put(self.bench.ports["cubic"], flags, numbers, options, told)

    def take(self, segment: bytes) -> None:
        """Record a segment of the kernel's."""
        _, _, seq, ack, offset, bits, window = struct.unpack("!HHIIBBH", segment[:16])
        header = (offset >> 4) * 4
        size, options = len(segment) - header, segment[20:header]
        stamp = stamps_of(options)
        if bits & 2:
            self.isn, self.shift = seq, shift_of(options)
        place = (seq - (self.isn or 0)) & 0xFFFFFFFF
        flags = "".join(flag for bit, flag in enumerate(FLAGS) if bits >> bit & 1)
        text = f" ts {stamp[0]} {stamp[1]}" if stamp else ""
        text += "".join(f" sack {start} {end}" for start, end in blocks_of(options))
        when = now()
        if self.is_over:
            return
        self.lines.append(f"{when} > {flags} {place} {size} {ack} {window}{text}")
        if stamp:
            self.echo = stamp[0]
        if bits & 2:
            self.edge = 1 + window
            return
        self.acknowledged = max(self.acknowledged, ack)
        self.edge = max(self.edge, ack + (window << self.shift))
        length = size + (bits & 1)
        if length and place == self.next:
            self.next += length
            self.bench.calendar.at(when + self.rtt, self.acknowledge)


def shift_of(options: bytes) -> int:
    """Give the shift of the window scale option."""
    return (option(options, 3) or b"\0")[0]


def blocks_of(options: bytes) -> list[tuple[int, int]]:
    """Give the SACK blocks, in their order."""
    return list(struct.iter_unpack("!II", option(options, 5)))


def main() -> None:
    """Read the command line and record."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path, help="the recording")
    parser.add_argument("count", type=int, help="how many exchanges")
    parser.add_argument("--seed", type=int, default=1, help="what everything is drawn from")
    arguments = parser.parse_args()
    Bench(Reception, arguments.out, arguments.count, arguments.seed, segments=1).run()


if __name__ == "__main__":
    main()
