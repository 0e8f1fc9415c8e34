"""What losses are told to come from, against where they really happened.

    python benches/regimes.py [FOLDER]

Transfers through the bottleneck of `benches/bottleneck_link` (needs root), whose queue drops what
it has no room for and whose wire loses by chance what it is told to, with tcpdump beside the
sender. Each drop of the queue and each loss on the wire is known, and is set beside the regime that
the capture tells. Prints a row for each kind of path: how many of its losses were told to be what.
FOLDER keeps the captures with the truth; one that has them is judged without sending anything
again.
"""

import argparse
import contextlib
import json
import os
import socket
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from bottleneck_link import Bottleneck
from bottleneck_link.capturing import capture, stopped
from bottleneck_link.kernel import (
    PORT,
    RECEIVER,
    Broken,
    delay_line,
    finished,
    lateness,
    namespaces,
    receiving,
    started,
    tbf_drops,
    within,
)

import anechoic as an

SECONDS = 12.0
"""How long each transfer goes on."""
PAUSE_S, BURST_BYTES = 0.15, 60_000
"""What an application that pauses sends, and how long it pauses."""
DEEP = 2000
"""Packets of a queue that never fills here."""
TOLD = ("full_queue", "path", "undecided")
"""Regimes of a loss that neither another loss nor the point of capture explains."""


@dataclass(frozen=True)
class Case:
    """A path, and what goes over it."""

    kind: str
    bottleneck: Bottleneck
    lost: float = 0.0
    """The share of packets that the wire loses by chance."""
    bursts: bool = False
    """Whether the application pauses between bursts."""
    segments: int = 1
    """Up to how many segments the sender hands to its card at once."""
    senders: int = 1
    """How many share the path."""

    @property
    def name(self) -> str:
        """Tell it."""
        traffic = "bursts" if self.bursts else "bulk"
        joined = ", joined" if self.segments > 1 else ""
        shared = f", {self.senders} senders" if self.senders > 1 else ""
        return f"{self.bottleneck.name}, {self.lost:.1%} lost, {traffic}{joined}{shared}"


def paths() -> list[Case]:
    """Give the paths: with losses by chance alone, with a queue alone, and with both."""
    every = ("cubic", "reno", "bbr")
    by_chance = [
        *(Case("chance", Bottleneck(20, 20, DEEP, name), 0.01) for name in every),
        *(Case("chance", Bottleneck(20, 20, DEEP, name), 0.01, bursts=True) for name in every),
        # A window of more than the path holds: round trips rise, but the queue is not full.
        *(Case("chance", Bottleneck(5, 20, DEEP, name), 0.01) for name in every[:2]),
        *(Case("chance", Bottleneck(10, 60, DEEP, name), 0.002) for name in every),
        Case("chance", Bottleneck(20, 20, DEEP, "cubic"), 0.01, segments=65535),
    ]
    by_queue = [
        *(Case("queue", Bottleneck(20, 20, 25, name)) for name in every),
        *(Case("queue", Bottleneck(10, 20, 20, name)) for name in every),
        *(Case("queue", Bottleneck(10, 20, 20, name), bursts=True) for name in every[:2]),
        *(Case("queue", Bottleneck(5, 20, 100, name)) for name in every[:2]),
        Case("queue", Bottleneck(20, 20, 25, "cubic"), segments=65535),
    ]
    by_shared_queue = [
        *(Case("shared queue", Bottleneck(10, 20, 20, name), senders=4) for name in every),
        Case("shared queue", Bottleneck(10, 20, 20, "cubic"), segments=65535, senders=4),
    ]
    by_both = [Case("both", Bottleneck(10, 20, 20, name), 0.002) for name in every[:2]]
    return [*by_chance, *by_queue, *by_shared_queue, *by_both]


