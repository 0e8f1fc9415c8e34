"""What a notebook shows of a campaign's results."""

from html import escape
from itertools import count

from matplotlib.figure import Figure

from anechoic.campaign.results import Results
from anechoic.report.charts import charts_of
from anechoic.report.paper import draw
from anechoic.report.render import inline, svg
from anechoic.report.tables import cells_table, replication_note
from anechoic.scenario.errors import MissingName, unknown_name

_numbers = count(1)
"""One for each figure that a notebook shows: what several cells show is one page."""


def plot(results: Results, title: str | None = None) -> Figure:
    """Draw a figure of the report, by its title or else the first; LookupError names them."""
    charts, _ = charts_of(results)
    found = [chart for chart in charts if title in (None, chart.title)]
    if not found:
        titles = [chart.title for chart in charts]
        problem = unknown_name("", title or "", titles, "figure")
        raise MissingName("results.plot", [problem])
    return draw(found[0], found[0].views[0])


def notebook_html(results: Results) -> str:
    """Give the figures and the table of cells as one piece of HTML."""
    parts = [f"<h3>{escape(results.scenario.title)}</h3>"] if results.scenario.title else []
    charts, undrawn = charts_of(results)
    parts += [f"<p>{escape(reason)}</p>" for reason in undrawn]
    # The airtime is worth a look where there is nothing else to see.
    shown = [chart for chart in charts if chart.form != "stack"] or charts
    for chart in shown:
        drawing = draw(chart, chart.views[0])
        parts.append(inline(svg(drawing), f"figure-{next(_numbers)}", escape(chart.title)))
    note = f"<p>{escape(replication_note(results.cells))}</p>"
    return "\n".join([*parts, cells_table(results), note])
