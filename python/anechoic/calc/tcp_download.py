"""Goodput of one TCP download over 802.11b in closed form.

A cycle of two data MSDUs and the one TCP ACK that answers them, as a station with a delayed
acknowledgement sends it, is added up from the standard's durations. Its mean backoff lies between
`BACKOFF_ALONE` (every access waits for its own backoff) and `BACKOFF_SHARED` (access point and
station count down together), so that the two bound what a correct simulation can show.

Times are in microseconds. The model has no losses, collisions, beacons or rate changes.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

SLOT_US = 20.0
"""Slot time of 802.11b (IEEE 802.11-2020, clause 16, PHY characteristics)."""
SIFS_US = 10.0
"""Short interframe space of 802.11b (IEEE 802.11-2020, clause 16, PHY characteristics)."""
DIFS_US = SIFS_US + 2 * SLOT_US
"""DCF interframe space (IEEE 802.11-2020, clause 10: SIFS and two slots)."""
LONG_PREAMBLE_US = 192.0
"""Long preamble and PLCP header: 144 + 48 bits at 1 Mbit/s (IEEE 802.11-2020, clause 16)."""
SHORT_PREAMBLE_US = 96.0
"""Short preamble at 1 and PLCP header at 2 Mbit/s: 72 + 24 µs (IEEE 802.11-2020, clause 16)."""
CONTROL_RATE_MBPS = 2.0
"""Rate of ACK, CTS and RTS; inferred: the highest basic rate of access points of the time."""

ACK_BYTES = CTS_BYTES = 14
RTS_BYTES = 20
MAC_OVERHEAD_BYTES = 24 + 4
"""MAC header and FCS of a frame within one BSS."""
MSS_BYTES = 1460
"""Of Ethernet's 1500 bytes, less IP and TCP headers without options."""
DATA_MSDU_BYTES = 8 + 20 + 20 + MSS_BYTES
"""LLC/SNAP, IP and TCP headers and a full segment: 1508, so that the MPDU has 1536 bytes."""
TCP_ACK_MPDU_BYTES = MAC_OVERHEAD_BYTES + 8 + 20 + 20
"""An MPDU that carries a bare TCP ACK without options: 76 bytes."""

BACKOFF_ALONE = 15.5
"""Mean of a backoff drawn from 0…31 slots (CWmin = 31)."""
BACKOFF_SHARED = 8.5
"""Mean backoff when both sides count down together; inferred from the overlap of two draws."""


@dataclass(frozen=True)
class Setting:
    """What the access point and the radio are set to."""

    fragmentation_threshold: int = 2346
    rts: bool = False
    preamble_us: float = LONG_PREAMBLE_US
    data_rate_mbps: float = 11.0
    mean_backoff_slots: float = BACKOFF_ALONE


def fragment_lengths(threshold_bytes: int) -> list[int]:
    """Give the MPDU lengths of the burst that carries one full segment.

    The threshold counts the whole MPDU, so 1536 leaves a full segment in one piece.
    """
    room = threshold_bytes - MAC_OVERHEAD_BYTES
    count = ceil(DATA_MSDU_BYTES / room)
    last = DATA_MSDU_BYTES - (count - 1) * room + MAC_OVERHEAD_BYTES
    return [threshold_bytes] * (count - 1) + [last]


def rts_exchange_us(preamble_us: float) -> float:
    """Give what RTS, CTS and two SIFS add to a burst: 540 µs with the long preamble."""
    return _control_us(RTS_BYTES, preamble_us) + _control_us(CTS_BYTES, preamble_us) + 2 * SIFS_US


def data_us(setting: Setting) -> float:
    """Give the mean time from one exchange's end to that of the burst with a segment."""
    lengths = fragment_lengths(setting.fragmentation_threshold)
    burst = sum(_acknowledged_us(length, setting) for length in lengths)
    between = (len(lengths) - 1) * SIFS_US
    rts = rts_exchange_us(setting.preamble_us) if setting.rts else 0.0
    return _access_us(setting) + rts + burst + between


def tcp_ack_us(setting: Setting) -> float:
    """Give the mean time of a bare TCP ACK, which the station never precedes by an RTS."""
    return _access_us(setting) + _acknowledged_us(TCP_ACK_MPDU_BYTES, setting)


def goodput_mbps(setting: Setting) -> float:
    """Give TCP payload over time, for one TCP ACK per two segments."""
    payload_bits = 2 * 8 * MSS_BYTES
    return payload_bits / (2 * data_us(setting) + tcp_ack_us(setting))


def _access_us(setting: Setting) -> float:
    return DIFS_US + SLOT_US * setting.mean_backoff_slots


def _acknowledged_us(mpdu_bytes: int, setting: Setting) -> float:
    data = setting.preamble_us + 8 * mpdu_bytes / setting.data_rate_mbps
    return data + SIFS_US + _control_us(ACK_BYTES, setting.preamble_us)


def _control_us(frame_bytes: int, preamble_us: float) -> float:
    return preamble_us + 8 * frame_bytes / CONTROL_RATE_MBPS
