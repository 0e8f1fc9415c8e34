"""Connections that failed and flows that starved, said as they are."""

import json
from collections.abc import Iterator, Sequence

from anechoic.campaign.cells import Cell, of_all
from anechoic.campaign.numbers import plain
from anechoic.campaign.results import Results
from anechoic.campaign.store import Store

_WAYS = {
    "tcp.failed_timed_out": "because nothing was acknowledged any more",
    "tcp.failed_refused": "because they were refused",
    "tcp.failed_reset": "because they were reset",
}


def failures(results: Results) -> list[str]:
    """Give a sentence on failed connections, and one on flows that now and then got nothing."""
    if results.out is None:
        return []
    return [*_failed(results), *_starved(results)]


def _failed(results: Results) -> Iterator[str]:
    cells = [cell for cell in results.cells if _mean(cell, "connections_failed") > 0]
    if not cells:
        return
    counts = [_mean(cell, "connections_failed") for cell in cells]
    flows = [sum(name.endswith(".failed_reset") for name in cell.metrics) - 1 for cell in cells]
    ways = [
        f"{_span([_mean(cell, name) for cell in cells])} {why}"
        for name, why in _WAYS.items()
        if any(_mean(cell, name) > 0 for cell in cells)
    ]
    where = f" in {of_all(cells, results.cells)}" if len(results.cells) > 1 else ""
    of = f"of {_span(flows)} connections failed"
    yield f"On average {_span(counts)} {of}{where}: {', '.join(ways)}."


def _starved(results: Results) -> Iterator[str]:
    """Tell of flows that moved nothing in some replications; those that never did are told of."""
    assert results.out is not None
    store = Store.open(results.out)
    found = []
    for place, cell in enumerate(results.cells):
        flows = [flow["name"] for flow in json.loads(store.plan(place))["flows"]]
        moved = [
            cell.metrics[name] for flow in flows if (name := f"flow.{flow}.bytes") in cell.metrics
        ]
        starved = [each for each in moved if each.max > 0 and each.min == 0]
        if starved:
            zeros = sum(each.values.count(0) for each in starved) / cell.replications
            found.append((cell, zeros, len(flows)))
    if found:
        cells = [cell for cell, _, _ in found]
        where = f" in {of_all(cells, results.cells)}" if len(results.cells) > 1 else ""
        counts, of = _span([zeros for _, zeros, _ in found]), _span([n for _, _, n in found])
        yield f"On average {counts} of {of} flows moved nothing in a replication{where}."


def _mean(cell: Cell, name: str) -> float:
    return cell.metrics[name].mean if name in cell.metrics else 0.0


def _span(values: Sequence[float]) -> str:
    low, high = (plain(float(f"{value:.3g}")) for value in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"
