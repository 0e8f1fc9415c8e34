"""Transactions over 802.11b, and what capacity one kind takes from another.

T. T. T. Nguyen and G. J. Armitage, "Quantitative Assessment of IP Service Quality in 802.11b
Networks", Tables 1 and 2 and section IV.A: a transaction is a TCP segment and its TCP ACK, or an
echo request and its reply. The paper's sums differ from the standard's: each frame has a MAC header
of 30 bytes and is preceded by RTS and CTS at 1 Mbit/s, its ACK goes at 11 Mbit/s, nobody backs off,
and nothing is rounded but the ACK's 203 µs. `PRINTED` has them as printed, `transaction_us` as the
MAC has them.
"""

from dataclasses import dataclass

from anechoic.calc.timing import (
    BYTES,
    IP_BYTES,
    TCP_BYTES,
    UDP_BYTES,
    Radio,
    frame_us,
    ip_msdu_bytes,
    phy,
    plcp_us,
)

PRINTED_HEADER_BYTES = 30
"""MAC header with four addresses, as the paper counts it."""
PRINTED_OVERHEAD_BYTES = PRINTED_HEADER_BYTES + BYTES["fcs"] + BYTES["llc_snap"]
"""What the paper adds to an IP packet: 42 bytes."""
BYTES_PER_US = 11 / 8
"""11 Mbit/s: a symbol of 8 bits at 1.375 million a second."""


def printed_data_us(ip_bytes: int) -> float:
    """PLCP and a frame at 11 Mbit/s, not rounded."""
    return plcp_us() + (ip_bytes + PRINTED_OVERHEAD_BYTES) / BYTES_PER_US


def printed_spaces_us(*, rts: bool = True) -> float:
    """DIFS and the SIFS of an exchange: three with RTS and CTS, or one."""
    spaces = phy()
    return spaces.difs_us + (3 if rts else 1) * spaces.sifs_us


def printed_rts_cts_us() -> float:
    """RTS and CTS at 1 Mbit/s."""
    return frame_us(BYTES["rts"], "dsss-1") + frame_us(BYTES["cts"], "dsss-1")


def printed_ack_us() -> float:
    """Give the MAC's ACK at 11 Mbit/s."""
    return frame_us(BYTES["ack"])


def printed_frame_us(ip_bytes: int) -> float:
    """Give a column of the tables: spaces, RTS and CTS, the frame and its ACK."""
    return printed_spaces_us() + printed_rts_cts_us() + printed_data_us(ip_bytes) + printed_ack_us()


def printed_tcp_us(ip_bytes: int = 1500) -> float:
    """Table 1: a TCP segment and its TCP ACK."""
    return printed_frame_us(ip_bytes) + printed_frame_us(IP_BYTES + TCP_BYTES)


def printed_ping_us(ip_bytes: int) -> float:
    """Table 2: an echo request and its reply; the paper takes the ping's size for the packet's."""
    return 2 * printed_frame_us(ip_bytes)


def capped_frame_us(ip_bytes: int) -> int:
    """Give what the paper's largest rates follow from: no RTS, one SIFS, the ACK at 2 Mbit/s.

    Fractions are cut off.
    """
    ack = frame_us(BYTES["ack"], "dsss-2")
    return int(printed_spaces_us(rts=False) + int(printed_data_us(ip_bytes)) + ack)


def capped_tcp_us(ip_bytes: int = 1500) -> int:
    """Give the TCP transaction that the largest rate follows from."""
    return capped_frame_us(ip_bytes) + capped_frame_us(IP_BYTES + TCP_BYTES)


def capped_ping_us(ip_bytes: int) -> int:
    """Give the ping that the largest rate follows from."""
    return 2 * capped_frame_us(ip_bytes)


@dataclass(frozen=True, slots=True)
class Exchanged:
    """The frames of a transaction, by the bytes of their IP packets."""

    forth_bytes: int
    back_bytes: int


def tcp_transaction(segment_bytes: int = 1460) -> Exchanged:
    """Give a segment and its TCP ACK, without options."""
    headers = IP_BYTES + TCP_BYTES
    return Exchanged(headers + segment_bytes, headers)


def ping_transaction(payload_bytes: int) -> Exchanged:
    """Give an echo request and its reply; ICMP's header is as long as that of UDP (RFC 792)."""
    packet = IP_BYTES + UDP_BYTES + payload_bytes
    return Exchanged(packet, packet)


def transaction_us(radio: Radio, transaction: Exchanged, mean_backoff_slots: float) -> float:
    """Give a transaction as the MAC has it: both packets after DIFS and so many slots."""
    access = radio.spaces.difs_us + mean_backoff_slots * radio.spaces.slot_us
    packets = (transaction.forth_bytes, transaction.back_bytes)
    return sum(access + radio.exchange(ip_msdu_bytes(each)).duration_us for each in packets)


def stolen_transactions(per_second: float, their_us: float, own_us: float) -> float:
    """Give how many transactions a second others of another length leave no time for."""
    return per_second * their_us / own_us


def stolen_mbps(
    per_second: float, their_us: float, own_us: float, segment_bytes: int = 1460
) -> float:
    """Give the goodput that others' transactions take, at a segment to each of one's own."""
    return stolen_transactions(per_second, their_us, own_us) * segment_bytes * 8 / 1e6


def transactions_per_second(own_us: float) -> float:
    """Give how many transactions a second there are at most."""
    return 1e6 / own_us
