"""What a plan's noises radiate: how long, how much of the time, and what radios take in."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from anechoic.scenario.core import core

Plan = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Emission:
    """What a noise radiates."""

    name: str
    burst_us: float | None
    """How long a burst radiates, at the longest; None where there is none."""
    duty_cycle: float
    mask: str | None
    """What its spectrum is called; None where it is as strong in all channels."""
    taken_in: Mapping[str, "TakenIn"]
    """What each radio takes in."""

    @property
    def reaches_nobody(self) -> bool:
        """Whether it lies in no radio's channel."""
        taken_off = [each.taken_off_db for each in self.taken_in.values()]
        return bool(taken_off) and set(taken_off) == {None}


@dataclass(frozen=True, slots=True)
class TakenIn:
    """What a radio takes in of a noise."""

    duty_cycle: float
    """The part of the time in which it radiates in the radio's channel."""
    taken_off_db: float | None
    """What the mask takes off; None where nothing of it lies in the channel."""


def emissions(plan: Plan) -> list[Emission]:
    """Give what each noise of a plan radiates."""
    if plan["air"] is None:
        return []
    radios = _radios(plan)
    asked, run = json.dumps(radios), plan["duration_ns"]
    emitters = plan["air"]["emitters"]
    found = [json.loads(core().emission(json.dumps(each), asked, run)) for each in emitters]
    names = [radio["name"] for radio in radios]
    return [
        Emission(
            name=each["name"],
            burst_us=None if each["burst"] is None else each["burst"] / 1e3,
            duty_cycle=each["duty_cycle"],
            mask=each["mask"],
            taken_in={
                name: TakenIn(**taken_in)
                for name, taken_in in zip(names, each["taken_in"], strict=True)
            },
        )
        for each in found
    ]


def _radios(plan: Plan) -> list[Mapping[str, Any]]:
    interfaces = (interface for node in plan["nodes"] for interface in node["interfaces"])
    return [interface["radio"] for interface in interfaces if interface.get("radio")]
