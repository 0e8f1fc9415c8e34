"""From stations that look for their access points to the plan."""

from typing import Any

from anechoic.scenario.association import Admission, Association
from anechoic.scenario.cells import standard_of
from anechoic.scenario.errors import Problem
from anechoic.scenario.model import Scenario
from anechoic.scenario.quantities import dbm, decibels, nanoseconds
from anechoic.scenario.radio import AccessPoint, Station
from anechoic.scenario.standards import Standard
from anechoic.scenario.topology import Topology

_FREE_AT_2_4_GHZ = 11
"""The highest channel of the band that is free wherever there is one."""

_DWELLS = {"active": "30 ms", "passive": "111 ms"}


def associations_plan(
    scenario: Scenario, found: Topology, problems: list[Problem]
) -> dict[str, Any] | None:
    """Give who is associated by frames on the air; None where all are for ever."""
    stations = []
    access_points = []
    for place, machine in enumerate(found.machines):
        at = {"node": place, "interface": 0}
        part = machine.part
        if isinstance(part, AccessPoint):
            access_points.append({"at": at, **_admission(part.association)})
        elif isinstance(part, Station) and part.association is not None:
            standard = standard_of(part, scenario)
            by = _association(f"{machine.path}.association", part.association, standard, problems)
            stations.append({"at": at, "by": by})
    if not stations:
        return None
    if scenario.noise and len({_channel(each, scenario) for each in scenario.ap.values()}) > 1:
        what = "a station that changes its channel would hear the noise of its first one there"
        allowed = "one channel for all access points, or no noise"
        problems.append(Problem("noise", what, allowed))
    return {"access_points": access_points, "stations": stations}


def _channel(ap: AccessPoint, scenario: Scenario) -> int | None:
    return ap.channel if ap.channel is not None or scenario.air is None else scenario.air.channel


def _admission(part: Admission) -> dict[str, Any]:
    return {"lost_packets": part.lost_packets or None, "keeps_queue": part.queue == "kept"}


def _association(
    path: str, part: Association, standard: Standard, problems: list[Problem]
) -> dict[str, Any]:
    return {
        "channels": _frequencies(path, part, standard, problems),
        "scan": part.scan,
        "probe_delay_ns": nanoseconds(part.probe_delay),
        "dwell_ns": nanoseconds(part.dwell or _DWELLS[part.scan]),
        "beacons_missed": part.beacons_missed,
        "roam_below_dbm": None if part.roam_below is None else dbm(part.roam_below),
        "hysteresis_db": decibels(part.hysteresis),
        "rescan_ns": nanoseconds(part.rescan),
        "rejoin_delay_ns": nanoseconds(part.rejoin_delay),
        "pause_ns": nanoseconds(part.pause),
        "timeout_ns": nanoseconds(part.timeout),
        "tries": part.tries,
        "keeps_queue": part.queue == "kept",
    }


def _frequencies(
    path: str, part: Association, standard: Standard, problems: list[Problem]
) -> list[int]:
    usual = [
        number
        for number in sorted(standard.channels)
        if number <= _FREE_AT_2_4_GHZ or standard.name == "802.11a"
    ]
    chosen = usual if part.channels is None else part.channels
    for number in chosen:
        if number not in standard.channels:
            what = f"{number} is not a channel of {standard.name}"
            nearest = min(standard.channels, key=lambda each: (abs(each - number), each))
            problems.append(
                Problem(f"{path}.channels", what, standard.channels_text(), str(nearest))
            )
    return [standard.channels.get(number, 0) for number in chosen]
