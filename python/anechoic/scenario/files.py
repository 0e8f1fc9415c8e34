"""Files that a part of a scenario names: what is in them goes into the plan."""

import hashlib
import json
from pathlib import Path
from typing import Any

from anechoic.scenario.base import Part
from anechoic.scenario.declared import files_of
from anechoic.scenario.errors import Problem
from anechoic.scenario.model import Scenario

Traces = dict[str, list[list[int]]]


def read_files(
    path: str, part: Part, scenario: Scenario, traces: Traces, problems: list[Problem]
) -> dict[str, Any]:
    """Give what is in the files that a part names, from the folder of whoever names them.

    Of a trace that is its name among all traces, made of its content: a plan has each once.
    """
    values: dict[str, Any] = {}
    for name, contents in files_of(part).items():
        where, file = f"{path}.{name}", getattr(part, name)
        if file is None:
            continue
        folder = Path(scenario.origin.file_of(where)).parent
        try:
            read = contents.read(folder / file)
        except ValueError as error:
            problems.append(Problem(where, f"{file}: {error}", contents.allowed))
            continue
        values[name] = named_by_content(read, traces) if contents.is_trace else read
    return values


def named_by_content(read: list[list[Any]], among: dict[str, list[list[Any]]]) -> str:
    """Keep what a file tells once, under a name made of it; give the name."""
    name = hashlib.blake2b(json.dumps(read).encode(), digest_size=8).hexdigest()
    among[name] = read
    return name
