"""The ways of a plan: which media a packet crosses from one machine to another."""

import json
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from anechoic.calc.timing import Exchange, Spaces, exchange_of, ip_msdu_bytes, spaces_of

PASSING_ROLES = ("ap", "switch", "router")
"""What passes packets of others on."""


@dataclass(frozen=True)
class Radio:
    """A radio of a plan."""

    name: str
    node: int
    frequency_mhz: int
    mac_json: str
    tx_power_dbm: float
    queue: Mapping[str, Any] | None
    """Its own discipline, where it has another than a queue of so many packets."""

    @property
    def mac(self) -> dict[str, Any]:
        """Give its settings."""
        settings: dict[str, Any] = json.loads(self.mac_json)
        return settings

    @property
    def spaces(self) -> Spaces:
        """What it waits for and counts."""
        return spaces_of(self.mac_json)

    def exchange(self, ip_bytes: int) -> Exchange:
        """Give the frames that bring an IP packet to a station."""
        return exchange_of(self.mac_json, ip_msdu_bytes(ip_bytes))


@dataclass(frozen=True)
class Wire:
    """A wire in one direction: its rate and delay, and what is done to packets on it."""

    name: str
    direction: int
    rate_mbps: float
    delay_us: float
    queue: Mapping[str, Any]
    """What waits before it."""
    stages: tuple[Mapping[str, Any], ...]

    @property
    def key(self) -> tuple[str, int]:
        """Tell it from others."""
        return self.name, self.direction


@dataclass(frozen=True)
class Segment:
    """A cable that several share."""

    name: str


@dataclass(frozen=True)
class Leg:
    """A step of a way: by a wire, by a shared cable, or by a radio that sends."""

    medium: Wire | Segment | Radio
    to: int
    mtu: int
    """Bytes of the longest IP packet that is sent there."""


class Ways:
    """All ways of a plan's network."""

    def __init__(self, plan: Mapping[str, Any]) -> None:
        """Read what is joined with what."""
        self.radios = _radios(plan)
        self._passing = {
            at for at, node in enumerate(plan["nodes"]) if node["role"] in PASSING_ROLES
        }
        self._legs: dict[int, list[Leg]] = {at: [] for at in range(len(plan["nodes"]))}
        for wire in plan["wires"]:
            for direction, (one, other) in enumerate(permutations(wire["ends"])):
                self._join(plan, one, other, _wire(wire, direction))
        for segment in plan["segments"]:
            for one, other in permutations(segment["members"], 2):
                self._join(plan, one, other, Segment(segment["name"]))
        for at, node in enumerate(plan["nodes"]):
            for number, interface in enumerate(node["interfaces"]):
                point = (interface["radio"] or {}).get("access_point")
                if point is not None:
                    own = {"node": at, "interface": number}
                    for one, other in ((own, point), (point, own)):
                        radio = _interface(plan, one)["radio"]
                        self._join(plan, one, other, self.radios[radio["name"]])

    def _join(
        self,
        plan: Mapping[str, Any],
        one: Mapping[str, int],
        other: Mapping[str, int],
        medium: Wire | Segment | Radio,
    ) -> None:
        mtu = _interface(plan, one)["mtu"]
        self._legs[one["node"]].append(Leg(medium, other["node"], mtu))

    def way(self, source: int, sink: int) -> tuple[Leg, ...]:
        """Give the shortest way, which a scenario that was compiled has."""
        before: dict[int, tuple[int, Leg]] = {}
        waiting = deque([source])
        while waiting and sink not in before:
            at = waiting.popleft()
            for leg in self._legs[at] if at == source or at in self._passing else ():
                if leg.to != source and leg.to not in before:
                    before[leg.to] = at, leg
                    waiting.append(leg.to)
        legs: list[Leg] = []
        while sink != source:
            sink, leg = before[sink]
            legs.append(leg)
        return tuple(reversed(legs))


def _interface(plan: Mapping[str, Any], end: Mapping[str, int]) -> Mapping[str, Any]:
    found: Mapping[str, Any] = plan["nodes"][end["node"]]["interfaces"][end["interface"]]
    return found


def _radios(plan: Mapping[str, Any]) -> dict[str, Radio]:
    found = {}
    for at, node in enumerate(plan["nodes"]):
        for interface in node["interfaces"]:
            radio = interface["radio"]
            if radio is not None:
                mac = json.dumps(radio["mac"])
                settings = radio["frequency_mhz"], mac, radio["tx_power_dbm"], radio["queue"]
                found[radio["name"]] = Radio(radio["name"], at, *settings)
    return found


def _wire(wire: Mapping[str, Any], direction: int) -> Wire:
    stages = tuple(wire["impair"][direction])
    rate_mbps, delay_us = wire["rate_bps"] / 1e6, wire["delay_ns"] / 1e3
    return Wire(wire["name"], direction, rate_mbps, delay_us, wire["queue"][direction], stages)
