"""The likeliest slip in TOML: a line below [[sweep]] or [[figure]] that is meant for the scenario.

Whatever follows the header of a table belongs to that table, up to the next header.
"""

import re

from anechoic.scenario.base import Part
from anechoic.scenario.errors import Problem
from anechoic.scenario.experiment import Replication, Run
from anechoic.scenario.links import Air
from anechoic.scenario.model import EXTENDS, Scenario

ONCE: tuple[type[Part], ...] = (Scenario, Run, Air, Replication)
"""The parts there is one of: their fields are written as lines of the scenario."""
MOVE = "move it above the first [[…]] or under its own table"
_HEADER = re.compile(r"^\s*(\[\[?)\s*([^\[\]#]+?)\s*\]\]?\s*(?:#.*)?$")
_OVERWRITTEN = re.compile(r"Cannot overwrite a value \((at line (\d+), column \d+)\)")


def is_of_the_whole(name: str) -> bool:
    """Say whether a name or path begins with a field of the scenario, or of a part it has once."""
    first = name.partition(".")[0]
    return first == EXTENDS or any(first in part.model_fields for part in ONCE)


def stray_line(path: str, allowed: str) -> Problem:
    """Tell of a line that an entry of a list took for its own: ``figure[1].duration``."""
    table, place = re.findall(r"(\w+)\[(\d+)\]", path)[0]
    what = f"this stands below [[{table}]] {int(place) + 1} and belongs to it in TOML; {MOVE}"
    return Problem(path, what, allowed)


def twice_in_a_list(said: str, text: str) -> Problem | None:
    """Tell of a value that TOML finds twice in an entry of a list, if that is what it said."""
    overwritten = _OVERWRITTEN.match(said)
    if overwritten is None:
        return None
    lines = text.splitlines()[: int(overwritten[2])]
    headers = [found for line in lines if (found := _HEADER.match(line))]
    if not headers or headers[-1][1] != "[[":
        return None
    table = headers[-1][2]
    number = sum(each[2] == table for each in headers)
    key = lines[-1].partition("=")[0].strip()
    what = f"{key} stands twice below [[{table}]] {number}, again {overwritten[1]}; {MOVE}"
    return Problem("", what, "each value once")
