"""Lines for people that are no wider than a terminal may be."""

import re
from textwrap import wrap

WIDTH = 100
"""Columns of a line at most, unless a word is longer."""
_INDENT = 4
"""Columns by which a line that goes on stands behind its beginning."""
_WITH_UNIT = re.compile(r"(?<=\d) (?=\S)")
_KEPT = "\N{NO-BREAK SPACE}"


def wrapped(text: str) -> str:
    """Break the lines of a text that are too wide, never between a number and what it counts."""
    return "\n".join(_wrapped(line) if len(line) > WIDTH else line for line in text.split("\n"))


def _wrapped(line: str) -> str:
    further = " " * (len(line) - len(line.lstrip()) + _INDENT)
    parts = wrap(
        _WITH_UNIT.sub(_KEPT, line),
        WIDTH,
        subsequent_indent=further,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(parts).replace(_KEPT, " ")
