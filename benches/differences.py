"""Write captures in which Anechoic, tshark and tcptrace differ, and what each counts of them.

`python benches/differences.py [NAME…]` prints the packets of each kind of difference and the
three counts; docs/differences.md explains them. Every capture is made here, packet by packet.
"""

import struct
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import agreement

CLIENT, SERVER = bytes((10, 0, 0, 1)), bytes((10, 0, 0, 2))
ETHERNET = bytes((2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0))
FIN, SYN, RST, PSH, ACK = 1, 2, 4, 8, 16
NAMES = {SYN: "S", FIN: "F", RST: "R", PSH: "P", ACK: "."}
MSS = 1000
NO_OPERATION = 1
"""The option without a meaning (RFC 9293 §3.2)."""


@dataclass(frozen=True)
class Packet:
    """A segment: its time in milliseconds, from the client or not, numbers from 0."""

    ms: float
    is_client: bool
    flags: int
    seq: int
    ack: int
    length: int = 0
    ip_id: int = 0
    options: int = 0
    """Bytes of options, which say nothing."""
    kept: int = 65_535
    """Bytes of its frame that the capture keeps."""
    window: int = 60_000

    def frame(self) -> bytes:
        """Give the Ethernet frame. The payload is its own position, so that copies agree."""
        ends = (CLIENT, SERVER) if self.is_client else (SERVER, CLIENT)
        ports = (40_000, 80) if self.is_client else (80, 40_000)
        ack = self.ack + 5001 if self.is_client else self.ack + 1001
        seq = self.seq + 1001 if self.is_client else self.seq + 5001
        payload = bytes((self.seq + place) % 251 for place in range(self.length))
        header = struct.pack(
            ">HHIIBBHHH",
            *ports,
            seq,
            ack if self.flags & ACK else 0,
            (20 + self.options) // 4 << 4,
            self.flags,
            self.window,
            0,
            0,
        )
        header += bytes([NO_OPERATION]) * self.options
        pseudo = b"".join(ends) + struct.pack(">BBH", 0, 6, len(header) + len(payload))
        header = header[:16] + _sum(pseudo + header + payload) + header[18:]
        length = 20 + len(header) + len(payload)
        ip = struct.pack(">BBHHHBBH", 0x45, 0, length, self.ip_id, 0, 64, 6, 0) + b"".join(ends)
        return ETHERNET + ip[:10] + _sum(ip) + ip[12:] + header + payload

    def told(self) -> str:
        """Write the packet as the documentation does."""
        arrow = "→" if self.is_client else "←"
        flags = "".join(name for bit, name in NAMES.items() if self.flags & bit)
        end = self.seq + self.length
        where = f"seq {self.seq}:{end}" if self.length else f"seq {self.seq}"
        ack = f", ack {self.ack}" if self.flags & ACK else ""
        window = "" if self.window else ", window 0"
        return f"{self.ms:8.2f} ms  {arrow} [{flags}] {where}{ack}{window}, id {self.ip_id}"


def _sum(data: bytes) -> bytes:
    even = data + bytes(len(data) % 2)
    total = sum(struct.unpack(f">{len(even) // 2}H", even))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return struct.pack(">H", ~total & 0xFFFF)


def data(ms: float, number: int, count: float = 1) -> Packet:
    """Give the client's segment of that number."""
    return Packet(ms, True, PSH | ACK, number * MSS, 0, int(count * MSS))


def ack(ms: float, number: float) -> Packet:
    """Give the server's acknowledgment of everything before that segment."""
    return Packet(ms, False, ACK, 0, int(number * MSS))


OPENING = [
    Packet(0, True, SYN, -1, 0),
    Packet(50, False, SYN | ACK, -1, 0),
    Packet(50.1, True, ACK, 0, 0),
]


def late_repair() -> list[Packet]:
    """Lose a segment before the point of capture and repair it after a round trip."""
    burst = [data(60 + number / 10, number) for number in (0, 2, 3, 4)]
    return [*burst, *(ack(110 + step / 10, 1) for step in range(4)), data(112, 1), ack(160, 5)]


def quick_repair() -> list[Packet]:
    """Lose a segment behind the point of capture and repair it within a round trip."""
    burst = [data(60 + number / 10, number) for number in range(5)]
    return [*burst, ack(61, 1), ack(61.1, 1), data(62, 1), ack(110, 5)]


