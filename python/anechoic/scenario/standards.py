"""What an IEEE 802.11 amendment allows a scenario to ask for."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from anechoic.scenario.high_throughput import AC, AX, Amendment, Choice, N, choice_of

StandardName = Literal["802.11b", "802.11g", "802.11a", "802.11n", "802.11ac", "802.11ax"]


@dataclass(frozen=True, slots=True)
class Standard:
    """The rates, the contention window and the channels of one amendment.

    ``modes`` gives the core's name of the mode (rate, modulation and coding in one) by rate,
    ``channels`` the centre frequency in MHz by number, the usual channel first. From 802.11n on
    there is ``later``: the modes are the MCS of what a radio has chosen, and ``basic_modes`` those
    of the amendment before it.
    """

    name: StandardName
    modes: Mapping[int, str]
    basic_rates: tuple[int, ...]
    cw_min: int
    cw_max: int
    channels: Mapping[int, int]
    source: str
    later: Amendment | None = None
    basic_modes: Mapping[int, str] | None = None

    def of(self, choice: Choice, frequency_mhz: int) -> "Standard":
        """Give the standard as a radio has it that has chosen a width, streams and so on."""
        if self.later is None:
            return self
        before = STANDARDS["802.11g" if frequency_mhz < 3000 else "802.11a"]
        return replace(
            self,
            modes=self.later.modes(choice),
            basic_modes=before.modes,
            basic_rates=before.basic_rates,
        )

    @property
    def rates_bps(self) -> tuple[int, ...]:
        """Give the rates, the lowest first."""
        return tuple(self.modes)

    @property
    def channel(self) -> int:
        """Give the channel of a scenario that names none."""
        return next(iter(self.channels))

    def rates_text(self) -> str:
        """List the rates as a scenario writes them."""
        if self.later is not None:
            return self.later.text()
        return ", ".join(map(rate_text, self.rates_bps))

    def channels_text(self) -> str:
        """List the channels, where they follow one another as a range."""
        numbers = sorted(self.channels)
        step = numbers[1] - numbers[0]
        runs: list[list[int]] = []
        for number in numbers:
            if runs and number - runs[-1][-1] == step:
                runs[-1].append(number)
            else:
                runs.append([number])
        by = "" if step == 1 else f" by {step}"
        return ", ".join(
            str(run[0]) if len(run) == 1 else f"{run[0]} to {run[-1]}{by}" for run in runs
        )


def rate_text(rate_bps: int) -> str:
    """Write a rate as a scenario does."""
    return f"{rate_bps / 1e6:g} Mbit/s"


_DSSS = {
    1_000_000: "dsss-1",
    2_000_000: "dsss-2",
    5_500_000: "cck-5.5",
    11_000_000: "cck-11",
}
_OFDM_MBPS = (6, 9, 12, 18, 24, 36, 48, 54)

# goel2006 §3.3 has channel 6; channel 14 stands apart (IEEE Std 802.11-2007 §18.4.6.2).
_AT_2_4_GHZ = {number: 2407 + 5 * number for number in (6, *range(1, 6), *range(7, 14))} | {
    14: 2484
}

# The 20 MHz channels of the bands from 5.15 to 5.85 GHz (IEEE Std 802.11-2007 Annex J).
_AT_5_GHZ = {
    number: 5000 + 5 * number
    for number in (*range(36, 65, 4), *range(100, 141, 4), *range(149, 166, 4))
}

_IN_20_MHZ = {number: mhz for number, mhz in _AT_2_4_GHZ.items() if number != 14}

STANDARDS: Mapping[str, Standard] = {
    "802.11b": Standard(
        name="802.11b",
        modes=_DSSS,
        basic_rates=(1_000_000, 2_000_000),
        cw_min=31,
        cw_max=1023,
        channels=_AT_2_4_GHZ,
        source="IEEE Std 802.11-2007 §18.3.3",
    ),
    "802.11g": Standard(
        name="802.11g",
        modes=dict(
            sorted((_DSSS | {rate * 1_000_000: f"erp-ofdm-{rate}" for rate in _OFDM_MBPS}).items())
        ),
        basic_rates=(1_000_000, 2_000_000, 5_500_000, 11_000_000),
        cw_min=15,
        cw_max=1023,
        channels=_IN_20_MHZ,
        source="IEEE Std 802.11-2007 §19.8.4",
    ),
    "802.11a": Standard(
        name="802.11a",
        modes={rate * 1_000_000: f"ofdm-{rate}" for rate in _OFDM_MBPS},
        basic_rates=(6_000_000, 12_000_000, 24_000_000),
        cw_min=15,
        cw_max=1023,
        channels=_AT_5_GHZ,
        source="IEEE Std 802.11-2007 §17.5",
    ),
} | {
    each.name: Standard(
        name=each.name,
        modes=each.modes(each.usual),
        basic_rates=(6_000_000, 12_000_000, 24_000_000),
        basic_modes={rate * 1_000_000: f"ofdm-{rate}" for rate in _OFDM_MBPS},
        cw_min=15,
        cw_max=1023,
        channels=_AT_5_GHZ | (_IN_20_MHZ if each.is_at_2_4_ghz else {}),
        source=each.source,
        later=each,
    )
    for each in (N, AC, AX)
}

BASIC_RATES = (
    "those that access points of the amendment announce where nobody sets them, such as hostapd"
)
"""Where the basic rates of the standards come from."""

NOT_YET = ("802.11", "802.11be")
"""Amendments that have a PHY of their own, and are not simulated yet."""


def modes_of(mac: Mapping[str, Any]) -> Mapping[int, str]:
    """Give the rates that a MAC of a plan may have, by the core's names of their modes."""
    standard = STANDARDS[mac["standard"]]
    if standard.later is None:
        return standard.modes
    return standard.later.modes(choice_of(mac["rate"]))
