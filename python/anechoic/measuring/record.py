"""The record of a measurement: the metrics and tables that a simulation of it has, where known."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy

from anechoic.campaign.arrays import Floats
from anechoic.campaign.elsewhere import Carried
from anechoic.campaign.steps import TIME
from anechoic.measuring.curves import FlowCurves, curves_of
from anechoic.scenario.core import Column

NS_PER_S = 1e9
QUANTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "p999": 0.999}
RESOLUTION_MS = 0.001
"""Round trips are counted to the microsecond, in which endpoints tell them."""

Plan = Mapping[str, Any]
Columns = dict[str, Column]


def record_of(plan: Plan, outcome: Mapping[str, Any]) -> Carried:
    """Give the record of a replication from what the ends of its flows measured."""
    ends: dict[int, list[Mapping[str, Any]]] = {}
    for end in outcome["ends"]:
        ends.setdefault(end["flow"], []).append(end)
    flows = [curves_of(flow["name"], ends[place]) for place, flow in enumerate(plan["flows"])]
    window = plan["warmup_ns"] / NS_PER_S, plan["duration_ns"] / NS_PER_S
    tables = {}
    if plan["series_step_ns"]:
        tables["series"] = _series(flows, window, plan["series_step_ns"] / NS_PER_S)
    if plan["tables"]["distributions"] and (counted := _distributions(flows, window)):
        tables["distributions"] = counted
    return Carried(_metrics(plan, flows, window), tables)


def _metrics(
    plan: Plan, flows: Sequence[FlowCurves], window: tuple[float, float]
) -> dict[str, float]:
    lasted = window[1] - window[0]
    values = {}
    for flow in flows:
        for name, value in _of_flow(flow, window).items():
            values[f"flow.{flow.name}.{name}"] = value
    of_ping = [each["app"]["kind"] == "ping" for each in plan["flows"]]
    carrying = [flow for flow, is_ping in zip(flows, of_ping, strict=True) if not is_ping]
    total = sum(values[f"flow.{flow.name}.bytes"] for flow in carrying)
    values |= {"measured_s": lasted, "bytes_per_s": total / lasted}
    if carrying:
        values["goodput_mbps"] = total * 8 / lasted / 1e6
        values["goodput_per_connection_mbps"] = values["goodput_mbps"] / len(carrying)
    if not any(flow.tcp for flow in flows):
        # With TCP, the round trips that its acknowledgments took would belong to these as well.
        trips = [flow.trips_within(*window) for flow in flows]
        values |= _round_trips(numpy.concatenate(trips or [numpy.empty(0)]))
    sent_again = [f"flow.{flow.name}.retransmissions" for flow in flows if flow.tcp]
    if sent_again:
        values["tcp.retransmissions"] = sum(values[name] for name in sent_again)
    return values


def _of_flow(flow: FlowCurves, window: tuple[float, float]) -> dict[str, float]:
    before, behind = flow.delivered_at(numpy.array(window))
    delivered, lasted = float(behind - before), window[1] - window[0]
    values = {
        "bytes": delivered,
        "bytes_per_s": delivered / lasted,
        "goodput_mbps": delivered * 8 / lasted / 1e6,
        **_round_trips(flow.trips_within(*window)),
    }
    if flow.tcp:
        times, windows = flow.tcp["cwnd_bytes"]
        within = windows[(times >= window[0]) & (times <= window[1])]
        begin, end = numpy.nan_to_num(flow.tcp_at("retransmissions", numpy.array(window)))
        values["retransmissions"] = float(end - begin)
        if len(within):
            values["cwnd_bytes_mean"] = float(within.mean())
            values["cwnd_bytes_max"] = float(within.max())
    return values


def _round_trips(trips_ms: Floats) -> dict[str, float]:
    if not len(trips_ms):
        return {}
    quantiles = numpy.quantile(trips_ms, list(QUANTILES.values()), method="inverted_cdf")
    return {
        "rtt_ms_mean": float(trips_ms.mean()),
        "rtt_ms_max": float(trips_ms.max()),
        **{
            f"rtt_ms_{name}": float(value) for name, value in zip(QUANTILES, quantiles, strict=True)
        },
    }


def _series(flows: Sequence[FlowCurves], window: tuple[float, float], step_s: float) -> Columns:
    count = round((window[1] - window[0]) / step_s)
    edges: Floats = numpy.linspace(window[0], window[0] + step_s * count, count + 1)
    columns = {TIME: edges[1:]}
    for flow in flows:
        of = f"flow.{flow.name}"
        columns[f"{of}.goodput_mbps"] = numpy.diff(flow.delivered_at(edges)) * 8 / step_s / 1e6
        if len(flow.trips_ms):
            columns[f"{of}.rtt_ms"] = _means(flow, edges)
        if flow.tcp:
            columns[f"{of}.cwnd_bytes"] = flow.tcp_at("cwnd_bytes", edges[1:])
            sent_again = numpy.nan_to_num(flow.tcp_at("retransmissions", edges))
            columns[f"{of}.retransmissions"] = numpy.diff(sent_again)
    return {name: _reals(values) for name, values in columns.items()}


def _means(flow: FlowCurves, edges: Floats) -> Floats:
    """Give the mean of the round trips that ended in each step; NaN where none did."""
    sums, _ = numpy.histogram(flow.trips_s, edges, weights=flow.trips_ms)
    counts, _ = numpy.histogram(flow.trips_s, edges)
    means: Floats = numpy.where(counts > 0, sums / numpy.maximum(counts, 1), numpy.nan)
    return means


def _distributions(flows: Sequence[FlowCurves], window: tuple[float, float]) -> Columns | None:
    names: list[str] = []
    places, bins, counts = [], [], []
    for flow in flows:
        trips = flow.trips_within(*window)
        if len(trips):
            found, count = numpy.unique(numpy.floor(trips / RESOLUTION_MS), return_counts=True)
            places.append(numpy.full(len(found), len(names)))
            names.append(f"flow.{flow.name}.rtt_ms")
            bins.append(found * RESOLUTION_MS)
            counts.append(count)
    if not names:
        return None
    begins = numpy.concatenate(bins)
    return {
        "distribution": ("text", numpy.concatenate(places).astype("<u4").tobytes(), names),
        "from": _reals(begins),
        "to": _reals(begins + RESOLUTION_MS),
        "count": ("i64", numpy.concatenate(counts).astype("<i8").tobytes(), None),
    }


def _reals(values: Floats) -> Column:
    return "f64", values.astype("<f8").tobytes(), None
