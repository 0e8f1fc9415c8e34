"""Two captures of real traffic, one at each end, against what the kernels counted.

    python benches/two_captures.py

Builds the bottleneck of `benches/bottleneck` (three namespaces, tbf and a delay line for each
direction; needs root), transfers a file through it with tcpdump at both ends, and compares the
captures. What was lost between them must be what both tbf dropped, each packet must be accounted
for, and what was sent again must be what TCP_INFO says. Prints a table; exit status 1 if any
figure is apart.
"""

import contextlib
import json
import os
import socket
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

from bottleneck import Bottleneck
from bottleneck.kernel import PORT, RECEIVER, Broken, delay_line, namespaces, within
from bottleneck.transfer import tcp_info

import anechoic as an

FILE_BYTES = 6_000_000
CASES = [
    (Bottleneck(rate_mbps=20, rtt_ms=20, queue_packets=25, congestion_control="cubic"), "1"),
    (Bottleneck(rate_mbps=6, rtt_ms=30, queue_packets=10, congestion_control="reno"), "1"),
    # Segments of up to 64 KiB at the sender's capture, which the bottleneck cuts.
    (Bottleneck(rate_mbps=20, rtt_ms=20, queue_packets=60, congestion_control="cubic"), "65535"),
]


RETRANSMITTED = "tcpi_bytes_retrans"


@dataclass(frozen=True)
class Row:
    """A figure of the captures beside the kernels'."""

    what: str
    told: int
    counted: int


def main() -> None:
    """Run all cases, or be the sender."""
    if sys.argv[1:2] == ["send"]:
        print(json.dumps(send(sys.argv[2])))
        return
    if sys.argv[1:2] == ["receive"]:
        receive()
        return
    if os.geteuid() != 0:
        sys.exit("two_captures.py: needs root, for namespaces and tcpdump")
    apart = 0
    for bottleneck, segments in CASES:
        print(f"{bottleneck.name}, up to {segments} segments at once")
        for row in measured(bottleneck, segments):
            mark = "" if row.told == row.counted else "  apart"
            apart += row.told != row.counted
            print(f"  {row.what:58} {row.told:8,} {row.counted:8,}{mark}")
    sys.exit(1 if apart else 0)


def measured(bottleneck: Bottleneck, segments: str) -> list[Row]:
    """Transfer a file through the bottleneck, captured at both ends, and compare."""
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        prefix = f"pair{os.getpid()}"
        sender, router, receiver = stack.enter_context(namespaces(bottleneck, prefix))
        within(sender, "ip", "link", "set", "eth", "gso_max_segs", segments)
        for name in ("there", "back"):
            stack.enter_context(delay_line(router, name, bottleneck))
        captures = [capture(end, folder / f"{end}.pcap") for end in (sender, receiver)]
        taking = program(receiver, "receive")
        stack.callback(taking.kill)
        assert taking.stdout is not None
        taking.stdout.readline()
        giving = program(sender, "send", bottleneck.congestion_control)
        said, _ = giving.communicate()
        if giving.returncode != 0:
            raise Broken("the transfer failed")
        taking.communicate()
        dropped = [tbf_drops(router, name) for name in ("there", "back")]
        # What is under way arrives.
        time.sleep(1 + bottleneck.rtt_ms / 1000)
        captured = [stopped(each) for each in captures]
        pair = an.compare_captures(folder / f"{sender}.pcap", folder / f"{receiver}.pcap")
    return rows(pair, json.loads(said), dropped if segments == "1" else None, captured)


def rows(
    pair: an.Pair, info: dict[str, int], dropped: list[int] | None, captured: list[int]
) -> list[Row]:
    """Set what the captures tell beside what the kernels counted.

    A tbf counts a large segment that it drops as one, so its drops are compared where there are
    none; lost bytes always, each of which the sender sends again.
    """
    forth, back = pair.forth, pair.back
    (connection,) = pair.connections
    sent = connection["lanes"][0]
    unsure = ("uncaptured", "appeared", "doubled", "outside", "late", "ambiguous")
    drops = [
        Row(f"lost on the way {name}; dropped by its tbf", way["lost"], count)
        for name, way, count in zip(("there", "back"), (forth, back), dropped or (), strict=False)
    ]
    return [
        *drops,
        Row("bytes lost; tcpi_bytes_retrans", forth["lost_bytes"], info[RETRANSMITTED]),
        Row("arrived there and sent back; captured at the receiver", arrived(pair), captured[1]),
        Row("not certain", sum(way[key] for way in (forth, back) for key in unsure), 0),
        Row("bytes sent again; tcpi_bytes_retrans", sent["bytes_again"][0], info[RETRANSMITTED]),
        Row("clocks that are not the same", int(pair.clock["clocks"] != "same"), 0),
    ]


def arrived(pair: an.Pair) -> int:
    """Count the packets that the receiver's capture must have."""
    return int(pair.forth["passed"] + pair.back["passed"] + pair.back["lost"])


def capture(namespace: str, file: Path) -> Popen[str]:
    """Start tcpdump at an end, and wait until it captures."""
    what = ["tcpdump", "-i", "eth", "-s", "120", "-B", "65536", "--time-stamp-precision=nano"]
    line = ["ip", "netns", "exec", namespace, *what, "-U", "-w", str(file), "tcp"]
    tcpdump = Popen(line, stderr=PIPE, text=True)
    assert tcpdump.stderr is not None
    while "listening on" not in (said := tcpdump.stderr.readline()):
        if not said:
            raise Broken("tcpdump captures nothing")
    return tcpdump


def stopped(tcpdump: Popen[str]) -> int:
    """Stop tcpdump; give how many packets it captured, of which it must have dropped none."""
    tcpdump.terminate()
    _, said = tcpdump.communicate()
    counts = {}
    for line in said.splitlines():
        count, _, what = line.strip().partition(" ")
        if count.isdigit():
            counts[what] = int(count)
    if counts.get("packets dropped by kernel", 0):
        raise Broken("tcpdump dropped packets")
    return counts["packets captured"]


def tbf_drops(router: str, name: str) -> int:
    """Ask tc how many packets the tbf of a direction dropped."""
    told: list[dict[str, Any]] = json.loads(
        within(router, "tc", "-json", "-s", "qdisc", "show", "dev", name)
    )
    return int(told[0]["drops"])


def program(namespace: str, *arguments: str) -> Popen[str]:
    """Start this program as one end."""
    line = ["ip", "netns", "exec", namespace, sys.executable, __file__, *arguments]
    return Popen(line, stdout=PIPE, text=True)


def send(congestion_control: str) -> dict[str, int]:
    """Send the file and wait until the other end has all of it; give TCP_INFO."""
    connection = socket.socket()
    name = congestion_control.encode()
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, name)
    connection.connect((RECEIVER, PORT))
    connection.sendall(bytes(FILE_BYTES))
    connection.shutdown(socket.SHUT_WR)
    while connection.recv(1):
        pass
    return tcp_info(connection)


def receive() -> None:
    """Read a connection to its end."""
    listener = socket.create_server(("", PORT))
    print("listening", flush=True)
    connection, _ = listener.accept()
    while connection.recv(1 << 20):
        pass


if __name__ == "__main__":
    main()
