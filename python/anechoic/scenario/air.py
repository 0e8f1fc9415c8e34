"""From the air of a scenario to that of a plan: losses, what radiates, and frames that get lost."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from anechoic.scenario.chassis import below_chassis
from anechoic.scenario.declared import planned
from anechoic.scenario.errors import Problem, listing, shown
from anechoic.scenario.fading_plan import fading_plan
from anechoic.scenario.kinds import Bursts
from anechoic.scenario.links import Air, AirLink
from anechoic.scenario.lost_frames import LostFrames, kinds_of, listed
from anechoic.scenario.mac import resolved_radio
from anechoic.scenario.model import Scenario
from anechoic.scenario.motion import Losses, by_place
from anechoic.scenario.noise import Noise
from anechoic.scenario.quantities import RATIO, dbm, decibels, nanoseconds
from anechoic.scenario.radio import AccessPoint
from anechoic.scenario.topology import Topology

# An IP packet of the longest, 1500 bytes, behind LLC and SNAP headers (RFC 1042), and what an MPDU
# adds to it: header of 24 bytes and FCS (IEEE 802.11-2007 §7.1.2).
LONGEST_MSDU = 1508
MPDU_OVERHEAD = 28


def air_plan(scenario: Scenario, found: Topology, problems: list[Problem]) -> dict[str, Any]:
    """Give the shared channel of a scenario that has one."""
    air = scenario.air
    assert air is not None
    problems += below_chassis(air, list(scenario.noise))
    losses = _losses(scenario, air, found, problems)
    motion = by_place(scenario, found, losses, problems)
    return {
        "ssid": air.ssid,
        "noise_figure_db": decibels(air.noise_figure),
        "preamble_detection_dbm": dbm(air.preamble_detection),
        "energy_detection_dbm": dbm(air.energy_detection),
        "detection_margin_db": decibels(air.detection_margin),
        "capture": air.capture,
        "capture_margin_db": decibels(air.capture_margin),
        "error_model": air.error_model,
        "thresholds": air.receive_threshold
        and {
            "receive_dbm": dbm(air.receive_threshold),
            "capture_db": decibels(air.capture_threshold),
        },
        "loss_db": losses.between,
        "motion": motion,
        **fading_plan(scenario, found, problems),
        "emitters": [
            _emitter(name, noise, losses.from_noise[name], scenario, problems)
            for name, noise in scenario.noise.items()
        ],
        "lose": [
            _lost(f"air.lose.{name}", name, lost, found, problems)
            for name, lost in air.lose.items()
        ],
    }


def _losses(scenario: Scenario, air: Air, found: Topology, problems: list[Problem]) -> Losses:
    """Give the losses that are stated: for all, and for single pairs."""
    radios = [bool(machine.antennas) for machine in found.machines]
    default = decibels(air.loss)
    loss = [
        [default if sends and hears and i != j else 0.0 for j, hears in enumerate(radios)]
        for i, sends in enumerate(radios)
    ]
    losses = Losses(loss, {name: [default] * len(radios) for name in scenario.noise})
    for name, link in air.link.items():
        path = f"air.link.{name}.between"
        noises = [end for end in link.between if end in scenario.noise]
        others = [end for end in link.between if end not in scenario.noise]
        ends = [found.find_radios(path, end, problems) for end in others]
        if noises and link.fading:
            what = f"{shown(noises[0])} is a noise, whose power does not change"
            problems.append(Problem(f"air.link.{name}.fading", what, "two radios"))
        if len(ends) == 2 and ends[0] == ends[1] and len(ends[0]) == 1:
            problems.append(Problem(path, f"both ends are {shown(others[0])}", "two radios"))
        if link.loss is None and not link.fading:
            what = "missing, the path loss between them"
            problems.append(Problem(f"air.link.{name}.loss", what, RATIO.allowed()))
        if not others:
            what = f"{listing([shown(end) for end in noises])} only radiate"
            problems.append(Problem(path, what, "a radio at one end"))
        problems += _wrong_back(f"air.link.{name}.back", link, noises, ends)
        if link.loss is None:
            continue
        there = decibels(link.loss)
        back = there if link.back is None else decibels(link.back)
        for noise in noises:
            for end in ends[:1]:
                for place in end:
                    losses.from_noise[noise][place] = decibels(link.loss)
                    losses.stated.add(frozenset((noise, place)))
        for first, second in [ends] if len(ends) == 2 else []:
            for one in first:
                for other in second:
                    if one != other:
                        loss[one][other], loss[other][one] = there, back
                        losses.stated.add(frozenset((one, other)))
    return losses


def _wrong_back(
    path: str, link: AirLink, noises: list[str], ends: list[list[int]]
) -> Iterator[Problem]:
    """Refuse a way back where there is none, or where it is the way there."""
    if link.back is None:
        return
    if noises:
        what = f"{shown(noises[0])} only radiates, and hears nothing"
        yield Problem(path, what, "none")
    elif len(ends) == 2 and set(ends[0]) & set(ends[1]):
        what = f"{listing([shown(end) for end in link.between])} share radios, so there is no back"
        yield Problem(path, what, "two ends of different radios")


def _emitter(
    name: str, noise: Noise, loss: list[float], scenario: Scenario, problems: list[Problem]
) -> dict[str, Any]:
    if isinstance(noise, Bursts):
        problems += _wrong_times(f"noise.{name}.times", noise, scenario)
    power = dbm(noise.tx_power)
    return {
        "name": name,
        "received_dbm": [power - each for each in loss],
        **planned(noise),
    }


def _wrong_times(path: str, noise: Bursts, scenario: Scenario) -> Iterator[Problem]:
    for place, (begin, end) in enumerate(noise.times):
        if nanoseconds(end) <= nanoseconds(begin):
            what = f"{shown(end)} is not after its beginning"
            yield Problem(f"{path}[{place}]", what, f"more than {begin}")
    for place, (before, after) in enumerate(pairwise(noise.times), start=1):
        if nanoseconds(after[0]) <= nanoseconds(before[1]):
            what = f"{shown(after[0])} is not after the end of the burst before"
            yield Problem(f"{path}[{place}]", what, f"more than {before[1]}")
    duration = scenario.run.duration
    for place, (_, end) in enumerate(noise.times):
        if nanoseconds(end) > nanoseconds(duration):
            what = f"{shown(end)} is behind the end of the run"
            yield Problem(f"{path}[{place}]", what, f"at most {duration}")


def _lost(
    path: str, name: str, lost: LostFrames, found: Topology, problems: list[Problem]
) -> dict[str, Any]:
    ends = {
        field: [] if named is None else found.find_radios(f"{path}.{field}", named, problems)
        for field, named in (("sender", lost.sender), ("receiver", lost.receiver))
    }
    fields = list(LostFrames.model_fields)
    if all(getattr(lost, field) is None for field in fields):
        problems.append(
            Problem(path, "it says of no frame what it has", f"one of {listing(fields)}")
        )
    if all(ends[field] or getattr(lost, field) is None for field in ends):
        problems += _matches_nothing(path, lost, ends["sender"], ends["receiver"], found)
    return {
        "name": name,
        "senders": ends["sender"],
        "receivers": ends["receiver"],
        "frames": kinds_of(lost),
        "msdu": listed(lost.msdu),
        "fragment": listed(lost.fragment),
        "attempt": listed(lost.attempt),
        "number": listed(lost.number),
    }


def _matches_nothing(
    path: str, lost: LostFrames, senders: list[int], receivers: list[int], found: Topology
) -> Iterator[Problem]:
    """Refuse what no frame can have, as far as the radios' settings tell."""
    kinds = kinds_of(lost)
    if kinds == ["beacon"]:
        yield from _no_beacons(path, lost, senders, found)
        return
    if senders and receivers and not _speak(senders, receivers, found):
        what = "it can match nothing: frames go between an access point and its stations"
        yield Problem(f"{path}.receiver", what, "a station of the sender, or its access point")
        return
    # What an ACK or a CTS answers has been sent by its receiver.
    answers = bool(kinds) and set(kinds) <= {"ack", "cts"}
    asks = bool(kinds) and not set(kinds) & {"ack", "cts"}
    originators = receivers if answers else senders if asks else []
    radios = [
        antenna.part
        for place, machine in enumerate(found.machines)
        for antenna in machine.antennas
        if place in originators or not originators
    ]
    settings = [
        {name: each.value for name, each in resolved_radio(radio).items()} for radio in radios
    ]
    fragments = max(map(_most_fragments, settings), default=1)
    attempts = max(
        (max(each["short_retry_limit"], each["long_retry_limit"]) for each in settings), default=1
    )
    for field, most, because in (
        ("fragment", fragments, "no MSDU is cut into so many fragments"),
        ("attempt", attempts, "a frame is given up before"),
    ):
        for number in listed(getattr(lost, field)):
            if number > most:
                what = f"{number} can match nothing: {because}"
                yield Problem(f"{path}.{field}", what, f"1 to {most}" if most > 1 else "1")
    if kinds and set(kinds) <= {"rts", "cts"} and not any(map(_sends_rts, settings)):
        what = f"{shown(lost.frame)} can match nothing: no frame is above its rts_threshold"
        yield Problem(f"{path}.frame", what, "data, ack or beacon")


