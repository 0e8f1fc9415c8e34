"""The figures that a scenario asks for: means with their 95 % intervals over a swept axis."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from math import ceil, isnan, log

from matplotlib.axes import Axes
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure as Drawing

from anechoic.campaign.replication import Summary
from anechoic.campaign.results import Results, Value
from anechoic.report.axes import axis_title
from anechoic.report.metrics import metric
from anechoic.report.palette import FAINT
from anechoic.report.style import MARKERS, colours, house_style, new_figure
from anechoic.scenario.experiment import Figure

_PANEL_INCHES = (5.6, 3.7)
_PANELS_PER_ROW = 2
_LEGEND_INCHES = 1.2
_HEADROOM = 1.08
_TICK_GAP = 0.035
"""Tick labels closer than this part of the axis would overlap."""
_WIDE = 10**1.5
"""A sweep whose largest value is so many times its smallest piles up on a plain scale."""


class NotDrawn(Exception):
    """A figure names an axis or a metric that the results do not hold."""


@dataclass(frozen=True)
class Line:
    """One series of one panel: the points along x."""

    label: str
    colour: str
    marker: str
    xs: list[Value]
    summaries: list[Summary]


def draw(results: Results, figure: Figure) -> Drawing:
    """Draw one figure of a scenario."""
    _refuse_unknown(results, figure)
    panels = _axis_values(results, figure.panel) if figure.panel else [None]
    lines = [_lines(results, figure, panel) for panel in panels]
    with house_style():
        legend = len(lines[0]) > 1
        drawing, grid = _grid(len(panels), _LEGEND_INCHES if legend else 0.0)
        for axes, panel, drawn in zip(grid, panels, lines, strict=True):
            _draw_panel(axes, figure, drawn)
            if figure.panel:
                axes.set_title(f"{axis_title(figure.panel)}: {panel}", color=FAINT)
        for axes in grid[::_PANELS_PER_ROW]:
            axes.set_ylabel(figure.y_label or metric(figure.y).title)
        grid[0].set_ylim(*_reach(lines))
        _add_title(drawing, figure, lines)
        if legend:
            _add_legend(drawing, grid, figure)
    return drawing


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


def _grid(count: int, legend_inches: float) -> tuple[Drawing, list[Axes]]:
    """Give a drawing with so many panels, row by row, that share the scale of y."""
    columns = min(count, _PANELS_PER_ROW)
    rows = ceil(count / columns)
    width, height = _PANEL_INCHES
    drawing = new_figure(width * columns + legend_inches, height * rows)
    grid = [*drawing.subplots(rows, columns, squeeze=False, sharey=True).flat]
    for unused in grid[count:]:
        unused.remove()
    return drawing, grid[:count]


def _refuse_unknown(results: Results, figure: Figure) -> None:
    axes = [axis.name for axis in results.axes]
    for name in (figure.x, figure.series, figure.panel):
        if name is not None and name not in axes:
            raise NotDrawn(f"{name} is not swept; swept are: {', '.join(axes) or 'none'}")
    if not any(figure.y in cell.metrics for cell in results.cells):
        raise NotDrawn(f"the results hold no metric {figure.y}")


def _axis_values(results: Results, name: str) -> list[Value]:
    return next(list(axis.values) for axis in results.axes if axis.name == name)


def _lines(results: Results, figure: Figure, panel: Value | None) -> list[Line]:
    """Give the series of a panel; axes that the figure does not name tell series apart too."""
    taken = {figure.x, figure.panel}
    names = [axis.name for axis in results.axes if axis.name not in taken]
    if figure.series in names:
        names.remove(figure.series)
        names.insert(0, figure.series)
    keys = list(product(*(_axis_values(results, name) for name in names)))
    chosen = colours([key[0] for key in keys] if len(names) == 1 else keys)
    fixed = {figure.panel: panel} if figure.panel and panel is not None else {}
    lines = []
    for i, key in enumerate(keys):
        where = {**fixed, **dict(zip(names, key, strict=True))}
        xs, summaries = _points(results, figure, where)
        label = ", ".join(str(value) for value in key)
        lines.append(Line(label, chosen[i], MARKERS[i % len(MARKERS)], xs, summaries))
    return lines


def _points(
    results: Results, figure: Figure, where: dict[str, Value]
) -> tuple[list[Value], list[Summary]]:
    xs: list[Value] = []
    summaries = []
    for x in _axis_values(results, figure.x):
        summary = results.select({**where, figure.x: x}).metrics.get(figure.y)
        if summary is not None and not isnan(summary.mean):
            xs.append(x)
            summaries.append(summary)
    if all(_is_number(x) for x in xs):
        pairs = sorted(zip(xs, summaries, strict=True), key=lambda pair: float(pair[0]))
        xs, summaries = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    return xs, summaries


def _draw_panel(axes: Axes, figure: Figure, lines: list[Line]) -> None:
    values = list(dict.fromkeys(x for line in lines for x in line.xs))
    by_number = figure.kind == "line" and all(_is_number(x) for x in values)
    if by_number and _is_wide([float(x) for x in values]) and min(map(float, values)) <= 0:
        # Neither a plain nor a logarithmic scale keeps these apart.
        values, by_number = sorted(values, key=float), False
    if by_number:
        _number_axis(axes, sorted(float(x) for x in values))
    else:
        axes.set_xticks(range(len(values)), [str(value) for value in values])
    for i, line in enumerate(lines):
        places = [float(x) if by_number else float(values.index(x)) for x in line.xs]
        if figure.kind == "bar":
            _draw_bars(axes, line, places, i, len(lines))
        else:
            _draw_line(axes, line, places)
    axes.set_xlabel(figure.x_label or axis_title(figure.x))


def _draw_line(axes: Axes, line: Line, places: list[float]) -> None:
    axes.errorbar(
        places,
        [summary.mean for summary in line.summaries],
        yerr=_half_widths(line),
        color=line.colour,
        marker=line.marker,
        capsize=3.5,
        elinewidth=1.1,
        capthick=1.1,
        label=line.label,
    )


def _draw_bars(axes: Axes, line: Line, places: list[float], index: int, count: int) -> None:
    width = 0.8 / count
    offset = (index - (count - 1) / 2) * width
    axes.bar(
        [place + offset for place in places],
        [summary.mean for summary in line.summaries],
        width * 0.92,
        yerr=_half_widths(line),
        color=line.colour,
        capsize=2.5,
        error_kw={"elinewidth": 1.0, "ecolor": FAINT},
        label=line.label,
    )


def _half_widths(line: Line) -> list[float]:
    return [0.0 if isnan(summary.ci95) else summary.ci95 for summary in line.summaries]


def _number_axis(axes: Axes, values: Sequence[float]) -> None:
    """Put ticks at the swept values; a doubling or a wide sweep is drawn by its ratios."""
    low, high = values[0], values[-1]
    doubling = (
        len(values) > 2
        and low > 0
        and all(abs(b / a - values[1] / low) < 0.01 for a, b in pairwise(values))
    )
    if doubling:
        axes.set_xscale("log", base=2)
        shown = list(values)
    elif _is_wide(values):
        axes.set_xscale("log")
        shown = _apart(values, log(high / low) * _TICK_GAP, log)
    else:
        shown = _apart(values, (high - low) * _TICK_GAP)
    axes.set_xticks(shown, [f"{value:g}" for value in shown])
    axes.minorticks_off()


def _is_wide(values: Sequence[float]) -> bool:
    sizes = [abs(value) for value in values if value]
    return len(values) > 2 and max(sizes) > _WIDE * min(sizes)


def _apart(
    values: Sequence[float], gap: float, place: Callable[[float], float] = float
) -> list[float]:
    """Keep the later of two values whose labels would overlap."""
    apart = [v for v, after in pairwise(values) if place(after) - place(v) > gap]
    return [*apart, *values[-1:]]


def _add_title(drawing: Drawing, figure: Figure, lines: list[list[Line]]) -> None:
    drawing.suptitle(figure.title, x=0.01, ha="left", fontsize=11.5, fontweight="bold")
    counts = [summary.n for panel in lines for line in panel for summary in line.summaries]
    low, high = min(counts, default=0), max(counts, default=0)
    n = f"{low}" if low == high else f"{low} to {high}"
    note = "single runs, no intervals" if high <= 1 else f"mean and 95 % interval, n = {n}"
    drawing.supxlabel(note, x=0.99, ha="right", fontsize=7.5, color=FAINT)


def _add_legend(drawing: Drawing, row: Sequence[Axes], figure: Figure) -> None:
    handles, labels = row[0].get_legend_handles_labels()
    # The key shows line and marker; the bars of an interval would only clutter it.
    plain = [h[0] if isinstance(h, ErrorbarContainer) else h for h in handles]
    title = axis_title(figure.series) if figure.series else None
    drawing.legend(plain, labels, loc="outside right center", title=title, alignment="left")


def _reach(lines: list[list[Line]]) -> tuple[float, float]:
    """Give the span of y: from zero, since every metric is a quantity, to above the intervals."""
    drawn = [
        (summary.mean, half)
        for panel in lines
        for line in panel
        for summary, half in zip(line.summaries, _half_widths(line), strict=True)
    ]
    low = min((mean - half for mean, half in drawn if mean < 0), default=0.0)
    high = max((mean + half for mean, half in drawn), default=0.0)
    return _HEADROOM * low, _HEADROOM * high or 1.0


def _is_number(value: Value) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
