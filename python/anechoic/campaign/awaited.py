"""Packets that stages of wires wait for by number, and that never came."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from anechoic.campaign.cells import Cell, of_all
from anechoic.campaign.replication import Summary
from anechoic.campaign.results import Results
from anechoic.campaign.store import Store


def awaited(results: Results) -> list[str]:
    """Give a sentence for each list of packets of which some never came."""
    if results.out is None:
        return []
    store = Store.open(results.out)
    cells: dict[str, list[Cell]] = {}
    for index, cell in enumerate(results.cells):
        if not any(map(_never_came, cell.metrics.items())):
            continue
        for missing in _missing(json.loads(store.plan(index)), cell):
            cells.setdefault(missing, []).append(cell)
    return [f"{missing}{_where(found, results)}." for missing, found in cells.items()]


def _never_came(metric: tuple[str, Summary]) -> bool:
    name, found = metric
    return ".awaited_from." in name and found.n > 0 and found.max > 0


def _missing(plan: Mapping[str, Any], cell: Cell) -> Iterator[str]:
    for wire in plan["wires"]:
        for end, chain in zip(wire["ends"], wire["impair"], strict=True):
            node = plan["nodes"][end["node"]]["name"]
            for stage in chain:
                name = f"wire.{wire['name']}.{stage['name']}.awaited_from.{node}"
                found = cell.metrics.get(name)
                if found is None or not _never_came((name, found)):
                    continue
                # They are counted as they come, so that the last of the list are missing.
                missing = sorted(set(stage["packets"]))[-int(found.max) :]
                sometimes = " in some replications" if found.min < found.max else ""
                yield (
                    f"Of the packets listed for {stage['name']} on the wire {wire['name']}, "
                    f"{_and(missing)} never came from {node}{sometimes}"
                )


def _and(numbers: list[int]) -> str:
    *others, last = map(str, numbers)
    return f"{', '.join(others)} and {last}" if others else last


def _where(found: list[Cell], results: Results) -> str:
    return f" in {of_all(found, results.cells)}" if len(results.cells) > 1 else ""
