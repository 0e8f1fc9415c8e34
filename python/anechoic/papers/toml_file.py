"""A study's TOML files, read with one message for whatever is wrong with the file."""

import tomllib
from pathlib import Path
from typing import Any

from anechoic.files import closed_folder
from anechoic.scenario.errors import Problem, ScenarioError


def table_of(path: Path, name: str) -> str:
    """Give a table of a file as it is written, with the tables within it."""
    lines = path.read_text(encoding="utf-8").splitlines()
    first = lines.index(f"[{name}]")
    within = (f"[{name}.", f"[[{name}.")
    ends = (
        place
        for place, line in enumerate(lines[first + 1 :], first + 1)
        if line.startswith("[") and not line.startswith(within)
    )
    table = lines[first : next(ends, len(lines))]
    while table and (not table[-1] or table[-1].startswith("#")):
        table.pop()  # What stands above the next table is that one's.
    return "\n".join(table)


def read_toml(path: Path, holds: str) -> dict[str, Any]:
    """Read a file that holds this; raise ScenarioError if it cannot be read, or is empty."""
    try:
        data = tomllib.loads(path.read_bytes().decode("utf-8"))
    except OSError as error:
        what = closed_folder(path) or f"cannot be read: {error.strerror or error}"
        raise ScenarioError(str(path), [Problem("", what, f"a file of {holds}")]) from None
    except RecursionError:
        raise ScenarioError(str(path), [Problem("", "nested too deeply")]) from None
    except ValueError as error:
        raise ScenarioError(str(path), [Problem("", f"not TOML: {error}")]) from None
    if not data:
        raise ScenarioError(str(path), [Problem("", "the file is empty", holds)])
    return data
