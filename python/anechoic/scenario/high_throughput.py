"""What 802.11n, ac and ax let a radio choose: MCS, streams, width, guard interval, aggregation."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Width = Literal["20 MHz", "40 MHz", "80 MHz", "160 MHz"]
GuardInterval = Literal["400 ns", "800 ns", "1600 ns", "3200 ns"]
Coding = Literal["bcc", "ldpc"]
LaterName = Literal["802.11n", "802.11ac", "802.11ax"]


@dataclass(frozen=True, slots=True)
class Choice:
    """What the rates of a radio depend on, and which code protects them."""

    width_mhz: int
    streams: int
    guard_interval_ns: int
    coding: Coding | None = None
    """None where it does not matter."""


@dataclass(frozen=True, slots=True)
class Amendment:
    """What is possible in an amendment, and what a radio has that chooses nothing.

    ``carriers`` gives data carriers by width, ``symbol_ns`` a symbol without its guard interval.
    """

    name: LaterName
    family: str
    carriers: Mapping[int, int]
    guard_intervals_ns: tuple[int, ...]
    symbol_ns: int
    mcs: int
    streams: int
    usual: Choice
    ampdu_bytes: int
    window: int
    is_at_2_4_ghz: bool
    source: str

    def allows(self, choice: Choice, mcs: int) -> bool:
        """Say whether the standard has an MCS with such a choice.

        802.11ac leaves out those whose symbols cannot be shared evenly among encoders (IEEE Std
        802.11-2020, 21.5). The convolutional code of 802.11ax has no 1024-QAM (IEEE Std
        802.11ax-2021, 27.1.1).
        """
        if self.family == "he" and choice.coding == "bcc":
            return mcs <= HIGHEST_OF_BCC
        if self.family != "vht":
            return True
        width, streams = choice.width_mhz, choice.streams
        left_out = {
            (9, 20): streams not in (3, 6),
            (6, 80): streams in (3, 7),
            (9, 80): streams == 6,
            (9, 160): streams == 3,
        }
        return not left_out.get((mcs, width), False)

    def modes(self, choice: Choice) -> dict[int, str]:
        """Give the core's name of each MCS by its rate in bit/s, as vendors print it: to 0.1."""
        return {
            self.rate_bps(choice, mcs): self.mode(choice, mcs)
            for mcs in range(self.mcs + 1)
            if self.allows(choice, mcs)
        }

    def mode(self, choice: Choice, mcs: int) -> str:
        """Give the core's name of an MCS."""
        guard = choice.guard_interval_ns
        return f"{self.family}{choice.width_mhz}-mcs-{mcs}-nss-{choice.streams}-gi-{guard}"

    def rate_bps(self, choice: Choice, mcs: int) -> int:
        """Give the rate of an MCS in bit/s, rounded to 100 kbit/s."""
        bits, data, coded = MODULATIONS[mcs]
        carriers = self.carriers[choice.width_mhz] * choice.streams
        symbol_ns = self.symbol_ns + choice.guard_interval_ns
        return round(carriers * bits * data / coded * 1e9 / symbol_ns / 1e5) * 100_000

    def text(self) -> str:
        """Say which MCS there are."""
        return f"MCS 0 to {self.mcs}"


HIGHEST_OF_BCC, WIDEST_OF_BCC_MHZ, STREAMS_OF_BCC = 9, 20, 4
"""What the convolutional code of 802.11ax has at most (IEEE Std 802.11ax-2021, 27.1.1)."""

MODULATIONS = (
    (1, 1, 2),
    (2, 1, 2),
    (2, 3, 4),
    (4, 1, 2),
    (4, 3, 4),
    (6, 2, 3),
    (6, 3, 4),
    (6, 5, 6),
    (8, 3, 4),
    (8, 5, 6),
    (10, 3, 4),
    (10, 5, 6),
)
"""Bits of a carrier and code rate by MCS (IEEE Std 802.11-2020, Tables 19-27 and 21-29)."""

_CARRIERS = {20: 52, 40: 108, 80: 234, 160: 468}
_CARRIERS_OF_AX = {20: 234, 40: 468, 80: 980, 160: 1960}

N = Amendment(
    name="802.11n",
    family="ht",
    carriers={width: _CARRIERS[width] for width in (20, 40)},
    guard_intervals_ns=(400, 800),
    symbol_ns=3200,
    mcs=7,
    streams=4,
    usual=Choice(20, 2, 400, "bcc"),
    ampdu_bytes=65_535,
    window=64,
    is_at_2_4_ghz=True,
    source="IEEE Std 802.11-2020, 19.4.4",
)
AC = Amendment(
    name="802.11ac",
    family="vht",
    carriers=_CARRIERS,
    guard_intervals_ns=(400, 800),
    symbol_ns=3200,
    mcs=9,
    streams=8,
    usual=Choice(80, 2, 400, "bcc"),
    ampdu_bytes=1_048_575,
    window=64,
    is_at_2_4_ghz=False,
    source="IEEE Std 802.11-2020, 21.4.4",
)
AX = Amendment(
    name="802.11ax",
    family="he",
    carriers=_CARRIERS_OF_AX,
    guard_intervals_ns=(800, 1600, 3200),
    symbol_ns=12_800,
    mcs=11,
    streams=8,
    usual=Choice(80, 2, 800, "ldpc"),
    ampdu_bytes=1_048_575,
    window=256,
    is_at_2_4_ghz=True,
    source="IEEE Std 802.11ax-2021, 27.4.4",
)


def choice_of(mode: str) -> Choice:
    """Give the choice that the core's name of an MCS tells."""
    family, _, rest = mode.partition("-mcs-")
    _, streams, guard_interval = rest.replace("-nss-", " ").replace("-gi-", " ").split()
    return Choice(int(family.lstrip("htve")), int(streams), int(guard_interval))


def mcs_of(mode: str) -> int:
    """Give the MCS that the core's name of a mode tells."""
    return int(mode.partition("-mcs-")[2].partition("-")[0])
