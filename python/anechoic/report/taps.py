"""The captures that a campaign's taps have left, with what is told of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

from anechoic.campaign.cells import Cell


@dataclass(frozen=True)
class Tapped:
    """What a tap captured: its files by replication."""

    tap: str
    cell: Cell
    files: dict[int, str]
    """Paths from the page's folder, by their replications."""
    tell: Callable[[], str] | None = None
    """Gives, as HTML, what the first of them tells, if that is wanted on the page."""


def captures(taps: Sequence[Tapped]) -> str:
    """Give a piece for each tap and cell: links to its files, and what is told of the first."""
    return "\n".join(map(_piece, taps))


def _piece(tapped: Tapped) -> str:
    where = f", {tapped.cell.name}" if tapped.cell.parameters else ""
    links = ", ".join(
        f'<a href="{escape(path)}">replication {number}</a>'
        for number, path in tapped.files.items()
    )
    head = f"<p>{escape(tapped.tap + where)}: {links}</p>"
    if tapped.tell is None:
        return head
    summary = f"What happened in replication 0 at {escape(tapped.tap + where)}"
    return f"{head}\n<details><summary>{summary}</summary>\n{tapped.tell()}</details>"
