"""TCP connections behind one bottleneck: the channel, or a wire.

Windows fill the bottleneck and wait before it; or they do not, and each connection has its window
in each round trip. Loss on the way bounds a connection by Padhye's formula, its application by a
rate.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf

from anechoic.calc.answer import FlowAnswer
from anechoic.calc.channel import Load
from anechoic.calc.loss import pftk_per_second
from anechoic.calc.offers import NoForm, Offer
from anechoic.calc.queues import Queue
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

    @property
    def is_whole(self) -> bool:
        """Whether its whole window is on its way whenever it may be."""
        return self.offer.least_window_bytes == self.offer.window_bytes

    @property
    def least_per_us(self) -> float:
        """Give its segments through the empty network with the least of its window."""
        return self.offer.least_window_bytes / self.offer.payload_bytes / self.idle_us

    def is_held_back(self, wait_us: float) -> bool:
        """Whether it is its application that bounds it."""
        return self.per_us(wait_us) == self.offer.per_second / 1e6

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
        own = sum(load.offer.per_second for load in self.others_with_data) / 1e6
        return self.free * self._loop(per_us).segments_per_us - own - per_us

    @property
    def others_with_data(self) -> list[Load]:
        """Give what of the others is sent by radios that send data."""
        radios = {load.radio.name for load in self.data}
        return [load for load in self.others if load.radio.name in radios]

    def _loop(self, per_us: float) -> Loop:
        with_data = self.others_with_data
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


REFILLS = "a send buffer is refilled in parts"
UNSETTLED = "others take most of the bottleneck, and its queue settles for long"
OFFERED = "what is offered"
WINDOW = "window over round trip"
NEARLY = 0.5
"""Part of a capacity from which the segments of a window wait for each other."""

MOST = 0.5
"""The smaller part of a bottleneck (inferred: waits then settle in twice the round trips)."""

_HARDLY_ANY = 1e-9
"""Segments per µs: one in a quarter of an hour."""
_HALVINGS = 24
"""Of the rate, to a ten-millionth."""


@dataclass(frozen=True)
class Bottleneck:
    """What connections together fill, if their windows are large enough: the channel, or a wire."""

    capacity_per_us: float
    form: str
    queues: Mapping[str, Queue]
    """By connection, what its data wait in."""
    others_per_us: float = 0.0
    """Packets of datagrams and echoes that wait there, too, while they are sent."""
    most_per_us: float = inf
    """What connections would have if there were nothing else."""
    is_full: bool = True
    """Whether they want as much; nothing waits before what they don't fill."""

    @property
    def is_mostly_others(self) -> bool:
        """Whether connections have the smaller part of it.

        Their windows fill a queue by what is left of it alone: a wait that others make so much
        longer settles in that many times more round trips, and is not there for most of a run.
        """
        return self.capacity_per_us < MOST * self.most_per_us < inf


