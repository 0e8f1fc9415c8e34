"""Devices that impair wires: what they can do, and where that stands.

A wire that names its emulator has impairments that the device has, with values that it takes.
What no source says of a device is none of its own.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from anechoic.scenario.declared import declaration_of, number_of
from anechoic.scenario.errors import Problem, listing, nearest_name, shown
from anechoic.scenario.impairments import Impairment


@dataclass(frozen=True, slots=True)
class Limits:
    """The values that a field may have besides zero, which switches off, and their source."""

    least: Any
    most: Any
    source: str


@dataclass(frozen=True, slots=True)
class Device:
    """An emulator: what it is, and the fields of each impairment that it has.

    A field without limits may have any value of its own.
    """

    title: str
    kinds: Mapping[str, Mapping[str, Limits | None]]


GOEL = "goel2006"
PROBABILITY = Limits(0.0, 1.0, f"{GOEL} §4.3.1 to 4.3.7: percentages")
LATENCY = Limits("0 s", "500 ms", f"{GOEL} §4.3.5: the largest configuration of the device")

DEVICES = MappingProxyType(
    {
        "gel2": Device(
            f"the Anue Systems GEL2, version 1.78.00 ({GOEL} §3.3)",
            {
                "delay": {"delay": LATENCY},
                "uniform-delay": {"delay": LATENCY, "keep_order": None},
                "drop": {"probability": PROBABILITY},
                "duplicate": {
                    "probability": PROBABILITY,
                    "copies": Limits(1, 4, f"{GOEL} §4.3.1: ranges 1 to 2 and 1 to 4"),
                },
                "reorder": {
                    "probability": PROBABILITY,
                    "displacement": Limits(1, 7, f"{GOEL} §4.3.7: uniform from one to seven"),
                    "longest_wait": None,
                },
                "bit-error": {
                    "ber": Limits(1e-6, 1e-4, f"{GOEL} §4.3.6: no result beyond these rates"),
                    "fcs": None,
                },
                "bad-fcs": {"probability": PROBABILITY},
            },
        )
    }
)


def beyond(path: str, stage: Impairment, emulator: str | None) -> Iterator[Problem]:
    """Refuse what a stage asks of an emulator that cannot do it."""
    if emulator is None:
        return
    device, declared = DEVICES[emulator], declaration_of(stage)
    own = device.kinds.get(declared["name"])
    if own is None:
        what = f"{shown(declared['name'])} is no impairment of {device.title}"
        nearest = nearest_name(declared["name"], device.kinds)
        yield Problem(f"{path}.kind", what, listing(list(device.kinds)), nearest)
        return
    written = stage.model_fields_set
    for field in declared["fields"]:
        name, value = field["name"], getattr(stage, field["name"])
        if name not in written or value is None:
            continue
        if name not in own:
            what = f"{device.title} has no such field"
            yield Problem(f"{path}.{name}", what, listing(list(own)))
        elif (limits := own[name]) is not None and not _is_within(field, value, limits):
            what = f"{shown(value)} is beyond {device.title}"
            allowed = f"{limits.least} to {limits.most} ({limits.source})"
            yield Problem(f"{path}.{name}", what, allowed)


def _is_within(field: Mapping[str, Any], value: Any, limits: Limits) -> bool:
    least, most = (number_of(field, limit) for limit in (limits.least, limits.most))
    values = value if isinstance(value, list) else [value]
    numbers = [number_of(field, each) for each in values]
    return all(number == 0 or least <= number <= most for number in numbers)
