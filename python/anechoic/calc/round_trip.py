"""The round trip of a lone packet and its answer through an empty network.

A wire takes its delay and the packet's length over its rate. A radio whose medium has been idle
sends at once (IEEE 802.11-2007 §9.2.5.1), so that a packet is there when its last frame ends; who
has to send while the ACK of the frame before is still out waits for its end, DIFS and, as the
medium was busy, a backoff.
"""

from anechoic.calc.offers import Offer
from anechoic.calc.timing import Exchange
from anechoic.calc.ways import Radio, Wire
from anechoic.calc.wires import constant_delay_us, wire_us


def idle_us(offer: Offer) -> float:
    """Give the mean time from a packet's departure to its answer's arrival."""
    legs = [
        *((leg, offer.ip_bytes) for leg in offer.way),
        *((leg, offer.back_bytes) for leg in offer.back),
    ]
    now, free_at = 0.0, 0.0
    for leg, ip_bytes in legs:
        if isinstance(leg.medium, Wire):
            now += wire_us(leg.medium, ip_bytes) + constant_delay_us(leg.medium)
        elif isinstance(leg.medium, Radio):
            exchange = leg.medium.exchange(ip_bytes)
            now = _begins_us(now, free_at, leg.medium) + _until_data_us(exchange)
            free_at = now + exchange.sifs_us + exchange.parts[-1].airtime_us
    return now


def _begins_us(now: float, free_at: float, radio: Radio) -> float:
    """When a frame begins that is wanted now: at once, or behind what keeps the medium busy."""
    spaces = radio.spaces
    if free_at == 0.0 or now >= free_at + spaces.difs_us:
        return now
    backoff = spaces.mean_backoff_us if now < free_at else 0.0
    return free_at + spaces.difs_us + backoff


def _until_data_us(exchange: Exchange) -> float:
    last = exchange.parts[-1]
    return exchange.duration_us - exchange.sifs_us - last.airtime_us
