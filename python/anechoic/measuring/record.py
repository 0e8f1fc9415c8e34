"""The record of a measurement: the metrics and tables that a simulation of it has, where known."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy

from anechoic.campaign.elsewhere import Carried
from anechoic.measuring.asking import Schedule
from anechoic.measuring.flows import NS_PER_S, Flow, flows_of
from anechoic.measuring.radio_tables import radio_tables
from anechoic.measuring.radios import Radio
from anechoic.measuring.tables import (
    Window,
    datagrams_of,
    distributions_of,
    series_of,
    tcp_info_of,
    timing_of,
)
from anechoic.tables.table import Floats

QUANTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "p999": 0.999}

Plan = Mapping[str, Any]


def record_of(
    plan: Plan,
    schedule: Schedule,
    told: Sequence[Mapping[str, Any]],
    logs: Sequence[tuple[bytes, bytes]],
    radios: Sequence[Radio] = (),
) -> Carried:
    """Give the record of a replication from what the ends of its flows told, and their logs.

    ``radios`` are those by which flows left their nodes.
    """
    flows = flows_of(plan, schedule, told, logs)
    lasted_s = plan["duration_ns"] / NS_PER_S
    window = plan["warmup_ns"] / NS_PER_S, lasted_s
    step_ns = plan["series_step_ns"]
    tables = {
        "series": series_of(flows, radios, window, step_ns / NS_PER_S) if step_ns else None,
        "distributions": (
            distributions_of(flows, window) if plan["tables"]["distributions"] else None
        ),
        "datagrams": datagrams_of(flows) if plan["tables"]["datagrams"] else None,
        "timing": timing_of(flows, window),
        "tcp_info": tcp_info_of(flows, lasted_s) if plan["tcp_info_step_ns"] else None,
    }
    found = {name: table for name, table in tables.items() if table is not None}
    found |= dict(radio_tables(radios))
    values = {**_within(plan, flows, radios, window), **_of_run(flows, lasted_s)}
    for name, part in _windows(plan):
        of_part = _within(plan, flows, radios, part)
        values |= {f"{each}@{name}": value for each, value in of_part.items()}
    return Carried(values, found)


def _within(
    plan: Plan, flows: Sequence[Flow], radios: Sequence[Radio], window: Window
) -> dict[str, float]:
    values = _metrics(plan, flows, window)
    for radio in radios:
        values |= radio.metrics(window)
    return values


def _windows(plan: Plan) -> Iterator[tuple[str, Window]]:
    """Give the windows of a plan, without what of them belongs to the warm-up."""
    for window in plan["windows"]:
        begin, end = (window[edge]["at_ns"] for edge in ("from", "until"))
        yield window["name"], (max(begin, plan["warmup_ns"]) / NS_PER_S, end / NS_PER_S)


def _of_run(flows: Sequence[Flow], lasted_s: float) -> dict[str, float]:
    """Give what is known of the whole run alone."""
    values = {f"flow.{flow.name}.ceiling_share": flow.ceiling_share(lasted_s) for flow in flows}
    values |= {f"flow.{flow.name}.rows_lost": float(flow.rows_lost) for flow in flows}
    for flow in flows:
        values |= {f"flow.{flow.name}.{name}": value for name, value in _counted(flow)}
    return values


def _counted(flow: Flow) -> Iterator[tuple[str, float]]:
    """Give what an iperf3 server has counted."""
    counted = flow.counted
    if counted is None:
        return
    yield "iperf3_bytes", float(counted["bytes"])
    if counted["packets"] and counted["lost"] is not None:
        yield "iperf3_datagram_loss", counted["lost"] / counted["packets"]
    if counted["jitter_ms"] is not None:
        yield "iperf3_jitter_ms", counted["jitter_ms"]


def _metrics(plan: Plan, flows: Sequence[Flow], window: Window) -> dict[str, float]:
    lasted = window[1] - window[0]
    values: dict[str, float] = {}
    for flow in flows:
        of_flow = {**_of_flow(flow, window), **_one_way(flow, window)}
        if flow.has_records:
            of_flow |= flow.records.within(*window).metrics()
        values |= {f"flow.{flow.name}.{name}": value for name, value in of_flow.items()}
    of_ping = [each["app"]["kind"] == "ping" for each in plan["flows"]]
    for flow, is_ping in zip(flows, of_ping, strict=True):
        if is_ping:
            values[f"flow.{flow.name}.replies"] = float(len(flow.curves.trips_within(*window)))
    carrying = [flow for flow, is_ping in zip(flows, of_ping, strict=True) if not is_ping]
    delivered = [flow.delivered(window) for flow in carrying]
    known = [each for each in delivered if each is not None]
    values["measured_s"] = lasted
    if len(known) == len(delivered):
        values["bytes_per_s"] = sum(known) / lasted
    if carrying and "bytes_per_s" in values:
        total = sum(known)
        values["goodput_mbps"] = total * 8 / lasted / 1e6
        values["goodput_per_connection_mbps"] = values["goodput_mbps"] / len(carrying)
    if not any(flow.curves.tcp for flow in flows):
        # With TCP, the round trips that its acknowledgments took would belong to these as well.
        trips = [flow.curves.trips_within(*window) for flow in flows]
        values |= _quantiles("rtt_ms", numpy.concatenate(trips or [numpy.empty(0)]))
    retransmitted = [f"flow.{flow.name}.retransmissions" for flow in flows if flow.curves.tcp]
    if retransmitted:
        values["tcp.retransmissions"] = sum(values[name] for name in retransmitted)
    return values


def _of_flow(flow: Flow, window: Window) -> dict[str, float]:
    curves, lasted = flow.curves, window[1] - window[0]
    values = _quantiles("rtt_ms", curves.trips_within(*window))
    if (delivered := flow.delivered(window)) is not None:
        values["bytes"] = delivered
        values["bytes_per_s"] = delivered / lasted
        values["goodput_mbps"] = delivered * 8 / lasted / 1e6
    if curves.tcp:
        times, windows = curves.tcp["cwnd_bytes"]
        within = windows[(times >= window[0]) & (times <= window[1])]
        begin, end = numpy.nan_to_num(curves.tcp_at("retransmissions", numpy.array(window)))
        values["retransmissions"] = float(end - begin)
        if len(within):
            values["cwnd_bytes_mean"] = float(within.mean())
            values["cwnd_bytes_max"] = float(within.max())
    return values


def _one_way(flow: Flow, window: Window) -> dict[str, float]:
    """Give how the two clocks differ, and what the kernels' stamps tell of datagrams one way."""
    values = {}
    if flow.clocks is not None:
        values["clock_band_ms"] = flow.clocks.band_ns / 1e6
        values["clock_drift_ppm"] = flow.clocks.drift_ppm
        values["clock_ahead_s"] = flow.clock_ahead_s
    for of, passage in flow.passages.items():
        if (loss := passage.loss(window)) is not None:
            values[f"{of}datagram_loss"] = loss
        if (jitter := passage.jitter_ms(window)) is not None:
            values[f"{of}jitter_ms_mean"] = jitter
        if passage.is_sure(window):
            delays = _quantiles("delay_ms", passage.delays_ms(window))
            values |= {f"{of}{name}": value for name, value in delays.items()}
    return values


def _quantiles(name: str, values: Floats) -> dict[str, float]:
    if not len(values):
        return {}
    found = numpy.quantile(values, list(QUANTILES.values()), method="inverted_cdf")
    return {
        f"{name}_mean": float(values.mean()),
        f"{name}_max": float(values.max()),
        **{f"{name}_{each}": float(value) for each, value in zip(QUANTILES, found, strict=True)},
    }
