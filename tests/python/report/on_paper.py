"""Single figures drawn for paper."""

import anechoic as an
from anechoic.report.charts import charts_of
from anechoic.report.paper import draw
from anechoic.report.render import svg


def drawn(results: an.Results, title: str) -> str:
    """Draw a figure, the first of its views, and give the picture as SVG."""
    charts, _ = charts_of(results)
    chart = next(each for each in charts if each.title == title)
    return svg(draw(chart, chart.views[0]))