@dataclass(frozen=True)
class Shared:
    """Connections behind one bottleneck."""

    connections: Sequence[Connection]
    bottleneck: Bottleneck

    @cached_property
    def wait_us(self) -> float:
        """Give the wait at which all of them together are the bottleneck's capacity."""
        capacity = self.bottleneck.capacity_per_us
        if not self.bottleneck.is_full:
            return 0.0
        return wait(
            lambda waited: sum(each.per_us(waited) for each in self.connections),
            capacity,
            sum(each.window_segments for each in self.connections) / capacity,
        )

    @cached_property
    def why_not(self) -> str | None:
        """Say why the wait is not known, if it is not."""
        waiting: dict[Queue, float] = {}
        for each in self.connections:
            queue = self._queue(each)
            if queue is not None:
                others = self.bottleneck.others_per_us * self.wait_us
                own = each.per_us(self.wait_us) * self.wait_us
                waiting[queue] = waiting.get(queue, others) + own
        said = (queue.why_not(packets) for queue, packets in waiting.items())
        return next(filter(None, said), None)

    def answers(self) -> list[FlowAnswer]:
        """Answer for all of them."""
        return [self._answer(each) for each in self.connections]

    def _answer(self, of: Connection) -> FlowAnswer:
        bits = 8 * of.offer.payload_bytes
        capacity_mbps = self.bottleneck.capacity_per_us * bits
        form = self.bottleneck.form if self.wait_us else _bound(of)
        answer = FlowAnswer(
            of.offer.name,
            form,
            of.per_us(self.wait_us) * bits,
            capacity_mbps,
            # What an application holds back is acknowledged when its receiver's timer ends.
            None if of.is_held_back(self.wait_us) else (of.idle_us + self.wait_us) / 1e3,
            of.idle_us / 1e3,
            bits * of.window_segments / of.idle_us,
            remarks=of.offer.remarks,
        )
        if self.wait_us and self.bottleneck.is_mostly_others:
            return replace(answer, form="", goodput_mbps=None, rtt_ms=None, remarks=(UNSETTLED,))
        if self.why_not is not None:
            return self._overflowing(answer, self.why_not)
        if of.is_held_back(self.wait_us) and (why := self._opening(of)) is not None:
            return replace(answer, form="", goodput_mbps=None, remarks=(why,))
        if self.wait_us:
            return self._waiting(answer)
        return _of_window(answer, of, self.bottleneck) if form == WINDOW else answer

    def _opening(self, of: Connection) -> str | None:
        """Say why it is not settled for long, if what its application writes is lost at first.

        A window doubles in a round trip of slow start (RFC 5681 §3.1): half of it comes while the
        other half leaves.
        """
        queue = self._queue(of)
        there = [each for each in self.connections if queue == self._queue(each)]
        on_way = (each.per_us(self.wait_us) * (each.idle_us + self.wait_us) for each in there)
        if queue is None or sum(on_way) / 2 <= queue.packets:
            return None
        return f"the queue of {queue.place} overflows while windows open: what waits is left out"

    def _queue(self, of: Connection) -> Queue | None:
        return self.bottleneck.queues.get(of.offer.name)

    def _overflowing(self, answer: FlowAnswer, why: str) -> FlowAnswer:
        """Give what losses leave: at most all, if there is nobody to share it with."""
        if len(self.connections) > 1:
            why = f"{why}: who gets how much no closed form says"
            return replace(answer, form="", goodput_mbps=None, rtt_ms=None, remarks=(why,))
        most = self.bottleneck.most_per_us * 8 * self.connections[0].offer.payload_bytes
        return _at_most(replace(answer, goodput_mbps=most), why)

    def _waiting(self, answer: FlowAnswer) -> FlowAnswer:
        """Give what windows share, if it is known how much of them is on its way."""
        if all(each.is_whole for each in self.connections):
            return answer
        least = sum(each.least_per_us for each in self.connections)
        if len(self.connections) == 1 and least > self.bottleneck.capacity_per_us:
            return replace(answer, rtt_ms=None)
        return self._overflowing(answer, REFILLS)

    def behind(self, answer: FlowAnswer) -> FlowAnswer:
        """Give an answer for datagrams or an echo that wait where the connections' data do."""
        if not self.wait_us:
            return answer
        if not answer.is_echo:
            if self.why_not is None:
                return answer
            why = f"{self.why_not}: who gets how much no closed form says"
            return replace(answer, form="", goodput_mbps=None, remarks=(why,))
        why_not = UNSETTLED if self.bottleneck.is_mostly_others else self.why_not
        if why_not is None and not all(each.is_whole for each in self.connections):
            why_not = REFILLS
        if why_not is not None or answer.rtt_ms is None:
            told = [f"how long it waits no closed form says: {why_not}"] if why_not else []
            return replace(answer, form="", rtt_ms=None, remarks=(*answer.remarks, *told))
        form, waited_ms = "echo behind the connections' windows", self.wait_us / 1e3
        return replace(answer, form=form, rtt_ms=answer.rtt_ms + waited_ms)


def _of_window(answer: FlowAnswer, of: Connection, bottleneck: Bottleneck) -> FlowAnswer:
    """Give what a window brings through, which is a bound where it does not leave whole at once."""
    if not of.is_whole:
        return _at_most(answer, REFILLS)
    if of.per_us(0.0) > NEARLY * bottleneck.capacity_per_us:
        return _at_most(answer, "its window nearly fills the way")
    return answer


def _at_most(answer: FlowAnswer, why: str) -> FlowAnswer:
    return replace(answer, rtt_ms=None, is_most=True).noting([f"at most: {why}"])


def connections_of(tcp: Sequence[Offer]) -> list[Connection]:
    """Give connections with their round trip through the empty network and their loss."""
    return [Connection(each, idle_us(each), loss_of(each)) for each in tcp]


def _bound(of: Connection) -> str:
    """Name what a connection is bound by that does not fill the bottleneck."""
    if of.is_held_back(0.0):
        return OFFERED
    window = of.window_segments / of.idle_us
    return WINDOW if of.per_us(0.0) == window else "Padhye et al. 1998"


def _side(loads: Sequence[tuple[float, Load]]) -> Side:
    """Give those that send, all alike: their mean exchange."""
    radios = {load.radio.name for _, load in loads}
    total = sum(rate for rate, _ in loads) or 1.0
    parts = [(rate / total, load) for rate, load in loads]
    busy = sum(part * load.busy_us for part, load in parts)
    first = sum(part * (load.exchange.first_us + load.radio.spaces.difs_us) for part, load in parts)
    return Side(len(radios), busy, first)
