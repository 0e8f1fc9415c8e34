"""What an IEEE 802.11 amendment allows a scenario to ask for."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Standard:
    """The rates and the contention window of one amendment.

    ``modes`` gives the core's name of the mode (rate, modulation and coding in one) by rate.
    """

    name: str
    modes: Mapping[int, str]
    cw_min: int
    cw_max: int
    source: str

    @property
    def rates_bps(self) -> tuple[int, ...]:
        """Give the rates, the lowest first."""
        return tuple(self.modes)

    def rates_text(self) -> str:
        """List the rates as a scenario writes them."""
        return ", ".join(rate_text(rate) for rate in self.rates_bps)


def rate_text(rate_bps: int) -> str:
    """Write a rate as a scenario does."""
    return f"{rate_bps / 1e6:g} Mbit/s"


STANDARDS = {
    "802.11b": Standard(
        name="802.11b",
        modes={
            1_000_000: "dsss-1",
            2_000_000: "dsss-2",
            5_500_000: "cck-5.5",
            11_000_000: "cck-11",
        },
        cw_min=31,
        cw_max=1023,
        source="IEEE Std 802.11b-1999, HR/DSSS PHY characteristics",
    ),
}


NOT_YET = ("802.11", "802.11a", "802.11g", "802.11n", "802.11ac", "802.11ax", "802.11be")
"""Amendments that have a PHY of their own, and are not simulated yet."""


def channel_frequency_mhz(channel: int) -> int:
    """Give the centre frequency of a 2.4 GHz channel (IEEE Std 802.11b-1999, channel plan)."""
    return 2484 if channel == 14 else 2407 + 5 * channel
