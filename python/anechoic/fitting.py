"""Lines for people that are no wider than their terminal, and break between words alone."""

import re
import shutil
from textwrap import wrap

from anechoic.saying import plain

_USUAL = 80, 24
"""Columns and lines of a terminal where nothing says how large it is."""
_INDENT = 4
"""Columns by which a line that goes on stands behind its beginning."""
_WITH_UNIT = re.compile(r"(?<=\d) (?=\S)")
_KEPT = "\N{NO-BREAK SPACE}"


def width() -> int:
    """Give the columns that a line may fill."""
    return shutil.get_terminal_size(_USUAL).columns


def height() -> int:
    """Give the lines that a screen shows."""
    return shutil.get_terminal_size(_USUAL).lines


def wrapped(text: str) -> str:
    """Break the lines of a text that are too wide, never between a number and what it counts."""
    most, text = width(), plain(text)
    return "\n".join(
        _wrapped(line, most) if len(line) > most else line for line in text.split("\n")
    )


def filled(text: str, columns: int) -> list[str]:
    """Give a text as lines of so many columns, wider only where a word is."""
    lines = wrap(plain(text), max(columns, 1), break_long_words=False, break_on_hyphens=False)
    return lines or [""]


def _wrapped(line: str, most: int) -> str:
    further = " " * (len(line) - len(line.lstrip()) + _INDENT)
    parts = wrap(
        _WITH_UNIT.sub(_KEPT, line),
        most,
        subsequent_indent=further,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(parts).replace(_KEPT, " ")
