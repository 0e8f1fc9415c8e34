"""Goodput of one TCP transfer over Wi-Fi between two bounds.

A cycle of data MSDUs and the one TCP ACK that answers them is added up from the MAC's own
exchanges. The mean backoff of an access lies between CWmin/2 slots (every access waits for its own
backoff) and `BACKOFF_SHARED` (access point and station count down together), so that the two bound
what a correct simulation can show. There are no losses, collisions or beacons.
"""

from dataclasses import dataclass, field, replace

from anechoic.calc.timing import IP_BYTES, TCP_BYTES, Radio, ip_msdu_bytes

BACKOFF_ALONE = Radio().spaces.cw_min / 2
"""Mean slots of a backoff drawn from 0 to CWmin of 802.11b."""
BACKOFF_SHARED = 8.5
"""Mean slots when both sides count down together; inferred from the overlap of two draws."""
NO_RTS = 2347
"""dot11RTSThreshold above every frame (IEEE 802.11-2007 Annex D)."""


@dataclass(frozen=True)
class Transfer:
    """A transfer: the sender's radio, and what TCP does."""

    radio: Radio = field(default_factory=Radio)
    mean_backoff_slots: float = BACKOFF_ALONE
    segment_bytes: int = 1460
    segments_per_ack: float = 2
    """One ACK for so many segments: two with a delayed acknowledgement (RFC 1122)."""

    @property
    def data_us(self) -> float:
        """The mean time from one exchange's end to that of the burst with a segment."""
        return self._after_access_us(self.radio, self.segment_bytes)

    @property
    def tcp_ack_us(self) -> float:
        """The same of a bare TCP ACK, which the other side never precedes by an RTS."""
        return self._after_access_us(replace(self.radio, rts_threshold=NO_RTS), 0)

    @property
    def goodput_mbps(self) -> float:
        """Payload over time."""
        cycle = self.segments_per_ack * self.data_us + self.tcp_ack_us
        return self.segments_per_ack * 8 * self.segment_bytes / cycle

    def duplicated_mbps(self, part: float, acks_per_duplicate: float) -> float:
        """Goodput when a part of the segments is sent twice.

        A duplicate carries nothing and provokes an ACK at once, which may or may not stand for one
        that would have been sent anyway: one or two for each two segments.
        """
        cycle = self.segments_per_ack * (1 + part) * self.data_us
        cycle += (1 + acks_per_duplicate * part) * self.tcp_ack_us
        return self.segments_per_ack * 8 * self.segment_bytes / cycle

    def _after_access_us(self, radio: Radio, payload_bytes: int) -> float:
        spaces = radio.spaces
        access = spaces.difs_us + spaces.slot_us * self.mean_backoff_slots
        msdu = ip_msdu_bytes(IP_BYTES + TCP_BYTES + payload_bytes)
        return access + radio.exchange(msdu).duration_us
