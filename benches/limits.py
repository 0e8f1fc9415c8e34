"""What limited a sender, as a capture tells it, against what its kernel counted.

    python benches/limits.py [FOLDER]

Transfers through the bottleneck of `benches/bottleneck_link` (needs root), each held up by
something else, with tcpdump at both ends. While the sender goes on, a thread looks every few
milliseconds at its TCP_INFO (the time `tcpi_rwnd_limited`, the state of congestion avoidance, what
waits to be sent) and at whether the application wants to send. Prints the share of the time in %
that each limit held: by the kernel, by the capture at the sender, by that at the receiver. What
none of the others explains is the network's; a sender's buffer that is too small belongs to it,
since no capture shows it (and Linux, in `tcpi_sndbuf_limited`, little of it). FOLDER keeps the
captures with what the kernel said; one that has them is told of without sending anything again.
"""

import argparse
import contextlib
import json
import os
import socket
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bottleneck_link import Bottleneck
from bottleneck_link.capturing import capture, stopped
from bottleneck_link.kernel import (
    PORT,
    RECEIVER,
    delay_line,
    finished,
    namespaces,
    started,
    within,
)
from bottleneck_link.transfer import tcp_info

import anechoic as an

SECONDS = 6.0
"""How long each transfer goes on."""
STEP_S = 0.002
"""How often the kernel is asked."""
RECOVERY = 3
"""States of congestion avoidance from here on repair a loss (TCP_CA_Recovery, TCP_CA_Loss)."""
SO_MAX_PACING_RATE = 47
"""In bytes/s (`asm-generic/socket.h`); Python has no name for it."""
WRITE = bytes(65_536)
LIMITS = ("application", "window", "loss", "network")


@dataclass(frozen=True)
class Case:
    """A path, and what goes over it."""

    name: str
    bottleneck: Bottleneck
    traffic: str = "bulk"
    lost: float = 0.0
    """The share of packets that the wire loses by chance."""
    send_buffer: int = 0
    receive_buffer: int = 0
    read_mbps: float = 0.0
    """How fast the receiving application reads, if not at once."""
    pacing_kbps: float = 0.0
    """The most that the sender's own pace allows (SO_MAX_PACING_RATE), if that is limited."""
    segments: int = 1
    """Up to how many segments the sender hands to its card at once."""


CASES = [
    Case("receiver's buffer", Bottleneck(20, 40, 2000, "cubic"), receive_buffer=32_000),
    Case("slow reader", Bottleneck(20, 40, 2000, "cubic"), read_mbps=4.0),
    Case("sender's buffer", Bottleneck(20, 40, 2000, "cubic"), send_buffer=24_000),
    Case("bursts of 30 kB", Bottleneck(20, 20, 2000, "cubic"), "bursts"),
    Case("a little every 5 ms", Bottleneck(20, 40, 2000, "cubic"), "trickle"),
    Case("requests and replies", Bottleneck(20, 20, 2000, "cubic"), "replies"),
    Case("bulk, short queue", Bottleneck(10, 20, 20, "cubic")),
    Case("bulk, short queue, BBR", Bottleneck(10, 20, 20, "bbr")),
    Case("bulk, long queue", Bottleneck(10, 20, 2000, "cubic")),
    Case("bulk, long queue, joined", Bottleneck(10, 20, 2000, "cubic"), segments=65535),
    Case("bulk, paced", Bottleneck(20, 40, 2000, "cubic"), pacing_kbps=150),
    Case("bulk, paced, joined", Bottleneck(20, 5, 2000, "cubic"), pacing_kbps=500, segments=65535),
    Case("1 % lost", Bottleneck(20, 40, 2000, "cubic"), lost=0.01),
    Case("1 % lost, BBR", Bottleneck(20, 40, 2000, "bbr"), lost=0.01),
    Case("2 % lost, bursts", Bottleneck(20, 20, 2000, "cubic"), "bursts", lost=0.02),
    Case(
        "0.3 % lost, receiver's buffer",
        Bottleneck(20, 40, 2000, "cubic"),
        lost=0.003,
        receive_buffer=20_000,
    ),
]


