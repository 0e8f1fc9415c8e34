"""What a plan's noises radiate: how long, how much of the time, and what radios take in."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from anechoic.scenario.core import core
from anechoic.scenario.errors import Problem, listing, shown

Plan = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Emission:
    """What a noise radiates."""

    name: str
    burst_us: float | None
    """How long its first burst radiates; None where there is none."""
    duty_cycle: float
    mask: str | None
    """Whose spectrum mask it has; None where it is as strong in all channels."""
    taken_off_db: Mapping[str, float | None]
    """What the mask takes off at each radio; None where nothing of it lies in the channel."""

    @property
    def reaches_nobody(self) -> bool:
        """Whether it lies in no radio's channel."""
        return bool(self.taken_off_db) and set(self.taken_off_db.values()) == {None}


def emissions(plan: Plan) -> list[Emission]:
    """Give what each noise of a plan radiates."""
    if plan["air"] is None:
        return []
    radios = _radios(plan)
    asked, run = json.dumps(radios), plan["duration_ns"]
    found = [
        json.loads(core().emission(json.dumps(emitter), asked, run))
        for emitter in plan["air"]["emitters"]
    ]
    names = [radio["name"] for radio in radios]
    return [
        Emission(
            name=each["name"],
            burst_us=None if each["burst"] is None else each["burst"] / 1e3,
            duty_cycle=each["duty_cycle"],
            mask=each["mask"],
            taken_off_db=dict(zip(names, each["taken_off_db"], strict=True)),
        )
        for each in found
    ]


def in_no_channel(plan: Plan) -> Iterator[Problem]:
    """Refuse noises of which nothing lies in any radio's channel."""
    for each in emissions(plan):
        if each.reaches_nobody:
            centres = sorted({radio["frequency_mhz"] for radio in _radios(plan)})
            what = f"{shown(each.name)} lies in no channel that a radio listens to"
            allowed = f"near {listing([f'{mhz} MHz' for mhz in centres])}"
            yield Problem(f"noise.{each.name}.frequency", what, allowed)


def _radios(plan: Plan) -> list[Mapping[str, Any]]:
    interfaces = (interface for node in plan["nodes"] for interface in node["interfaces"])
    return [interface["radio"] for interface in interfaces if interface.get("radio")]
