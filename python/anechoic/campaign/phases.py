"""What replications do not vary, and what they vary by the phases of their sources."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import isnan
from typing import Any

from anechoic.campaign.cells import Cell, of_all
from anechoic.campaign.results import Results
from anechoic.campaign.store import Store

Flow = Mapping[str, Any]

HANGS = 0.1
"""Standard deviation of a flow's bytes over replications, of their mean, from which its share hangs
on phase. Inferred: flows of one constant rate that share a queue without hanging on phase vary by
a few packets, some thousandths."""


def phases(results: Results) -> list[str]:
    """Give the warnings about phases and about replications that are all the same."""
    return [*_all_the_same(results), *_of_flows(results)]


def _all_the_same(results: Results) -> Iterator[str]:
    same = [cell for cell in results.cells if cell.replications > 1 and _never_varies(cell)]
    if same:
        yield (
            f"{of_all(same, results.cells)} gave the same in every replication: nothing in it is "
            "left to chance, and ± 0 does not tell how sure a value is."
        )


def _never_varies(cell: Cell) -> bool:
    counted = [each for each in cell.metrics.values() if each.n > 1 and not isnan(each.mean)]
    return bool(counted) and all(each.min == each.max for each in counted)


def _of_flows(results: Results) -> Iterator[str]:
    if results.out is None:
        return
    store = Store.open(results.out)
    exact: dict[tuple[str, ...], list[Cell]] = defaultdict(list)
    hanging: dict[tuple[str, ...], list[Cell]] = defaultdict(list)
    for index, cell in enumerate(results.cells):
        flows = json.loads(store.plan(index))["flows"]
        exact[_in_step(flows)].append(cell)
        hanging[_hanging(flows, cell)].append(cell)
    for names, cells in exact.items():
        if names:
            yield (
                f"{_listed(names)} begin at exact times in every replication of "
                f"{of_all(cells, results.cells)} (`start_jitter`): what each gets may hang on the "
                "phase between them, which no interval tells."
            )
    for names, cells in hanging.items():
        if names:
            yield (
                f"{_listed(names)} send at one constant interval, and in "
                f"{of_all(cells, results.cells)} what each gets hangs on the phase between them, "
                "which differs from replication to replication: `jitter` lets it change within one."
            )


def _in_step(flows: Sequence[Flow]) -> tuple[str, ...]:
    """Give the traffics of flows that begin in one instant in every replication."""
    together: dict[int, list[str]] = defaultdict(list)
    for flow in flows:
        if not flow["start_jitter_ns"] and not flow["start_within_ns"]:
            together[flow["start_ns"]].append(flow["name"])
    return _traffics(name for names in together.values() if len(names) > 1 for name in names)


def _hanging(flows: Sequence[Flow], cell: Cell) -> tuple[str, ...]:
    """Give the traffics of equal sources of a constant rate of which any varies far."""
    equal: dict[str, list[str]] = defaultdict(list)
    for flow in flows:
        if _is_constant(flow["app"]) and flow["start_jitter_ns"] and not flow["jitter_ns"]:
            equal[json.dumps(flow["app"])].append(flow["name"])
    groups = (names for names in equal.values() if len(names) > 1)
    return _traffics(
        name for names in groups if any(_varies(each, cell) for each in names) for name in names
    )


def _is_constant(app: Mapping[str, Any]) -> bool:
    return app["kind"] in ("voip", "game") or (app["kind"] == "udp" and app["rate"] is not None)


def _varies(flow: str, cell: Cell) -> bool:
    got = cell.metrics.get(f"flow.{flow}.bytes")
    return got is not None and got.n > 1 and got.sd > HANGS * got.mean


def _traffics(names: Iterator[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name.rpartition("-")[0] for name in names))


def _listed(names: tuple[str, ...]) -> str:
    return "Flows of " + ", ".join(f"traffic.{name}" for name in names)
