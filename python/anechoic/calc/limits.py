"""Wires that several flows share: how much of each is left for whom."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from anechoic.calc.connections import Connection
from anechoic.calc.offers import NoForm, Offer
from anechoic.calc.ways import Leg, Wire
from anechoic.calc.wires import capacity_mbps

_NEARLY_FULL = 1 - 1e-9
_FULL = 1 + 1e-9
"""The whole of a wire, sums of parts rounded."""


def wires_of(offer: Offer) -> list[Wire]:
    """Give the wires that a flow's own packets cross."""
    return _wires(offer.way)


def cut_to_wires(offers: Sequence[Offer]) -> list[Offer]:
    """Give datagrams and echoes at the rate that the wires in front of their first radio allow.

    Endless sources of one wire take turns, packet by packet. Several flows that are together more
    than a wire have no form, as its queue decides who loses.
    """
    found = list(offers)
    for wire in _distinct_of(_before_radio(each) for each in offers):
        on_it = [at for at, each in enumerate(found) if wire in _before_radio(each)]
        endless = [at for at in on_it if found[at].is_endless]
        taken = sum(_part(wire, found[at]) for at in on_it if at not in endless)
        if taken > _FULL and len(on_it) == 1:
            (at,) = on_it
            found[at] = replace(found[at], per_second=found[at].per_second / taken)
        elif taken > _FULL or (endless and taken >= 1):
            raise NoForm(f"more is offered than {wire.name} carries")
        elif endless and taken and wire.queue["kind"] != "drop-tail":
            raise NoForm(f"{wire.queue['kind']} at {wire.name} drops what has a rate, too")
        elif endless:
            together = sum(_part(wire, replace(found[at], per_second=1.0)) for at in endless)
            for at in endless:
                found[at] = replace(found[at], per_second=(1 - taken) / together)
    return found


def full_wires(offers: Sequence[Offer]) -> list[Wire]:
    """Give the wires of which datagrams and echoes leave nothing."""
    return [
        wire
        for wire in _distinct(offers)
        if sum(_part(wire, each) for each in offers if _fills(wire, each)) > _NEARLY_FULL
    ]


def check_behind_radios(through: Sequence[Offer]) -> None:
    """Raise NoForm if what comes through the air is more than a wire behind it carries."""
    for wire in _distinct(through):
        on_it = [each for each in through if _fills(wire, each)]
        if sum(_part(wire, each) for each in on_it) > _FULL:
            raise NoForm(f"more comes through than {wire.name} carries: its queue decides")


def check_bursts(offers: Sequence[Offer]) -> None:
    """Raise NoForm if sources that pause send more than a wire carries while they do not."""
    bursts = [replace(each, per_second=each.per_second * each.burst) for each in offers]
    for wire in _distinct(bursts):
        on_it = [each for each in bursts if _fills(wire, each) and not each.is_endless]
        taken = sum(_part(wire, each) for each in on_it)
        if any(each.burst > 1 for each in on_it) and taken > _FULL:
            raise NoForm(f"bursts are more than {wire.name} carries: its queue decides")


def _before_radio(offer: Offer) -> list[Wire]:
    media = [leg.medium for leg in offer.way]
    return list(takewhile(lambda medium: isinstance(medium, Wire), media))  # type: ignore[arg-type]


@dataclass(frozen=True)
class Narrowest:
    """What wires let through of connections."""

    per_us: float
    """Segments of those that cross it."""
    wire: Wire
    most_per_us: float
    """The same if nothing else crossed it."""
    is_full: bool
    """Whether they want as much."""


def narrowest(connections: Sequence[Connection], others: Iterable[Offer]) -> Narrowest | None:
    """Find the wire that holds connections back, or else the narrowest of their ways.

    Raise NoForm if it is not the way of all of them, or of the acknowledgments of some.
    """
    rest, found = list(others), list[Narrowest]()
    for wire in full_wires(rest):
        if any(crosses(wire, each.offer) for each in connections):
            raise NoForm(f"datagrams leave connections nothing of {wire.name}")
    for wire in _distinct(each.offer for each in connections):
        on_it = [each for each in connections if wire in wires_of(each.offer)]
        taken = sum(_part(wire, each) for each in rest if _fills(wire, each))
        offer = max((each.offer for each in on_it), key=lambda each: each.ip_bytes)
        most = capacity_mbps(wire, offer) / (8 * offer.payload_bytes)
        per_us = (1 - taken) * most
        is_full = sum(each.per_us(0.0) for each in on_it) > per_us
        found.append(Narrowest(per_us, wire, most, is_full))
    full = [each for each in found if each.is_full]
    for each in full:
        for connection in connections:
            if each.wire not in wires_of(connection.offer):
                raise NoForm(f"{each.wire.name} holds some connections back and not others")
            if each.wire in _wires(connection.offer.back):
                raise NoForm(f"{each.wire.name} has data and acknowledgments: its queue decides")
    return min(full or found, key=lambda each: each.per_us, default=None)


def crosses(wire: Wire, offer: Offer) -> bool:
    """Whether a flow's packets, or what answers them, have to go through a wire."""
    return wire.key in _crossed(offer)


def together(offers: Sequence[Offer]) -> list[list[Offer]]:
    """Give the flows in groups that share wires, by their packets or by what answers them."""
    groups: list[list[Offer]] = []
    for offer in offers:
        own = _crossed(offer)
        touching = [g for g in groups if any(own & _crossed(each) for each in g)]
        groups = [g for g in groups if g not in touching]
        groups.append([each for g in touching for each in g] + [offer])
    return groups


def _wires(way: Iterable[Leg]) -> list[Wire]:
    return [leg.medium for leg in way if isinstance(leg.medium, Wire)]


def _distinct(offers: Iterable[Offer]) -> list[Wire]:
    return _distinct_of(map(wires_of, offers))


def _distinct_of(ways: Iterable[Sequence[Wire]]) -> list[Wire]:
    return list({wire.key: wire for way in ways for wire in way}.values())


def _crossed(offer: Offer) -> set[tuple[str, int]]:
    back = offer.back if offer.back_bytes else ()
    return {wire.key for wire in _wires((*offer.way, *back))}


def _fills(wire: Wire, offer: Offer) -> bool:
    """Whether packets of a flow's length cross a wire: its own, or the answers to echoes."""
    return wire.key in _crossed(offer) if offer.transport == "icmp" else wire in wires_of(offer)


def _part(wire: Wire, offer: Offer) -> float:
    """Give the part of a wire that a flow takes."""
    return offer.rate_mbps / capacity_mbps(wire, offer)
