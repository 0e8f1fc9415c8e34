"""Flows that share wires and no channel."""

from collections.abc import Sequence

from anechoic.calc.answer import FlowAnswer
from anechoic.calc.connections import OFFERED, Bottleneck, Shared, connections_of
from anechoic.calc.echoes import echo
from anechoic.calc.limits import (
    Narrowest,
    check_bursts,
    crosses,
    cut_to_wires,
    full_wires,
    narrowest,
    wires_of,
)
from anechoic.calc.offers import NoForm, Offer
from anechoic.calc.queues import queue_of_wire
from anechoic.calc.wires import loss_of


def on_wires(offers: Sequence[Offer]) -> list[FlowAnswer]:
    """Answer for flows each of which crosses a wire with another."""
    tcp = [each for each in offers if each.is_tcp]
    rest = [each for each in offers if not each.is_tcp]
    if tcp and any(each.is_endless for each in rest):
        raise NoForm("a source that never ends leaves connections what its queue lets through")
    check_bursts(rest)
    rest = cut_to_wires(rest)
    _check_echoes(rest)
    found = narrowest(connections_of(tcp), rest)
    if found is None:
        return [offered(each, each.per_second, rest) for each in rest]
    shared = Shared(connections_of(tcp), before_wire(found, tcp, rest))
    answers = []
    for each in rest:
        if found.is_full and crosses(found.wire, each):
            answers.append(shared.behind(offered(each, each.per_second)))
        else:
            answers.append(offered(each, each.per_second, [*rest, *tcp]))
    return answers + shared.answers()


def _check_echoes(offers: Sequence[Offer]) -> None:
    """Raise NoForm if echoes or their answers wait before a wire that is always full."""
    for wire in full_wires(offers):
        for each in offers:
            if each.transport == "icmp" and crosses(wire, each):
                raise NoForm(f"{each.name} waits before {wire.name}, which is full")


def before_wire(found: Narrowest, tcp: Sequence[Offer], others: Sequence[Offer]) -> Bottleneck:
    """Give the narrowest wire of connections as their bottleneck."""
    queues = {
        each.name: queue_of_wire(found.wire, each) for each in tcp if found.wire in wires_of(each)
    }
    return Bottleneck(
        found.per_us,
        "windows over the narrowest wire",
        queues,
        sum(each.burst_per_us for each in others if crosses(found.wire, each)),
        found.most_per_us,
        found.is_full,
    )


def offered(
    offer: Offer, per_second: float, among: Sequence[Offer] = (), form: str = OFFERED
) -> FlowAnswer:
    """Answer for datagrams or echoes of which so many a second get through, among other flows."""
    if offer.transport == "icmp":
        return echo(offer, among)
    rate = per_second * offer.payload_bytes * 8 / 1e6
    through = rate * (1 - loss_of(offer))
    return FlowAnswer(offer.name, form, goodput_mbps=through, remarks=offer.remarks)
