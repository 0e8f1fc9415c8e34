"""What a caller asks of a campaign, checked before anything is touched.

The command line and Python come by here, so both say the same of the same mistake.
"""

import operator
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from anechoic.scenario.errors import Problem, ScenarioError, shown
from anechoic.scenario.model import Scenario

# As many as replication.max takes; more jobs than a cell's replications would idle.
MOST = 10_000
FILE_OR_SCENARIO = "the path of a scenario file, or a Scenario"
VALUES = 'values by path, such as {"run.duration": "60 s"}'
LISTS = 'lists of values by path, such as {"air.loss": ["60 dB", "80 dB"]}'


def source_name(source: object) -> str:
    """Give the name that messages call a scenario by; refuse what is none."""
    if isinstance(source, Scenario):
        return source.source
    if isinstance(source, str | os.PathLike):
        return os.fsdecode(source)
    what = f"{shown(source)} is neither a file nor a Scenario"
    raise ScenarioError("scenario", [Problem("", what, FILE_OR_SCENARIO)])


def whole_number(source: str, option: str, value: Any) -> int | None:
    """Give how many were asked for; None if nothing was."""
    if value is None:
        return None
    allowed = f"1 to {MOST}"
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool):
        raise _refused(source, option, f"{shown(value)} is not a whole number", allowed)
    if not 1 <= number <= MOST:
        raise _refused(source, option, f"{number} is out of range", allowed)
    return number


def folder(source: str, out: Any) -> Path | None:
    """Give the folder that was asked for; None if none was."""
    if out is None:
        return None
    if out == "":
        what = "an empty name is no folder; the current one is '.'"
        raise _refused(source, "--out", what, "the path of a folder")
    if isinstance(out, str | os.PathLike):
        return Path(out)
    raise _refused(source, "--out", f"{shown(out)} is not a path", "the path of a folder")


def values_by_path(source: str, values: Any) -> dict[str, Any]:
    """Give the values that replace others."""
    return _by_path(source, "--set", values, VALUES)


def lists_by_path(source: str, axes: Any) -> dict[str, list[Any]]:
    """Give the values that are swept."""
    checked = _by_path(source, "--sweep", axes, LISTS)
    for path, values in checked.items():
        if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
            what = f"{shown(values)} is not a list"
            raise _refused(source, f"--sweep {path}", what, "one or more values")
    return {path: list(values) for path, values in checked.items()}


def _by_path(source: str, option: str, given: Any, allowed: str) -> dict[str, Any]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise _refused(source, option, f"{shown(given)} names no path", allowed)
    unnamed = [path for path in given if not isinstance(path, str)]
    if unnamed:
        raise _refused(source, option, f"{shown(unnamed[0])} is not a path", allowed)
    return dict(given)


def _refused(source: str, option: str, what: str, allowed: str) -> ScenarioError:
    return ScenarioError(source, [Problem(option, what, allowed)])
