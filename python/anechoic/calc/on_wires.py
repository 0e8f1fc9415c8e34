"""Flows that share wires and no channel."""

from collections.abc import Sequence

from anechoic.calc.answer import FlowAnswer
from anechoic.calc.connections import answer_all, connections_of
from anechoic.calc.limits import capacity_per_us, cut_to_wires
from anechoic.calc.offers import NoForm, Offer
from anechoic.calc.round_trip import idle_us
from anechoic.calc.wires import loss_of

OFFERED = "what is offered"
ECHO = "echo through the empty network"


def on_wires(offers: Sequence[Offer]) -> list[FlowAnswer]:
    """Answer for flows each of which shares a wire with another."""
    tcp = [each for each in offers if each.is_tcp]
    rest = [each for each in offers if not each.is_tcp]
    if tcp and any(each.is_endless for each in rest):
        raise NoForm("a source that never ends leaves connections what its queue lets through")
    rest = cut_to_wires(rest)
    answers = [offered(each, each.per_second) for each in rest]
    if not tcp:
        return answers
    connections = connections_of(tcp)
    capacity = capacity_per_us(tcp, rest)
    return answers + answer_all(connections, capacity, "windows over the narrowest wire", {})


def offered(offer: Offer, per_second: float, form: str = OFFERED) -> FlowAnswer:
    """Answer for datagrams or echoes of which so many a second get through."""
    idle_ms = idle_us(offer) / 1e3
    if offer.transport == "icmp":
        return FlowAnswer(offer.name, ECHO, rtt_ms=idle_ms, idle_rtt_ms=idle_ms, is_echo=True)
    rate = per_second * offer.payload_bytes * 8 / 1e6
    through = rate * (1 - loss_of(offer))
    return FlowAnswer(offer.name, form, goodput_mbps=through, remarks=offer.remarks)
