"""Every radio at every other: what arrives, what it is good for, who is hidden from whom."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, permutations
from textwrap import wrap
from typing import Any

from anechoic.scenario.access_functions import name_of
from anechoic.scenario.compile import Plan, compile_scenario
from anechoic.scenario.core import core
from anechoic.scenario.model import Scenario
from anechoic.scenario.standards import modes_of

WIDTH = 80
"""Columns of the table."""
PACKET = 1500
"""Bytes of the IP packet whose frame is spoken of: the longest of Ethernet."""
USABLE = 0.1
"""Part of such frames that a usable rate loses at most. Receivers' sensitivities are stated for a
loss of about that: 8 % of 1024 bytes, 10 % of 1000 (IEEE 802.11-2007 §18.4.8.1, §17.3.10.1)."""
_NAME = 14
_MOST_PAIRS = 8
"""Pairs that a line names; the document has all."""


@dataclass(frozen=True)
class Radio:
    """A radio of a plan, and the name of what it belongs to in the scenario."""

    name: str
    label: str
    place: int
    access_point: int | None
    frequency_mhz: int
    power_dbm: float
    mac: Mapping[str, Any]


@dataclass(frozen=True)
class Link:
    """What arrives of one radio at another where nothing interferes and the link does not fade."""

    sender: Radio
    receiver: Radio
    loss_db: float
    snr_db: float
    is_heard: bool
    is_sensed: bool
    """Whether the receiver defers to what the sender sends at its highest rate."""
    error_rates: Mapping[float, float]
    """By rate in Mbit/s, the part of frames of 1500 bytes that is lost."""

    @property
    def level_dbm(self) -> float:
        """Give the level at the receiver."""
        return self.sender.power_dbm - self.loss_db

    @property
    def usable_mbps(self) -> list[float]:
        """Give the rates at which little is lost; none where nothing is heard."""
        return [rate for rate, lost in self.error_rates.items() if self.is_heard and lost <= USABLE]

    @property
    def error_rate(self) -> float:
        """Give the part of frames that is lost at the highest rate that the sender may use."""
        return self.error_rates[max(self.error_rates)]

    def document(self) -> dict[str, Any]:
        """Give it ready for JSON."""
        return {
            "from": self.sender.name,
            "to": self.receiver.name,
            "loss_db": self.loss_db,
            "level_dbm": round(self.level_dbm, 6),
            "snr_db": round(self.snr_db, 6),
            "is_heard": self.is_heard,
            "usable_rates_mbps": self.usable_mbps,
            "frame_error_rates": {f"{rate:g}": lost for rate, lost in self.error_rates.items()},
        }


@dataclass(frozen=True)
class Links:
    """All between radios of one channel: what others leave there is noise and no frame."""

    links: Sequence[Link]
    hidden: Mapping[str, Sequence[tuple[str, str]]]
    """By access point, its stations that do not sense each other, in one direction or both."""

    def to_json(self) -> str:
        """Give all of it as JSON."""
        document = {
            "links": [link.document() for link in self.links],
            "hidden": {point: list(map(list, pairs)) for point, pairs in self.hidden.items()},
        }
        return json.dumps(document, indent=2, ensure_ascii=False) + "\n"

    def text(self) -> str:
        """Give a table, a row for links that are alike, and a line for each access point."""
        if not self.links:
            return "There are no radios."
        rows = [_HEAD, *_rows(self.links)]
        widths = [max(len(row[at]) for row in rows) for at in range(len(_HEAD))]
        lines = [
            "  ".join(
                cell.ljust(width) if at < 2 else cell.rjust(width)
                for at, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in rows
        ]
        said = [
            f"FER: loss of frames with {PACKET} bytes of IP at the sender's highest rate. Mbit/s: "
            f"rates at which at most {USABLE:.0%} of them are lost.",
            *(_said(point, pairs) for point, pairs in self.hidden.items()),
        ]
        return "\n".join([*lines, "", *(line for each in said for line in wrap(each, WIDTH))])


_HEAD = ("from", "to", "loss dB", "dBm", "SNR dB", "Mbit/s", "FER", "heard")


def radio_links(scenario: Scenario) -> Links:
    """Work out every link of a scenario; raise ScenarioError if it cannot be run."""
    plan = compile_scenario(scenario)
    radios = list(_radios(plan, scenario))
    noise_dbm = core().noise_dbm(json.dumps(plan)) if radios else None
    if noise_dbm is None:
        return Links([], {})
    links = [
        _link(plan, one, other, noise_dbm)
        for one, other in permutations(radios, 2)
        if one.frequency_mhz == other.frequency_mhz
    ]
    return Links(links, _hidden(radios, links))


def _radios(plan: Plan, scenario: Scenario) -> Iterator[Radio]:
    counted = {name for name, station in scenario.sta.items() if station.count is not None}
    for place, node in enumerate(plan["nodes"]):
        group = node["name"].rpartition("-")[0]
        for radio in filter(None, (each["radio"] for each in node["interfaces"])):
            point = radio["access_point"]
            yield Radio(
                name=name_of(radio),
                label=group if group in counted else name_of(radio),
                place=place,
                access_point=None if point is None else point["node"],
                frequency_mhz=radio["frequency_mhz"],
                power_dbm=radio["tx_power_dbm"],
                mac=radio["mac"],
            )


def _link(plan: Plan, one: Radio, other: Radio, noise_dbm: float) -> Link:
    loss_db = plan["air"]["loss_db"][one.place][other.place]
    level_dbm = one.power_dbm - loss_db
    snr_db = level_dbm - noise_dbm
    return Link(
        sender=one,
        receiver=other,
        loss_db=loss_db,
        snr_db=snr_db,
        is_heard=level_dbm >= plan["air"]["preamble_detection_dbm"],
        is_sensed=level_dbm >= sensed_from_dbm(plan["air"], one.mac, other.mac),
        error_rates=error_rates(one.mac, snr_db, plan["air"]["error_model"]),
    )


def sensed_from_dbm(
    air: Mapping[str, Any], sender: Mapping[str, Any], receiver: Mapping[str, Any]
) -> float:
    """Give from which level a MAC defers to what another sends at its highest rate.

    Where it does not read that, as one of 802.11b does not read OFDM, it is energy to it.
    """
    is_read = receiver["standard"] != "802.11b" or sender["rate"] in modes_of(receiver).values()
    least: float = air["preamble_detection_dbm" if is_read else "energy_detection_dbm"]
    return least


def error_rates(mac: Mapping[str, Any], snr_db: float, error_model: str) -> dict[float, float]:
    """Give the part of a MAC's frames of 1500 bytes that is lost, by rate in Mbit/s."""
    modes, preamble, coding = modes_of(mac), mac["preamble"], mac.get("coding")
    highest = next(rate for rate, mode in modes.items() if mode == mac["rate"])
    return {
        rate / 1e6: 1 - _success(mode, preamble, snr_db, error_model, coding)
        for rate, mode in modes.items()
        if rate <= highest
    }


