"""Chassis that join radios by cables and attenuators: what losses they have, by which source.

What no source says of a chassis is no limit of its own.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from types import MappingProxyType

from anechoic.scenario.errors import Problem, shown
from anechoic.scenario.links import Air
from anechoic.scenario.quantities import decibels


@dataclass(frozen=True, slots=True)
class Chassis:
    """A chassis: what it is, and the least loss between two radios in it."""

    title: str
    least_loss: str
    source: str


CHASSIS = MappingProxyType(
    {
        "azimuth-w": Chassis(
            "the Azimuth W-Series", "48 dB", "goel2006 §3.5: the minimum level of attenuation"
        )
    }
)


def below_chassis(air: Air, noises: list[str]) -> Iterator[Problem]:
    """Refuse losses between radios that are less than the chassis has.

    A noise is coupled in by a way of its own.
    """
    if air.chassis is None:
        return
    chassis = CHASSIS[air.chassis]
    least = decibels(chassis.least_loss)
    stated: dict[str, str | None] = {"air.loss": air.loss}
    for name, link in air.link.items():
        if not set(link.between) & set(noises):
            stated[f"air.link.{name}.loss"] = link.loss
            stated[f"air.link.{name}.back"] = link.back
    for path, loss in stated.items():
        if loss is not None and decibels(loss) < least:
            what = f"{shown(loss)} is below what {chassis.title} has"
            yield Problem(path, what, f"at least {chassis.least_loss} ({chassis.source})")