def _speak(senders: list[int], receivers: list[int], found: Topology) -> bool:
    serves = [isinstance(machine.part, AccessPoint) for machine in found.machines]
    return any(serves[sender] != serves[receiver] for sender in senders for receiver in receivers)


def _no_beacons(
    path: str, lost: LostFrames, senders: list[int], found: Topology
) -> Iterator[Problem]:
    for field in ("receiver", "msdu", "fragment", "attempt"):
        if getattr(lost, field) is not None:
            what = "it can match nothing: beacons are for everybody and carry no MSDU"
            yield Problem(f"{path}.{field}", what, "sender and number")
    parts = [
        machine.part
        for place, machine in enumerate(found.machines)
        if isinstance(machine.part, AccessPoint) and (place in senders or not senders)
    ]
    if not any(nanoseconds(part.beacon_interval) for part in parts):
        what = f"{shown(lost.frame)} can match nothing: nobody of these sends beacons"
        yield Problem(f"{path}.frame", what, "an access point with a beacon_interval")


def _most_fragments(radio: dict[str, Any]) -> int:
    body = int(radio["fragmentation_threshold"]) - MPDU_OVERHEAD
    return -(-LONGEST_MSDU // body)


def _sends_rts(radio: dict[str, Any]) -> bool:
    longest = min(LONGEST_MSDU + MPDU_OVERHEAD, int(radio["fragmentation_threshold"]))
    return longest > int(radio["rts_threshold"])
