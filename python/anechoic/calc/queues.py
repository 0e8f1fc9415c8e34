"""The queues in which packets wait before a bottleneck, as far as closed forms know them."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Any

from anechoic.calc.offers import Offer
from anechoic.calc.ways import Radio, Wire
from anechoic.calc.wires import binding_limiter


@dataclass(frozen=True)
class Queue:
    """What packets wait in, and how many of them have room there."""

    place: str
    kind: str
    packets: float

    def why_not(self, waiting: float) -> str | None:
        """Say why nothing is known of how long so many packets wait here, if so it is."""
        if waiting and self.kind != "drop-tail":
            return f"{self.kind} drops at {self.place}, and what is retransmitted is left out"
        if waiting > self.packets:
            return f"the queue of {self.place} overflows, and what is retransmitted is left out"
        return None


def queue_of_radio(radio: Radio, offer: Offer) -> Queue:
    """Give what a flow's packets wait in before a radio."""
    if radio.queue is None:
        return Queue(radio.name, "drop-tail", radio.mac["queue_packets"])
    return _queue(radio.name, radio.queue, offer)


def queue_of_wire(wire: Wire, offer: Offer) -> Queue:
    """Give what a flow's packets wait in before a wire, or before a limiter on it."""
    limiter = binding_limiter(wire, offer)
    if limiter is None:
        return _queue(wire.name, wire.queue, offer)
    return _queue(limiter["name"], {**limiter, "kind": "drop-tail"}, offer)


def _queue(place: str, settings: Mapping[str, Any], offer: Offer) -> Queue:
    most_bytes = settings.get("bytes")
    room = inf if most_bytes is None else most_bytes / offer.ip_bytes
    return Queue(place, settings["kind"], min(settings.get("packets", inf), room))
