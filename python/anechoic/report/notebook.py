"""What a notebook shows of a campaign's results."""

from html import escape

from anechoic.campaign.results import Results
from anechoic.report.charts import charts_of
from anechoic.report.paper import draw
from anechoic.report.render import inline, svg
from anechoic.report.tables import cells_table


def notebook_html(results: Results) -> str:
    """Give the figures and the table of cells as one piece of HTML."""
    parts = [f"<h3>{escape(results.scenario.title)}</h3>"] if results.scenario.title else []
    charts, undrawn = charts_of(results)
    parts += [f"<p>{escape(reason)}</p>" for reason in undrawn]
    # The airtime is worth a look where there is nothing else to see.
    shown = [chart for chart in charts if chart.form != "stack"] or charts
    for number, chart in enumerate(shown):
        drawing = draw(chart, chart.views[0])
        parts.append(inline(svg(drawing), f"figure-{number}", escape(chart.title)))
    return "\n".join([*parts, cells_table(results)])
