"""The analysis of a capture as a part of another page: notes, connections, what happened."""

from html import escape
from pathlib import Path

from anechoic.captures.analysis import analyse
from anechoic.captures.doubts.notes import notes
from anechoic.captures.html.in_words import in_words, worth_telling
from anechoic.captures.html.page_tables import connections_table
from anechoic.captures.text.ends import title
from anechoic.captures.verdicts.telling import telling
from anechoic.report.html import warning_list


def embedded(file: Path) -> str:
    """Give what is told of a capture, without figures."""
    analysis = analyse(file)
    connections = analysis.document["connections"]
    if not connections:
        return '<p class="faint">There is no TCP connection in this capture.</p>'
    parts = [
        warning_list(notes(analysis.document, analysis.unlisted())),
        connections_table(connections, []),
    ]
    for number in telling(connections):
        connection = connections[number - 1]
        parts.append(f"<h4>{number}. {escape(title(connection))}</h4>")
        parts += [in_words(connection, sender) for sender in worth_telling(connection)]
    return "\n".join(parts)
