"""Where a scenario comes from: its files, and what was set from outside."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Any

from anechoic.scenario.errors import Problem, ScenarioError


@dataclass(frozen=True, slots=True)
class Origin:
    """A scenario's source: what messages call it, its text, and the file of every path in it."""

    source: str = "scenario"
    text: str | None = None
    files: Mapping[str, str] = field(default_factory=dict)
    overrides: Mapping[str, Any] = field(default_factory=dict)

    def file_of(self, path: str) -> str:
        """Name the file that a path was written in, or the table around it, or else the source."""
        steps = re.sub(r"\[\d+\]", "", path).split(".")
        places = (".".join(steps[:depth]) for depth in range(len(steps), 0, -1))
        if path in self.overrides:
            return self.source
        return next((self.files[place] for place in places if place in self.files), self.source)

    def written_by(self, path: str) -> str:
        """Say in a word who gave a value: the command line, the file, or which of several."""
        if path in self.overrides:
            return "--set"
        names = short_names(self.files.values())
        return names[self.file_of(path)] if len(names) > 1 else "file"

    def refused(self, problems: Iterable[Problem]) -> ScenarioError:
        """Give the error with these problems, each said of the file that it stands in."""
        placed = [replace(each, file=each.file or self.file_of(each.path)) for each in problems]
        return ScenarioError(self.source, placed)


def short_names(files: Iterable[str]) -> dict[str, str]:
    """Give files the names of their last part, as long as that tells them apart."""
    distinct = list(dict.fromkeys(files))
    short = {file: PurePath(file).name for file in distinct}
    return short if len(set(short.values())) == len(distinct) else {file: file for file in distinct}
