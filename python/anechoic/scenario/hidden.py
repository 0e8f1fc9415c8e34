"""Stations that are hidden from each other, as a plan has them."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import Any

from anechoic.scenario.radio_links import sensed_from_dbm

Plan = Mapping[str, Any]


def hidden_pairs(plan: Plan) -> list[tuple[str, str]]:
    """Name the stations of one access point that do not hear each other, pair by pair."""
    points: dict[int, list[int]] = {}
    for place, node in enumerate(plan["nodes"]):
        for radio in radios_of(node):
            if radio["access_point"] is not None:
                points.setdefault(radio["access_point"]["node"], []).append(place)
    return [
        (plan["nodes"][one]["name"], plan["nodes"][other]["name"])
        for one, other in _hidden(plan, points.values())
    ]


def radios_of(node: Mapping[str, Any]) -> list[Any]:
    """Return the radios of a node."""
    return [each["radio"] for each in node["interfaces"] if each["radio"]]


def _hidden(plan: Plan, cells: Iterable[list[int]]) -> Iterator[tuple[int, int]]:
    for stations in cells:
        for pair in combinations(stations, 2):
            if not any(_is_sensed(plan, *way) for way in (pair, pair[::-1])):
                yield pair


def _is_sensed(plan: Plan, sender: int, receiver: int) -> bool:
    air = plan["air"]
    own, other = (radios_of(plan["nodes"][place])[0] for place in (sender, receiver))
    level_dbm = own["tx_power_dbm"] - air["loss_db"][sender][receiver]
    return bool(level_dbm >= sensed_from_dbm(air, own["mac"], other["mac"]))
