"""What the flows of a plan offer: how long their packets are, and how many there are."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, expm1, inf, isinf
from typing import Any

from anechoic.calc.timing import IP_BYTES, TCP_BYTES, UDP_BYTES
from anechoic.calc.ways import Leg, Segment, Ways

TIMESTAMP_BYTES = 12
"""The timestamps option with its padding, in every segment (RFC 7323, appendix A)."""


REFILLED = 2 / 3
"""Part of a send buffer below which an application writes again (Linux, sk_stream_is_writeable)."""
LARGEST_UNSCALED = 2**16 - 1
"""Bytes of a window that is not scaled."""


class NoForm(Exception):
    """Why no closed form answers."""


@dataclass(frozen=True)
class Offer:
    """What a flow offers, and the way it takes."""

    name: str
    transport: str
    payload_bytes: int
    """Of a packet, or a full segment."""
    ip_bytes: int
    back_bytes: int
    """The IP packet that answers, if anything does."""
    per_second: float
    """Packets a second; infinite for a source that is never out of them."""
    way: tuple[Leg, ...]
    back: tuple[Leg, ...]
    burst: float = 1.0
    """How many times its mean rate it sends at while it sends."""
    window_bytes: float = inf
    least_window_bytes: float = inf
    """What of its window is on its way at the least: a full send buffer is refilled in parts."""
    segments_per_ack: float = 1
    rto_min_s: float = 0.0
    remarks: tuple[str, ...] = ()

    @property
    def is_tcp(self) -> bool:
        """Whether its rate is what windows and capacity let it be."""
        return self.transport == "tcp"

    @property
    def is_endless(self) -> bool:
        """Whether it always has a packet to send, and nothing but its interface holds it back."""
        return not self.is_tcp and isinf(self.per_second)

    @property
    def burst_per_us(self) -> float:
        """Give its packets while it sends."""
        return self.burst * self.per_second / 1e6

    @property
    def rate_mbps(self) -> float:
        """Give the rate of its payload."""
        return self.per_second * self.payload_bytes * 8 / 1e6


@dataclass(frozen=True, slots=True)
class Asked:
    """A flow of a plan, its application, and its ways."""

    plan: Mapping[str, Any]
    flow: Mapping[str, Any]
    app: Mapping[str, Any]
    way: tuple[Leg, ...]
    back: tuple[Leg, ...]


def offer_of(plan: Mapping[str, Any], flow: Mapping[str, Any], ways: Ways) -> Offer:
    """Read a flow; raise NoForm if nothing is known of such traffic."""
    app = flow["app"]
    reader = _READERS.get(app["kind"])
    if reader is None:
        raise NoForm(f"no closed form is known of {app['kind']}")
    way, back = ways.way(flow["from"], flow["to"]), ways.way(flow["to"], flow["from"])
    for leg in (*way, *back):
        if isinstance(leg.medium, Segment):
            raise NoForm(f"no closed form is known of what shares the segment {leg.medium.name}")
    return reader(Asked(plan, flow, app, way, back))


def _udp(asked: Asked) -> Offer:
    app = asked.app
    payload, rate = app["payload"], app["rate"]
    per_second = inf if rate is None else rate / (8 * payload)
    burst = 1.0
    if app["kind"] == "on-off":
        burst = per_second / _mean_per_second(app, per_second)
        per_second /= burst
    packet = _whole(IP_BYTES + UDP_BYTES + payload, asked.way)
    remarks = () if app["kind"] == "udp" else ("as if its rate were constant",)
    name, ways = asked.flow["name"], (asked.way, asked.back)
    return Offer(name, "udp", payload, packet, 0, per_second, *ways, burst, remarks=remarks)


def _mean_per_second(app: Mapping[str, Any], per_second: float) -> float:
    """Give the packets a second of a source that pauses: the first of each turn goes at once."""
    ratio = 1e9 / per_second / app["on"]
    if app["distribution"] == "pareto":
        raise NoForm("bursts of Pareto vary too much for a mean")
    a_turn = ceil(1 / ratio) if app["distribution"] == "constant" else 1 / -expm1(-ratio)
    return float(a_turn * 1e9 / (app["on"] + app["off"]))


def _ping(asked: Asked) -> Offer:
    app = asked.app
    if app["flood"]:
        raise NoForm("a flood of pings follows the replies")
    # ICMP's header of an echo is as long as UDP's (RFC 792).
    payload, ways = app["payload"], (asked.way, asked.back)
    packet = _whole(IP_BYTES + UDP_BYTES + payload, (*asked.way, *asked.back))
    per_second = 1e9 / app["interval"]
    return Offer(asked.flow["name"], "icmp", payload, packet, packet, per_second, *ways)


def _whole(ip_bytes: int, legs: tuple[Leg, ...]) -> int:
    """Give the length of a packet that no medium is too small for."""
    if ip_bytes > min(leg.mtu for leg in legs):
        raise NoForm(f"its packets of {ip_bytes} bytes are longer than a medium carries")
    return ip_bytes


def _tcp(asked: Asked) -> Offer:
    flow, app = asked.flow, asked.app
    own = zip(flow["stacks"], (flow["from"], flow["to"]), strict=True)
    sender, receiver = (stack or asked.plan["nodes"][node]["stack"] for stack, node in own)
    has_timestamps = sender["timestamps"] and receiver["timestamps"]
    options = TIMESTAMP_BYTES if has_timestamps else 0
    headers = IP_BYTES + TCP_BYTES + options
    longest = min(leg.mtu for leg in (*asked.way, *asked.back))
    mss = min(sender["mss_bytes"], receiver["mss_bytes"], longest - IP_BYTES - TCP_BYTES)
    payload = mss - options
    buffer_bytes = send_buffer_bytes(sender, payload)
    rate, window_bytes = app.get("rate"), _window_bytes(sender, receiver, buffer_bytes)
    return Offer(
        flow["name"],
        "tcp",
        payload,
        headers + payload,
        headers,
        inf if rate is None else rate / (8 * payload),
        asked.way,
        asked.back,
        window_bytes=window_bytes,
        least_window_bytes=min(window_bytes, REFILLED * buffer_bytes),
        segments_per_ack=segments_per_ack(receiver),
        rto_min_s=sender["rto_min_ms"] / 1e3,
        remarks=_tcp_remarks(app),
    )


def segments_per_ack(receiver: Mapping[str, Any]) -> float:
    """Give how many segments an acknowledgement is for, where all is read as it comes.

    A BSD tells of room for two segments as well, and what it acknowledges by number leaves before
    it is read: each such acknowledgement leaves one segment of room untold.
    """
    if not receiver["delayed_ack_ms"]:
        return 1
    counted: float = receiver["delayed_ack_segments"]
    told: float | None = receiver.get("window_update_segments")  # of a BSD
    if told is None:
        return counted
    if not receiver["counts_arrivals"]:
        return told
    return (counted + told - 1) / 2 if counted == told else min(counted, told)


def send_buffer_bytes(sender: Mapping[str, Any], payload: int) -> float:
    """Give how much data the send buffer holds, where it counts the memory of segments, too."""
    memory: float = sender["send_buffer_bytes"]
    beside: float = sender.get("segment_memory_bytes", 0)
    return memory * payload / (payload + beside)


def _window_bytes(
    sender: Mapping[str, Any], receiver: Mapping[str, Any], buffer_bytes: float
) -> float:
    """Give the most that may be on its way; the header has 16 bits for it (RFC 7323 §2.2)."""
    most: float = min(receiver["receive_window_bytes"], buffer_bytes)
    is_scaled = sender["window_scaling"] and receiver["window_scaling"]
    return most if is_scaled else min(most, LARGEST_UNSCALED)


def _tcp_remarks(app: Mapping[str, Any]) -> tuple[str, ...]:
    if app["kind"] == "chariot-throughput":
        return ("the confirmation of each file is left out",)
    if app["kind"] == "nttcp":
        return ("as if one connection lasted",)
    return ("its rate while it lasts",) if app.get("bytes") else ()


_READERS = {
    "udp": _udp,
    "poisson": _udp,
    "on-off": _udp,
    "ping": _ping,
    "bulk": _tcp,
    "nttcp": _tcp,
    "application-limited": _tcp,
    "chariot-throughput": _tcp,
}
