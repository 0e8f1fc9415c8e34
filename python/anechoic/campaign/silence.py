"""Flows that moved nothing, and why, as far as their scenario and the results tell."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from anechoic.campaign.cells import Cell, of_all
from anechoic.campaign.results import Results
from anechoic.campaign.store import Store
from anechoic.scenario.reach import out_of_range, radio_of

Plan = Mapping[str, Any]
Flow = Mapping[str, Any]

_STATION = "\0"
"""Stands for the stations of which a sentence speaks, until all are known."""
_MOST_NAMES = 3
"""Flows named in a sentence; the others are counted."""


def silence(results: Results) -> list[str]:
    """Give a sentence for each reason for which flows moved nothing in any replication."""
    if results.out is None:
        return []
    flows: dict[str, dict[str, None]] = {}
    stations: dict[str, dict[str, None]] = {}
    cells: dict[str, set[int]] = {}
    store = Store.open(results.out)
    for index, cell in enumerate(results.cells):
        plan = json.loads(store.plan(index))
        for flow in plan["flows"]:
            if _is_silent(flow, cell):
                station, why = _told(flow, plan, cell)
                flows.setdefault(why, {})[flow["name"]] = None
                stations.setdefault(why, {})[station] = None
                cells.setdefault(why, set()).add(index)
    return [
        f"{_named(list(names))} moved no data{_where(cells[why], results)}: "
        f"{why.replace(_STATION, _named(list(stations[why])))}."
        for why, names in flows.items()
    ]


def _told(flow: Flow, plan: Plan, cell: Cell) -> tuple[str, str]:
    """Give the reason, with a mark for the one station of which it speaks, and that station."""
    ends = (plan["nodes"][flow[end]] for end in ("from", "to"))
    if real := [end["name"] for end in ends if end["role"] == "port"]:
        verb = "is" if len(real) == 1 else "are"
        return "", f"{' and '.join(real)} {verb} real, and programs there moved nothing for it"
    for pair in _radio_pairs(flow, plan):
        for text in out_of_range(*pair, plan, _STATION):
            return plan["nodes"][pair[0]]["name"], text
    return "", "; ".join(_why(flow, plan, cell)) or "the results do not tell why"


def _is_silent(flow: Flow, cell: Cell) -> bool:
    found = cell.metrics.get(f"flow.{flow['name']}.bytes")
    return found is not None and found.max == 0


def _named(names: list[str]) -> str:
    shown, left = names[:_MOST_NAMES], len(names) - _MOST_NAMES
    return ", ".join(shown) + (f" and {left} more" if left > 0 else "")


def _where(places: set[int], results: Results) -> str:
    if len(results.cells) == 1:
        return ""
    return f" in {of_all([results.cells[place] for place in sorted(places)], results.cells)}"


def _why(flow: Flow, plan: Plan, cell: Cell) -> Iterator[str]:
    """Give what speaks for a reason where radios are in range."""
    pairs = list(_radio_pairs(flow, plan))
    for node in dict.fromkeys(node for pair in pairs for node in pair):
        yield from _given_up(plan["nodes"][node], cell)
    for wire in plan["wires"]:
        yield from _lost(wire, plan, cell)
    left_ns = plan["duration_ns"] - flow["start_ns"]
    if flow["start_ns"]:
        yield f"it begins {left_ns / 1e9:g} s before the end"
    yield from _seldom(flow, left_ns)
    if flow["app"].get("bytes") is not None and plan["warmup_ns"]:
        yield "the warm-up, which is not measured, may have been long enough for all its bytes"


def _seldom(flow: Flow, left_ns: int) -> Iterator[str]:
    """Tell that a ping's first may be due after the end: it is anywhere in its interval."""
    interval_ns = flow["app"]["interval"] if flow["app"]["kind"] == "ping" else 0
    if flow["start_jitter_ns"] and interval_ns > left_ns:
        yield (
            f"it begins anywhere in its interval of {interval_ns / 1e9:g} s, which is longer than "
            "it has (`start_jitter` of 0 s: at once)"
        )


def _radio_pairs(flow: Flow, plan: Plan) -> Iterator[tuple[int, int]]:
    """Give each end of a flow that is a station, with its access point."""
    for end in (flow["from"], flow["to"]):
        radio = radio_of(plan["nodes"][end])
        if radio is not None and radio["access_point"] is not None:
            yield end, radio["access_point"]["node"]


def _given_up(node: Mapping[str, Any], cell: Cell) -> Iterator[str]:
    """Tell what the MACs of a node gave up, or had no room for."""
    for name in _radio_names(node):
        given_up = cell.metrics[f"node.{name}.drops_retry_limit"].mean
        full = cell.metrics[f"node.{name}.drops_queue"].mean
        if given_up:
            yield f"{name} gave up {given_up:.4g} packets after its last retry"
        if full:
            yield f"the queue of {name} had no room for {full:.4g} packets"


def _radio_names(node: Mapping[str, Any]) -> Iterator[str]:
    """Give what is measured of a node's radios: each, or each of its access functions."""
    for radio in (each["radio"] for each in node["interfaces"] if each["radio"]):
        yield from (each["name"] for each in (radio, *radio.get("categories", ())))


def _lost(wire: Mapping[str, Any], plan: Plan, cell: Cell) -> Iterator[str]:
    for end, chain in zip(wire["ends"], wire["impair"], strict=True):
        node, name = plan["nodes"][end["node"]]["name"], wire["name"]
        full = cell.metrics[f"wire.{name}.drops_from.{node}"].mean
        if full:
            yield f"the wire {name} had no room for {full:.4g} packets from {node}"
        for stage in chain:
            met, lost, held, held_us = (
                cell.metrics[f"wire.{name}.{stage['name']}.{count}_from.{node}"].mean
                for count in ("matched", "dropped", "delayed", "delay_us")
            )
            which = f"{stage['name']} on the wire {name}"
            # What loses a few is not why nothing came through.
            if lost > met / 2:
                yield f"{which} lost {lost:.4g} packets from {node}"
            if held and held_us * 1000 / held >= plan["duration_ns"]:
                span = held_us / held / 1e6
                yield f"{which} holds packets from {node} for {span:.4g} s, longer than the run"
