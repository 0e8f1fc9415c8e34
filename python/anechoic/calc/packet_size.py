"""Packet size and transmission probability: how either decides what saturated stations share.

The Markov-chain model of the distributed coordination function (G. Bianchi, IEEE JSAC 18(3), 2000)
gives how often each station transmits; what a transmission carries and how likely bits of it are
wrong are put around it.
"""

from collections.abc import Sequence

from anechoic.calc.loss import packet_loss
from anechoic.calc.saturation import Contender, Saturated, throughput_at
from anechoic.calc.timing import IP_BYTES, MPDU_OVERHEAD_BYTES, UDP_BYTES, Radio, ip_msdu_bytes


def goodput_mbps(
    radio: Radio, stations: int, payload_bytes: int, bit_error_rate: float = 0.0
) -> float:
    """Give the UDP payload that so many stations bring through together.

    With bit errors a part of the frames is in vain; their senders' longer backoff is left out, so
    that it is good for losses that are rare beside collisions.
    """
    msdu = ip_msdu_bytes(IP_BYTES + UDP_BYTES + payload_bytes)
    contender = Contender.of(radio.spaces, radio.exchange(msdu), payload_bytes, stations)
    intact = 1 - packet_loss(bit_error_rate, msdu + MPDU_OVERHEAD_BYTES)
    return Saturated((contender,), radio.spaces.slot_us).throughput_mbps() * intact


def best_payload_bytes(
    radio: Radio, stations: int, payloads: Sequence[int], bit_error_rate: float = 0.0
) -> int:
    """Give the one of these payloads that brings most through."""
    return max(payloads, key=lambda each: goodput_mbps(radio, stations, each, bit_error_rate))


def goodput_at_mbps(radio: Radio, stations: int, payload_bytes: int, tau: float) -> float:
    """Give the same without bit errors if each station transmits in a slot with tau."""
    msdu = ip_msdu_bytes(IP_BYTES + UDP_BYTES + payload_bytes)
    of = Contender.of(radio.spaces, radio.exchange(msdu), payload_bytes, stations)
    slot = radio.spaces.slot_us
    return of.payload_bits * throughput_at(tau, stations, slot, of.success_us, of.collision_us)
