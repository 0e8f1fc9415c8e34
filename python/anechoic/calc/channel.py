"""The shared channel of a plan: what keeps closed forms from it, and what a flow costs on it."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import log10
from typing import Any

from anechoic import _core
from anechoic.calc.offers import NoForm, Offer
from anechoic.calc.timing import Exchange
from anechoic.calc.ways import Leg, Radio

THERMAL_DBM_PER_HZ = -173.975
"""kT at 290 K."""
CLEAR = 0.01
"""Part of the exchanges up to which losses to noise do not count: none costs much more than the
attempt itself, so that goodput is off by no more than that (inferred)."""
ALIKE_DB = 0.1
"""Powers that differ by less make nobody's frame survive a collision (inferred: a header needs some
decibels more than its interference)."""


@dataclass(frozen=True)
class Load:
    """Packets of a flow that a radio sends, unless it has none left."""

    radio: Radio
    exchange: Exchange
    offer: Offer
    to: int
    """The node that it sends them to."""

    @property
    def exchange_us(self) -> float:
        """How long its exchange keeps the medium, the space behind it included."""
        return self.exchange.duration_us + self.radio.spaces.difs_us

    @property
    def busy_us(self) -> float:
        """The part of that which one packet has."""
        return self.exchange_us / self.exchange.msdus


def loads_of(offer: Offer) -> list[Load]:
    """Give what a flow makes radios send: its packets, and what answers them."""
    there = _loads(offer, offer.way, offer.ip_bytes)
    return there + _loads(offer, offer.back, offer.back_bytes) if offer.back_bytes else there


def _loads(offer: Offer, way: tuple[Leg, ...], ip_bytes: int) -> list[Load]:
    return [
        Load(leg.medium, leg.medium.exchange(ip_bytes), offer, leg.to)
        for leg in way
        if isinstance(leg.medium, Radio)
    ]


def has_radio(offer: Offer) -> bool:
    """Whether a flow crosses the air."""
    return bool(_radios(offer.way))


def check(plan: Mapping[str, Any], offers: Sequence[Offer]) -> list[str]:
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
    _check_categories(plan)
    for radio in radios.values():
        if radio.mac["cw_min"] == 0:
            raise NoForm(f"{radio.name} does not back off")
    _check_aggregation(offers)
    packets = {(radio.name, at, size): radio for radio, at, size in _packets(offers)}
    for (_, at, ip_bytes), radio in packets.items():
        _check_clear(plan, radio, at, ip_bytes)
    return [*_capture(air, legs), *_adaptation(radios.values())]


def _check_categories(plan: Mapping[str, Any]) -> None:
    radios = (each["radio"] for node in plan["nodes"] for each in node["interfaces"])
    if any(radio and radio.get("categories") for radio in radios):
        raise NoForm("its cells contend by access categories")


def _check_aggregation(offers: Sequence[Offer]) -> None:
    """Raise NoForm where what waits, and not only what fits, says what goes in an aggregate."""
    loads = [load for offer in offers for load in loads_of(offer)]
    of_radio = Counter(load.radio.name for load in loads)
    for load in loads:
        if load.exchange.msdus > 1 and (load.offer.back_bytes or of_radio[load.radio.name] > 1):
            raise NoForm(f"what {load.radio.name} aggregates hangs on what waits for whom")


def _check_still(air: Mapping[str, Any]) -> None:
    if air["motion"] is not None:
        raise NoForm("radios move")


def _check_hearing(air: Mapping[str, Any], radios: list[Radio]) -> None:
    for one, other in permutations(radios, 2):
        # A radio of DSSS alone detects no preamble of OFDM.
        is_read = other.mac["standard"] != "802.11b" or not one.mac["rate"].startswith("erp-ofdm")
        least = air["preamble_detection_dbm" if is_read else "energy_detection_dbm"]
        if _received_dbm(air, one, other.node) < least:
            raise NoForm(f"{other.name} does not hear {one.name}")


def _packets(offers: Sequence[Offer]) -> Iterator[tuple[Radio, int, int]]:
    """Give which radios send packets where, and how long they are."""
    for offer in offers:
        for way, ip_bytes in ((offer.way, offer.ip_bytes), (offer.back, offer.back_bytes)):
            for leg in way:
                if isinstance(leg.medium, Radio) and ip_bytes:
                    yield leg.medium, leg.to, ip_bytes


def _check_clear(plan: Mapping[str, Any], radio: Radio, at: int, ip_bytes: int) -> None:
    noise_dbm = THERMAL_DBM_PER_HZ + plan["air"]["noise_figure_db"]
    noise_dbm += 10 * log10(radio.spaces.bandwidth_hz)
    there_db = _received_dbm(plan["air"], radio, at) - noise_dbm
    back_db = _answer_dbm(plan, radio, at) - noise_dbm
    passed, preamble = 1.0, radio.mac["preamble"]
    model, coding = plan["air"]["error_model"], radio.mac.get("coding")
    for place, part in enumerate(radio.exchange(ip_bytes).parts):
        # A CTS that stands first is its sender's own: protection (IEEE 802.11-2007 §9.13).
        is_answer = place > 0 and part.kind in ("ack", "cts", "block-ack")
        snr_db = back_db if is_answer else there_db
        passed *= _core.frame_success(part.mode, preamble, part.bytes, snr_db, model, coding)
    if 1 - passed > CLEAR:
        raise NoForm(
            f"{radio.name}, received {there_db:.0f} dB over the noise, loses "
            f"{100 * (1 - passed):.0f} % of its packets of {ip_bytes} bytes at the first attempt"
        )


def _answer_dbm(plan: Mapping[str, Any], radio: Radio, at: int) -> float:
    """Give the power at which a radio gets what the addressee of its frames answers."""
    there = (interface["radio"] for interface in plan["nodes"][at]["interfaces"])
    same = next(each for each in there if each and each["frequency_mhz"] == radio.frequency_mhz)
    loss: float = plan["air"]["loss_db"][at][radio.node]
    return float(same["tx_power_dbm"]) - loss


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
