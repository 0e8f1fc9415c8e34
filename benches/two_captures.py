"""Two captures of real traffic, one at each end, against what the kernels counted.

    python benches/two_captures.py

Builds the bottleneck of `benches/bottleneck_link` (three namespaces, tbf and a delay line for each
direction; needs root), transfers a file through it with tcpdump at both ends, and compares the
captures. What was lost between them must be what both tbf dropped, each packet must be accounted
for, and what was retransmitted, the round trips and the reordering that the capture at the sender
tells must be what its TCP_INFO says. Prints a table; exit status 1 if any figure is apart.
"""

import argparse
import contextlib
import json
import os
import socket
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from bottleneck_link import Bottleneck
from bottleneck_link.capturing import capture, stopped
from bottleneck_link.kernel import (
    PORT,
    RECEIVER,
    delay_line,
    finished,
    namespaces,
    receiving,
    started,
    tbf_drops,
    within,
)
from bottleneck_link.transfer import tcp_info

import anechoic as an

FILE_BYTES = 6_000_000


@dataclass(frozen=True)
class Case:
    """A transfer."""

    bottleneck: Bottleneck
    segments: int = 1
    """Up to how many segments the sender hands to its card at once."""
    hold: tuple[int, ...] = ()
    """Of which packets the wire there holds one, and for how many µs longer."""

    @property
    def is_by_one(self) -> bool:
        """Whether each segment of the sender's capture is one on the wire."""
        return self.segments == 1

    @property
    def name(self) -> str:
        """Tell it."""
        held = "one in {} held for {} µs".format(*self.hold) if self.hold else "in order"
        return f"{self.bottleneck.name}, up to {self.segments} segments at once, {held}"


CASES = [
    Case(Bottleneck(rate_mbps=20, rtt_ms=20, queue_packets=25, congestion_control="cubic")),
    Case(Bottleneck(rate_mbps=6, rtt_ms=30, queue_packets=10, congestion_control="reno")),
    # Held for as long as three others take, and for longer than RACK waits.
    Case(
        Bottleneck(rate_mbps=10, rtt_ms=20, queue_packets=40, congestion_control="cubic"),
        hold=(40, 4_500),
    ),
    Case(
        Bottleneck(rate_mbps=10, rtt_ms=20, queue_packets=40, congestion_control="reno"),
        hold=(100, 15_000),
    ),
    # Segments of up to 64 KiB at the sender's capture, which the bottleneck cuts.
    Case(
        Bottleneck(rate_mbps=20, rtt_ms=20, queue_packets=60, congestion_control="cubic"),
        segments=65535,
    ),
]

TAP_US = 100
"""How far a round trip may be from the kernel's, which begins and ends above the device. The
smoothed one may be a hundredth from it: the kernel also measures by SACK during a recovery."""


@dataclass(frozen=True)
class Row:
    """A figure of the captures beside the kernels'."""

    what: str
    told: int
    counted: int
    within: int = 0

    @property
    def agrees(self) -> bool:
        """Whether they are the same, as far as they can be."""
        return abs(self.told - self.counted) <= self.within


