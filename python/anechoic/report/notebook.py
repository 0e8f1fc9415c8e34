"""What a notebook shows of a campaign's results."""

from html import escape

from anechoic.campaign.results import Results
from anechoic.report.figures import default_figures, draw
from anechoic.report.ledger import has_ledger, ledger
from anechoic.report.lines import NotDrawn
from anechoic.report.render import inline, slug_of, svg
from anechoic.report.tables import cells_table


def notebook_html(results: Results) -> str:
    """Give the figures and the table of cells as one piece of HTML."""
    parts = [f"<h3>{escape(results.scenario.title)}</h3>"] if results.scenario.title else []
    for number, figure in enumerate(results.scenario.figure or default_figures(results)):
        try:
            drawing = draw(results, figure)
        except NotDrawn as reason:
            parts.append(f"<p>{escape(figure.title)}: {escape(str(reason))}</p>")
            continue
        slug = f"{slug_of(figure.title)}-{number}"
        parts.append(inline(svg(drawing), slug, escape(figure.title)))
    if not parts and has_ledger(results):
        parts.append(ledger(results))
    return "\n".join([*parts, cells_table(results)])
