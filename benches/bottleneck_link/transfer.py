"""A bulk transfer between two kernels, measured at both ends.

`python transfer.py receive PORT` reads one connection to its end and prints what it read and when
as JSON: a list of [seconds since it was accepted, bytes so far], a pair every 10 ms.
`python transfer.py send ADDRESS PORT CONGESTION_CONTROL SECONDS` fills a connection for that long
and prints samples of its TCP_INFO as JSON, one every 10 ms: a list of objects with the field
names of the kernel's, and `time_s`.
"""

import json
import os
import select
import socket
import struct
import sys
import time

STEP_S = 0.01
WRITE_BYTES = 65_536

# The beginning of struct tcp_info (include/uapi/linux/tcp.h); "" is a field that is left out.
LAYOUT = "<8B24I4Q6I4Q2I2Q4I"
FIELDS = [
    *("tcpi_state", "tcpi_ca_state", "tcpi_retransmits", "", "tcpi_backoff", "", "", ""),
    *("tcpi_rto", "", "tcpi_snd_mss", "", "tcpi_unacked", "tcpi_sacked", "tcpi_lost"),
    *("tcpi_retrans", "", "", "", "", "", "", "", "tcpi_rtt", "tcpi_rttvar"),
    *("tcpi_snd_ssthresh", "tcpi_snd_cwnd", "", "tcpi_reordering", "", "", "tcpi_total_retrans"),
    *("", "", "tcpi_bytes_acked", ""),
    *("tcpi_segs_out", "", "tcpi_notsent_bytes", "tcpi_min_rtt", "", "tcpi_data_segs_out"),
    *("", "", "tcpi_rwnd_limited", ""),
    *("tcpi_delivered", ""),
    *("", "tcpi_bytes_retrans"),
    *("tcpi_dsack_dups", "tcpi_reord_seen", "", "tcpi_snd_wnd"),
]


def receive(port: int) -> list[tuple[float, int]]:
    """Read one connection to its end."""
    listener = socket.create_server(("", port))
    print("listening", flush=True)
    connection, _ = listener.accept()
    start = next_at = time.monotonic()
    total, read = 0, []
    while data := connection.recv(1 << 20):
        total += len(data)
        if (now := time.monotonic()) >= next_at:
            read.append((now - start, total))
            next_at = now + STEP_S
    return read


def send(
    address: str, port: int, congestion_control: str, seconds: float
) -> list[dict[str, float]]:
    """Fill a connection for so many seconds, and look at it at every step."""
    connection = socket.socket()
    name = congestion_control.encode()
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, name)
    connection.connect((address, port))
    connection.setblocking(False)
    data = bytes(WRITE_BYTES)
    start = next_at = time.monotonic()
    samples = []
    while (now := time.monotonic()) < start + seconds:
        if now >= next_at:
            samples.append({"time_s": now - start, **tcp_info(connection)})
            next_at += STEP_S
        _, writable, _ = select.select([], [connection], [], max(0.0, next_at - now))
        if writable:
            connection.send(data)
    return samples


def tcp_info(connection: socket.socket) -> dict[str, int]:
    """Ask the kernel."""
    size = struct.calcsize(LAYOUT)
    values = struct.unpack(LAYOUT, connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, size))
    return {name: value for name, value in zip(FIELDS, values, strict=True) if name}


def main() -> None:
    """Be one end of the transfer."""
    role, *arguments = sys.argv[1:]
    # Beside other work the ends shall not be what is measured.
    os.nice(-20)
    if role == "receive":
        result: object = receive(int(arguments[0]))
    else:
        address, port, congestion_control, seconds = arguments
        result = send(address, int(port), congestion_control, float(seconds))
    print(json.dumps(result))


if __name__ == "__main__":
    main()