def main() -> None:
    """Run all cases, or be the sender."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--send", metavar="CONGESTION_CONTROL", help="send a file, as the cases do")
    asked = parser.parse_args()
    if asked.send:
        print(json.dumps(send(asked.send)))
        return
    if os.geteuid() != 0:
        sys.exit("two_captures.py: needs root, for namespaces and tcpdump")
    apart = 0
    for case in CASES:
        print(case.name)
        for row in measured(case):
            apart += not row.agrees
            mark = "" if row.agrees else "  apart"
            print(f"  {row.what:58} {row.told:8,} {row.counted:8,}{mark}")
    sys.exit(1 if apart else 0)


def measured(case: Case) -> list[Row]:
    """Transfer a file through the bottleneck, captured at both ends, and compare."""
    bottleneck = case.bottleneck
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        prefix = f"pair{os.getpid()}"
        sender, router, receiver = stack.enter_context(namespaces(bottleneck, prefix))
        within(sender, "ip", "link", "set", "eth", "gso_max_segs", str(case.segments))
        stack.enter_context(delay_line(router, "there", bottleneck, case.hold))
        stack.enter_context(delay_line(router, "back", bottleneck))
        captures = [capture(end, folder / f"{end}.pcap") for end in (sender, receiver)]
        taking = stack.enter_context(receiving(receiver))
        giving = started(sender, __file__, "--send", bottleneck.congestion_control)
        stack.callback(giving.kill)
        info = finished(giving)
        finished(taking)
        dropped = [tbf_drops(router, name) for name in ("there", "back")]
        # What is under way arrives.
        time.sleep(1 + bottleneck.rtt_ms / 1000)
        captured = [stopped(each) for each in captures]
        pair = an.compare_captures(folder / f"{sender}.pcap", folder / f"{receiver}.pcap")
        alone = an.analyse(folder / f"{sender}.pcap")
    repaired = lost_bytes(pair, info)
    return [*between(case, pair, dropped, captured), repaired, *at_sender(case, alone, info)]


def between(case: Case, pair: an.Pair, dropped: list[int], captured: list[int]) -> list[Row]:
    """Set what both captures tell beside what was counted on the way.

    A tbf counts a large segment that it drops as one, so its drops are compared where there are
    none; lost bytes are compared everywhere (`lost_bytes`).
    """
    forth, back = pair.forth, pair.back
    unsure = ("uncaptured", "appeared", "doubled", "outside", "ambiguous")
    drops = [
        Row(f"lost on the way {name}; dropped by its tbf", way["lost"], count)
        for name, way, count in zip(("there", "back"), (forth, back), dropped, strict=True)
    ]
    return [
        *(drops if case.is_by_one else []),
        Row("arrived there and sent back; captured at the receiver", arrived(pair), captured[1]),
        Row("not certain", sum(way[key] for way in (forth, back) for key in unsure), 0),
        Row("clocks that are not the same", int(pair.clock["clocks"] != "same"), 0),
    ]


def lost_bytes(pair: an.Pair, info: dict[str, int]) -> Row:
    """Set the bytes lost on the way there beside those that the kernel retransmitted.

    All came through in the end, so what was retransmitted either was lost as often, or came to the
    receiver twice. A FIN that is lost is one more.
    """
    (connection,) = pair.connections
    _, twice = connection["lanes"][0]["bytes_again"]
    lost, again = pair.forth["lost_bytes"], info["tcpi_bytes_retrans"]
    return Row("bytes lost there or doubled; retransmitted by the kernel", lost + twice, again, 1)


def at_sender(case: Case, alone: an.Analysis, info: dict[str, int]) -> list[Row]:
    """Set what the capture at the sender tells beside its TCP_INFO.

    The kernel counts large segments as those they are cut into, and joins what was reported of
    them, so segments and reorderings are compared where there are none. It also takes a segment
    for late that it retransmitted, if the timestamp of the acknowledgment is older: at most those
    that the receiver reports to have twice.
    """
    (connection,) = alone.document["connections"]
    sent, twice = connection["client"], info["tcpi_dsack_dups"]
    by_one = [
        Row("segments retransmitted", sent["packets_retransmitted"], info["tcpi_total_retrans"]),
        Row("reorderings seen", sent["reorderings"], info["tcpi_reord_seen"], twice),
    ]
    shortest, smoothed = info["tcpi_min_rtt"], info["tcpi_rtt"]
    return [
        *(by_one if case.is_by_one else []),
        Row("bytes retransmitted", sent["bytes_retransmitted"], info["tcpi_bytes_retrans"]),
        Row("duplicates reported", sent["duplicates_reported"], twice),
        Row("shortest round trip, µs", us(sent["rtt"]["min_ms"]), shortest, TAP_US),
        Row("smoothed round trip, µs", us(sent["smoothed_rtt_ms"]), smoothed, smoothed // 100),
    ]


def us(milliseconds: float) -> int:
    """Give microseconds."""
    return round(milliseconds * 1000)


def arrived(pair: an.Pair) -> int:
    """Count the packets that the receiver's capture must have."""
    return int(pair.forth["passed"] + pair.back["passed"] + pair.back["lost"])


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


if __name__ == "__main__":
    main()
