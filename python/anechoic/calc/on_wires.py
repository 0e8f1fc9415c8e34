"""Flows that share wires and no channel."""

from collections.abc import Sequence

from anechoic.calc.answer import FlowAnswer
from anechoic.calc.connections import Bottleneck, Shared, connections_of
from anechoic.calc.limits import check_directions, crosses, cut_to_wires, narrowest, wires_of
from anechoic.calc.offers import NoForm, Offer
from anechoic.calc.queues import queue_of_wire
from anechoic.calc.round_trip import idle_us
from anechoic.calc.ways import Wire
from anechoic.calc.wires import loss_of

OFFERED = "what is offered"
ECHO = "echo through the empty network"


def on_wires(offers: Sequence[Offer]) -> list[FlowAnswer]:
    """Answer for flows each of which crosses a wire with another."""
    tcp = [each for each in offers if each.is_tcp]
    rest = [each for each in offers if not each.is_tcp]
    if tcp and any(each.is_endless for each in rest):
        raise NoForm("a source that never ends leaves connections what its queue lets through")
    rest = cut_to_wires(rest)
    answers = [offered(each, each.per_second) for each in rest]
    check_directions(tcp)
    per_us, wire = narrowest(tcp, rest)
    if wire is None:
        return answers
    shared = Shared(connections_of(tcp), before_wire(per_us, wire, tcp))
    answers = [
        shared.behind(answer) if crosses(wire, each) else answer
        for answer, each in zip(answers, rest, strict=True)
    ]
    return answers + shared.answers()


def before_wire(per_us: float, wire: Wire, tcp: Sequence[Offer]) -> Bottleneck:
    """Give a wire that lets so many segments through of connections, as their bottleneck."""
    queues = {each.name: queue_of_wire(wire, each) for each in tcp if wire in wires_of(each)}
    return Bottleneck(per_us, "windows over the narrowest wire", queues)


def offered(offer: Offer, per_second: float, form: str = OFFERED) -> FlowAnswer:
    """Answer for datagrams or echoes of which so many a second get through."""
    idle_ms = idle_us(offer) / 1e3
    if offer.transport == "icmp":
        return FlowAnswer(offer.name, ECHO, rtt_ms=idle_ms, idle_rtt_ms=idle_ms, is_echo=True)
    rate = per_second * offer.payload_bytes * 8 / 1e6
    through = rate * (1 - loss_of(offer))
    return FlowAnswer(offer.name, form, goodput_mbps=through, remarks=offer.remarks)
