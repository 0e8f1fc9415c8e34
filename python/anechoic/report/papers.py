"""The figures of a campaign as files for papers."""

from pathlib import Path

from anechoic.campaign.results import Results
from anechoic.files import write_whole
from anechoic.report.charts import charts_of
from anechoic.report.paper import draw, pages_of
from anechoic.report.render import pdf, save
from anechoic.report.slugs import numbered


def write_figures(results: Results, out: Path) -> list[Path]:
    """Write each figure as PDF, SVG and PNG into ``figures/`` in a folder; give the PDFs."""
    folder = out / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    charts, _ = charts_of(results)
    for chart in charts:
        for view in (view for view in chart.views if view.slug):
            for number, page in enumerate(pages_of(chart, view), start=1):
                slug = numbered(view.slug, number)
                drawing = draw(*page)
                save(drawing, folder, slug)
                paths.append(folder / f"{slug}.pdf")
                write_whole(paths[-1], pdf(drawing))
    return paths
