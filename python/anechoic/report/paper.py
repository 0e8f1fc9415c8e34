"""A described figure drawn for paper."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import ceil, isnan, log, nan
from textwrap import wrap
from typing import Any

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure as Drawing
from matplotlib.ticker import LogFormatter

from anechoic.report.chart import Chart, Panel, Scale, Series, View, decades
from anechoic.report.palette import FAINT, INK, STRIPE
from anechoic.report.style import house_style, new_figure

_PANEL_INCHES = (5.6, 3.7)
_PANELS_PER_ROW = 2
_LEGEND_INCHES = 1.2
_KEY_INCHES = 0.6
_LETTER_INCHES = 0.075
_TITLE_LETTER_INCHES = 0.1
_LONG_TICKS = 52
"""So many letters fit below a panel; names that have more stand upright."""
_HEADROOM = 1.08
_TICK_GAP = 0.035
"""Tick labels closer than this part of the axis would overlap."""
_MANY_POINTS = 40
"""Points that stand so close need no marks, and their intervals become a band."""
_QUIET = 0.45
"""How opaque a bar is beside what matters."""
_BAND_ROOM = 1.5
"""How far a band may reach above the highest mean: those of few replications are wide."""
_ROWS_PER_PAGE = 40
"""More bars across than this do not fit on a printed page."""
_ROW_INCHES = 0.25
_FRAME_INCHES = 1.4
"""Height of a bar's row, and of the title, one row and the scale together."""
_KEYS_PER_LINE = 5
_KEY_LINE_INCHES = 0.19
"""Entries of the legend side by side, and the height of a line of them in its font."""


@dataclass(frozen=True)
class _Picture:
    """A picture with one scale or two."""

    left: Axes
    right: Axes | None

    def scale_of(self, series: Series) -> Axes:
        """Give the axes that a series is drawn by."""
        return self.right if series.is_right and self.right is not None else self.left


def draw(chart: Chart, view: View) -> Drawing:
    """Draw one view of a figure."""
    with house_style():
        return _draw_across(chart, view) if chart.form == "stack" else _draw_grid(chart, view)


def pages_of(chart: Chart, view: View) -> Iterator[tuple[Chart, View]]:
    """Part a long figure of bars across into what fits on pages."""
    if chart.form != "stack":
        yield chart, view
        return
    for first in range(0, len(view.xs), _ROWS_PER_PAGE):
        rows = slice(first, first + _ROWS_PER_PAGE)
        names = chart.x.names[rows]
        panels = [
            Panel([replace(each, ys=each.ys[rows]) for each in panel.series])
            for panel in view.panels
        ]
        xs = [float(place) for place in range(len(names))]
        yield replace(chart, x=replace(chart.x, names=names)), replace(view, xs=xs, panels=panels)


def _draw_grid(chart: Chart, view: View) -> Drawing:
    shown = _all_series(view)
    labels = [each.label for each in view.panels[0].series]
    labels += [shade.label for shade in view.panels[0].shades]
    has_key = len(labels) > 1
    room = max(_LEGEND_INCHES, _LETTER_INCHES * max(map(len, labels)) + _KEY_INCHES)
    drawing, grid = _grid(chart, len(view.panels), room if has_key else 0.0)
    for picture, panel in zip(grid, view.panels, strict=True):
        _draw_panel(picture, chart, view, panel)
        if panel.title:
            picture.left.set_title(panel.title, color=FAINT)
    _set_scales(grid, chart, shown)
    subject = ", ".join(view.choice)
    _add_title(drawing, f"{chart.title}, {subject}" if subject else chart.title)
    drawing.supxlabel(chart.note, x=0.99, ha="right", fontsize=7.5, color=FAINT)
    if has_key:
        _add_legend(drawing, grid[0], chart)
    return drawing


