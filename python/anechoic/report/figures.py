"""The figures that a scenario asks for: means with their 95 % intervals over a swept axis."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, isnan, log

from matplotlib.axes import Axes
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure as Drawing

from anechoic.campaign.cells import Value
from anechoic.campaign.results import Results
from anechoic.report.axes import axis_title
from anechoic.report.lines import Content, Line, content_of, each_of_figure, is_number, units_of
from anechoic.report.palette import FAINT, STRIPE
from anechoic.report.style import house_style, new_figure
from anechoic.scenario.catalogue import metric
from anechoic.scenario.experiment import Figure
from anechoic.scenario.figures import metric_in

_PANEL_INCHES = (5.6, 3.7)
_PANELS_PER_ROW = 2
_LEGEND_INCHES = 1.2
_KEY_INCHES = 0.6
_LETTER_INCHES = 0.075
_LONG_TICKS = 52
"""So many letters fit below a panel; names that have more stand upright."""
_HEADROOM = 1.08
_TICK_GAP = 0.035
"""Tick labels closer than this part of the axis would overlap."""
_WIDE = 10**1.5
"""A sweep whose largest value is so many times its smallest piles up on a plain scale."""


@dataclass(frozen=True)
class Panel:
    """A picture with one scale or two."""

    left: Axes
    right: Axes | None

    def scale_of(self, line: Line) -> Axes:
        """Give the axes that a line is drawn by."""
        return self.right if line.is_right and self.right is not None else self.left


def draw(results: Results, figure: Figure) -> Drawing:
    """Draw one figure of a scenario; raise NotDrawn if the results do not hold it."""
    content = content_of(results, figure)
    with house_style():
        legend = len(content.panels[0][1]) > 1
        is_double = any(line.is_right for line in content.lines)
        inches = _legend_inches(content) if legend else 0.0
        drawing, grid = _grid(len(content.panels), inches, is_double)
        for panel, (value, lines) in zip(grid, content.panels, strict=True):
            _draw_panel(panel, figure, lines)
            if figure.panel:
                panel.left.set_title(f"{axis_title(figure.panel)}: {value}", color=FAINT)
        _set_scales(grid, figure, content.lines)
        _add_title(drawing, figure, content.lines)
        if legend:
            _add_legend(drawing, grid[0], figure)
    return drawing


def caption(results: Results, figure: Figure) -> str:
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
    if each is not None and left_out:
        drawn = len(each.members)
        texts.append(f"Drawn are the first {drawn} of {drawn + left_out}.")
    return " ".join(texts)


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


def _grid(count: int, legend_inches: float, is_double: bool) -> tuple[Drawing, list[Panel]]:
    """Give a drawing with so many panels, row by row, that share the scales of y."""
    columns = min(count, _PANELS_PER_ROW)
    rows = ceil(count / columns)
    width, height = _PANEL_INCHES
    drawing = new_figure(width * columns + legend_inches, height * rows)
    grid = [*drawing.subplots(rows, columns, squeeze=False, sharey=True).flat]
    for unused in grid[count:]:
        unused.remove()
    return drawing, [Panel(axes, _right_of(axes) if is_double else None) for axes in grid[:count]]


def _right_of(axes: Axes) -> Axes:
    """Give axes with the same x and a scale of their own."""
    right = axes.twinx()
    right.grid(visible=False)
    right.spines["right"].set_visible(True)
    return right


def _legend_inches(content: Content) -> float:
    longest = max(len(line.label) for line in content.lines)
    return max(_LEGEND_INCHES, _LETTER_INCHES * longest + _KEY_INCHES)


def _set_scales(grid: Sequence[Panel], figure: Figure, lines: Sequence[Line]) -> None:
    """Give all panels the same scales, and name those at either end of a row."""
    titles = [_scale_title(figure, unit) for unit in units_of(figure)]
    grid[0].left.set_ylim(*_reach([line for line in lines if not line.is_right]))
    for panel in grid[::_PANELS_PER_ROW]:
        panel.left.set_ylabel(figure.y_label or titles[0])
    for place, panel in enumerate(grid, start=1):
        if panel.right is not None:
            panel.right.set_ylim(*_reach([line for line in lines if line.is_right]))
            if place % _PANELS_PER_ROW == 0 or place == len(grid):
                panel.right.set_ylabel(titles[1])


def _scale_title(figure: Figure, unit: str) -> str:
    """Name what a scale measures: its metric if it is one, or else what all of them count."""
    drawn = [metric_in(figure, name) for name in figure.metrics]
    found = [each for each in drawn if each.unit == unit]
    if len(found) == 1:
        return found[0].title
    return unit or ", ".join(each.label for each in found)


def _draw_panel(panel: Panel, figure: Figure, lines: list[Line]) -> None:
    axes = panel.left
    values = list(dict.fromkeys(x for line in lines for x in line.xs))
    has_bars = _has_bars(figure)
    by_number = not has_bars and all(is_number(x) for x in values)
    if by_number and _is_wide([float(x) for x in values]) and min(map(float, values)) <= 0:
        # Neither a plain nor a logarithmic scale keeps these apart.
        values, by_number = sorted(values, key=float), False
    if by_number:
        _number_axis(axes, sorted(float(x) for x in values))
    else:
        _name_axis(axes, [_tick(value) for value in values])
    for i, line in enumerate(lines):
        places = [float(x) if by_number else float(values.index(x)) for x in line.xs]
        if has_bars:
            _draw_bars(panel.scale_of(line), line, places, i, len(lines))
        else:
            _draw_line(panel.scale_of(line), line, places)
    axes.set_xlabel(figure.x_label or axis_title(figure.x or str(figure.each)))


def _has_bars(figure: Figure) -> bool:
    # A line from one name to the next would mean nothing.
    return figure.kind == "bar" or figure.x is None


def _name_axis(axes: Axes, names: Sequence[str]) -> None:
    is_long = sum(map(len, names)) + len(names) > _LONG_TICKS
    axes.set_xticks(range(len(names)), names, rotation=90 if is_long else 0)


def _draw_line(axes: Axes, line: Line, places: list[float]) -> None:
    axes.errorbar(
        places,
        [summary.mean for summary in line.summaries],
        yerr=_half_widths(line),
        color=line.colour,
        marker=line.marker,
        linestyle="--" if line.is_right else "-",
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
        hatch="///" if line.is_right else None,
        edgecolor=STRIPE,
        linewidth=0,
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
    axes.set_xticks(shown, [_tick(value) for value in shown])
    axes.minorticks_off()


def _tick(value: Value) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _is_wide(values: Sequence[float]) -> bool:
    sizes = [abs(value) for value in values if value]
    return len(values) > 2 and max(sizes) > _WIDE * min(sizes)


def _apart(
    values: Sequence[float], gap: float, place: Callable[[float], float] = float
) -> list[float]:
    """Keep the later of two values whose labels would overlap."""
    apart = [v for v, after in pairwise(values) if place(after) - place(v) > gap]
    return [*apart, *values[-1:]]


def _add_title(drawing: Drawing, figure: Figure, lines: Sequence[Line]) -> None:
    drawing.suptitle(figure.title, x=0.01, ha="left", fontsize=11.5, fontweight="bold")
    counts = [summary.n for line in lines for summary in line.summaries]
    low, high = min(counts, default=0), max(counts, default=0)
    n = f"{low}" if low == high else f"{low} to {high}"
    note = "single runs, no intervals" if high <= 1 else f"mean and 95 % interval, n = {n}"
    drawing.supxlabel(note, x=0.99, ha="right", fontsize=7.5, color=FAINT)


def _add_legend(drawing: Drawing, panel: Panel, figure: Figure) -> None:
    keys = [axes.get_legend_handles_labels() for axes in (panel.left, panel.right) if axes]
    # The key shows line and marker; the bars of an interval would only clutter it.
    plain = [
        handle[0] if isinstance(handle, ErrorbarContainer) else handle
        for handles, _ in keys
        for handle in handles
    ]
    labels = [label for _, labels in keys for label in labels]
    is_plain = len(figure.metrics) == 1 and (figure.each is None or figure.x is None)
    title = axis_title(figure.series) if figure.series and is_plain else None
    drawing.legend(plain, labels, loc="outside right center", title=title, alignment="left")


def _reach(lines: Sequence[Line]) -> tuple[float, float]:
    """Give the span of y: from zero, since every metric is a quantity, to above the intervals."""
    drawn = [
        (summary.mean, half)
        for line in lines
        for summary, half in zip(line.summaries, _half_widths(line), strict=True)
    ]
    low = min((mean - half for mean, half in drawn if mean < 0), default=0.0)
    high = max((mean + half for mean, half in drawn), default=0.0)
    return _HEADROOM * low, _HEADROOM * high or 1.0
