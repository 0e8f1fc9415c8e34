"""What is drawn of a campaign: the scenario's figures, connections over time, the airtime."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from matplotlib.figure import Figure as Drawing

from anechoic.campaign.results import Results
from anechoic.files import write_whole
from anechoic.report.airtime import draw_ledgers
from anechoic.report.connections import CELLS, FLOWS, draw_histories, has_samples
from anechoic.report.figures import caption, default_figures, draw
from anechoic.report.ledger import has_ledger
from anechoic.report.lines import NotDrawn
from anechoic.report.render import pdf, save, slug_of

_HISTORY_NOTE = (
    "What TCP_INFO says at the senders, first replication; "
    f"drawn are the first {FLOWS} connections of the first {CELLS} cells."
)


@dataclass(frozen=True)
class Drawn:
    """A drawing with its name for files, its label for who cannot see it, and its caption."""

    drawing: Drawing
    slug: str
    label: str
    caption: str


def drawings_of(results: Results) -> tuple[list[Drawn], list[str]]:
    """Draw what the page shows, and say of each figure that could not be drawn why."""
    figures, undrawn = _figures(results)
    return [*figures, *_histories(results)], undrawn


def write_figures(results: Results, out: Path) -> list[Path]:
    """Write each figure as PDF, SVG and PNG into ``figures/`` in a folder; give the PDFs."""
    folder = out / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    drawings, _ = drawings_of(results)
    paths = []
    for each in [*drawings, *_ledgers(results)]:
        save(each.drawing, folder, each.slug)
        paths.append(folder / f"{each.slug}.pdf")
        write_whole(paths[-1], pdf(each.drawing))
    return paths


def _figures(results: Results) -> tuple[list[Drawn], list[str]]:
    drawn, undrawn = [], []
    used: set[str] = set()
    for figure in results.scenario.figure or default_figures(results):
        slug = _unused(slug_of(figure.title), used)
        try:
            drawing = draw(results, figure)
        except NotDrawn as reason:
            undrawn.append(f"The figure “{figure.title}” could not be drawn: {reason}.")
            continue
        drawn.append(Drawn(drawing, slug, figure.title, caption(results, figure)))
    return drawn, undrawn


def _ledgers(results: Results) -> Iterator[Drawn]:
    drawings = draw_ledgers(results) if has_ledger(results) else []
    note = "The parts of each bar add up to the measured time."
    for number, drawing in enumerate(drawings, start=1):
        yield Drawn(drawing, _numbered("airtime", number), "Where the airtime went", note)


def _histories(results: Results) -> Iterator[Drawn]:
    histories = draw_histories(results) if has_samples(results) else []
    for number, (cell, drawing) in enumerate(histories, start=1):
        label = f"Windows and RTT over time, {cell.name}"
        yield Drawn(drawing, _numbered("connections", number), label, _HISTORY_NOTE)


def _numbered(slug: str, number: int) -> str:
    return slug if number == 1 else f"{slug}-{number}"


def _unused(slug: str, used: set[str]) -> str:
    number = 1
    while _numbered(slug, number) in used:
        number += 1
    used.add(_numbered(slug, number))
    return _numbered(slug, number)
