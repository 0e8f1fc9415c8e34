"""Saying what a scenario is run with: every value, where it comes from, and its source."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anechoic.campaign.api import prepared
from anechoic.campaign.sweep import axes_of
from anechoic.fitting import filled, width
from anechoic.running import located
from anechoic.scenario.drawing import drawing
from anechoic.scenario.errors import Problem, ScenarioError, nearest_name
from anechoic.scenario.explain import TABLES, Line, as_text, explained
from anechoic.scenario.model import Scenario
from anechoic.scenario.radio_links import Links, radio_links


@dataclass(frozen=True, repr=False)
class Explanation:
    """The values of a scenario, and its network as a drawing."""

    title: str
    lines: tuple[Line, ...]
    drawing: str

    def __repr__(self) -> str:
        """Count what it holds."""
        return f"<Explanation: {len(self.lines)} values>"

    def document(self) -> dict[str, Any]:
        """Give everything, ready for JSON.

        ``default`` is the value without what was written, null where there is none.
        """
        return {
            "title": self.title,
            "values": [
                {
                    "path": line.path,
                    "value": line.value,
                    "from": line.origin,
                    "source": line.source,
                    "given": line.is_given,
                    "default": line.usual if line.is_given else line.value,
                }
                for line in self.lines
            ],
            "drawing": self.drawing,
        }

    def to_json(self) -> str:
        """Give the document as JSON."""
        return json.dumps(self.document(), indent=2, ensure_ascii=False) + "\n"

    def text(self) -> str:
        """Write a line for each value, in four aligned columns."""
        return as_text(self.lines)

    def screen(self) -> Iterator[tuple[str, str]]:
        """Give lines that fit the terminal, and of each what it is.

        That is a ``head``, a value that is ``given`` or ``usual``, or the ``source`` of one.
        """
        tables: dict[str, list[tuple[str, Line]]] = {}
        for line in self.lines:
            table, field = _parted(line.path)
            tables.setdefault(table, []).append((field, line))
        for table, lines in tables.items():
            yield table, "head"
            fields = max(len(field) for field, _ in lines)
            origins = max(len(line.origin) for _, line in lines)
            for field, line in lines:
                yield from _screen_lines(field.ljust(fields), line, origins)


def explain(
    source: str | Path | Scenario,
    *,
    set: Mapping[str, Any] | None = None,  # noqa: A002 (as the command line calls it)
    sweep: Mapping[str, Sequence[Any]] | None = None,
    path: str | None = None,
    changed: bool = False,
) -> Explanation:
    """Say every value that a scenario is run with, where it comes from, and its source.

    ``source``, ``set`` and ``sweep`` are those of ``run``; ``path`` keeps to a table or a field,
    ``changed`` to what differs from the defaults.
    """
    located_source, _ = located(source)
    scenario = prepared(located_source, set=set, sweep=sweep)
    axes_of(scenario)
    lines = explained(scenario)
    if path is not None:
        lines = _within(path, lines, scenario)
    if changed:
        lines = [line for line in lines if line.is_given and line.value != line.usual]
    return Explanation(scenario.title, tuple(lines), drawing(scenario))


def explain_links(
    source: str | Path | Scenario,
    *,
    set: Mapping[str, Any] | None = None,  # noqa: A002 (as the command line calls it)
    sweep: Mapping[str, Sequence[Any]] | None = None,
) -> Links:
    """Say of every radio at every other what arrives, and who is hidden from whom.

    The arguments are those of ``run``. What is swept has the value that stands in the scenario.
    """
    scenario = prepared(located(source)[0], set=set, sweep=sweep)
    axes_of(scenario)
    return radio_links(scenario)


def _within(path: str, lines: Sequence[Line], scenario: Scenario) -> list[Line]:
    found = [line for line in lines if f"{line.path}.".startswith(f"{path}.")]
    if not found:
        known = {".".join(steps[:depth]) for steps in _steps(lines) for depth in range(1, 9)}
        what = f'nothing that is explained stands at "{path}"'
        allowed = "a table or a field, such as run or run.duration"
        problem = Problem("--path", what, allowed, nearest_name(path, sorted(known)))
        raise ScenarioError(scenario.source, [problem])
    return found


def _steps(lines: Sequence[Line]) -> Iterator[list[str]]:
    yield from (line.path.split(".") for line in lines)


def _parted(path: str) -> tuple[str, str]:
    """Part a path into its table, with the name where tables have one, and the field."""
    if " " in path:
        table, _, field = path.partition(" ")
        return f"{table}s", field
    steps = path.split(".")
    depth = 2 if steps[0] in TABLES else 1
    return ".".join(steps[:depth]), ".".join(steps[depth:])


def _screen_lines(field: str, line: Line, origins: int) -> Iterator[tuple[str, str]]:
    kind = "given" if line.is_given else "usual"
    room = width() - len(field) - origins - 6
    values = filled(line.value, room)
    is_wide = max(map(len, values)) > room
    for number, value in enumerate(values):
        name = field if number == 0 else " " * len(field)
        origin = line.origin if number == 0 and not is_wide else ""
        yield f"  {name}  {value.ljust(room) if origin else value}  {origin}".rstrip(), kind
    told = [line.origin] if is_wide else []
    told += [line.source] if line.source else []
    for text in told:
        yield from ((f"      {part}", "source") for part in filled(text, width() - 6))
