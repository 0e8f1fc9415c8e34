"""Tables of a page that a click on a column's head sorts."""

from collections.abc import Iterable, Mapping, Sequence, Set
from html import escape
from typing import Any

from anechoic.campaign.numbers import NOTHING

Cell = tuple[str, Any]
"""What stands in a cell, and what it is sorted by."""

_MANY = 11
"""Columns from which on they stand closer: so many would not fit the page."""


_WHOLE = 1e4
"""From here on four significant digits would need an exponent."""


def html_table(
    heads: Sequence[str],
    rows: Iterable[Sequence[Cell]],
    texts: Set[int],
    wrapped: Set[int] = frozenset(),
) -> str:
    """Give a table of which some columns are text to the left, and some of them may wrap."""
    head = "".join(
        f'<th class="text">{name}</th>' if at in texts | wrapped else f"<th>{name}</th>"
        for at, name in enumerate(heads)
    )
    classes = {**dict.fromkeys(texts, "text word"), **dict.fromkeys(wrapped, "text")}
    body = "\n".join(f"<tr>{_cells(row, classes)}</tr>" for row in rows)
    looks = "sortable dense" if len(heads) >= _MANY else "sortable"
    return (
        f'<div class="scroll"><table class="{looks}">\n<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody></table></div>\n"
    )


def _cells(row: Sequence[Cell], classes: Mapping[int, str]) -> str:
    return "".join(
        f'<td{_class(classes.get(at))} data-by="{escape(str(by))}">{text}</td>'
        for at, (text, by) in enumerate(row)
    )


def _class(name: str | None) -> str:
    return f' class="{name}"' if name else ""


def text_cell(text: str) -> Cell:
    """Give a cell with a text."""
    return escape(text), text


def arrow_cell(text: str, link: str = "") -> Cell:
    """Give a cell with who sends to whom, in two lines that break at the arrow."""
    shown = escape(text).replace(" → ", "<br>→ ")
    return f'<a href="{escape(link)}">{shown}</a>' if link else shown, text


def count_cell(count: int) -> Cell:
    """Give a cell with a count."""
    return f"{count:,}", count


def number_cell(value: float | None) -> Cell:
    """Give a cell with a measured value, or nothing."""
    if value is None:
        return NOTHING, ""
    return (f"{value:,.0f}" if abs(value) >= _WHOLE else f"{value:.4g}"), value
