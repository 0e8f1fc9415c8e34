"""The likeliest slips in TOML, told in the scenario's words.

What TOML's reader says of a line is true and of little help: that a namespace cannot be mutated, or
that a key was expected. Here the line itself is looked at.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from anechoic.scenario.errors import Problem

_PLACE = re.compile(r"\(at line (\d+), column \d+\)")
_HEADER = re.compile(r"^\s*\[\[?\s*([^\[\]#=]+?)\s*\]")
_KEY = r"""(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')"""
_NAME = rf"{_KEY}(?:\s*\.\s*{_KEY})*"
_LINE = re.compile(rf"^\s*({_NAME})\s*=\s*(.*?)\s*$")
_VALUE = re.compile(
    r"""^(?:"[^"]*"|'[^']*'|\[.*\]|\{.*\}|true|false|[+-]?[0-9][0-9_]*(?:\.[0-9]+)?(?:e[+-]?\d+)?)"""
)
_CURLY = "“”„‘’«»"
_WORDS = {"True": "true", "False": "false", "yes": "true", "no": "false", "on": "true"}
_WORDS |= {"off": "false"}
ONE_PLACE = "all of a table in one place"
_QUOTED = 'texts and quantities in quotation marks, such as "11 Mbit/s"'


@dataclass(frozen=True)
class _Written:
    """A line that gives a field a value."""

    number: int
    path: tuple[str, ...]
    value: str

    @property
    def name(self) -> str:
        return ".".join(self.path)


def slip(said: str, text: str) -> Problem | None:
    """Tell what is wrong in the line that TOML's reader complains of, if it is a likely slip."""
    place, lines = _PLACE.search(said), text.splitlines()
    if place is None and "end of document" not in said:
        return None
    number = min(int(place[1]) if place else len(lines), len(lines))
    if number and re.match("Cannot (mutate|overwrite|declare)", said):
        return _twice(number, lines)
    if said.startswith("Unclosed array"):
        return _list(number, lines)
    return _syntax(number, lines[number - 1]) if number else None


def _twice(number: int, lines: list[str]) -> Problem | None:
    """Tell of a field that an earlier line has given, or whose table it has closed."""
    *before, own = [*_assignments(lines[:number])] or [_Written(0, (), "")]
    if own.number != number:
        return None
    for line in before:
        if own.path[: len(line.path)] != line.path:
            continue
        if line.path == own.path:
            what = f"line {number}: {own.name} stands twice, first in line {line.number}"
            return Problem("", what, "each value once")
        if line.value.startswith("{"):
            return Problem(
                "",
                f"line {number}: {own.name} adds to {line.name}, which line {line.number} has "
                "closed in braces",
                f"{own.name} inside these braces, or no braces and a line for each field "
                f"({line.name}.… = …)",
            )
        what = f"line {number}: {line.name} has a value in line {line.number}, and no fields"
        return Problem("", what, "a value, or fields")
    return None


def _assignments(lines: list[str]) -> Iterator[_Written]:
    above: tuple[str, ...] = ()
    for number, line in enumerate(lines, 1):
        if header := _HEADER.match(line):
            above = _parts(header[1])
        elif found := _LINE.match(line):
            yield _Written(number, (*above, *_parts(found[1])), found[2])


def _parts(name: str) -> tuple[str, ...]:
    return tuple(part.strip("\"'") for part in re.findall(_KEY, name))


def _list(number: int, lines: list[str]) -> Problem | None:
    """Tell of a list without its end, or without a comma between two of its values."""
    begun = [line for line in _assignments(lines[:number]) if line.value.startswith("[")]
    if not begun:
        return None
    first = begun[-1].number
    whole = "\n".join(lines[first - 1 : number])
    if re.search(r"""["'\]}]\s+["'\[{]|[0-9]\s+["'0-9]""", whole.partition("=")[2]):
        what = f"line {number}: a comma is missing between two values of {begun[-1].name}"
    else:
        what = f"line {first}: the list of {begun[-1].name} is not closed"
    return Problem("", what, "[value, value, …]")


def _syntax(number: int, line: str) -> Problem | None:
    """Tell of a line that cannot be read."""
    told = next(filter(None, (each(line) for each in _SYNTAX)), None)
    return None if told is None else Problem("", f"line {number}: {told[0]}", told[1])


_Told = tuple[str, str] | None


def _comment(line: str) -> _Told:
    if re.match(r"\s*(//|/\*|--|;|%)", line):
        return "this is no comment", "a comment behind #"
    return None


def _header(line: str) -> _Told:
    if re.match(r"\s*\[", line) and not re.match(r"\s*\[\[?[^\[\]]*\]", line):
        return "the name of a table is not closed", "[table]"
    return None


def _quotes(line: str) -> _Told:
    if any(mark in line for mark in _CURLY):
        return "quotation marks of print", 'the straight one, "'
    return None


def _equals(line: str) -> _Told:
    if re.match(rf"\s*{_NAME}\s*:", line):
        return "a colon between a name and its value", "name = value"
    if "=" not in line and re.match(rf"\s*{_NAME}(\s|$)", line):
        return "there is no = between a name and its value", "name = value"
    if re.match(rf"\s*{_NAME}(\s+{_KEY})+\s*=", line):
        return "a name with a space", "a name in one word, or in quotation marks"
    return None


def _value(line: str) -> _Told:
    found = _LINE.match(line)
    if found is None:
        return None
    name, value = found[1], found[2]
    if not value or value.startswith("#"):
        return f"{name} has no value", "name = value"
    if word := _WORDS.get(value.partition("#")[0].strip()):
        return f"{name} is no truth value", f"{word} (or {'false' if word == 'true' else 'true'})"
    if value[0] in "\"'" and value.count(value[0]) % 2:
        return f"the text of {name} is not closed", f"{value[0]} at its end, in the same line"
    if value[0] == "{" and not re.search(r"\}\s*(#.*)?$", value):
        return f"the braces of {name} are not closed in this line", "{ … } in one line"
    if value[0] == "{" and re.search(r",\s*\}", value):
        return f"a comma behind the last field in the braces of {name}", "commas between fields"
    return _behind(name, value)


def _behind(name: str, value: str) -> _Told:
    """Tell of what stands behind a value, or of a text without quotation marks."""
    whole = _VALUE.match(value)
    rest = value[whole.end() :].strip() if whole else value
    if whole is None or (whole[0][-1].isdigit() and re.match(r"[^,;=]*$", rest)):
        plain = value.partition("#")[0].strip()
        if re.fullmatch(r"0[0-9]+", plain):
            return f"{name} = {plain} begins with a zero", plain.lstrip("0") or "0"
        return f"{name} = {plain} has no quotation marks", f'{_QUOTED}: {name} = "{plain}"'
    if rest[:1] in (",", ";"):
        return (
            f'"{rest[0]}" behind the value of {name}',
            "nothing behind a value but its line's end",
        )
    if rest and not rest.startswith("#"):
        return f"more stands behind the value of {name}: {rest}", "a line for each field"
    return None


_SYNTAX = (_comment, _header, _quotes, _equals, _value)
