"""Stations and access points that do not hear each other, as a plan has them."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

Plan = Mapping[str, Any]


def out_of_reach(plans: Iterable[Plan]) -> list[str]:
    """Give a sentence for each station that its access point is out of range of, or that is of it.

    Where their link fades or radios move nothing is said, as they may come into range.
    """
    return list(dict.fromkeys(text for plan in plans for text in _out_of_reach(plan)))


def _out_of_reach(plan: Plan) -> Iterator[str]:
    air = plan["air"]
    if not air or air["motion"]:
        return
    fading = {frozenset(pair) for each in air["fading"] for pair in each["between"]}
    for station, node in enumerate(plan["nodes"]):
        radio = radio_of(node)
        if radio is None or radio["access_point"] is None:
            continue
        access_point = radio["access_point"]["node"]
        if frozenset((station, access_point)) not in fading:
            yield from out_of_range(station, access_point, plan, node["name"])


def out_of_range(station: int, access_point: int, plan: Plan, called: str) -> Iterator[str]:
    """Give who of the two does not detect the other's frames; `called` names the station."""
    nodes, air = plan["nodes"], plan["air"]
    levels_dbm = {
        (sender, receiver): radio_of(nodes[sender])["tx_power_dbm"]
        - air["loss_db"][sender][receiver]
        for sender, receiver in ((station, access_point), (access_point, station))
    }
    least = air["preamble_detection_dbm"]
    deaf = {pair: level for pair, level in levels_dbm.items() if level < least}
    if not deaf:
        return
    (sender, receiver), *_ = deaf
    names = {station: called, access_point: nodes[access_point]["name"]}
    who = f"{names[receiver]} is out of range of {names[sender]}"
    if len(deaf) > 1:
        who = f"{names[sender]} and {names[receiver]} are out of range of each other"
    arrive = " and ".join(f"{level:g}" for level in sorted(set(deaf.values())))
    yield f"{who}, {arrive} dBm arrive where {least:g} dBm are detected"


def radio_of(node: Mapping[str, Any]) -> Any:
    """Give the first radio of a node of a plan, or None."""
    return next((each["radio"] for each in node["interfaces"] if each["radio"]), None)
