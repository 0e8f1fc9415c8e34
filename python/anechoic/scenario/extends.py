"""Scenario files, each laid over the one it extends."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anechoic.files import closed_folder, read_file
from anechoic.scenario.errors import Problem, ScenarioError, nearest_name, shown
from anechoic.scenario.model import EXTENDS
from anechoic.scenario.origin import Origin, short_names
from anechoic.scenario.slips import twice_in_a_list
from anechoic.scenario.toml_slips import ONE_PLACE, slip

MOST_FILES = 100
"""Files that a scenario may be made of: bases that are each named twice double with every level."""

BASE = "the path of a scenario file, from the folder of this one, or a list of them"


@dataclass(frozen=True, slots=True)
class File:
    """A file as it was written."""

    name: str
    path: Path
    text: str
    data: dict[str, Any]


def read(path: str | Path) -> tuple[dict[str, Any], Origin]:
    """Read a scenario file and those it extends: what they say together, and who says it."""
    name = str(path)
    try:
        own = _file(Path(path), name)
    except OSError as error:
        raise ScenarioError(name, [_unreadable(Path(path), error)]) from None
    files = _with_bases([own], [1])
    data: dict[str, Any] = {}
    origins: dict[str, str] = {}
    try:
        for file in reversed(files):
            data = laid_over(data, file.data)
            origins |= dict.fromkeys(_paths(file.data), file.name)
    except RecursionError:
        raise ScenarioError(name, [_too_deep()]) from None
    data.pop(EXTENDS, None)
    return data, Origin(name, _joined(files), origins)


def laid_over(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Give the base with what lies over it: tables are merged, all else is replaced."""
    both = dict(base)
    for key, value in over.items():
        old = both.get(key)
        if isinstance(old, Mapping) and isinstance(value, Mapping):
            both[key] = laid_over(old, value)
        else:
            both[key] = value
    return both


def _with_bases(chain: Sequence[File], read: list[int]) -> list[File]:
    """Give the last file of a chain and those it extends, each before those it is laid over.

    ``read`` counts them, whatever branch they are of.
    """
    files = [chain[-1]]
    for written in reversed(_extended(chain[-1])):
        read[0] += 1
        if read[0] > MOST_FILES:
            what = f"the scenario is laid over more than {MOST_FILES} files"
            allowed = f"at most {MOST_FILES}, one that is named twice counted twice"
            raise ScenarioError(chain[-1].name, [Problem(EXTENDS, what, allowed)])
        files += _with_bases([*chain, _base(chain, written)], read)
    return files


def _extended(file: File) -> list[str]:
    """Give the paths that a file extends, each of which is laid over those before it."""
    written = file.data.get(EXTENDS, [])
    paths = written if isinstance(written, list) else [written]
    if not all(isinstance(path, str) for path in paths) or (EXTENDS in file.data and not paths):
        what = f"{shown(written)} is no text, nor a list of texts"
        raise ScenarioError(file.name, [Problem(EXTENDS, what, BASE)])
    return paths


def _base(files: Sequence[File], written: str) -> File:
    """Read a file that the last of a chain extends."""
    file = files[-1]
    path = file.path.parent / written
    try:
        base = _file(path, str(path))
    except OSError as error:
        problem = _unreadable(path, error)
        nearest = problem.nearest and str(Path(written).with_name(Path(problem.nearest).name))
        what = f"{shown(written)}: {problem.what}"
        raise ScenarioError(file.name, [Problem(EXTENDS, what, BASE, nearest)]) from None
    chain = [each.path.resolve() for each in files]
    if path.resolve() in chain:
        circle = [*files[chain.index(path.resolve()) :], base]
        what = f"a circle: {' → '.join(each.path.name for each in circle)}"
        raise ScenarioError(file.name, [Problem(EXTENDS, what, "a file that does not lead back")])
    return base


def _file(path: Path, name: str) -> File:
    text = _text(path, name)
    try:
        data = tomllib.loads(text)
    except ValueError as error:
        raise ScenarioError(name, [_not_toml(str(error), text)]) from None
    except RecursionError:
        raise ScenarioError(name, [_too_deep()]) from None
    if not data:
        raise ScenarioError(name, [Problem("", "the file is empty", "a scenario")])
    return File(name, path, text, data)


def _text(path: Path, name: str) -> str:
    try:
        return read_file(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        what = f"not UTF-8: byte 0x{error.object[error.start]:02x} in line {line}"
        raise ScenarioError(name, [Problem("", what, "a text file in UTF-8")]) from None
    except ValueError:
        # No file's name holds a zero byte.
        raise FileNotFoundError(name) from None


def _paths(data: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    for key, value in data.items():
        yield f"{prefix}{key}"
        if isinstance(value, Mapping):
            yield from _paths(value, f"{prefix}{key}.")


def _joined(files: Sequence[File]) -> str:
    """Give the text of a file, or of several below their names, the scenario's own first."""
    if len(files) == 1:
        return files[0].text
    names = short_names(file.name for file in files)
    return "\n".join(f"# {names[file.name]} {'─' * 40}\n\n{file.text}" for file in files)


def _unreadable(path: Path, error: OSError) -> Problem:
    if isinstance(error, FileNotFoundError):
        return _missing(path)
    if isinstance(error, IsADirectoryError):
        return Problem("", "this is a directory", "a scenario file")
    return Problem("", closed_folder(path) or f"cannot be read: {error.strerror or error}")


def _too_deep() -> Problem:
    return Problem("", "not a scenario: nested too deeply")


def _not_toml(said: str, text: str) -> Problem:
    if (problem := twice_in_a_list(said, text) or slip(said, text)) is not None:
        return problem
    # tomllib shows the table's name as a tuple of Python's.
    twice = re.match(r"Cannot declare \((.*?),?\) twice \((at .*)\)", said)
    if twice is None:
        return Problem("", f"not TOML: {said}")
    name = ".".join(part.strip(" '\"") for part in twice[1].split(","))
    if len(re.findall(rf"^\s*\[{re.escape(name)}\]", text, re.MULTILINE)) < 2:
        what = f"the table [{name}] adds to one that is written in braces or with dots, {twice[2]}"
        return Problem("", what, ONE_PLACE)
    return Problem("", f"the table [{name}] stands twice, again {twice[2]}", "each table once")


def _missing(path: Path) -> Problem:
    try:
        # The ending, which all of them have, makes no name nearer.
        names = {each.stem: each for each in sorted(path.parent.glob("*.toml"))}
    except OSError:
        names = {}
    nearest = nearest_name(path.stem, names)
    return Problem("", "there is no such file", nearest=nearest and str(names[nearest]))
