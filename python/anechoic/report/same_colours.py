"""One colour for one name on all figures of a page, as far as there are enough."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from anechoic.report.chart import Chart, Panel
from anechoic.report.palette import DISTINCT
from anechoic.scenario.catalogue import airtime_labels


def with_same_colours(charts: Sequence[Chart]) -> list[Chart]:
    """Give each name the colour that it had where it was first drawn.

    Those of ordered values and of uses of the airtime have a meaning of their own, and stay.
    """
    kept: dict[str, str] = {}
    return [
        replace(
            chart,
            views=[
                replace(view, panels=[_recoloured(panel, kept) for panel in view.panels])
                for view in chart.views
            ],
        )
        if _has_names(chart)
        else chart
        for chart in charts
    ]


def _has_names(chart: Chart) -> bool:
    """Say whether series are told apart: bars of one kind have their names along x."""
    panels = [panel for view in chart.views for panel in view.panels]
    return chart.form != "bar" or any(len(panel.series) > 1 for panel in panels)


def _recoloured(panel: Panel, kept: dict[str, str]) -> Panel:
    """Colour a panel by names; what shares a colour, as a line and its formula, goes on to."""
    names: dict[str, str] = {}
    for each in panel.series:
        names.setdefault(each.colour, each.label)
    labels = {each.label for each in panel.series}
    if not set(names) <= set(DISTINCT) or "" in labels or labels & set(airtime_labels().values()):
        return panel
    own = _chosen(list(dict.fromkeys(names.values())), kept)
    series = [replace(each, colour=own[names[each.colour]]) for each in panel.series]
    return replace(panel, series=series)


def _chosen(names: Sequence[str], kept: dict[str, str]) -> Mapping[str, str]:
    """Choose colours for names that are drawn together: kept ones first, then unused ones."""
    found: dict[str, str] = {}
    for name in names:
        if name in kept and kept[name] not in found.values():
            found[name] = kept[name]
    for name in names:
        if name not in found:
            free = [colour for colour in DISTINCT if colour not in found.values()]
            found[name] = min(free, key=list(kept.values()).count)
            kept.setdefault(name, found[name])
    return found