def said_rates(rates: Sequence[float]) -> str:
    """Name the rates that are usable, in Mbit/s."""
    if len(rates) < 2:
        return f"{rates[0]:g}" if rates else "none"
    return f"{rates[0]:g} to {rates[-1]:g}"


@cache
def _success(
    mode: str, preamble: str, snr_db: float, error_model: str, coding: str | None
) -> float:
    around = core().frame_bytes()
    mpdu_bytes = PACKET + around["header"] + around["llc_snap"] + around["fcs"]
    return core().frame_success(mode, preamble, mpdu_bytes, snr_db, error_model, coding)


def _hidden(radios: Sequence[Radio], links: Sequence[Link]) -> dict[str, list[tuple[str, str]]]:
    sensed = {(link.sender.name, link.receiver.name) for link in links if link.is_sensed}
    found = {}
    for point in radios:
        if point.access_point is not None:
            continue
        own = [radio.name for radio in radios if radio.access_point == point.place]
        found[point.name] = [
            pair for pair in combinations(own, 2) if not {pair, pair[::-1]} <= sensed
        ]
    return found


def _rows(links: Sequence[Link]) -> Iterator[tuple[str, ...]]:
    alike: dict[tuple[Any, ...], list[Link]] = {}
    for link in links:
        key = (
            link.sender.label,
            link.receiver.label,
            link.level_dbm,
            link.loss_db,
            link.error_rate,
        )
        alike.setdefault(key, []).append(link)
    for group in alike.values():
        first = group[0]
        yield (
            _name([link.sender for link in group]),
            _name([link.receiver for link in group]),
            f"{first.loss_db:g}",
            f"{first.level_dbm:.1f}",
            f"{first.snr_db:.1f}",
            said_rates(first.usable_mbps),
            f"{first.error_rate:.1%}",
            "yes" if first.is_heard else "no",
        )


def _name(radios: Sequence[Radio]) -> str:
    names = list(dict.fromkeys(radio.name for radio in radios))
    count = "" if len(names) == 1 else f" ({len(names)})"
    name = names[0] if len(names) == 1 else radios[0].label
    return (name if len(name + count) <= _NAME else f"{name[: _NAME - 1 - len(count)]}…") + count


def _said(point: str, pairs: Sequence[tuple[str, str]]) -> str:
    if not pairs:
        return f"At {point} no two stations are hidden from each other."
    named = "; ".join(f"{one} and {other}" for one, other in pairs[:_MOST_PAIRS])
    more = len(pairs) - _MOST_PAIRS
    return f"Hidden from each other at {point}: {named}{f' and {more} more' if more > 0 else ''}."
