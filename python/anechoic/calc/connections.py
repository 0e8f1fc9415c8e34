"""TCP connections behind one bottleneck: the channel, or a wire.

Windows fill the bottleneck and wait before it; or they do not, and each connection has its window
in each round trip. Loss on the way bounds a connection by Padhye's formula, its application by a
rate.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from anechoic.calc.answer import FlowAnswer
from anechoic.calc.channel import Load
from anechoic.calc.loss import pftk_per_second
from anechoic.calc.offers import NoForm, Offer
from anechoic.calc.round_trip import idle_us
from anechoic.calc.saturation import Backoff
from anechoic.calc.tcp_loop import Loop, Side
from anechoic.calc.window import wait
from anechoic.calc.wires import loss_of


@dataclass(frozen=True)
class Connection:
    """A connection, and what bounds it besides the bottleneck."""

    offer: Offer
    idle_us: float
    loss: float

    @property
    def window_segments(self) -> float:
        """Full segments of its window."""
        return self.offer.window_bytes / self.offer.payload_bytes

    def per_us(self, wait_us: float) -> float:
        """Give its segments if they wait so long before the bottleneck."""
        rtt_us = self.idle_us + wait_us
        rate = min(self.window_segments / rtt_us, self.offer.per_second / 1e6)
        if not self.loss:
            return rate
        rtt_s = rtt_us / 1e6
        # Round trips vary little: the timeout is the least one, or else the round trip (inferred).
        timeout_s = max(self.offer.rto_min_s, rtt_s)
        lossy = pftk_per_second(self.loss, rtt_s, timeout_s, self.offer.segments_per_ack)
        return min(rate, lossy / 1e6)


@dataclass(frozen=True)
class Channel:
    """What of the channel connections have: their segments, and what others send meanwhile."""

    data: Sequence[Load]
    """What carries the data of each connection."""
    acks: Sequence[Load]
    """What carries their acknowledgments."""
    others: Sequence[Load]
    """Packets of others, at their rates: who sends data has them in its queue, too."""
    window_segments: float
    free: float
    """The part of the time that is left for all of these."""

    def solve(self) -> tuple[float, float]:
        """Give the segments per µs of all connections, and how likely a transmission collides."""
        if not self.others:
            loop = self._loop(1.0)
            return self.free * loop.segments_per_us, loop.collision_probability
        low, (high, _) = _HARDLY_ANY, replace(self, others=()).solve()
        if self._excess(low) <= 0:
            raise NoForm("datagrams and echoes ask for more than the channel carries")
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if self._excess(middle) > 0 else (low, middle)
        return low, self._loop(low).collision_probability

    def _excess(self, per_us: float) -> float:
        """Give how many segments more get through than these, if there are so many of them."""
        own = sum(load.offer.per_second for load in self._others_with_data) / 1e6
        return self.free * self._loop(per_us).segments_per_us - own - per_us

    @property
    def _others_with_data(self) -> list[Load]:
        radios = {load.radio.name for load in self.data}
        return [load for load in self.others if load.radio.name in radios]

    def _loop(self, per_us: float) -> Loop:
        with_data = self._others_with_data
        data = [(per_us / len(self.data), load) for load in self.data]
        data += [(load.offer.per_second / 1e6, load) for load in with_data]
        acks = [(per_us / len(self.acks) / load.offer.segments_per_ack, load) for load in self.acks]
        acks += [
            (each.offer.per_second / 1e6, each) for each in self.others if each not in with_data
        ]
        radio = self.data[0].radio
        return Loop(
            _side(data),
            _side(acks),
            Backoff.of(radio.spaces, radio.mac["short_retry_limit"]),
            radio.spaces.slot_us,
            sum(rate for rate, _ in data) / sum(rate for rate, _ in acks),
            self.window_segments,
        )


_HARDLY_ANY = 1e-9
"""Segments per µs: one in a quarter of an hour."""
_HALVINGS = 24
"""Of the rate, to a ten-millionth."""


def wait_us(connections: Sequence[Connection], capacity_per_us: float) -> float:
    """Give the wait at which all connections together are the bottleneck's capacity."""
    return wait(
        lambda waited: sum(each.per_us(waited) for each in connections),
        capacity_per_us,
        sum(each.window_segments for each in connections) / capacity_per_us,
    )


def connections_of(tcp: Sequence[Offer]) -> list[Connection]:
    """Give connections with their round trip through the empty network and their loss."""
    return [Connection(each, idle_us(each), loss_of(each)) for each in tcp]


def answer_all(
    connections: Sequence[Connection],
    capacity_per_us: float,
    form: str,
    queues: Mapping[str, tuple[str, int]],
) -> list[FlowAnswer]:
    """Answer for connections behind one bottleneck.

    ``queues`` names where each one's data wait, and how many packets have room there.
    """
    waited = wait_us(connections, capacity_per_us)
    full = _overflowing(connections, queues, waited)
    return [_answer(each, connections, capacity_per_us, waited, form, full) for each in connections]


def _answer(
    of: Connection,
    all_of: Sequence[Connection],
    capacity_per_us: float,
    waited: float,
    form: str,
    full: str | None,
) -> FlowAnswer:
    bits = 8 * of.offer.payload_bytes
    rate, rtt_us = of.per_us(waited), of.idle_us + waited
    answer = FlowAnswer(
        of.offer.name,
        form if waited else _bound(of),
        rate * bits,
        capacity_per_us * bits,
        rtt_us / 1e3,
        of.idle_us / 1e3,
        bits * of.window_segments / of.idle_us,
        remarks=of.offer.remarks,
    )
    if full is None:
        return answer
    # Losses make windows alike, whatever they may grow to.
    why = f"at most: the queue of {full} overflows, and what is sent again is left out"
    shared = capacity_per_us * bits / len(all_of)
    return replace(answer, goodput_mbps=shared, rtt_ms=None).noting([why])


def _bound(of: Connection) -> str:
    """Name what a connection is bound by that does not fill the bottleneck."""
    if of.per_us(0.0) == of.offer.per_second / 1e6:
        return "what is offered"
    window = of.window_segments / of.idle_us
    return "window over round trip" if of.per_us(0.0) == window else "Padhye et al. 1998"


def _overflowing(
    connections: Sequence[Connection], queues: Mapping[str, tuple[str, int]], waited: float
) -> str | None:
    """Name a queue that holds less than what waits."""
    waiting: dict[str, float] = {}
    for each in connections:
        if each.offer.name in queues:
            name, room = queues[each.offer.name]
            waiting[name] = waiting.get(name, 0.0) + each.per_us(waited) * waited / room
    return next((name for name, part in waiting.items() if part > 1), None)


def _side(loads: Sequence[tuple[float, Load]]) -> Side:
    """Give those that send, all alike: their mean exchange."""
    radios = {load.radio.name for _, load in loads}
    total = sum(rate for rate, _ in loads) or 1.0
    parts = [(rate / total, load) for rate, load in loads]
    busy = sum(part * load.busy_us for part, load in parts)
    first = sum(part * (load.exchange.first_us + load.radio.spaces.difs_us) for part, load in parts)
    return Side(len(radios), busy, first)
