"""What figures may ask for, checked before anything is run."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from anechoic.scenario.catalogue import (
    Metric,
    metric,
    metric_of_each,
    quantities_in,
    quantity,
    quantity_of_each,
)
from anechoic.scenario.errors import Problem, shown, unknown_name
from anechoic.scenario.experiment import Figure
from anechoic.scenario.model import Scenario

EVENTS = {"rtt_ms": "datagrams", "delay_ms": "datagrams", "transfer_s": "transfers"}
"""Quantities of which each value is drawn over time, and the tables that have them."""
SCALES = 2
"""A figure has a left and a right scale, and no third."""


def figure_problems(
    scenario: Scenario, plan: Mapping[str, Any], names: Sequence[str] | None
) -> Iterator[Problem]:
    """Give what is wrong with the figures, for the metrics that a run gives, where known."""
    axes = [axis.title for axis in scenario.sweep]
    for place, figure in enumerate(scenario.figure):
        at = f"figure[{place}]"
        yield from _axis_problems(at, figure, axes)
        if names is not None:
            yield from _metric_problems(at, figure, scenario, plan, names)


def names_for_each(each: str, scenario: Scenario, plan: Mapping[str, Any]) -> list[str]:
    """Name what a figure has a line or bar for each of."""
    flows = [flow["name"] for flow in plan["flows"]]
    if each == "flow":
        return flows
    if each == "traffic":
        return list(scenario.traffic)
    if each == "station":
        return [node["name"] for node in plan["nodes"] if node["role"] == "sta"]
    counted = [name for name, station in scenario.sta.items() if station.count is not None]
    return [*scenario.group, *counted]


def _axis_problems(at: str, figure: Figure, axes: list[str]) -> Iterator[Problem]:
    if figure.kind == "cdf" and figure.x is not None:
        yield Problem(f"{at}.x", 'stands beside kind = "cdf", whose x are the values', "none")
    if figure.x is None and figure.each is None and not figure.is_of_values:
        yield Problem(f"{at}.x", "missing", "an axis of the sweep, or each")
    for field in ("x", "series", "panel"):
        axis = getattr(figure, field)
        if axis is not None and axis not in axes:
            yield unknown_name(f"{at}.{field}", axis, axes, "axis of the sweep")


def _metric_problems(
    at: str, figure: Figure, scenario: Scenario, plan: Mapping[str, Any], names: Sequence[str]
) -> Iterator[Problem]:
    kind = "quantity" if figure.is_of_values else "metric"
    names = quantities_in(names) if figure.is_of_values else names
    if figure.each is not None:
        kind = f"{kind} of a {figure.each}"
        names = _own_metrics(figure.each, names)
        if not names_for_each(figure.each, scenario, plan):
            yield Problem(f"{at}.each", f"there is no {figure.each} in the scenario")
            return
    if figure.is_of_values and len(figure.metrics) > 1:
        yield Problem(f"{at}.y", f"{len(figure.metrics)} quantities", "one")
    is_known = True
    if figure.kind == "points" and figure.is_of_values:
        yield from _event_problems(at, figure, scenario)
        return
    for number, name in enumerate(figure.metrics):
        path = f"{at}.y" if isinstance(figure.y, str) else f"{at}.y[{number}]"
        if name not in names:
            is_known = False
            yield unknown_name(path, name, names, kind)
        elif name in figure.metrics[:number]:
            yield Problem(path, f"{shown(name)} stands twice", "each metric once")
    units = list(dict.fromkeys(metric_in(figure, name).unit for name in figure.metrics))
    if is_known and len(units) > SCALES:
        what = f"metrics of {len(units)} units: {', '.join(unit or 'none' for unit in units)}"
        yield Problem(f"{at}.y", what, "metrics of one unit, or of two")


def _event_problems(at: str, figure: Figure, scenario: Scenario) -> Iterator[Problem]:
    name = figure.metrics[0]
    if len(figure.metrics) > 1 or name not in EVENTS:
        what = f"{shown(figure.y)} has no points over time"
        yield Problem(f"{at}.y", what, f"{', '.join(EVENTS)}, or any metric with x")
    elif EVENTS[name] == "datagrams" and not scenario.run.datagrams:
        what = "no table of pings and datagrams is kept"
        yield Problem(f"{at}.y", what, "run.datagrams = true")


def metric_in(figure: Figure, name: str) -> Metric:
    """Look up a metric that a figure draws."""
    if figure.is_of_values:
        is_own = figure.each is not None or figure.kind == "points"
        return quantity_of_each(name) if is_own else quantity(name)
    return metric(name) if figure.each is None else metric_of_each(name)


def _own_metrics(each: str, names: Sequence[str]) -> list[str]:
    """Give the ends of the names of what is one's own: flow.NAME.goodput_mbps."""
    tables = ("flow", "node") if each in ("station", "group") else ("flow",)
    parts = [name.split(".", 2) for name in names]
    return list(dict.fromkeys(part[2] for part in parts if len(part) == 3 and part[0] in tables))
