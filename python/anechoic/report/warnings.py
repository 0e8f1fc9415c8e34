"""What to look at before trusting the results."""

import json
from collections.abc import Mapping
from typing import Any

from anechoic.campaign.results import Cell, Results
from anechoic.papers.evaluation import note_on_statistics


def warnings(results: Results) -> list[str]:
    """Give the warnings of a campaign."""
    found = [
        *_limited(results),
        *_single(results),
        *_without_primary_metric(results),
        *_silent(results),
    ]
    note = note_on_statistics(results)
    if note and results.scenario.overrides:
        found.append("Values of the file were replaced: the claims judge a changed experiment.")
    return [*found, *([note] if note else [])]


def _limited(results: Results) -> list[str]:
    limited = [cell for cell in results.cells if cell.limit_reached]
    if not limited:
        return []
    metric = results.campaign["replication"]["metric"]
    return [
        f"{_of_all(results, limited)} ran into the limit of the replication rule before the "
        f"interval of {metric} was as narrow as asked; they are marked."
    ]


def _single(results: Results) -> list[str]:
    single = [cell for cell in results.cells if cell.replications < 2]
    if not single:
        return []
    return [f"{_of_all(results, single)} ran once only: their values have no interval."]


def _without_primary_metric(results: Results) -> list[str]:
    metric = results.campaign["replication"]["metric"]
    without = [
        cell for cell in results.cells if metric not in cell.metrics or cell.metrics[metric].n == 0
    ]
    if not without:
        return []
    return [f"{_of_all(results, without)} have no value of {metric}: no replication gave one."]


def _silent(results: Results) -> list[str]:
    silent = [
        (index, cell)
        for index, cell in enumerate(results.cells)
        if "goodput_mbps" in cell.metrics and cell.metrics["goodput_mbps"].max == 0
    ]
    if not silent:
        return []
    pairs = dict.fromkeys(pair for index, _ in silent for pair in _deaf_pairs(results, index))
    why = f": {', '.join(pairs)} cannot hear each other, the path loss is too high" if pairs else ""
    return [f"{_of_all(results, [cell for _, cell in silent])} moved no data at all{why}."]


def _of_all(results: Results, cells: list[Cell]) -> str:
    return f"{len(cells)} of {len(results.cells)} cells"


def _deaf_pairs(results: Results, index: int) -> list[str]:
    """Name the stations that are below carrier sense at their access point, or it at them."""
    plan = _plan(results, index)
    if plan is None or plan["air"] is None:
        return []
    nodes, air = plan["nodes"], plan["air"]
    pairs = [
        (at, node["radio"]["access_point"])
        for at, node in enumerate(nodes)
        if node["radio"] is not None and node["radio"]["access_point"] is not None
    ]
    return [
        f"{nodes[a]['name']} and {nodes[b]['name']}"
        for a, b in pairs
        if any(
            nodes[sender]["radio"]["tx_power_dbm"] - air["loss_db"][sender][receiver]
            < air["carrier_sense_dbm"]
            for sender, receiver in ((a, b), (b, a))
        )
    ]


def _plan(results: Results, index: int) -> Mapping[str, Any] | None:
    from anechoic.campaign.store import Store

    if results.out is None:
        return None
    plan: Mapping[str, Any] = json.loads(Store.open(results.out).plan(index))
    return plan
