"""From the impairments of a wire to a chain for each of its directions."""

from collections.abc import Iterator
from typing import Any

from anechoic.scenario.declared import declaration_of, planned
from anechoic.scenario.devices import beyond
from anechoic.scenario.errors import Problem, listing, nearest_name, shown
from anechoic.scenario.files import read_files
from anechoic.scenario.filters import Crossing, Place, filter_problems, kinds, matches_nothing
from anechoic.scenario.flows import flow_numbers
from anechoic.scenario.impairments import Impairment
from anechoic.scenario.links import Wire
from anechoic.scenario.model import Scenario
from anechoic.scenario.quantities import nanoseconds, size_in_bytes
from anechoic.scenario.topology import Topology

Chain = list[dict[str, Any]]


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
    wire = scenario.wire[name]
    for own, stage in wire.impair.items():
        path = f"wire.{name}.impair.{own}"
        problems += filter_problems(path, stage, scenario)
        problems += _does_nothing(path, stage)
        problems += _changes_too_late(path, stage, scenario)
        problems += beyond(path, stage, wire.emulator)
        towards = _towards(path, stage, wire, found, ends, problems)
        if crossing is not None and towards:
            ways = [(ends[1 - ends.index(end)], end) for end in towards]
            problems += matches_nothing(Place(path, ways, crossing), stage, scenario)
        planned_stage = {
            **_stage(own, stage),
            "flows": _flows(stage, scenario, found),
            **read_files(path, stage, scenario, {}, problems),
        }
        for end in towards:
            both[1 - ends.index(end)].append(planned_stage)
    return both


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
    if places and set(places) <= set(ends):
        return places
    what = f"{shown(stage.towards)} is no end of this wire"
    nearest = nearest_name(stage.towards, wire.between)
    problems.append(Problem(f"{path}.towards", what, listing(wire.between), nearest))
    return []


def _does_nothing(path: str, stage: Impairment) -> Iterator[Problem]:
    """Refuse a stage all of whose fields may be absent, and are."""
    fields = [field["name"] for field in declaration_of(stage)["fields"]]
    if all(getattr(stage, name) is None for name in fields):
        what = f"neither {' nor '.join(fields)}: it does nothing"
        yield Problem(path, what, "one of them at least")


def _changes_too_late(path: str, stage: Impairment, scenario: Scenario) -> Iterator[Problem]:
    """Refuse changes that the run does not live to see."""
    duration = scenario.run.duration
    for field in declaration_of(stage)["fields"]:
        changes = getattr(stage, field["name"]) if field["shape"] == "steps" else None
        for place, (time, _) in enumerate(changes or ()):
            if nanoseconds(time) >= nanoseconds(duration):
                what = f"{shown(time)} is not before the end of the run"
                yield Problem(f"{path}.{field['name']}[{place}]", what, f"less than {duration}")


def _flows(stage: Impairment, scenario: Scenario, found: Topology) -> list[int] | None:
    """Give the numbers of the flows that a stage is about, if it names any traffic."""
    if stage.traffic is None:
        return None
    return list(flow_numbers(scenario, found).get(stage.traffic, ()))


def _stage(name: str, stage: Impairment) -> dict[str, Any]:
    return {
        **planned(stage),
        "name": name,
        "match": kinds(stage),
        "connection": stage.connection,
        "min_bytes": None if stage.min_size is None else size_in_bytes(stage.min_size),
        "max_bytes": None if stage.max_size is None else size_in_bytes(stage.max_size),
        "from_ns": nanoseconds(stage.from_),
        "until_ns": None if stage.until is None else nanoseconds(stage.until),
    }
