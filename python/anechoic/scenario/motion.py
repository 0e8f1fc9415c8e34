"""Losses that follow from places: those between radios that have one, and those that change."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from anechoic.scenario.core import core
from anechoic.scenario.declared import declaration_of, planned
from anechoic.scenario.errors import Problem, listing, shown
from anechoic.scenario.files import read_files
from anechoic.scenario.links import Air
from anechoic.scenario.model import Scenario
from anechoic.scenario.places import place_of
from anechoic.scenario.radio import Radio
from anechoic.scenario.standards import STANDARDS
from anechoic.scenario.topology import Antenna, Topology


@dataclass(slots=True)
class Losses:
    """The loss from each machine to each, and that from each noise, of which some are stated."""

    between: list[list[float]]
    from_noise: dict[str, list[float]]
    stated: set[frozenset[int | str]] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a machine is at the beginning, and how it moves from there."""

    place: list[float]
    movement: dict[str, Any] | None = None


def by_place(
    scenario: Scenario, found: Topology, losses: Losses, problems: list[Problem]
) -> dict[str, Any] | None:
    """Take from places what losses are not stated; give the plan of what moves, if anything."""
    air = scenario.air
    assert air is not None
    antennas = {
        at: machine.antennas[0] for at, machine in enumerate(found.machines) if machine.antennas
    }
    placed = _placed(scenario, antennas, problems)
    if air.propagation is None:
        problems += _without_propagation(antennas, placed)
        return None
    if "loss" not in air.model_fields_set:
        problems += _nowhere(found, antennas, placed, losses)
    model, mhz = planned(air.propagation), _frequency_mhz(air)
    pairs = [pair for pair in combinations(placed, 2) if frozenset(pair) not in losses.stated]
    problems += _in_one_place(found, antennas, placed, pairs)
    for one, other in pairs:
        loss = _loss(model, placed[one].place, placed[other].place, mhz)
        losses.between[one][other] = losses.between[other][one] = loss
    for name, noise in scenario.noise.items():
        for at, here in placed.items():
            if noise.position is not None and frozenset((name, at)) not in losses.stated:
                there = place_of(noise.position)
                losses.from_noise[name][at] = _loss(model, there, here.place, mhz)
    moving = [pair for pair in pairs if any(placed[at].movement for at in pair)]
    if not moving:
        return None
    nodes = [placed.get(at) for at in range(len(found.machines))]
    return {
        "propagation": model,
        "frequency_mhz": mhz,
        "places": [each and {"place": each.place, "movement": each.movement} for each in nodes],
        "pairs": [list(pair) for pair in moving],
    }


def _frequency_mhz(air: Air) -> int:
    """Give the frequency that losses are of: between the channels of a band they hardly differ."""
    standard = STANDARDS[air.standard]
    return standard.channels.get(
        air.channel or standard.channel, standard.channels[standard.channel]
    )


def _loss(model: Mapping[str, Any], one: list[float], other: list[float], mhz: int) -> float:
    (x, y), (u, v) = one, other
    return core().path_loss_db(json.dumps(model), (x, y), (u, v), mhz * 1e6)


def _placed(
    scenario: Scenario, antennas: Mapping[int, Antenna], problems: list[Problem]
) -> dict[int, Placed]:
    placed: dict[int, Placed] = {}
    told: set[str] = set()
    for at, antenna in antennas.items():
        # What is wrong with a group of equal stations is said once.
        said = [] if antenna.path in told else problems
        told.add(antenna.path)
        part = antenna.part
        if part.movement is not None:
            moving = _moving(antenna, part, scenario, said)
            if moving is not None:
                placed[at] = moving
        elif part.position is not None:
            placed[at] = Placed(place_of(part.position))
    return placed


def _moving(
    antenna: Antenna, part: Radio, scenario: Scenario, problems: list[Problem]
) -> Placed | None:
    path, movement = f"{antenna.path}.movement", part.movement
    assert movement is not None
    plan = planned(movement)
    if declaration_of(movement)["name"] == "recorded":
        return _recorded(antenna, part, plan, scenario, problems)
    if part.position is None:
        problems.append(Problem(f"{antenna.path}.position", "missing, where it begins", "[x, y]"))
        return None
    place = place_of(part.position)
    if declaration_of(movement)["name"] == "random-waypoint":
        if min(plan["area"]) <= 0:
            problems.append(Problem(f"{path}.area", "nothing lies in it", "[x, y] above zero"))
        elif not all(0 <= here <= most for here, most in zip(place, plan["area"], strict=True)):
            what = f"{shown(part.position)} is outside the area that it moves in"
            most = " and ".join(f"0 m to {each:g} m" for each in plan["area"])
            problems.append(Problem(f"{antenna.path}.position", what, most))
    return Placed(place, plan)


def _recorded(
    antenna: Antenna, part: Radio, plan: dict[str, Any], scenario: Scenario, problems: list[Problem]
) -> Placed | None:
    path = f"{antenna.path}.movement"
    assert part.movement is not None
    if part.position is not None:
        what = "there is a position, and the file tells where it begins"
        problems.append(Problem(f"{antenna.path}.position", what, "a file or a position"))
    read = read_files(path, part.movement, scenario, {}, problems)
    if "file" not in read:
        return None
    tracks = read["file"]
    if plan["node"] not in tracks:
        nodes = listing([str(node) for node in tracks])
        problems.append(Problem(f"{path}.node", f"the file has no node {plan['node']}", nodes))
        return None
    track = tracks[plan["node"]]
    return Placed(track[0][1], {**plan, "file": track})


def _without_propagation(
    antennas: Mapping[int, Antenna], placed: Mapping[int, Placed]
) -> Iterator[Problem]:
    for at in placed:
        what = f"missing, and {antennas[at].path} has a position from which losses should follow"
        yield Problem("air.propagation", what, "a model of propagation")
        return


def _in_one_place(
    found: Topology,
    antennas: Mapping[int, Antenna],
    placed: Mapping[int, Placed],
    pairs: list[tuple[int, int]],
) -> Iterator[Problem]:
    """Refuse radios that stand, or go, in one place all the time: no loss would be between them."""
    for one, other in pairs:
        if placed[one] == placed[other] and not _strays(placed[one]):
            names = [found.machines[at].name for at in (one, other)]
            what = f"{names[0]} and {names[1]} are in one place, with no loss between them"
            allowed = "a place for each, or the loss between them in [air.link]"
            yield Problem(f"{antennas[other].path}.position", what, allowed)
            return


def _strays(placed: Placed) -> bool:
    """Tell whether it goes a way of its own, wherever it begins."""
    return placed.movement is not None and placed.movement["kind"] == "random-waypoint"


def _nowhere(
    found: Topology, antennas: Mapping[int, Antenna], placed: Mapping[int, Placed], losses: Losses
) -> Iterator[Problem]:
    """Refuse a pair of radios whose loss nothing tells; what is wrong with a movement was said."""
    for one, other in combinations(antennas, 2):
        lost = [at for at in (one, other) if at not in placed]
        if any(antennas[at].part.movement is not None for at in lost):
            continue
        if lost and frozenset((one, other)) not in losses.stated:
            towards = found.machines[other if lost[0] == one else one].name
            what = f"missing, and nothing else tells the loss to {towards}"
            allowed = "a position, a link in [air.link], or a loss of [air] for all others"
            yield Problem(f"{antennas[lost[0]].path}.position", what, allowed)
            return
