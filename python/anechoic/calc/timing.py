"""The MAC's times: slots, spaces, frames and exchanges, as the simulated MAC has them.

Nothing of 802.11 is written down here a second time; the core is asked.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from anechoic import _core

BYTES: Mapping[str, int] = _core.frame_bytes()
"""Bytes of `ack`, `cts` and `rts`, of a data frame's `header` and `fcs`, and of `llc_snap`."""

MPDU_OVERHEAD_BYTES = BYTES["header"] + BYTES["fcs"]
"""What a data frame adds to its MSDU."""
IP_BYTES, UDP_BYTES, TCP_BYTES = 20, 8, 20
"""Headers without options (RFC 791, RFC 768, RFC 9293); ICMP echo has 8 bytes too (RFC 792)."""


@dataclass(frozen=True, slots=True)
class Spaces:
    """What a radio waits for and counts in front of an exchange."""

    slot_us: float
    sifs_us: float
    difs_us: float
    eifs_us: float
    cw_min: int
    cw_max: int
    bandwidth_hz: float
    """Width of the channel whose noise a receiver takes in."""

    @property
    def mean_backoff_us(self) -> float:
        """Half of CWmin slots: the mean of a first backoff that nobody interrupts."""
        return self.cw_min / 2 * self.slot_us

    @property
    def stages(self) -> int:
        """How often CWmin doubles until it is CWmax."""
        windows = self.cw_min + 1
        return max(0, round((self.cw_max + 1) / windows).bit_length() - 1)


@dataclass(frozen=True, slots=True)
class Part:
    """A frame of an exchange; those behind the first begin a SIFS after the one before."""

    kind: str
    mode: str
    bytes: int
    msdus: int
    """How many MSDUs it completes."""
    airtime_us: float
    patience_us: float
    """How long its sender waits for the answer."""


@dataclass(frozen=True)
class Exchange:
    """The frames that bring an MSDU to one station; under block acknowledgment, all in a PPDU."""

    parts: tuple[Part, ...]
    sifs_us: float

    @property
    def duration_us(self) -> float:
        """From the first frame's beginning to the last one's end."""
        return sum(part.airtime_us for part in self.parts) + (len(self.parts) - 1) * self.sifs_us

    @property
    def msdus(self) -> int:
        """How many MSDUs it brings."""
        return sum(part.msdus for part in self.parts)

    @property
    def first_us(self) -> float:
        """How long the first frame lasts: what a collision costs of the medium."""
        return self.parts[0].airtime_us

    @property
    def patience_us(self) -> float:
        """How long the sender of a first frame that collided waits in vain."""
        return self.parts[0].patience_us

    @property
    def answered_us(self) -> float:
        """The first frame, a SIFS and its answer."""
        return self.parts[0].airtime_us + self.sifs_us + self.parts[1].airtime_us

    @property
    def lengths(self) -> tuple[int, ...]:
        """Bytes of the data frames."""
        return tuple(part.bytes for part in self.parts if part.kind == "data")


@dataclass(frozen=True)
class Radio:
    """A radio's settings, as a plan has them; modes are named as the core names them."""

    mode: str = "cck-11"
    preamble: str = "long"
    basic_modes: tuple[str, ...] = ("dsss-1", "dsss-2")
    rts_threshold: int = 2347
    fragmentation_threshold: int = 2346
    short_retry_limit: int = 7
    long_retry_limit: int = 4
    cw_min: int | None = None
    cw_max: int | None = None
    standard: str = "802.11b"
    protection: str = "none"

    @cached_property
    def mac(self) -> dict[str, Any]:
        """Give the MAC of a plan."""
        of_phy = phy(self.standard)
        return {
            "standard": self.standard,
            "short_slot": True,
            "protection": self.protection,
            "preamble": self.preamble,
            "basic_rates": list(self.basic_modes),
            "rate": self.mode,
            "rate_control": {"kind": "fixed"},
            "rts_threshold": self.rts_threshold,
            "fragmentation_threshold": self.fragmentation_threshold,
            "short_retry_limit": self.short_retry_limit,
            "long_retry_limit": self.long_retry_limit,
            "msdu_lifetime_ns": None,
            "privacy": "none",
            "queue_packets": 1,
            "cw_min": of_phy.cw_min if self.cw_min is None else self.cw_min,
            "cw_max": of_phy.cw_max if self.cw_max is None else self.cw_max,
        }

    @property
    def spaces(self) -> Spaces:
        """What it waits for and counts."""
        return spaces_of(json.dumps(self.mac))

    def exchange(self, msdu_bytes: int) -> Exchange:
        """Give the frames that bring an MSDU to one station."""
        return exchange_of(json.dumps(self.mac), msdu_bytes)


@cache
def phy(standard: str = "802.11b") -> Spaces:
    """Give what the PHY of a standard fixes."""
    return _spaces(_core.phy_spaces(standard))


@cache
def spaces_of(mac_json: str) -> Spaces:
    """Give what a radio with a plan's MAC waits for and counts."""
    return _spaces(_core.mac_spaces(mac_json))


@cache
def exchange_of(mac_json: str, msdu_bytes: int) -> Exchange:
    """Give the frames by which a radio with a plan's MAC brings an MSDU to one station."""
    parts = (
        Part(
            each["kind"],
            each["mode"],
            each["bytes"],
            each["msdus"],
            *_us(each, "airtime_ns", "patience_ns"),
        )
        for each in json.loads(_core.mac_exchange(mac_json, msdu_bytes))
    )
    return Exchange(tuple(parts), spaces_of(mac_json).sifs_us)


def frame_us(mpdu_bytes: int, mode: str = "cck-11", preamble: str = "long") -> float:
    """How long a frame occupies the air, preamble and PLCP header included."""
    return _core.frame_ns(mode, preamble, mpdu_bytes) / 1e3


def plcp_us(mode: str = "cck-11", preamble: str = "long") -> float:
    """How long the preamble and PLCP header of a frame last; of OFDM up to the SIGNAL field."""
    return _core.plcp_ns(mode, preamble) / 1e3


def ip_msdu_bytes(ip_bytes: int) -> int:
    """Give the MSDU of an IP packet: LLC and SNAP headers in front of it (RFC 1042)."""
    return BYTES["llc_snap"] + ip_bytes


def _spaces(text: str) -> Spaces:
    found = json.loads(text)
    slot, sifs, difs, eifs = _us(found, "slot_ns", "sifs_ns", "difs_ns", "eifs_ns")
    counts = found["cw_min"], found["cw_max"], found["bandwidth_hz"]
    return Spaces(slot, sifs, difs, eifs, *counts)


def _us(found: Mapping[str, Any], *names: str) -> list[float]:
    return [found[name] / 1e3 for name in names]