def _grid(chart: Chart, count: int, legend_inches: float) -> tuple[Drawing, list[_Picture]]:
    """Give a drawing with so many panels, row by row, that share the scales of y."""
    columns = min(count, _PANELS_PER_ROW)
    rows = ceil(count / columns)
    width, height = _PANEL_INCHES
    drawing = new_figure(width * columns + legend_inches, height * rows)
    grid = [*drawing.subplots(rows, columns, squeeze=False, sharey=True).flat]
    for unused in grid[count:]:
        unused.remove()
    return drawing, [_Picture(axes, _right_of(axes, chart)) for axes in grid[:count]]


def _right_of(axes: Axes, chart: Chart) -> Axes | None:
    """Give axes with the same x and a scale of their own, if there are two."""
    if chart.right is None:
        return None
    right = axes.twinx()
    right.grid(visible=False)
    right.spines["right"].set_visible(True)
    return right


def _set_scales(grid: Sequence[_Picture], chart: Chart, shown: Sequence[Series]) -> None:
    """Give all panels the same scales, and name those at either end of a row."""
    _set_reach(grid[0].left, chart.left, [each for each in shown if not each.is_right])
    for picture in grid[::_PANELS_PER_ROW]:
        picture.left.set_ylabel(chart.left.label)
    for place, picture in enumerate(grid, start=1):
        if picture.right is not None and chart.right is not None:
            _set_reach(picture.right, chart.right, [each for each in shown if each.is_right])
            if place % _PANELS_PER_ROW == 0 or place == len(grid):
                picture.right.set_ylabel(chart.right.label)


def _set_reach(axes: Axes, scale: Scale, shown: Sequence[Series]) -> None:
    """Set the span of y: from zero, since it is a quantity, to above the intervals."""
    drawn = [
        (mean, half)
        for each in shown
        for mean, half in zip(each.ys, _halves(each), strict=True)
        if not isnan(mean)
    ]
    if scale.base:
        means = [mean for mean, _ in drawn]
        axes.set_yscale("log")
        _write_plainly(axes.yaxis)
        axes.set_ylim(*decades(min(means), max(means)))
        return
    drawn += [(y, 0.0) for each in shown for _, y in each.dots]
    drawn += [(box[-1], 0.0) for each in shown for box in each.boxes if not isnan(box[-1])]
    low = min((mean - half for mean, half in drawn if mean < 0), default=0.0)
    high = max((mean + half for mean, half in drawn), default=0.0)
    if any(len(each.ys) > _MANY_POINTS for each in shown):
        high = min(high, _BAND_ROOM * max((mean for mean, _ in drawn), default=0.0))
    axes.set_ylim(_HEADROOM * low, _HEADROOM * high or 1.0)


def _draw_panel(picture: _Picture, chart: Chart, view: View, panel: Panel) -> None:
    axes = picture.left
    if _names(chart, view):
        _name_axis(axes, _names(chart, view))
    else:
        _number_axis(axes, chart.x)
    for place, series in enumerate(panel.series):
        if series.boxes:
            _draw_boxes(axes, series, view.xs, place, len(panel.series))
        elif series.dots:
            _draw_dots(axes, series)
        elif chart.form == "bar":
            _draw_bars(picture.scale_of(series), series, view.xs, place, len(panel.series))
        else:
            _draw_line(picture.scale_of(series), series, view.xs)
            _draw_marks(picture.scale_of(series), series, view.xs)
    for shade in panel.shades:
        for place, (start, end) in enumerate(shade.spans):
            look: Any = {"color": shade.colour, "alpha": 0.3, "linewidth": 0}
            axes.axvspan(start, end, label=None if place else shade.label, **look)
    _draw_moments(axes, panel)
    axes.set_xlabel(chart.x.label)


def _draw_moments(axes: Axes, panel: Panel) -> None:
    look: Any = {"rotation": 90, "ha": "right", "va": "top", "fontsize": 7.5, "color": FAINT}
    for moment in panel.moments:
        axes.axvline(moment.at, color=FAINT, linewidth=0.9, linestyle="--")
        axes.text(moment.at, 0.98, moment.label, transform=axes.get_xaxis_transform(), **look)


