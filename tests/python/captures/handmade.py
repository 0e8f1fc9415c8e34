"""Captures made by hand: raw IP in the classic pcap format."""

import struct
from pathlib import Path

FIN, SYN, RST, PSH, ACK = 1, 2, 4, 8, 16
MSS = 1000
RAW_IP = 101
"""The link type of packets without a link layer."""

HOSTS = {"client": bytes([10, 0, 0, 1]), "server": bytes([10, 0, 0, 2])}


class Conversation:
    """A client that asks and a server that answers; numbers are counted from the SYNs."""

    def __init__(self, port: int = 40_000, start_s: float = 1_700_000_000.0) -> None:
        """Begin a conversation without any segment."""
        self.ports = {"client": port, "server": 80}
        self.start_s = start_s
        self.packets: list[tuple[float, bytes]] = []

    def opened(self, at_s: float = 0.0) -> "Conversation":
        """Shake hands over a path of 50 ms, as a capture at the server shows it."""
        self.send(at_s, "client", SYN, seq=0)
        self.send(at_s, "server", SYN | ACK, seq=0, ack=1)
        return self.send(at_s + 0.05, "client", ACK, seq=1, ack=1)

    def data(self, at_s: float, *segments: int) -> "Conversation":
        """Let the server send segments, numbered from 0, of a thousand bytes each."""
        for number in segments:
            self.send(at_s, "server", ACK, seq=1 + number * MSS, ack=1, payload=MSS)
        return self

    def ack(self, at_s: float, segments: int, window: int = 60_000) -> "Conversation":
        """Let the client acknowledge so many segments."""
        return self.send(at_s, "client", ACK, seq=1, ack=1 + segments * MSS, window=window)

    def send(
        self,
        at_s: float,
        sender: str,
        flags: int,
        seq: int,
        ack: int = 0,
        payload: int = 0,
        window: int = 60_000,
        options: bytes = b"",
        number: int | None = None,
        tos: int = 0,
    ) -> "Conversation":
        """Add a segment, with options in whole words of four bytes.

        Packets are numbered (IP identification) as they are added, if not by ``number``.
        """
        receiver = "server" if sender == "client" else "client"
        ports = self.ports[sender], self.ports[receiver]
        words = 5 + len(options) // 4
        # The last of nine flags stands behind the length.
        length_and_flags = words << 12 | flags
        tcp = struct.pack(">HHIIHHHH", *ports, seq, ack, length_and_flags, window, 0, 0) + options
        length = 20 + len(tcp) + payload
        number = len(self.packets) if number is None else number
        head = struct.pack(">BBHHHBBH", 0x45, tos, length, number, 0, 64, 6, 0)
        packet = head + HOSTS[sender] + HOSTS[receiver] + tcp + bytes(payload)
        self.packets.append((self.start_s + at_s, packet))
        return self


def save(path: Path, *conversations: Conversation, snap: int = 65_535) -> Path:
    """Write the packets of conversations in the order of time, so many bytes of each."""
    packets = sorted(packet for each in conversations for packet in each.packets)
    with path.open("wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65_535, RAW_IP))
        for at_s, data in packets:
            seconds, micros = divmod(round(at_s * 1e6), 10**6)
            kept = data[:snap]
            file.write(struct.pack("<IIII", seconds, micros, len(kept), len(data)) + kept)
    return path
