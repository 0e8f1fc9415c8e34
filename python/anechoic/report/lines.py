"""What a figure draws: its lines or kinds of bars, point by point."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress, product
from math import isnan
from operator import not_

from anechoic.campaign.cells import Value
from anechoic.campaign.replication import Summary
from anechoic.campaign.results import Results
from anechoic.report.axes import numbers_of
from anechoic.report.each import Each, each_of
from anechoic.report.palette import MARKERS, colours
from anechoic.scenario.experiment import Figure
from anechoic.scenario.figures import metric_in

MOST_LINES = 12
"""More lines in a panel are not told apart."""
MOST_BARS = 40
"""More names along x are not read."""


class NotDrawn(Exception):
    """A figure names an axis or a metric that the results do not hold."""


@dataclass(frozen=True)
class Line:
    """One series of one panel: its values along x, on the left scale or the right."""

    label: str
    colour: str
    marker: str
    is_right: bool
    points: dict[Value, Summary]
    calculated: dict[Value, float]
    """What closed forms say of the same, where they answer."""


@dataclass(frozen=True)
class Content:
    """All that a figure draws: panels by the value of their axis, each with its lines."""

    panels: list[tuple[Value | None, list[Line]]]

    @property
    def lines(self) -> list[Line]:
        """Give the lines of all panels."""
        return [line for _, lines in self.panels for line in lines]


def content_of(results: Results, figure: Figure) -> Content:
    """Find what a figure draws; raise NotDrawn if the results do not hold it."""
    _refuse_unknown(results, figure)
    each, _ = each_of_figure(results, figure)
    values = axis_values(results, figure.panel) if figure.panel else [None]
    panels = [_lines(results, figure, each, value) for value in values]
    empty = [not any(line.points for line in alike) for alike in zip(*panels, strict=True)]
    if all(empty):
        raise NotDrawn(f"the results hold no metric {', '.join(figure.metrics)}")
    # A station that moved nothing has no RTT, and needs no key.
    panels = [list(compress(lines, map(not_, empty))) for lines in panels]
    return Content(list(zip(values, panels, strict=True)))


def each_of_figure(results: Results, figure: Figure) -> tuple[Each | None, int]:
    """Find what a figure has a line or bar for each of, and how many it leaves out."""
    if figure.each is None:
        return None, 0
    each = each_of(results, figure.each)
    shown = each.first(_limit(results, figure))
    return shown, len(each.members) - len(shown.members)


def units_of(figure: Figure) -> list[str]:
    """Give the units of a figure's scales: the left one, and the right one if there is one."""
    return list(dict.fromkeys(metric_in(figure, name).unit for name in figure.metrics))


def _refuse_unknown(results: Results, figure: Figure) -> None:
    axes = [axis.name for axis in results.axes]
    for name in (figure.x, figure.series, figure.panel):
        if name is not None and name not in axes:
            raise NotDrawn(f"{name} is not swept; swept are: {', '.join(axes) or 'none'}")
    if figure.each is not None and results.out is None:
        raise NotDrawn("results without a folder do not say what belongs to whom")


def _limit(results: Results, figure: Figure) -> int:
    """Say how many of each can be drawn."""
    if figure.x is None:
        return MOST_BARS
    others = len(keys_of(results, figure)[1]) * len(figure.metrics)
    return max(MOST_LINES // others, 1)


def axis_values(results: Results, name: str) -> list[Value]:
    """Give the values of a swept axis."""
    return next(list(axis.values) for axis in results.axes if axis.name == name)


def keys_of(results: Results, figure: Figure) -> tuple[list[str], list[tuple[Value, ...]]]:
    """Give the axes that tell series apart, asked for or left over, and their values crossed."""
    taken = {figure.x, figure.panel}
    names = [axis.name for axis in results.axes if axis.name not in taken]
    if figure.series in names:
        names.remove(figure.series)
        names.insert(0, figure.series)
    return names, list(product(*(axis_values(results, name) for name in names)))


def _lines(results: Results, figure: Figure, each: Each | None, panel: Value | None) -> list[Line]:
    axes, keys = keys_of(results, figure)
    owners = list(each.members) if each is not None and figure.x is not None else [None]
    units = units_of(figure)
    series = list(product(figure.metrics, owners, keys))
    looks = _looks(figure, units, owners, keys)
    fixed = {figure.panel: panel} if figure.panel and panel is not None else {}
    lines = []
    for place, (name, owner, key) in enumerate(series):
        where = {**fixed, **dict(zip(axes, key, strict=True))}
        is_right = units.index(metric_in(figure, name).unit) > 0
        parts = [metric_in(figure, name).label] if len(figure.metrics) > 1 else []
        parts += [part for part in (owner, *map(str, key)) if part is not None]
        label = ", ".join(parts) + (" (right)" if is_right else "")
        points, calculated = _points(results, figure, each, (name, owner), where)
        lines.append(Line(label, *looks[place], is_right, points, calculated))
    return lines


def _looks(
    figure: Figure,
    units: Sequence[str],
    owners: Sequence[str | None],
    keys: Sequence[tuple[Value, ...]],
) -> list[tuple[str, str]]:
    """Give each line its colour and marker: two metrics on two scales share those of a series."""
    rest = list(product(owners, keys))
    is_paired = len(figure.metrics) == len(units) > 1 and len(rest) > 1
    told_apart: list[object] = list(rest) if is_paired else list(product(figure.metrics, rest))
    if len(told_apart) == len(keys) and all(len(key) == 1 for key in keys):
        swept = [key[0] for key in keys]
        told_apart = [*(numbers_of(swept)[0] or swept)]
    looks = [
        (colour, MARKERS[place % len(MARKERS)]) for place, colour in enumerate(colours(told_apart))
    ]
    return looks * len(figure.metrics) if is_paired else looks


def _points(
    results: Results,
    figure: Figure,
    each: Each | None,
    whose: tuple[str, str | None],
    where: dict[str, Value],
) -> tuple[dict[Value, Summary], dict[Value, float]]:
    name, owner = whose
    places: list[Value] = [] if figure.x is None else axis_values(results, figure.x)
    if figure.x is None and each is not None:
        places = list(each.members)
    points, calculated = {}, {}
    for x in places:
        here = where if figure.x is None else {**where, figure.x: x}
        summary, formula = _values(results, each, name, owner or str(x), here)
        if summary is not None and not isnan(summary.mean):
            points[x] = summary
            if formula is not None:
                calculated[x] = formula
    return points, calculated


def _values(
    results: Results, each: Each | None, name: str, owner: str, where: dict[str, Value]
) -> tuple[Summary | None, float | None]:
    cell = results.select(where)
    if each is None:
        return cell.metrics.get(name), cell.calculated.get(name)
    place = next(at for at, other in enumerate(results.cells) if other is cell)
    return each.summary(cell, place, owner, name), each.calculated(cell, place, owner, name)
