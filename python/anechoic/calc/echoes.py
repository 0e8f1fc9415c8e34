"""The round trip of echoes that other flows leave nearly alone."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import inf

from anechoic.calc.answer import FlowAnswer
from anechoic.calc.channel import loads_of
from anechoic.calc.offers import Offer
from anechoic.calc.round_trip import idle_us
from anechoic.calc.ways import Leg, Radio, Wire
from anechoic.calc.wires import sending_us

ECHO = "echo through the empty network"
LEFT_OUT = 0.05
"""Part of a round trip up to which waits for other flows may be left out of it."""


def echo(offer: Offer, among: Iterable[Offer]) -> FlowAnswer:
    """Answer for an echo if what other flows make it wait is little of its round trip."""
    round_trip_us = idle_us(offer)
    answer = FlowAnswer(offer.name, ECHO, idle_rtt_ms=round_trip_us / 1e3, is_echo=True)
    if longest_wait_us(offer, among) > LEFT_OUT * round_trip_us:
        why = "how long it waits for other flows no closed form says"
        return replace(answer, form="", remarks=(why,))
    return replace(answer, rtt_ms=round_trip_us / 1e3)


def longest_wait_us(offer: Offer, among: Iterable[Offer]) -> float:
    """Give how long an echo waits if it meets a packet of every other flow on each of its media.

    More of them than one may stand there of a source that follows its queue: the wait has no
    bound. An echo that is sent before the one before has come back meets that one, too.
    """
    others = [each for each in among if each.name != offer.name]
    if offer.per_second * _longest_us(offer) > 1e6:
        others.append(offer)
    return sum(_wait_us(leg, other) for leg in (*offer.way, *offer.back) for other in others)


def _longest_us(offer: Offer) -> float:
    """Give its round trip through the empty network with the longest backoffs, twice the mean."""
    return idle_us(offer) + sum(load.radio.spaces.mean_backoff_us for load in loads_of(offer))


def _wait_us(leg: Leg, other: Offer) -> float:
    """Give how long a packet of another flow keeps a medium."""
    if isinstance(leg.medium, Radio):
        sent = sum(load.busy_us + load.radio.spaces.mean_backoff_us for load in loads_of(other))
        return inf if sent and _is_greedy(other) else sent
    if not isinstance(leg.medium, Wire):
        return 0.0
    there = sending_us(leg.medium, other.ip_bytes) if _crosses(other.way, leg.medium) else 0.0
    back = sending_us(leg.medium, other.back_bytes) if _crosses(other.back, leg.medium) else 0.0
    return inf if there and _is_greedy(other) else there + back


def _is_greedy(offer: Offer) -> bool:
    return offer.per_second == inf


def _crosses(way: Sequence[Leg], wire: Wire) -> bool:
    return any(isinstance(leg.medium, Wire) and leg.medium.key == wire.key for leg in way)