def main() -> None:
    """Run all cases, or be the sender of one."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, help="where captures are kept, or are")
    sender = ("CONGESTION_CONTROL", "TRAFFIC", "PORT")
    parser.add_argument("--send", nargs=3, metavar=sender, help="send for a while, as the cases do")
    asked = parser.parse_args()
    if asked.send:
        name, traffic, port = asked.send
        send(name, int(port), bursts=traffic == "bursts")
        return
    with contextlib.ExitStack() as stack:
        folder = asked.folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        tell(folder)


def tell(folder: Path) -> None:
    """Send what was not sent before, and print what is told of it."""
    folder.mkdir(parents=True, exist_ok=True)
    sums: dict[tuple[str, str], Counter[str]] = {}
    for at, case in enumerate(paths()):
        file = folder / f"{at:02}.pcap"
        if not file.exists():
            record(case, file)
        found = judged(file)
        print(case.name)
        for truth, told in found.items():
            print(f"  {truth:8} {shown(told)}", flush=True)
            sums.setdefault((case.kind, truth), Counter()).update(told)
    for (kind, truth), told in sums.items():
        print(f"{kind}: {truth:8} {shown(told)}")


def shown(told: Counter[str]) -> str:
    """Write how many losses were told to be what."""
    return ", ".join(f"{told[name]} {name}" for name in TOLD)


def record(case: Case, file: Path) -> None:
    """Transfer over the path, keep the capture, and which losses were the wire's."""
    bottleneck = case.bottleneck
    with contextlib.ExitStack() as stack:
        names = namespaces(bottleneck, f"loss{os.getpid()}")
        sender, router, receiver = stack.enter_context(names)
        within(sender, "ip", "link", "set", "eth", "gso_max_segs", str(case.segments))
        there = stack.enter_context(delay_line(router, "there", bottleneck, lost=case.lost))
        stack.enter_context(delay_line(router, "back", bottleneck))
        raw = file.with_suffix(".part")
        capturing = capture(sender, raw)
        ports = range(PORT, PORT + case.senders)
        taking = [stack.enter_context(receiving(receiver, port)) for port in ports]
        what = (bottleneck.congestion_control, "bursts" if case.bursts else "bulk")
        giving = [started(sender, __file__, "--send", *what, str(port)) for port in ports]
        for each in giving:
            stack.callback(each.kill)
        if any(each.wait() for each in giving):
            raise Broken("a transfer failed")
        for each in taking:
            finished(each)
        time.sleep(1)
        stopped(capturing)
        dropped = tbf_drops(router, "there")
        truth = {"dropped": dropped, "lost": lateness(there).lost}
    file.with_suffix(".json").write_text(json.dumps(truth), encoding="utf-8")
    raw.rename(file)


def judged(file: Path) -> dict[str, Counter[str]]:
    """Count what is told of losses by what they were: of the wire, or of the queue.

    Those that follow from another loss, or were retransmitted themselves, tell of neither. Where
    data were lost more than once nobody knows which copy was the wire's.
    """
    truth = json.loads(file.with_suffix(".json").read_text(encoding="utf-8"))
    analysis = an.analyse(file)
    isns = [connection["client"]["isn"] for connection in analysis.document["connections"]]
    found: dict[str, Counter[str]] = {}
    for loss in analysis.losses().to_pylist():
        if loss["sender"] != "client" or loss["regime"] not in TOLD or loss["multiplicity"] > 1:
            continue
        isn = isns[loss["connection"] - 1]
        on_the_wire = ((number - isn) % 2**32 for number in truth["lost"])
        is_lost = any(loss["seq"] <= number < loss["seq_end"] for number in on_the_wire)
        if is_lost or truth["dropped"]:
            found.setdefault("wire" if is_lost else "queue", Counter())[loss["regime"]] += 1
    return found


def send(congestion_control: str, port: int, *, bursts: bool) -> None:
    """Send for a while, without a pause or in bursts."""
    connection = socket.socket()
    name = congestion_control.encode()
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, name)
    connection.connect((RECEIVER, port))
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        connection.sendall(bytes(BURST_BYTES))
        if bursts:
            time.sleep(PAUSE_S)
    connection.shutdown(socket.SHUT_WR)
    while connection.recv(1):
        pass


if __name__ == "__main__":
    main()
