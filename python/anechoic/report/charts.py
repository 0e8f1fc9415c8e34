"""What is drawn of a campaign: the scenario's figures, who got what, airtime, time series."""

from itertools import islice

from anechoic.campaign.results import Results
from anechoic.report.airtime import has_ledger, ledger
from anechoic.report.chart import Chart
from anechoic.report.connections import has_samples, histories
from anechoic.report.distributions import over_values
from anechoic.report.figures import chart_of, default_figures
from anechoic.report.interruptions import interruptions
from anechoic.report.lines import NotDrawn
from anechoic.report.people import who_got_what
from anechoic.report.same_colours import with_same_colours
from anechoic.report.series import over_time
from anechoic.report.slugs import slug_of, unused


def charts_of(results: Results) -> tuple[list[Chart], list[str]]:
    """Describe what is drawn, and say of each figure that could not be drawn why."""
    parts, undrawn = parts_of(results)
    return [chart for charts in parts.values() for chart in charts], undrawn


def parts_of(results: Results) -> tuple[dict[str, list[Chart]], list[str]]:
    """Describe what is drawn by the parts of the page, and what could not be drawn."""
    asked, undrawn = _of_scenario(results)
    shares = who_got_what(results)
    if has_ledger(results):
        shares.append(ledger(results))
    shares += interruptions(results)
    moving = over_time(results)
    if has_samples(results):
        moving += histories(results)
    parts = {
        "Results": asked,
        "Shares": shares,
        "Over time": moving,
        "Distributions": over_values(results),
    }
    alike = iter(with_same_colours([chart for charts in parts.values() for chart in charts]))
    return {title: list(islice(alike, len(charts))) for title, charts in parts.items()}, undrawn


def _of_scenario(results: Results) -> tuple[list[Chart], list[str]]:
    charts, undrawn = [], []
    used: set[str] = set()
    for figure in results.scenario.figure or default_figures(results):
        try:
            charts.append(chart_of(results, figure, unused(slug_of(figure.title), used)))
        except NotDrawn as reason:
            undrawn.append(f"The figure “{figure.title}” could not be drawn: {reason}.")
    return charts, undrawn
