"""The figures that a scenario asks for: means with their 95 % intervals over a swept axis."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import nan

from anechoic.campaign.cells import Value
from anechoic.campaign.results import Results
from anechoic.report.axes import axis_title, scale_along, tick
from anechoic.report.chart import Chart, Panel, Scale, Series, View, base_up, count_note
from anechoic.report.choices import drawn_of
from anechoic.report.figures_of_values import chart_of_values
from anechoic.report.lines import (
    MOST_LINES,
    Content,
    Line,
    content_of,
    each_of_figure,
    units_of,
)
from anechoic.report.points import chart_of_points
from anechoic.scenario.catalogue import metric
from anechoic.scenario.experiment import Figure
from anechoic.scenario.figures import metric_in


def chart_of(results: Results, figure: Figure, slug: str = "") -> Chart:
    """Describe one figure of a scenario; raise NotDrawn if the results do not hold it."""
    if figure.kind == "points":
        return chart_of_points(results, figure, slug)
    if figure.is_of_values:
        return chart_of_values(results, figure, slug)
    content = content_of(results, figure)
    scale, place_of = _along(content, figure)
    is_sparse = _has_room(content)
    xs = sorted({place_of[x] for line in content.lines for x in line.points})
    has_formulas = is_sparse and any(line.calculated for line in content.lines)
    panels = [
        Panel(
            [
                *(_measured(line, xs, place_of) for line in lines),
                *(_formula(line, xs, place_of) for line in lines if is_sparse and line.calculated),
            ],
            _panel_title(figure, value),
        )
        for value, lines in content.panels
    ]
    return Chart(
        title=figure.title,
        form="bar" if _has_bars(figure) else "line",
        x=replace(scale, title=figure.x_label, unit="") if figure.x_label else scale,
        left=_left(figure, content),
        right=_scale_up(figure, units_of(figure)[1]) if _is_double(content) else None,
        views=[View(xs, panels, slug=slug)],
        caption=_caption(results, figure) + (_formulas(results) if has_formulas else ""),
        note=count_note([each.n for line in content.lines for each in line.points.values()]),
        key=_key(figure),
    )


def default_figures(results: Results) -> list[Figure]:
    """Give the figures of a scenario that asks for none: the primary metric over the sweep."""
    if not results.axes:
        return []
    names = [axis.name for axis in results.axes]
    y = results.scenario.replication.metric
    return [
        Figure(
            title=metric(y).label,
            x=names[0],
            y=y,
            series=names[1] if len(names) > 1 else None,
            panel=names[2] if len(names) > 2 else None,
        )
    ]


def _along(content: Content, figure: Figure) -> tuple[Scale, dict[Value, float]]:
    values = list(dict.fromkeys(x for line in content.lines for x in line.points))
    if figure.x is None:
        names = [tick(value) for value in values]
        title = axis_title(str(figure.each))
        return Scale(title, names=names), {x: float(i) for i, x in enumerate(values)}
    scale, places = scale_along(figure.x, values)
    if _has_bars(figure) and not scale.names:
        # Bars stand side by side, whatever lies between their values.
        order = sorted(values, key=dict(zip(values, places, strict=True)).__getitem__)
        names = [f"{place:g}" for place in sorted(places)]
        scale, places = (
            replace(scale, ticks=(), base=0, names=names),
            [*map(float, range(len(order)))],
        )
        values = order
    return scale, dict(zip(values, places, strict=True))


def _has_room(content: Content) -> bool:
    """Say whether what closed forms say can be told apart from the other lines."""
    panels = (lines for _, lines in content.panels)
    return all(
        len(lines) + sum(bool(line.calculated) for line in lines) <= MOST_LINES for lines in panels
    )


def _measured(line: Line, xs: Sequence[float], place_of: Mapping[Value, float]) -> Series:
    at = {place_of[x]: summary for x, summary in line.points.items()}
    return Series(
        line.label or ("simulated" if line.calculated else ""),
        line.colour,
        ys=[at[x].mean if x in at else nan for x in xs],
        halves=[at[x].ci95 if x in at else nan for x in xs],
        marker=line.marker,
        is_right=line.is_right,
    )


def _formula(line: Line, xs: Sequence[float], place_of: Mapping[Value, float]) -> Series:
    at = {place_of[x]: value for x, value in line.calculated.items()}
    return Series(
        f"{line.label}, calculated" if line.label else "calculated",
        line.colour,
        ys=[at.get(x, nan) for x in xs],
        is_right=line.is_right,
        is_quiet=True,
    )


def _left(figure: Figure, content: Content) -> Scale:
    if figure.y_label:
        return Scale(figure.y_label)
    scale = _scale_up(figure, units_of(figure)[0])
    if _has_bars(figure):
        return scale
    drawn = [line for line in content.lines if not line.is_right]
    heights = [each.mean for line in drawn for each in line.points.values()]
    return replace(scale, base=base_up(heights))


def _scale_up(figure: Figure, unit: str) -> Scale:
    """Name what a scale measures: its metric if it is one, or else what all of them count."""
    drawn = [metric_in(figure, name) for name in figure.metrics]
    found = [each for each in drawn if each.unit == unit]
    if len(found) == 1:
        return Scale(found[0].label, unit)
    return Scale(unit or ", ".join(each.label for each in found))


def _is_double(content: Content) -> bool:
    return any(line.is_right for line in content.lines)


def _has_bars(figure: Figure) -> bool:
    # A line from one name to the next would mean nothing.
    return figure.kind == "bar" or figure.x is None


def _panel_title(figure: Figure, value: Value | None) -> str:
    return f"{axis_title(figure.panel)}: {value}" if figure.panel else ""


def _key(figure: Figure) -> str:
    is_plain = len(figure.metrics) == 1 and (figure.each is None or figure.x is None)
    return axis_title(figure.series) if figure.series and is_plain else ""


def _formulas(results: Results) -> str:
    """Say which closed forms are drawn, and what they leave out."""
    told = dict.fromkeys(line for cell in results.cells for line in cell.calculated_by)
    return f" Calculated, not run: {'. '.join(told)}."


def _caption(results: Results, figure: Figure) -> str:
    """Say what a figure's metrics are, and whose; what it leaves out."""
    each, left_out = each_of_figure(results, figure)
    texts = []
    for name in figure.metrics:
        found = metric_in(figure, name)
        together = None if each is None else each.together(name)
        said = "; ".join(filter(None, [found.description, together]))
        texts += [f"{found.label}: {said}."] if said else []
    if each is not None:
        texts.append(f"A {'bar' if _has_bars(figure) else 'line'} for each {figure.each}.")
    drawn = 0 if each is None else len(each.members)
    return " ".join(texts) + drawn_of(drawn, drawn + left_out)
