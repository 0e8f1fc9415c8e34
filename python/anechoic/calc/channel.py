"""The shared channel of a plan: what keeps closed forms from it, and what a flow costs on it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import permutations
from math import log10
from typing import Any

from anechoic.calc.offers import NoForm, Offer
from anechoic.calc.timing import Exchange
from anechoic.calc.ways import Leg, Radio

THERMAL_DBM_PER_HZ = -173.975
"""kT at 290 K."""
CLEAR_DB = 10.0
"""Signal to noise from which losses do not count: at 8 dB a frame of 1500 bytes at 11 Mbit/s is
lost once in a hundred times, at 7 dB once in ten, and slower modes need less (the core's error
model, after Pei and Henderson)."""
ALIKE_DB = 0.1
"""Powers that differ by less make nobody's frame survive a collision (inferred: a header needs some
decibels more than its interference)."""


@dataclass(frozen=True)
class Load:
    """Packets of a flow that a radio sends, unless it has none left."""

    radio: Radio
    exchange: Exchange
    offer: Offer

    @property
    def busy_us(self) -> float:
        """How long one keeps the medium, the space behind it included."""
        return self.exchange.duration_us + self.radio.spaces.difs_us


def loads_of(offer: Offer) -> list[Load]:
    """Give what a flow makes radios send: its packets, and what answers them."""
    there = [Load(leg, leg.exchange(offer.ip_bytes), offer) for leg in _radios(offer.way)]
    if not offer.back_bytes:
        return there
    return there + [Load(leg, leg.exchange(offer.back_bytes), offer) for leg in _radios(offer.back)]


def has_radio(offer: Offer) -> bool:
    """Whether a flow crosses the air."""
    return bool(_radios(offer.way))


def check(plan: Mapping[str, Any], offers: Iterable[Offer]) -> list[str]:
    """Raise NoForm where the air is not what closed forms take it for; give what they leave out."""
    air = plan["air"]
    if air["emitters"]:
        raise NoForm("something radiates that is no station")
    if air["fading"]:
        raise NoForm("links fade")
    if air["lose"]:
        raise NoForm("frames are lost by list")
    legs = [leg for offer in offers for way in (offer.way, offer.back) for leg in way]
    radios = {leg.medium.name: leg.medium for leg in legs if isinstance(leg.medium, Radio)}
    _check_still(air)
    if len({radio.frequency_mhz for radio in radios.values()}) > 1:
        raise NoForm("its cells are on several channels")
    _check_hearing(air, list(radios.values()))
    for radio in radios.values():
        if radio.mac.get("edca"):
            raise NoForm("its cells contend by access categories")
        if radio.mac["cw_min"] == 0:
            raise NoForm(f"{radio.name} does not back off")
    for leg in legs:
        if isinstance(leg.medium, Radio):
            _check_clear(air, leg.medium, leg.to)
    return [*_capture(air, legs), *_adaptation(radios.values())]


def _check_still(air: Mapping[str, Any]) -> None:
    if air["motion"] is not None:
        raise NoForm("radios move")


def _check_hearing(air: Mapping[str, Any], radios: list[Radio]) -> None:
    for one, other in permutations(radios, 2):
        if _received_dbm(air, one, other.node) < air["preamble_detection_dbm"]:
            raise NoForm(f"{other.name} does not hear {one.name}")


def _check_clear(air: Mapping[str, Any], radio: Radio, at: int) -> None:
    density = THERMAL_DBM_PER_HZ + air["noise_figure_db"]
    noise_dbm = density + 10 * log10(radio.spaces.bandwidth_hz)
    above = _received_dbm(air, radio, at) - noise_dbm
    if above < CLEAR_DB:
        raise NoForm(f"{radio.name} is received {above:.0f} dB over the noise: bit errors count")


def _capture(air: Mapping[str, Any], legs: list[Leg]) -> Iterator[str]:
    heard: dict[int, set[float]] = {}
    for leg in legs:
        if isinstance(leg.medium, Radio):
            heard.setdefault(leg.to, set()).add(_received_dbm(air, leg.medium, leg.to))
    if any(max(powers) - min(powers) > ALIKE_DB for powers in heard.values()):
        yield "that the stronger frame of a collision may survive is left out"


def _adaptation(radios: Iterable[Radio]) -> Iterator[str]:
    if any(radio.mac["rate_control"]["kind"] != "fixed" for radio in radios):
        yield "retries at lower rates are left out"


def _received_dbm(air: Mapping[str, Any], radio: Radio, at: int) -> float:
    loss: float = air["loss_db"][radio.node][at]
    return radio.tx_power_dbm - loss


def _radios(way: tuple[Leg, ...]) -> list[Radio]:
    return [leg.medium for leg in way if isinstance(leg.medium, Radio)]
