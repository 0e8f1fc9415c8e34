"""An access point's stations that get equally many packets, or the same airtime.

The model of T. Høiland-Jørgensen, M. Kazior, D. Täht, P. Hurtig and A. Brunstrom, "Ending the
Anomaly: Achieving Low Latency and Airtime Fairness in WiFi", USENIX ATC 2017: what a station would
get alone, by how long its aggregates are and at which rate they go, times its share of the airtime.
"""

from collections.abc import Sequence
from dataclasses import dataclass

PAYLOAD_BYTES = 1500
PACKET_BYTES = 1542
"""An IP packet, and what it takes of an aggregate with its headers, delimiter and padding."""

_PHY_US = 32.0
_DIFS_US, _SIFS_US, _SLOT_US = 34.0, 16.0, 9.0
_ACK_PHY_US, _ACK_BYTES = 16.0, 58
_MEAN_BACKOFF_SLOTS = 7.5
"""The paper's times: preamble, spaces, what a block acknowledgment takes, half of CWmin."""


@dataclass(frozen=True)
class Aggregates:
    """What goes to a station in one PPDU."""

    rate_mbps: float
    bytes: float

    @property
    def data_us(self) -> float:
        """How long it lasts."""
        return _PHY_US + 8 * self.bytes / self.rate_mbps

    @property
    def cycle_us(self) -> float:
        """From one to the next, with nobody else on the air."""
        ack_us = _ACK_PHY_US + 8 * _ACK_BYTES / self.rate_mbps
        backoff_us = _MEAN_BACKOFF_SLOTS * _SLOT_US
        return self.data_us + _DIFS_US + _SIFS_US + ack_us + backoff_us

    @property
    def packets(self) -> float:
        """How many packets it has."""
        return self.bytes / PACKET_BYTES

    @property
    def alone_mbps(self) -> float:
        """What the station would get alone."""
        return 8 * PAYLOAD_BYTES * self.packets / self.cycle_us


def in_turns(stations: Sequence[Aggregates]) -> list[float]:
    """Give the airtime shares of stations that get an aggregate each in turn: the anomaly."""
    whole = sum(each.data_us for each in stations)
    return [each.data_us / whole for each in stations]


def by_weight(weights: Sequence[float]) -> list[float]:
    """Give the airtime shares of stations that a scheduler of airtime serves by weight."""
    return [weight / sum(weights) for weight in weights]


def goodputs_mbps(stations: Sequence[Aggregates], shares: Sequence[float]) -> list[float]:
    """Give what each station gets with its share of the airtime."""
    return [each.alone_mbps * share for each, share in zip(stations, shares, strict=True)]


def packet_by_packet_mbps(stations: Sequence[Aggregates]) -> float:
    """Give what all get together where packets go in the order in which they come.

    Each station gets equally many packets, so that those with short aggregates have more of them.
    """
    packet_us = sum(each.cycle_us / each.packets for each in stations)
    return 8 * PAYLOAD_BYTES * len(stations) / packet_us
