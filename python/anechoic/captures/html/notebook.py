"""What a notebook shows of a capture's analysis."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from anechoic.captures.html.page_tables import connections_table


def notebook_html(title: str, connections: Sequence[Mapping[str, Any]]) -> str:
    """Give the table of the largest connections, under a title, as a piece of HTML."""
    return f"<p>{escape(title)}</p>\n{connections_table(connections, [])}"
