"""Metrics that were asked for, and of which no replication gave a value."""

from collections.abc import Iterable, Iterator, Sequence

from anechoic.campaign.cells import Cell, of_all
from anechoic.scenario.catalogue import metric, metric_of_each, percentiles_of
from anechoic.scenario.experiment import Figure
from anechoic.scenario.model import Scenario


def not_given(scenario: Scenario, cells: Sequence[Cell]) -> Iterator[str]:
    """Give a sentence for each metric of the stopping rule and the figures that a cell lacks."""
    for name, ends in _asked(scenario).items():
        without = [cell for cell in cells if not any(_is_given(cell, end) for end in ends)]
        if without:
            where = f" in {of_all(without, cells)}" if len(cells) > 1 else ""
            why = next(_why(name, scenario, without), "")
            yield f"No replication gave a value of {name}{where}{why and f': {why}'}."


def _asked(scenario: Scenario) -> dict[str, list[str]]:
    """Give what is asked for, and the ends of the metrics any of which answers it."""
    rule = scenario.replication.metric
    asked = {rule: [rule]}
    for figure in scenario.figure:
        asked |= {name: _ends(figure, name) for name in figure.metrics}
    return asked


def _ends(figure: Figure, name: str) -> list[str]:
    names = percentiles_of(name) if figure.is_of_values else [name]
    is_of_each = figure.each is not None or figure.kind == "points"
    return [f".{each}" for each in names] if is_of_each else names


def _is_given(cell: Cell, end: str) -> bool:
    names: Iterable[str] = [end]
    if end.startswith("."):
        names = (name for name in cell.metrics if name.endswith(end))
    return any(name in cell.metrics and cell.metrics[name].n > 0 for name in names)


def _why(name: str, scenario: Scenario, cells: Sequence[Cell]) -> Iterator[str]:
    """Give what is known of the reason."""
    _, _, window = name.partition("@")
    if window and not any(each.endswith(f"@{window}") for cell in cells for each in cell.metrics):
        yield f"the window {window} never began"
    kinds = metric(name).traffic or metric_of_each(name).traffic
    own = dict.fromkeys(traffic.app for traffic in scenario.traffic.values())
    if kinds and not own.keys() & set(kinds):
        yield f"none is measured of {' or '.join(own)}"
    _, flow, *_ = [*name.split("."), ""]
    moved = [cell.metrics.get(f"flow.{flow}.bytes") for cell in cells]
    if moved and all(found is not None and found.max == 0 for found in moved):
        yield f"{flow} moved nothing"
