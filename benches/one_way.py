"""Send datagrams from one network namespace to another, and measure how long they took one way.

    python one_way.py receive COUNT           one delay in seconds per line, by the kernel's stamps
    python one_way.py send HOST COUNT         one each 10 ms
    python one_way.py sink PORT COUNT         takes what comes to so many ports, and drops it
    python one_way.py flood HOST PORT BITS SECONDS    1472 bytes each, at a rate

Both ends read the same clock: they run on one machine.
"""

import signal
import socket
import struct
import sys
import time
from contextlib import suppress

PORT = 9000
SO_TIMESTAMPNS = 35
GAP_S = 0.010


def receive(count: int) -> None:
    """Print the delays of so many datagrams."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
        end.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        end.bind(("", PORT))
        end.settimeout(3)
        delays = []
        try:
            for _ in range(count):
                data, stamps, _, _ = end.recvmsg(64, 64)
                seconds, nanos = struct.unpack("qq", stamps[0][2])
                (sent,) = struct.unpack("q", data[:8])
                delays.append((seconds * 10**9 + nanos - sent) / 1e9)
        except TimeoutError:
            pass
        print("\n".join(map(str, delays)))


def send(host: str, count: int) -> None:
    """Send so many datagrams that carry the time."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
        end.connect((host, PORT))
        for _ in range(count):
            end.send(struct.pack("q", time.clock_gettime_ns(time.CLOCK_REALTIME)))
            time.sleep(GAP_S)


def sink(first: int, count: int) -> None:
    """Hold so many ports open, and never read them."""
    ends = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(count)]
    for port, end in enumerate(ends, first):
        end.bind(("", port))
    signal.pause()


def flood(host: str, port: int, bits: float, seconds: float) -> None:
    """Send datagrams at a rate for a time."""
    data, gap = bytes(1472), 1472 * 8 / bits
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
        end.connect((host, port))
        began = due = time.monotonic()
        while due < began + seconds:
            due += gap
            time.sleep(max(due - time.monotonic(), 0))
            with suppress(ConnectionRefusedError):
                end.send(data)


def main() -> None:
    """Do what was asked for."""
    name, *rest = sys.argv[1:]
    match name:
        case "receive":
            receive(int(rest[0]))
        case "send":
            send(rest[0], int(rest[1]))
        case "sink":
            sink(int(rest[0]), int(rest[1]))
        case "flood":
            flood(rest[0], int(rest[1]), float(rest[2]), float(rest[3]))


if __name__ == "__main__":
    main()