def _name_axis(axes: Axes, names: Sequence[str]) -> None:
    is_long = sum(map(len, names)) + len(names) > _LONG_TICKS
    axes.set_xticks(range(len(names)), names, rotation=90 if is_long else 0)


def _draw_line(axes: Axes, series: Series, places: Sequence[float]) -> None:
    is_dense = len(places) > _MANY_POINTS
    has_gaps = is_dense and not series.is_unbroken
    given = [place for place, y in enumerate(series.ys) if has_gaps or not isnan(y)]
    xs, ys = [places[i] for i in given], [series.ys[i] for i in given]
    halves = [_halves(series)[i] for i in given]
    look: Any = {
        "color": series.colour,
        "linestyle": ":" if series.is_quiet else "--" if series.is_right else "-",
        "drawstyle": "steps-post" if series.is_step else "default",
    }
    if is_dense:
        axes.plot(xs, ys, label=series.label, linewidth=1.1, **look)
        lows = [y - half for y, half in zip(ys, halves, strict=True)]
        highs = [y + half for y, half in zip(ys, halves, strict=True)]
        axes.fill_between(xs, lows, highs, color=series.colour, alpha=0.2, linewidth=0)
        return
    bars: Any = {"capsize": 3.5, "elinewidth": 1.1, "capthick": 1.1}
    axes.errorbar(xs, ys, yerr=halves, marker=series.marker, label=series.label, **look, **bars)


def _draw_marks(axes: Axes, series: Series, places: Sequence[float]) -> None:
    for marks in series.marks:
        xs = [places[i] for i in marks.places]
        # Where nothing was measured, as while a station roams, the mark stands at the value before.
        ys = [next((y for y in series.ys[i::-1] if not isnan(y)), nan) for i in marks.places]
        look: Any = {"color": series.colour, "markeredgecolor": INK, "markeredgewidth": 0.5}
        axes.plot(xs, ys, marks.symbol, markersize=4, zorder=4, **look)


def _draw_bars(axes: Axes, series: Series, places: Sequence[float], index: int, count: int) -> None:
    width = 0.8 / count
    offset = (index - (count - 1) / 2) * width
    axes.bar(
        [place + offset for place in places],
        series.ys,
        width * 0.92,
        yerr=_halves(series),
        color=series.colour,
        alpha=_QUIET if series.is_quiet else 1.0,
        hatch="///" if series.is_right else None,
        edgecolor=STRIPE,
        linewidth=0,
        capsize=2.5,
        error_kw={"elinewidth": 1.0, "ecolor": FAINT},
        label=series.label,
    )


def _draw_dots(axes: Axes, series: Series) -> None:
    xs, ys = zip(*series.dots, strict=True)
    look: Any = {"color": series.colour, "alpha": 0.6, "markeredgewidth": 0}
    axes.plot(xs, ys, "o", markersize=3, label=series.label, **look)


def _draw_boxes(
    axes: Axes, series: Series, places: Sequence[float], index: int, count: int
) -> None:
    width = 0.8 / count
    offset = (index - (count - 1) / 2) * width
    drawn = [(x, box) for x, box in zip(places, series.boxes, strict=True) if not isnan(box[0])]
    names = ("whislo", "q1", "med", "q3", "whishi")
    line = {"color": series.colour, "linewidth": 1.2}
    axes.bxp(
        [dict(zip(names, box, strict=True)) for _, box in drawn],
        positions=[x + offset for x, _ in drawn],
        widths=0.8 * width,
        showfliers=False,
        manage_ticks=False,
        boxprops=line,
        whiskerprops=line,
        capprops=line,
        medianprops=line,
    )
    # The key shows a line for them.
    axes.plot([], [], color=series.colour, label=series.label)


