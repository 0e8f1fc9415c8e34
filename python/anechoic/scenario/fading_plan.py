"""From links that fade to their part of the plan of the air."""

from typing import Any

from anechoic.scenario.declared import planned
from anechoic.scenario.errors import Problem
from anechoic.scenario.fading import Fading
from anechoic.scenario.files import named_by_content, read_files
from anechoic.scenario.level_traces import level_readings
from anechoic.scenario.model import Scenario
from anechoic.scenario.topology import Topology

Levels = dict[str, list[list[float]]]
"""Levels from files, by names made of their content."""


def fading_plan(scenario: Scenario, found: Topology, problems: list[Problem]) -> dict[str, Any]:
    """Give the links that fade, and the levels that they have from files.

    Of a pair that several tables name, the last one's counts.
    """
    assert scenario.air is not None
    links = scenario.air.link
    named: dict[tuple[int, int], str] = {}
    for name, link in links.items():
        # What is wrong with the ends was said with the losses.
        ends = [found.find_radios(f"air.link.{name}.between", end, []) for end in link.between]
        for one in ends[0]:
            named |= {(min(one, each), max(one, each)): name for each in ends[1] if each != one}
    levels: Levels = {}
    fading = [
        {
            "between": [list(pair) for pair, owner in named.items() if owner == name],
            "by": [
                _process(f"air.link.{name}.fading.{own}", own, each, scenario, levels, problems)
                for own, each in link.fading.items()
            ],
        }
        for name, link in links.items()
        if link.fading
    ]
    return {"fading": fading, "levels": levels}


def _process(
    path: str,
    name: str,
    fading: Fading,
    scenario: Scenario,
    levels: Levels,
    problems: list[Problem],
) -> dict[str, Any]:
    plan = {"name": name, **planned(fading)}
    read = read_files(path, fading, scenario, {}, problems)
    if "file" in read:
        run = scenario.run.duration
        readings = level_readings(path, plan["file"], read["file"], fading, run, problems)
        plan["file"] = named_by_content(readings, levels)
    return plan
