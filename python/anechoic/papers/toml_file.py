"""A study's TOML files, read with one message for whatever is wrong with the file."""

import tomllib
from pathlib import Path
from typing import Any

from anechoic.files import closed_folder, read_file
from anechoic.scenario.errors import Problem, ScenarioError, shown


def table_of(path: Path, name: str) -> str:
    """Give a table of a file as it is written, with the tables within it."""
    text = read_file(path).decode("utf-8")
    lines = text.splitlines()
    heads = {place: head for place, line in enumerate(lines) if (head := _head(line))}
    first = next((place for place, head in heads.items() if head == [name]), None)
    if first is None:
        return _told(name, tomllib.loads(text).get(name, {}))
    ends = (place for place, head in heads.items() if place > first and head[0] != name)
    table = lines[first : next(ends, len(lines))]
    while table and (not table[-1] or table[-1].startswith("#")):
        table.pop()  # What stands above the next table is that one's.
    return "\n".join(table)


def _head(line: str) -> list[str]:
    """Give the names in the heading of a table, however it is written; none in another line."""
    if not line.lstrip().startswith("["):
        return []
    try:
        found = tomllib.loads(line)
    except ValueError:
        return []  # Part of a value, of several lines.
    names = []
    while found:
        [(name, within)] = found.items()
        names.append(name)
        found = within[0] if isinstance(within, list) else within
    return names


def _told(name: str, table: dict[str, Any]) -> str:
    """Write a table that stands under no heading of its own: in braces, or with dots."""
    return "\n".join([f"[{name}]", *(f"{key} = {shown(value)}" for key, value in table.items())])


def read_toml(path: Path, holds: str) -> dict[str, Any]:
    """Read a file that holds this; raise ScenarioError if it cannot be read, or is empty."""
    try:
        data = tomllib.loads(read_file(path).decode("utf-8"))
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
