"""A radio of a cell with EDCA as the core runs it: a radio for each access category."""

from collections.abc import Iterator, Mapping
from typing import Any

from anechoic.scenario.cells import Cell
from anechoic.scenario.edca import CATEGORIES, Defaults, usual
from anechoic.scenario.errors import Problem, shown
from anechoic.scenario.model import Scenario
from anechoic.scenario.profiles import OF_LATER, PROFILES
from anechoic.scenario.quantities import nanoseconds
from anechoic.scenario.radio import AccessPoint, Client, Radio
from anechoic.scenario.topology import Antenna

ONE_FOR_ALL = ("cw_min", "cw_max", "txop_limit")
"""What a radio of the DCF has one of, and an access category its own."""


def access_functions(
    antenna: Antenna, scenario: Scenario, cell: Cell, problems: list[Problem]
) -> list[dict[str, Any]]:
    """Give what the MAC of each category has instead of the radio's; nothing for the DCF."""
    part = antenna.part
    name = part.ap if isinstance(part, Client) else antenna.path.partition(".")[2]
    ap = scenario.ap.get(name)
    if ap is None or ap.access == "dcf":
        return []
    problems += _of_the_dcf(antenna)
    # What is wrong with the table is said once, of the access point.
    told = problems if isinstance(part, AccessPoint) else []
    return [
        _function(f"ap.{name}.edca", category, values | _written(ap, category), told)
        for category, values in _usual(ap, part, cell).items()
    ]


def _usual(ap: AccessPoint, part: Radio, cell: Cell) -> dict[str, dict[str, Any]]:
    """Give what a radio's categories have where a scenario says nothing."""
    of_access_point = isinstance(part, AccessPoint)
    by_profile: Defaults = "hostapd" if ap.profile in OF_LATER else "802.11-2007"
    found = usual(cell.standard, ap.edca.defaults or by_profile, of_access_point=of_access_point)
    bursts = PROFILES[ap.profile].get("txop_limit")
    if of_access_point and bursts is not None and ap.edca.defaults is None:
        found["best-effort"]["txop_limit"] = bursts.value
    return found


def with_functions(radio: dict[str, Any], functions: list[dict[str, Any]]) -> dict[str, Any]:
    """Give a radio as its access functions, the first of them with the others beside it."""
    if not functions:
        return radio
    first, *others = (
        {
            **radio,
            "name": f"{radio['name']}-{function['edca']['category']}",
            "mac": {**radio["mac"], **function},
        }
        for function in functions
    )
    # Beacons go with what is most urgent, and all keep one ledger together.
    for each in others:
        each["beacon_interval_ns"] = None
        each.pop("ledger", None)
    return {**first, "categories": others}


def name_of(radio: Mapping[str, Any]) -> str:
    """Give what a scenario calls a radio of a plan, whose first access function it may be."""
    name: str = radio["name"]
    return name.removesuffix("-" + CATEGORIES[0]) if radio.get("categories") else name


def _function(
    path: str, category: str, values: dict[str, Any], problems: list[Problem]
) -> dict[str, Any]:
    if values["cw_min"] > values["cw_max"]:
        what = f"{values['cw_min']} slots are more than cw_max"
        allowed = f"at most {values['cw_max']} slots"
        problems.append(Problem(f"{path}.{_field(category)}.cw_min", what, allowed))
    return {
        "cw_min": values["cw_min"],
        "cw_max": values["cw_max"],
        "edca": {
            "category": category,
            "aifsn": values["aifsn"],
            "txop_limit_ns": nanoseconds(values["txop_limit"]),
        },
    }


def _written(ap: AccessPoint, category: str) -> dict[str, Any]:
    own = getattr(ap.edca, _field(category))
    return dict(own.model_dump(exclude_none=True))


def _field(category: str) -> str:
    return category.replace("-", "_")


def _of_the_dcf(antenna: Antenna) -> Iterator[Problem]:
    for name in ONE_FOR_ALL:
        value = getattr(antenna.part, name)
        if value is not None:
            what = f"{shown(value)} is of the DCF, and its cell contends by categories"
            allowed = 'nothing, or access = "dcf" of its access point'
            yield Problem(f"{antenna.path}.{name}", what, allowed)
