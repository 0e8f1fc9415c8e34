"""Bursts of an interferer, and how many of them meet a frame."""

PREAMBLE_US, SIGNAL_US, SYMBOL_US = 16, 4, 4
"""OFDM's preamble, its signal field and a symbol (IEEE 802.11-2007 §17.3)."""
EXTENSION_US = 6
"""Signal extension at 2.4 GHz, in which nothing radiates (IEEE 802.11-2007 §19.3.2.3)."""


def ofdm_burst_us(symbols: int = 1) -> int:
    """Give the length of an OFDM frame at 2.4 GHz; one without payload still has a symbol."""
    return radiated_us(symbols) + EXTENSION_US


def radiated_us(symbols: int = 1) -> int:
    """Give how long it radiates."""
    return PREAMBLE_US + SIGNAL_US + SYMBOL_US * symbols


def overlapping_bursts(frame_us: float, burst_us: float, per_second: float) -> float:
    """Give how many bursts of a periodic interferer overlap a frame in the mean."""
    return (frame_us + burst_us) * per_second / 1e6
