"""What an access point has for single stations: rate, rate control and retry limits."""

from collections.abc import Iterator, Mapping
from typing import Any

from anechoic.scenario.cells import Cell
from anechoic.scenario.declared import planned
from anechoic.scenario.errors import Problem, listing
from anechoic.scenario.high_throughput import mcs_of
from anechoic.scenario.later_fields import control_problems
from anechoic.scenario.mac import aggregation, queue_of, rate_in, rate_of, resolved_radio
from anechoic.scenario.mac import rate_control as usual_rate_control
from anechoic.scenario.radio import AccessPoint, Client, Towards
from anechoic.scenario.standards import Standard
from anechoic.scenario.topology import Antenna, Topology


def receivers(
    antenna: Antenna, goes_by: Mapping[str, Cell], found: Topology, problems: list[Problem]
) -> list[dict[str, Any]]:
    """Give what a plan has for the receivers of a radio; nothing for one that tells none apart."""
    ap = antenna.part
    if not isinstance(ap, AccessPoint):
        return []
    made = {} if goes_by[antenna.path].standard.later is None else _lesser(antenna, goes_by, found)
    # Who is named alone has what stands there, though his group be named, too.
    by_size = sorted(ap.to.items(), key=lambda item: -len(found.places(item[0])))
    for name, towards in by_size:
        path = f"{antenna.path}.to.{name}"
        said = problems
        for place in found.find_radios(path, name, problems):
            own = list(_of_cell(place, antenna.name, found))
            if not own:
                machine = found.machines[place].name
                what = f"{machine} is not a station of {antenna.path}"
                stations = [each for each in found.written if _is_with(each, antenna.name, found)]
                said.append(Problem(path, what, listing(stations) or "none"))
                said = []
            for interface, station in own:
                mac = _mac(path, towards, ap, goes_by[station.path], said)
                mac |= _older(antenna, station, goes_by)
                made[place, interface] = {
                    "at": {"node": place, "interface": interface},
                    "mac": mac,
                    **_weight(path, towards, ap, said),
                }
            # The stations of a group are alike, and what is wrong is said once.
            said = []
    return list(made.values())


def _lesser(
    antenna: Antenna, goes_by: Mapping[str, Cell], found: Topology
) -> dict[tuple[int, int], dict[str, Any]]:
    """Give what an access point has for stations of fewer rates than itself, or older ones."""
    ap, own = antenna.part, goes_by[antenna.path].standard
    assert isinstance(ap, AccessPoint)
    made = {}
    for place in range(len(found.machines)):
        for interface, station in _of_cell(place, antenna.name, found):
            other = goes_by[station.path].standard
            if other.modes != own.modes:
                mac = _mac("", Towards(), ap, goes_by[station.path], [])
                mac |= _older(antenna, station, goes_by)
                at = {"node": place, "interface": interface}
                made[place, interface] = {"at": at, "mac": mac}
    return made


def _older(antenna: Antenna, station: Antenna, goes_by: Mapping[str, Cell]) -> dict[str, Any]:
    """Give what there is besides for a station of an older amendment than its access point."""
    own, other = goes_by[antenna.path].standard, goes_by[station.path].standard
    if own.name == other.name or own.later is None:
        return {}
    if other.later is None:
        return {"standard": other.name}
    asked, taken = aggregation(antenna.part, own.later), aggregation(station.part, other.later)
    least = {name: min(asked[name], taken[name]) for name in _LIMITS}
    spacing = max(asked["spacing_ns"], taken["spacing_ns"])
    return {"standard": other.name, "aggregation": asked | least | {"spacing_ns": spacing}}


_LIMITS = ("ampdu_bytes", "amsdu_bytes", "window", "lasts_ns")
"""Of aggregates, what the lesser of two stations bounds."""


def _is_with(name: str, ap: str, found: Topology) -> bool:
    return all(any(_of_cell(place, ap, found)) for place in found.places(name))


def _of_cell(place: int, ap: str, found: Topology) -> Iterator[tuple[int, Antenna]]:
    """Give the radios of a machine that are, or may come to be, with an access point."""
    for interface, antenna in enumerate(found.machines[place].antennas):
        part = antenna.part
        roams = getattr(part, "association", None) is not None
        if isinstance(part, Client) and (part.ap == ap or roams):
            yield interface, antenna


def _mac(
    path: str, towards: Towards, ap: AccessPoint, station: Cell, problems: list[Problem]
) -> dict[str, Any]:
    usual = resolved_radio(ap)
    control = towards.rate_control or usual_rate_control(ap)
    limits = {
        name: getattr(towards, name) or usual[name].value
        for name in ("short_retry_limit", "long_retry_limit")
    }
    standard = station.standard
    if standard.later is not None:
        return {"rate": _later_mode(path, towards, ap, standard, problems)} | {
            "rate_control": planned(control),
            **limits,
        }
    planned_control = planned(control)
    if towards.rate_control is not None:
        problems += control_problems(path, towards.rate_control.kind, standard)
    elif planned_control["kind"] == "minstrel-ht":
        # Linux serves stations without MCS by the same control, among the rates that they have.
        planned_control = planned_control | {"kind": "minstrel"}
    if towards.mcs is not None:
        what = f"{towards.mcs} is of 802.11n and later, and the station is of {standard.name}"
        problems.append(Problem(f"{path}.mcs", what, "nothing, or a rate"))
    if towards.rate is not None:
        rate = rate_in(f"{path}.rate", towards.rate, standard, problems)
    else:
        own = rate_of(ap, standard)
        rate = max((each for each in standard.modes if each <= own), default=min(standard.modes))
    return {"rate": standard.modes[rate], "rate_control": planned_control, **limits}


def _weight(
    path: str, towards: Towards, ap: AccessPoint, problems: list[Problem]
) -> dict[str, int]:
    """Give what of the airtime goes to a station of its own weight; its queue has to count that."""
    if towards.airtime_weight is None:
        return {}
    queue = queue_of(ap)
    if queue is None or not planned(queue).get("fair"):
        what = "stations take turns by airtime in a fair mac80211 queue alone"
        problems.append(Problem(f"{path}.airtime_weight", what, "nothing"))
    return {"airtime_weight": towards.airtime_weight}


def _later_mode(
    path: str, towards: Towards, ap: AccessPoint, standard: Standard, problems: list[Problem]
) -> str:
    """Give the mode of what goes to a station of 802.11n or later."""
    assert standard.later is not None
    if towards.rate is not None:
        what = f"a rate of {standard.name} is an MCS"
        problems.append(Problem(f"{path}.rate", what, f"mcs = 0 to {standard.later.mcs}"))
    wanted = towards.mcs if towards.mcs is not None else ap.mcs
    most = standard.later.mcs if wanted is None else wanted
    fits = [mode for mode in standard.modes.values() if mcs_of(mode) <= most]
    if towards.mcs is not None and mcs_of(fits[-1]) != towards.mcs:
        what = f"{standard.name} has no MCS {towards.mcs} as the station has it"
        problems.append(Problem(f"{path}.mcs", what, standard.rates_text(), str(mcs_of(fits[-1]))))
    return fits[-1]