def main() -> None:
    """Run all cases, or be an end of one."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, help="where captures are kept, or are")
    parser.add_argument("--end", nargs="*", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    match asked.end:
        case ["send", name, traffic, buffer, kbps]:
            print(json.dumps(send(name, traffic, int(buffer), float(kbps))))
        case ["receive", traffic, buffer, mbps]:
            receive(traffic, int(buffer), float(mbps))
        case _:
            with contextlib.ExitStack() as stack:
                folder = asked.folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
                folder.mkdir(parents=True, exist_ok=True)
                print(f"{'':29} {'  '.join(f'{limit:17}' for limit in LIMITS)}")
                for at, case in enumerate(CASES):
                    tell(case, folder / f"{at:02}")


def tell(case: Case, files: Path) -> None:
    """Print what held a transfer up by the kernel and by either capture."""
    if not files.with_suffix(".json").exists():
        record(case, files)
    by_kernel = json.loads(files.with_suffix(".json").read_text(encoding="utf-8"))
    shares: list[dict[str, float]] = [dict.fromkeys(LIMITS, 0.0) | by_kernel]
    for end in ("sender", "receiver"):
        analysis = an.analyse(files.with_suffix(f".{end}.pcap"))
        (connection,) = analysis.document["connections"]
        shares.append(told(connection["client"]))
    groups = (" ".join(figure(each.get(limit)) for each in shares) for limit in LIMITS)
    print(f"{case.name:29} {'  '.join(groups)}", flush=True)


def figure(share: float | None) -> str:
    """Write a share in %, if it is known."""
    return "    –" if share is None else f"{100 * share:5.1f}"


def told(sent: dict[str, Any]) -> dict[str, float]:
    """Give the share of the time that each limit held by a capture, of those that it knows."""
    times = {name: ns for name, ns in sent["limits"].items() if ns is not None}
    whole = sum(times.values())
    return {name.removesuffix("_ns"): ns / whole for name, ns in times.items()}


def record(case: Case, files: Path) -> None:
    """Transfer over the path, and keep both captures and what the kernel said."""
    bottleneck = case.bottleneck
    with contextlib.ExitStack() as stack:
        names = namespaces(bottleneck, f"lim{os.getpid()}")
        sender, router, receiver = stack.enter_context(names)
        within(sender, "ip", "link", "set", "eth", "gso_max_segs", str(case.segments))
        stack.enter_context(delay_line(router, "there", bottleneck, lost=case.lost))
        stack.enter_context(delay_line(router, "back", bottleneck))
        capturing = [
            capture(sender, files.with_suffix(".sender.pcap")),
            capture(receiver, files.with_suffix(".receiver.pcap")),
        ]
        buffer, mbps = str(case.receive_buffer), str(case.read_mbps)
        taking = started(receiver, __file__, "--end", "receive", case.traffic, buffer, mbps)
        stack.callback(taking.kill)
        assert taking.stdout is not None
        taking.stdout.readline()
        control, buffer = bottleneck.congestion_control, str(case.send_buffer)
        kbps = str(case.pacing_kbps)
        giving = started(sender, __file__, "--end", "send", control, case.traffic, buffer, kbps)
        stack.callback(giving.kill)
        shares = finished(giving)
        taking.kill()
        time.sleep(0.5)
        for each in capturing:
            stopped(each)
    files.with_suffix(".json").write_text(json.dumps(shares), encoding="utf-8")


class Watch(threading.Thread):
    """Looks at a sender's kernel, and sums up the time in which each limit held."""

    def __init__(self, connection: socket.socket) -> None:
        """Look at this connection."""
        super().__init__()
        self.connection = connection
        self.wants_to_send = False
        self.is_over = False
        self.whole_us = 0.0
        self.held_us: Counter[str] = Counter()

    def run(self) -> None:
        """Look until it is over."""
        last, last_info = time.monotonic(), tcp_info(self.connection)
        while not self.is_over:
            time.sleep(STEP_S)
            now, info = time.monotonic(), tcp_info(self.connection)
            self.account(1e6 * (now - last), last_info, info)
            last, last_info = now, info

    def account(self, step_us: float, before: dict[str, int], info: dict[str, int]) -> None:
        """Put a step to the accounts of the limits that held in it.

        The kernel counts in ticks, which may be longer than a step.
        """
        self.whole_us += step_us
        has_nothing = not self.wants_to_send and not info["tcpi_notsent_bytes"]
        if info["tcpi_ca_state"] >= RECOVERY:
            self.held_us["loss"] += step_us
        elif has_nothing:
            self.held_us["application"] += step_us
        else:
            self.held_us["window"] += info["tcpi_rwnd_limited"] - before["tcpi_rwnd_limited"]

    def shares(self) -> dict[str, float]:
        """Give the share of each limit; the network's is the rest."""
        shares = {limit: us / self.whole_us for limit, us in self.held_us.items()}
        return {**shares, "network": 1 - sum(shares.values())}


def send(congestion_control: str, traffic: str, buffer: int, kbps: float) -> dict[str, float]:
    """Send for a while, and give the shares of the limits as the kernel has them."""
    connection = socket.socket()
    name = congestion_control.encode()
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, name)
    # What is written goes at once.
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if buffer:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, buffer)
    if kbps:
        connection.setsockopt(socket.SOL_SOCKET, SO_MAX_PACING_RATE, int(1000 * kbps / 8))
    connection.connect((RECEIVER, PORT))
    watch = Watch(connection)
    watch.start()
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        watch.wants_to_send = True
        connection.sendall(AMOUNTS[traffic])
        watch.wants_to_send = False
        PAUSES[traffic](connection)
    watch.is_over = True
    watch.join()
    connection.close()
    return watch.shares()


AMOUNTS = {"bulk": WRITE, "bursts": WRITE[:30_000], "trickle": WRITE[:900], "replies": WRITE[:5000]}
"""What the application sends in one go."""
PAUSES: dict[str, Callable[[socket.socket], object]] = {
    "bulk": lambda _: None,
    "bursts": lambda _: time.sleep(0.1),
    "trickle": lambda _: time.sleep(0.005),
    "replies": lambda connection: connection.recv(1),
}
"""How it goes on: at once, after a while, or when it was asked to."""


def receive(traffic: str, buffer: int, mbps: float) -> None:
    """Read a connection to its end."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if buffer:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    listener.bind(("", PORT))
    listener.listen()
    print("listening", flush=True)
    connection, _ = listener.accept()
    read = 0
    while data := connection.recv(8192 if mbps else 1 << 20):
        read += len(data)
        if mbps:
            time.sleep(len(data) * 8e-6 / mbps)
        while traffic == "replies" and read >= len(AMOUNTS[traffic]):
            read -= len(AMOUNTS[traffic])
            connection.sendall(b"?")


if __name__ == "__main__":
    main()
