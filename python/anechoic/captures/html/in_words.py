"""What happened to a connection, as a piece of a page."""

from collections.abc import Mapping
from html import escape
from typing import Any

from anechoic.captures.verdicts.direction import is_small
from anechoic.captures.verdicts.words import busier_end, what_happened


def worth_telling(connection: Mapping[str, Any]) -> list[str]:
    """Give the ends that sent what is worth telling, the busier one first, or it alone."""
    busier = busier_end(connection)
    ends = (busier, "server" if busier == "client" else "client")
    told = [
        end for end in ends if connection[end]["packets_data"] and not is_small(connection[end])
    ]
    return told or [busier]


def in_words(connection: Mapping[str, Any], sender: str) -> str:
    """Give as a list what happened to what an end of a connection sent."""
    sentences = what_happened(connection, sender)
    items = "\n".join(f"<li>{escape(sentence)}</li>" for sentence in sentences)
    return f"<p>What the {sender} sent:</p>\n<ul>\n{items}\n</ul>"
