"""Wires that several flows share: how much of each is left for whom."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import inf, isinf

from anechoic.calc.offers import NoForm, Offer
from anechoic.calc.ways import Wire
from anechoic.calc.wires import capacity_mbps


def wires_of(offer: Offer) -> list[Wire]:
    """Give the wires that a flow's own packets cross."""
    return [leg.medium for leg in offer.way if isinstance(leg.medium, Wire)]


def cut_to_wires(offers: Sequence[Offer]) -> list[Offer]:
    """Give datagrams and echoes at the rate that their wires let through.

    What is endless shares a wire evenly; other sources that are together more than their wire have
    no form, as it decides by its queue who loses.
    """
    found = list(offers)
    for wire in _distinct(offers):
        on_it = [at for at, each in enumerate(found) if wire.key in _keys(each) and not each.is_tcp]
        endless = [at for at in on_it if isinf(found[at].per_second)]
        taken = sum(_part(wire, found[at]) for at in on_it if at not in endless)
        if taken > 1:
            raise NoForm(f"more is offered than {wire.name} carries")
        for at in endless:
            most = (1 - taken) / len(endless) / _part(wire, replace(found[at], per_second=1.0))
            found[at] = replace(found[at], per_second=most)
    return found


def narrowest(connections: Sequence[Offer], others: Iterable[Offer]) -> tuple[float, Wire | None]:
    """Give the segments that the narrowest wire lets through of connections, and that wire."""
    best: tuple[float, Wire | None] = (inf, None)
    rest = list(others)
    for wire in _distinct(connections):
        on_it = [each for each in connections if wire.key in _keys(each)]
        taken = sum(_part(wire, each) for each in rest if wire.key in _keys(each))
        offer = max(on_it, key=lambda each: each.ip_bytes)
        here = max(1 - taken, 0.0) * capacity_mbps(wire, offer) / (8 * offer.payload_bytes)
        if here < best[0] and len(on_it) < len(connections):
            # It binds only if its own connections want more than their part of what binds all.
            here = here * len(connections) / len(on_it)
        if here < best[0]:
            best = here, wire
    return best


def crosses(wire: Wire, offer: Offer) -> bool:
    """Whether a flow's packets, or what answers them, have to go through a wire."""
    return wire.key in _crossed(offer)


def check_directions(connections: Sequence[Offer]) -> None:
    """Raise NoForm if data of one that would fill a wire wait where another's answers do."""
    greedy = [each for each in connections if isinf(each.per_second)]
    for wire in _distinct(greedy):
        others = [each for each in greedy if wire.key not in _keys(each)]
        if any(crosses(wire, each) for each in others):
            raise NoForm(f"{wire.name} has data and acknowledgments of others: its queue decides")


def together(offers: Sequence[Offer]) -> list[list[Offer]]:
    """Give the flows in groups that share wires, by their packets or by what answers them."""
    groups: list[list[Offer]] = []
    for offer in offers:
        own = _crossed(offer)
        touching = [g for g in groups if any(own & _crossed(each) for each in g)]
        groups = [g for g in groups if g not in touching]
        groups.append([each for g in touching for each in g] + [offer])
    return groups


def _distinct(offers: Iterable[Offer]) -> list[Wire]:
    return list({wire.key: wire for offer in offers for wire in wires_of(offer)}.values())


def _keys(offer: Offer) -> set[tuple[str, int]]:
    return {wire.key for wire in wires_of(offer)}


def _crossed(offer: Offer) -> set[tuple[str, int]]:
    back = offer.back if offer.back_bytes else ()
    return {leg.medium.key for leg in (*offer.way, *back) if isinstance(leg.medium, Wire)}


def _part(wire: Wire, offer: Offer) -> float:
    """Give the part of a wire that a flow takes."""
    return offer.rate_mbps / capacity_mbps(wire, offer)
