"""From the impairments of a wire to a chain for each of its directions."""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from anechoic.scenario.declared import declaration_of, files_of, planned
from anechoic.scenario.errors import Problem, listing, nearest_name, shown
from anechoic.scenario.impairments import WORDS, Impairment
from anechoic.scenario.links import Wire
from anechoic.scenario.model import Scenario
from anechoic.scenario.quantities import nanoseconds
from anechoic.scenario.shapes import file_allowed, values_in
from anechoic.scenario.topology import Topology
from anechoic.scenario.traffic import Flow

Crossing = Mapping[tuple[int, int], set[str]]
Chain = list[dict[str, Any]]

SEGMENTS: frozenset[str] = frozenset({"tcp", "tcp-ack", "tcp-syn"})
DATA: frozenset[str] = frozenset({"tcp-data"})


def crossing(scenario: Scenario, found: Topology) -> Crossing:
    """Give what goes from each node to each neighbour, in the words of a filter."""
    words: dict[tuple[int, int], set[str]] = {}
    for traffic in scenario.traffic.values():
        there, back = _words_of(traffic)
        ends = [found.find("", name, []) for name in (traffic.from_, traffic.to)]
        for source in ends[0]:
            for sink in ends[1]:
                for near, far in pairwise(found.way(source, sink)):
                    words.setdefault((near, far), set()).update(there)
                    words.setdefault((far, near), set()).update(back)
    return words


def chains(
    scenario: Scenario,
    found: Topology,
    name: str,
    ends: tuple[int, int],
    crossing: Crossing | None,
    problems: list[Problem],
) -> tuple[Chain, Chain]:
    """Give the chain from the first end of a wire to the second, and the one back.

    Without knowledge of what crosses, no filter is said to match nothing.
    """
    both: tuple[Chain, Chain] = ([], [])
    for own, stage in scenario.wire[name].impair.items():
        path = f"wire.{name}.impair.{own}"
        problems += _wrong_times(path, stage, scenario)
        problems += _does_nothing(path, stage)
        towards = _towards(path, stage, scenario.wire[name], found, ends, problems)
        if crossing is not None and towards:
            problems += _matches_nothing(path, stage, ends, towards, crossing)
        values = _read(path, stage, scenario, problems)
        for end in towards:
            both[1 - ends.index(end)].append({**_stage(own, stage), **values})
    return both


def _words_of(traffic: Flow) -> tuple[frozenset[str], frozenset[str]]:
    """Give the packets that traffic makes from its sender, and those back."""
    about = declaration_of(traffic)
    if about["transport"] == "tcp":
        return SEGMENTS | DATA, SEGMENTS | DATA if about["answers"] else SEGMENTS
    there = frozenset({about["transport"]})
    return there, there if about["transport"] == "icmp" or about["answers"] else frozenset()


def _towards(
    path: str,
    stage: Impairment,
    wire: Wire,
    found: Topology,
    ends: tuple[int, int],
    problems: list[Problem],
) -> list[int]:
    """Give the ends that the packets go to."""
    if stage.towards is None:
        return list(ends)
    places = found.places(stage.towards)
    if len(places) == 1 and places[0] in ends:
        return places
    what = f"{shown(stage.towards)} is no end of this wire"
    nearest = nearest_name(stage.towards, wire.between)
    problems.append(Problem(f"{path}.towards", what, listing(wire.between), nearest))
    return []


def _matches_nothing(
    path: str, stage: Impairment, ends: tuple[int, int], towards: list[int], crossing: Crossing
) -> Iterator[Problem]:
    there = {ends[1 - ends.index(end)]: end for end in towards}
    # An address is asked for wherever there is a wire.
    possible = {"all"}.union(*(crossing.get(pair, set()) for pair in there.items()))
    if possible.isdisjoint(_kinds(stage)):
        where = f" towards {stage.towards}" if stage.towards else ""
        what = f"{shown(stage.match)} can match nothing: no such packets go over the wire{where}"
        yield Problem(f"{path}.match", what, listing([w for w in WORDS if w in possible]))


def _does_nothing(path: str, stage: Impairment) -> Iterator[Problem]:
    """Refuse a stage all of whose fields may be absent, and are."""
    fields = [field["name"] for field in declaration_of(stage)["fields"]]
    if all(getattr(stage, name) is None for name in fields):
        what = f"neither {' nor '.join(fields)}: it does nothing"
        yield Problem(path, what, "one of them at least")


def _wrong_times(path: str, stage: Impairment, scenario: Scenario) -> Iterator[Problem]:
    begin = nanoseconds(stage.from_)
    if begin >= nanoseconds(scenario.run.duration):
        what = f"{shown(stage.from_)} is not before the end of the run"
        yield Problem(f"{path}.from", what, f"less than {scenario.run.duration}")
    elif stage.until is not None and nanoseconds(stage.until) <= begin:
        what = f"{shown(stage.until)} is not after its beginning"
        yield Problem(f"{path}.until", what, f"more than {stage.from_}")


def _read(
    path: str, stage: Impairment, scenario: Scenario, problems: list[Problem]
) -> dict[str, list[int]]:
    """Give what is in the files that a stage names, from the folder of whoever names them."""
    values: dict[str, list[int]] = {}
    for name, dimension in files_of(stage).items():
        where, file = f"{path}.{name}", getattr(stage, name)
        folder = Path(scenario.origin.file_of(where)).parent
        try:
            values[name] = values_in(folder / file, dimension)
        except ValueError as error:
            problems.append(Problem(where, f"{file}: {error}", file_allowed(dimension)))
    return values


def _kinds(stage: Impairment) -> list[str]:
    return stage.match if isinstance(stage.match, list) else [stage.match]


def _stage(name: str, stage: Impairment) -> dict[str, Any]:
    return {
        **planned(stage),
        "name": name,
        "match": _kinds(stage),
        "from_ns": nanoseconds(stage.from_),
        "until_ns": None if stage.until is None else nanoseconds(stage.until),
    }