def _halves(series: Series) -> list[float]:
    if not series.halves:
        return [0.0] * len(series.ys)
    return [0.0 if isnan(half) else half for half in series.halves]


def _number_axis(axes: Axes, scale: Scale) -> None:
    """Put ticks where the scale asks for them, as far as their labels do not overlap."""
    if scale.base:
        axes.set_xscale("log", base=scale.base)
        _write_plainly(axes.xaxis)
    if not scale.ticks:
        return
    low, high = scale.ticks[0], scale.ticks[-1]
    if scale.base == 2:
        shown = list(scale.ticks)
    elif scale.base:
        shown = _apart(scale.ticks, log(high / low) * _TICK_GAP, log)
    else:
        shown = _apart(scale.ticks, (high - low) * _TICK_GAP)
    axes.set_xticks(shown, [f"{value:g}" for value in shown])
    axes.minorticks_off()


class _Plain(LogFormatter):
    """Numbers on a log scale, where matplotlib would write TeX."""

    def __call__(self, x: float, pos: int | None = None) -> str:
        """Write a number where there is room for it."""
        return f"{x:g}" if super().__call__(x, pos) else ""


def _write_plainly(axis: Axis) -> None:
    axis.set_major_formatter(_Plain())
    axis.set_minor_formatter(_Plain())


def _apart(
    values: Sequence[float], gap: float, place: Callable[[float], float] = float
) -> list[float]:
    """Keep the later of two values whose labels would overlap."""
    apart = [v for v, after in pairwise(values) if place(after) - place(v) > gap]
    return [*apart, *values[-1:]]


def _add_title(drawing: Drawing, title: str) -> None:
    lines = wrap(title, int(drawing.get_figwidth() / _TITLE_LETTER_INCHES))
    drawing.suptitle("\n".join(lines), x=0.01, ha="left", fontsize=11.5, fontweight="bold")


def _add_legend(drawing: Drawing, picture: _Picture, chart: Chart) -> None:
    keys = [axes.get_legend_handles_labels() for axes in (picture.left, picture.right) if axes]
    # The key shows line and marker; the bars of an interval would only clutter it.
    plain = [
        handle[0] if isinstance(handle, ErrorbarContainer) else handle
        for handles, _ in keys
        for handle in handles
    ]
    labels = [label for _, labels in keys for label in labels]
    look: Any = {"loc": "outside right center", "alignment": "left"}
    drawing.legend(plain, labels, title=chart.key or None, **look)


def _draw_across(chart: Chart, view: View) -> Drawing:
    (panel,) = view.panels
    rows, lines = len(view.xs), ceil(len(panel.series) / _KEYS_PER_LINE)
    drawing = new_figure(8.6, _FRAME_INCHES + _ROW_INCHES * (rows - 1) + _KEY_LINE_INCHES * lines)
    axes = drawing.subplots()
    left = [0.0] * rows
    for series in panel.series:
        axes.barh(view.xs, series.ys, 0.78, left=left, color=series.colour, label=series.label)
        left = [start + part for start, part in zip(left, series.ys, strict=True)]
    axes.set_yticks(view.xs, _names(chart, view))
    axes.set_ylim(rows - 0.4, -0.6)
    axes.set_ylabel(chart.x.label)
    axes.set_xlim(0, chart.left.most)
    axes.set_xlabel(chart.left.label)
    axes.grid(visible=False)
    axes.spines["left"].set_visible(False)
    _add_title(drawing, chart.title)
    # Beside the title, which makes the room, because the legend stands below.
    note = drawing.text(0.99, 0.98, chart.note, ha="right", va="top")
    note.set(fontsize=7.5, color=FAINT)
    drawing.legend(loc="outside lower center", ncols=_KEYS_PER_LINE)
    return drawing


def _names(chart: Chart, view: View) -> Sequence[str]:
    return view.names or chart.x.names


def _all_series(view: View) -> list[Series]:
    return [each for panel in view.panels for each in panel.series]
