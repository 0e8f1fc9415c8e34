"""Rows as comma-separated text that no spreadsheet takes for a program."""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

_FORMULAS = ("=", "+", "-", "@", "\t", "\r")
"""How a text begins that a spreadsheet would evaluate (OWASP, "CSV Injection")."""


def csv_text(rows: Iterable[Sequence[Any]]) -> str:
    """Write rows; a text that would be a formula stands behind an apostrophe."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([harmless(value) for value in row] for row in rows)
    return text.getvalue()


def harmless(value: Any) -> Any:
    """Give a value as it may stand in a cell of a spreadsheet: numbers are as they were."""
    if isinstance(value, str) and value.startswith(_FORMULAS) and not _is_number(value):
        return f"'{value}"
    return value


def _is_number(text: str) -> bool:
    """Say whether a text is a number, with its unit or without: what a spreadsheet does not run."""
    first, _, unit = text.partition(" ")
    try:
        float(first)
    except ValueError:
        return False
    return all(each.isalnum() or each in "/%µ°" for each in unit)
