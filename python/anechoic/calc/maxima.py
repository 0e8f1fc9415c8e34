"""What a lone station brings through at best: one cycle after the other, nothing lost.

J. Jun, P. Peddabachagari and M. Sichitiu, "Theoretical Maximum Throughput of IEEE 802.11 and its
Applications", IEEE NCA 2003; M. Gast, "When Is 54 Not Equal to 54?", O'Reilly, 2003.
"""

from dataclasses import dataclass

from anechoic.calc.timing import IP_BYTES, MPDU_OVERHEAD_BYTES, TCP_BYTES, Radio, ip_msdu_bytes

JUN_OVERHEAD_BYTES = 34
"""MAC header and FCS as Jun et al. count them: with the fourth address, which no frame within a
BSS has (IEEE 802.11-2007 §7.2.2)."""


@dataclass(frozen=True, slots=True)
class Maximum:
    """A line: a cycle lasts ``a`` µs for each byte of the MSDU, and ``b`` µs besides."""

    a: float
    b: float

    def throughput_mbps(self, msdu_bytes: float) -> float:
        """Give MSDU bits over the cycle."""
        return 8 * msdu_bytes / (self.a * msdu_bytes + self.b)


def cycle_us(radio: Radio, msdu_bytes: int) -> float:
    """DIFS, a mean backoff of CWmin/2 slots and the exchange."""
    spaces = radio.spaces
    return spaces.difs_us + spaces.mean_backoff_us + radio.exchange(msdu_bytes).duration_us


def throughput_mbps(radio: Radio, msdu_bytes: int, counted_bytes: int | None = None) -> float:
    """Give MSDU bits over the cycle; of the MSDU so many bytes are counted, or all."""
    counted = msdu_bytes if counted_bytes is None else counted_bytes
    return 8 * counted / cycle_us(radio, msdu_bytes)


def jun_maximum(radio: Radio) -> Maximum:
    """Give Jun et al.'s line for a radio that does not fragment.

    Its slope is that of the rate, not rounded up to whole microseconds, and its header has 34
    bytes.
    """
    # Of a length that all rates carry in whole microseconds.
    whole = 11 * 64 - MPDU_OVERHEAD_BYTES
    a = (cycle_us(radio, whole + 11 * 16) - cycle_us(radio, whole)) / (11 * 16)
    extra = JUN_OVERHEAD_BYTES - MPDU_OVERHEAD_BYTES
    return Maximum(a, cycle_us(radio, whole) - a * (whole - extra))


def gast_transaction_us(radio: Radio, segment_bytes: int = 1460) -> float:
    """Give a TCP segment and its TCP ACK, each after DIFS and without backoff."""
    headers = IP_BYTES + TCP_BYTES
    msdus = (ip_msdu_bytes(headers + segment_bytes), ip_msdu_bytes(headers))
    return sum(radio.spaces.difs_us + radio.exchange(each).duration_us for each in msdus)
