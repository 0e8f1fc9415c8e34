"""What a notebook shows of a capture's analysis."""

from html import escape

from anechoic.captures.analysis import Analysis
from anechoic.captures.page_tables import connections_table


def notebook_html(analysis: Analysis) -> str:
    """Give the table of the largest connections as a piece of HTML."""
    table = connections_table(analysis.document["connections"], [])
    return f"<p>{escape(repr(analysis)[1:-1])}</p>\n{table}"