def doubled() -> list[Packet]:
    """Double a packet in the network."""
    second = replace(data(60.2, 1), ip_id=9)
    return [data(60, 0), second, replace(second, ms=65), ack(110, 2), ack(115, 2)]


def mirrored() -> list[Packet]:
    """Give every packet twice, as a mirroring port does."""
    packets = [data(60, 0), data(60.5, 1), ack(110, 2)]
    numbered = [replace(packet, ip_id=7 + place) for place, packet in enumerate(packets)]
    return [copy for one in numbered for copy in (one, replace(one, ms=one.ms + 0.02))]


def fin_again() -> list[Packet]:
    """Send a FIN again, which has no payload."""
    fin = Packet(120, True, FIN | ACK, MSS, 0)
    return [data(60, 0), ack(110, 1), fin, replace(fin, ms=400), ack(450, 1.001)]


def answered_copy() -> list[Packet]:
    """Send a needless copy, which is acknowledged when nothing is under way."""
    return [data(60, 0), ack(110, 1), data(400, 0), ack(450, 1)]


def answer_first() -> list[Packet]:
    """Capture an acknowledgment before its data."""
    return [data(60, 0), ack(110, 2), data(110.01, 1), data(111, 2), ack(160, 3)]


def overtaken_by_ack() -> list[Packet]:
    """Capture data behind a later packet of the same end that has none."""
    empty = Packet(61, True, ACK, 2 * MSS, 0)
    return [data(60, 0), empty, data(61.1, 1), ack(110, 2)]


def two_answers() -> list[Packet]:
    """Answer the SYN twice with other numbers, of which the client takes the first."""
    other = Packet(52, False, SYN | ACK, 70_000, 0)
    answer = Packet(110, False, PSH | ACK, 0, MSS, 500)
    return [other, data(60, 0), answer, Packet(111, True, ACK, MSS, 500)]


def one_byte_again() -> list[Packet]:
    """Send the last byte again, and more behind it."""
    return [data(60, 0), Packet(61, True, PSH | ACK, MSS - 1, 0, MSS + 1), ack(110, 2)]


def one_byte_copy() -> list[Packet]:
    """Send a segment of one byte again before it is acknowledged."""
    byte = Packet(60, True, PSH | ACK, 0, 0, 1)
    return [byte, replace(byte, ms=300), Packet(350, False, ACK, 0, 1)]


def overtaken_duplicate() -> list[Packet]:
    """Capture duplicates beside an older acknowledgment that they overtook."""
    burst = [data(60 + number / 10, number) for number in range(4)]
    return [*burst, ack(110, 2), ack(110.1, 1), ack(110.2, 2), ack(160, 4)]


def old_duplicate() -> list[Packet]:
    """Capture an older acknowledgment twice behind a newer one."""
    burst = [data(60 + number / 10, number) for number in range(4)]
    return [*burst, ack(110, 2), ack(110.1, 1), ack(110.2, 1), ack(160, 4)]


def duplicate_behind_a_gap() -> list[Packet]:
    """Lose what the receiver itself sent before a duplicate acknowledgment."""
    return [data(60, 0), data(60.1, 1), ack(110, 1), Packet(111, False, ACK, 500, MSS)]


def closed_duplicate() -> list[Packet]:
    """Refuse data again and again that the window has no room for."""
    burst = [data(60 + number / 10, number) for number in range(3)]
    refusals = [replace(ack(110 + number / 10, 0), window=0) for number in range(3)]
    return [*burst, *refusals, ack(500, 0)]


def lost_unseen() -> list[Packet]:
    """Lose data before the point of capture, of which only the next number tells."""
    return [Packet(60, True, ACK, MSS, 0), ack(110, 0)]


def tail_again() -> list[Packet]:
    """Send the last segment again while those before it are on their way."""
    burst = [data(60 + number / 10, number) for number in range(3)]
    return [*burst, data(109, 2), *(ack(110 + number / 10, number) for number in (1, 2, 3))]


def ack_inside() -> list[Packet]:
    """Acknowledge the first half of a large segment, and then all of it."""
    return [data(60, 0, 2), ack(110, 1), ack(111, 2)]


def ack_by_reset() -> list[Packet]:
    """Acknowledge data by a reset."""
    return [data(60, 0), Packet(110, False, RST | ACK, 0, MSS)]


