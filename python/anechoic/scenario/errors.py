"""What is wrong with a scenario, said so that its writer can put it right."""

import difflib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from anechoic.files import readable


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong: where, what was found, what is allowed, what was perhaps meant."""

    path: str
    what: str
    allowed: str | None = None
    nearest: str | None = None
    file: str | None = None

    def message(self, source: str) -> str:
        """Say it in one line: its file, or else this source, and the path of the field."""
        text = ": ".join(filter(None, [self.file or source, self.path, self.what]))
        if self.allowed:
            text += f"; allowed: {self.allowed}"
        if self.nearest:
            text += f"; did you mean {self.nearest}?"
        return readable(text)

    def below(self, prefix: str) -> "Problem":
        """Give the same problem in a larger whole."""
        return replace(self, path=f"{prefix}.{self.path}" if self.path else prefix)


class ToldPlainly(BaseException):
    """What says all there is to know: a notebook shows no frames of ours beside it."""

    def _render_traceback_(self) -> list[str]:
        """Give what IPython shows instead of a traceback, in lines."""
        return f"{type(self).__name__}: {self}".splitlines()


class ScenarioError(ToldPlainly, Exception):
    """A scenario that cannot be run, with every problem found in it."""

    def __init__(self, source: str, problems: Iterable[Problem]) -> None:
        """Name the source (a file, or the Python object) and its problems."""
        self.source = source
        self.problems = tuple(problems)
        super().__init__("\n".join(each.message(source) for each in self.problems))


class MissingName(ScenarioError, LookupError):
    """A name that was asked for and stands for nothing."""


def nearest_name(name: str, names: Iterable[str]) -> str | None:
    """Give the valid name that a mistyped or shortened one most likely stands for, if any."""
    valid = list(names)
    matches = difflib.get_close_matches(name, valid, n=1, cutoff=NEAR)
    if matches:
        return matches[0]
    longer = [each for each in valid if len(name) >= SHORTEST and each.startswith(name)]
    return longer[0] if len(longer) == 1 else None


# Of ten letters seven in common and in order: a wrong letter of four, or two swapped, are a slip;
# another word that happens to share some letters is none.
NEAR = 0.7
# What is shorter begins too many names by chance.
SHORTEST = 3

# As many names as still fit a few lines of a terminal; of more, a line's worth.
MANY = 24
CLOSEST = 6


def listing(names: Sequence[str], limit: int = MANY) -> str:
    """List names for a message; of a long list only the beginning."""
    shown = ", ".join(names[:limit])
    return f"{shown}, … ({len(names)} in all)" if len(names) > limit else shown


def shown(value: Any) -> str:
    """Write a value as the file would."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"


def _choice(name: str, names: Sequence[str]) -> str:
    """List all of a few names, and of many those that the wrong one resembles most."""
    if len(names) <= MANY:
        return listing(names)
    closest = difflib.get_close_matches(name, names, n=CLOSEST, cutoff=0.0)
    return f"{', '.join(closest)}, … ({len(names)} in all)"


def unknown_name(path: str, name: str, names: Iterable[str], kind: str) -> Problem:
    """Give the problem of a name that stands for nothing."""
    valid = list(names)
    return Problem(
        path=path,
        what=f"there is no {kind} {shown(name)}{'' if valid else ', nor any other'}",
        allowed=_choice(name, valid) if valid else "none",
        nearest=nearest_name(name, valid),
    )
