"""What is worth saying of a scenario that can be run."""

from collections.abc import Iterable

from anechoic.scenario.emulation import left_to_emulation
from anechoic.scenario.model import Scenario
from anechoic.scenario.reach import Plan, out_of_reach


def remarks(scenario: Scenario, plans: Iterable[Plan]) -> list[str]:
    """Give sentences on a scenario and the plans of its cells."""
    return [f"{text}." for text in (*left_to_emulation(scenario), *out_of_reach(plans))]
