"""Distributions that a scenario asks for: lines over the values, or boxes of percentiles."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import nan

from anechoic.campaign.cells import Value
from anechoic.campaign.results import Results
from anechoic.report.axes import axis_title, tick
from anechoic.report.buckets import Buckets, Named, distributions_of, merged
from anechoic.report.chart import Chart, Panel, Scale, Series, View
from anechoic.report.choices import drawn_of
from anechoic.report.distributions import Placed, of_lines, together_note
from anechoic.report.each import Each, each_of
from anechoic.report.lines import MOST_BARS, MOST_LINES, NotDrawn, axis_values, keys_of
from anechoic.report.palette import colours
from anechoic.scenario.catalogue import Metric
from anechoic.scenario.experiment import Figure
from anechoic.scenario.figures import metric_in

_BOX = (0.05, 0.25, 0.5, 0.75, 0.95)


def chart_of_values(results: Results, figure: Figure, slug: str) -> Chart:
    """Describe a figure of a distribution; raise NotDrawn if the results do not hold it."""
    each = None if figure.each is None else each_of(results, figure.each)
    if figure.each is not None and results.out is None:
        raise NotDrawn("results without a folder do not say what belongs to whom")
    named = [distributions_of(results, cell) for cell in results.cells]
    draw = _cdf if figure.kind == "cdf" else _boxes
    values = [None] if figure.panel is None else [*axis_values(results, figure.panel)]
    panels = [(value, draw(results, figure, each, named, value)) for value in values]
    if not any(lines for _, lines in panels):
        raise NotDrawn(f"the results hold no distribution of {figure.metrics[0]}")
    of = metric_in(figure, figure.metrics[0])
    title = f"{axis_title(figure.panel)}: " if figure.panel else ""
    titles = [f"{title}{value}" if figure.panel else "" for value, _ in panels]
    contents = [lines for _, lines in panels]
    if figure.kind == "cdf":
        chart = of_lines(of, contents, titles)
    else:
        chart = _of_boxes(figure, of, contents, titles)
    note = together_note([cell.replications for cell in results.cells])
    views = [replace(chart.views[0], slug=slug)]
    shown = max(len(_owners(each, _most(results, figure))), 1)
    caption = chart.caption + drawn_of(shown, len(each.members) if each else 1)
    return replace(chart, title=figure.title, views=views, note=note, caption=caption)


def _cdf(
    results: Results, figure: Figure, each: Each | None, named: list[Named], panel: Value | None
) -> Placed:
    axes, keys = keys_of(results, figure)
    most = _most(results, figure)
    lines: Placed = {}
    for owner in _owners(each, most):
        for key in keys:
            where = _where(figure, panel, dict(zip(axes, key, strict=True)))
            buckets = _found(results, figure, each, named, owner, where)
            label = ", ".join(part for part in (owner, *map(str, key)) if part)
            if buckets is not None:
                lines[label] = {"": buckets}
    return lines


def _boxes(
    results: Results, figure: Figure, each: Each | None, named: list[Named], panel: Value | None
) -> Placed:
    axes, keys = keys_of(results, figure)
    along: list[Value | None] = [None]
    if figure.x is not None:
        along = [*axis_values(results, figure.x)]
    boxes: Placed = {}
    for owner in _owners(each, _most(results, figure)):
        for key in keys:
            for x in along:
                where = _where(figure, panel, dict(zip(axes, key, strict=True)))
                if figure.x is not None and x is not None:
                    where[figure.x] = x
                buckets = _found(results, figure, each, named, owner, where)
                if buckets is None:
                    continue
                values = ", ".join(map(str, key))
                label, place = values, owner or values
                if x is not None:
                    label, place = ", ".join(filter(None, [owner, values])), tick(x)
                boxes.setdefault(label, {})[place] = buckets
    return boxes


def _most(results: Results, figure: Figure) -> int:
    """Say of how many owners lines or boxes can be told apart."""
    if figure.kind == "box" and figure.x is None:
        return MOST_BARS
    return max(MOST_LINES // len(keys_of(results, figure)[1]), 1)


def _owners(each: Each | None, most: int) -> list[str]:
    return [""] if each is None else list(each.members)[:most]


def _where(figure: Figure, panel: Value | None, key: dict[str, Value]) -> dict[str, Value]:
    return dict(key) if figure.panel is None or panel is None else {**key, figure.panel: panel}


def _found(
    results: Results,
    figure: Figure,
    each: Each | None,
    named: list[Named],
    owner: str,
    where: Mapping[str, Value],
) -> Buckets | None:
    place = results.cells.index(results.select(where))
    name = figure.metrics[0]
    if each is None:
        return named[place].get(name)
    wholes = (f"{member}.{name}" for member in each.members[owner][place])
    return merged(named[place][whole] for whole in wholes if whole in named[place])


def _of_boxes(
    figure: Figure, of: Metric, contents: Sequence[Placed], titles: Sequence[str]
) -> Chart:
    places = list(
        dict.fromkeys(
            place for content in contents for boxes in content.values() for place in boxes
        )
    )
    shown = list(dict.fromkeys(name for content in contents for name in content))
    palette = dict(zip(shown, colours(shown), strict=True))
    panels = [
        Panel(
            [_boxed(name, palette[name], boxes, places) for name, boxes in content.items()], title
        )
        for content, title in zip(contents, titles, strict=True)
    ]
    along = axis_title(figure.x or str(figure.each or ""))
    return Chart(
        figure.title,
        "box",
        Scale(figure.x_label or along, names=places),
        Scale(figure.y_label or of.label, "" if figure.y_label else of.unit),
        [View([float(i) for i in range(len(places))], panels)],
        caption=f"{of.label}: {of.description}. Boxes from 25 to 75 % with the median, whiskers "
        "from 5 to 95 %, of all replications together.",
        note="",
        key=axis_title(figure.series) if figure.series else "",
    )


def _boxed(name: str, colour: str, boxes: Mapping[str, Buckets], places: Sequence[str]) -> Series:
    found = [
        boxes[place].quantiles(_BOX).tolist() if place in boxes else [nan] * len(_BOX)
        for place in places
    ]
    return Series(name, colour, [each[2] for each in found], boxes=found)