def no_time() -> list[Packet]:
    """Acknowledge in the same microsecond."""
    return [data(60, 0), ack(60, 1)]


def cut_header() -> list[Packet]:
    """Keep 60 bytes of each packet, with options to byte 66."""
    packets = [data(60, 0), data(60.1, 1), ack(110, 1), ack(110.1, 1), data(112, 1), ack(160, 2)]
    return [replace(packet, options=12, kept=60) for packet in packets]


def keep_alive() -> list[Packet]:
    """Keep the connection alive with a byte of data."""
    alive = Packet(5_000, True, ACK, MSS - 1, 0, 1)
    return [data(60, 0), ack(110, 1), alive, ack(5_050, 1)]


def long_silence() -> list[Packet]:
    """Be silent for ten minutes."""
    return [data(60, 0), ack(110, 1), data(600_000, 1), ack(600_050, 2)]


def syn_again() -> list[Packet]:
    """Send the SYN again."""
    return [replace(OPENING[0], ms=20), data(60, 0), ack(110, 1)]


def refused_first() -> list[Packet]:
    """Refuse a SYN, and accept it when it is retransmitted, as Windows does."""
    refusal = Packet(20, False, RST | ACK, -1, 0)
    return [refusal, replace(OPENING[0], ms=25), data(60, 0), ack(110, 1)]


KINDS: list[Callable[[], list[Packet]]] = [
    late_repair,
    quick_repair,
    doubled,
    mirrored,
    syn_again,
    fin_again,
    answered_copy,
    answer_first,
    overtaken_by_ack,
    two_answers,
    one_byte_again,
    one_byte_copy,
    overtaken_duplicate,
    old_duplicate,
    duplicate_behind_a_gap,
    closed_duplicate,
    lost_unseen,
    tail_again,
    ack_inside,
    ack_by_reset,
    no_time,
    cut_header,
    keep_alive,
    long_silence,
    refused_first,
]

FIGURES = (
    "connections",
    "packets",
    "unique",
    "again",
    "again_bytes",
    "late",
    "duplicate_acks",
    "round_trips",
)

UNTOLD = ("unique", "again_bytes")
"""What tshark does not count."""


def write(path: Path, packets: list[Packet]) -> None:
    """Write a pcap file."""
    records = [struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65_535, 1)]
    for packet in packets:
        frame = packet.frame()
        seconds, micros = divmod(round(packet.ms * 1000), 1_000_000)
        kept = frame[: packet.kept]
        records.append(struct.pack("<IIII", seconds, micros, len(kept), len(frame)) + kept)
    path.write_bytes(b"".join(records))


def _time(packet: Packet) -> float:
    return packet.ms


def compared(counts: dict[str, agreement.Counts]) -> Iterator[str]:
    """Say which figures of which end the programs count otherwise."""
    for sender, address in (("client", "10.0.0.1"), ("server", "10.0.0.2")):
        for figure in FIGURES:
            found = {
                program: sum(each[figure] for key, each in ends.items() if key[0] == address)
                for program, ends in counts.items()
                if not (program == "tshark" and figure in UNTOLD)
                and not (program == "tcptrace" and figure == "duplicate_acks")
            }
            if len(set(found.values())) > 1:
                told = ", ".join(f"{count} {program}" for program, count in found.items())
                yield f"  {sender}'s {figure}: {told}"


def main() -> None:
    """Print the kinds that are named, or all."""
    names = sys.argv[1:]
    known = {kind.__name__: kind for kind in KINDS}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise SystemExit(f"unknown: {', '.join(unknown)}; known: {', '.join(known)}")
    with tempfile.TemporaryDirectory() as folder:
        for name in names or known:
            path = Path(folder, f"{name}.pcap")
            packets = known[name]()
            numbered = [
                packet if packet.ip_id else replace(packet, ip_id=100 + place)
                for place, packet in enumerate(sorted([*OPENING, *packets], key=_time))
            ]
            write(path, numbered)
            print(f"{name}: {known[name].__doc__}")
            print("\n".join(f"  {packet.told()}" for packet in numbered))
            file = str(path)
            counts = {
                "here": agreement.ours(file),
                "tshark": agreement.tshark(file),
                "tcptrace": agreement.tcptrace(file),
            }
            print("\n".join(compared(counts)), end="\n\n")


if __name__ == "__main__":
    main()
