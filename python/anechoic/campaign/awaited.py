"""What stages of wires and lists of lost frames wait for, and that never came."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from anechoic.campaign.cells import Cell, of_all
from anechoic.campaign.results import Results
from anechoic.campaign.store import Store


def awaited(results: Results) -> list[str]:
    """Give a sentence for each stage and list that waited for what never came."""
    return [*_on_wires(results), *_on_air(results)]


def _on_wires(results: Results) -> list[str]:
    if results.out is None:
        return []
    store = Store.open(results.out)
    cells: dict[str, list[Cell]] = {}
    for index, cell in enumerate(results.cells):
        if not any("awaited_from." in name and cell.metrics[name].max for name in cell.metrics):
            continue
        for missing in _missing(json.loads(store.plan(index)), cell):
            cells.setdefault(missing, []).append(cell)
    return [f"{missing}{_where(found, results)}." for missing, found in cells.items()]


def _missing(plan: Mapping[str, Any], cell: Cell) -> Iterator[str]:
    for wire in plan["wires"]:
        for end, chain in zip(wire["ends"], wire["impair"], strict=True):
            node = plan["nodes"][end["node"]]["name"]
            for stage in chain:
                before = f"wire.{wire['name']}.{stage['name']}"
                where = f"{stage['name']} on the wire {wire['name']}"
                most, sometimes = _counted(cell, f"{before}.awaited_from.{node}")
                if most:
                    # They are counted as they come, so that the last of the list are missing.
                    missing = _and(sorted(set(stage["packets"]))[-most:])
                    listed = f"Of the packets listed for {where}"
                    yield f"{listed}, {missing} never came from {node}{sometimes}"
                most, sometimes = _counted(cell, f"{before}.connections_awaited_from.{node}")
                if most:
                    number = stage["connection"]
                    there = f"there were {number - most}" if most < number else "there was none"
                    meant = f"Connection {number}, which {where} is about"
                    yield f"{meant}, never came from {node}{sometimes}: {there}"


def _counted(cell: Cell, metric: str) -> tuple[int, str]:
    """Give how much never came at most, and that it was not so always."""
    found = cell.metrics.get(metric)
    if found is None or found.n == 0:
        return 0, ""
    return int(found.max), " in some replications" if found.min < found.max else ""


def _and(numbers: list[int]) -> str:
    *others, last = map(str, numbers)
    return f"{', '.join(others)} and {last}" if others else last


def _where(found: list[Cell], results: Results) -> str:
    return f" in {of_all(found, results.cells)}" if len(results.cells) > 1 else ""


def _on_air(results: Results) -> Iterator[str]:
    air = results.scenario.air
    for name in air.lose if air else ():
        metric = f"lose.{name}.never_came"
        missed = [cell for cell in results.cells if cell.metrics[metric].max > 0]
        if missed:
            yield f"air.lose.{name} lists frames that never came{_where(missed, results)}."
