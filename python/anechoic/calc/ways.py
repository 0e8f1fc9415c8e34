"""The ways of a plan: which media a packet crosses from one machine to another."""

import json
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from anechoic.calc.timing import Exchange, Spaces, exchange_of, ip_msdu_bytes, spaces_of


@dataclass(frozen=True)
class Radio:
    """A radio of a plan."""

    name: str
    node: int
    mac_json: str
    tx_power_dbm: float

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
    stages: tuple[Mapping[str, Any], ...]

    @property
    def key(self) -> tuple[str, int]:
        """Tell it from others."""
        return self.name, self.direction


@dataclass(frozen=True)
class Leg:
    """A step of a way: by a wire, or by a radio that sends."""

    medium: Wire | Radio
    to: int


class Ways:
    """All ways of a plan's network."""

    def __init__(self, plan: Mapping[str, Any]) -> None:
        """Read what is joined with what."""
        self.radios = _radios(plan)
        self._legs: dict[int, list[Leg]] = {at: [] for at in range(len(plan["nodes"]))}
        for wire in plan["wires"]:
            ends = [end["node"] for end in wire["ends"]]
            for direction, (one, other) in enumerate((ends, ends[::-1])):
                self._legs[one].append(Leg(_wire(wire, direction), other))
        for at, node in enumerate(plan["nodes"]):
            for interface in node["interfaces"]:
                point = (interface["radio"] or {}).get("access_point")
                if point is not None:
                    up = self.radios[interface["radio"]["name"]]
                    far = plan["nodes"][point["node"]]["interfaces"][point["interface"]]["radio"]
                    self._legs[at].append(Leg(up, point["node"]))
                    self._legs[point["node"]].append(Leg(self.radios[far["name"]], at))

    def way(self, source: int, sink: int) -> tuple[Leg, ...]:
        """Give the shortest way, which a scenario that was compiled has."""
        before: dict[int, tuple[int, Leg]] = {}
        waiting = deque([source])
        while waiting and sink not in before:
            at = waiting.popleft()
            for leg in self._legs[at]:
                if leg.to != source and leg.to not in before:
                    before[leg.to] = at, leg
                    waiting.append(leg.to)
        legs: list[Leg] = []
        while sink != source:
            sink, leg = before[sink]
            legs.append(leg)
        return tuple(reversed(legs))


def _radios(plan: Mapping[str, Any]) -> dict[str, Radio]:
    found = {}
    for at, node in enumerate(plan["nodes"]):
        for interface in node["interfaces"]:
            radio = interface["radio"]
            if radio is not None:
                mac = json.dumps(radio["mac"])
                found[radio["name"]] = Radio(radio["name"], at, mac, radio["tx_power_dbm"])
    return found


def _wire(wire: Mapping[str, Any], direction: int) -> Wire:
    stages = tuple(wire["impair"][direction])
    return Wire(wire["name"], direction, wire["rate_bps"] / 1e6, wire["delay_ns"] / 1e3, stages)
