"""Round trips of a campaign apart by who measured them, as other tools tell theirs.

Flent, irtt and crusader send pings, and iperf3 and ndt7 ask TCP's own measurements; the mean of all
round trips of a campaign that has both is neither.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isnan, nan

import numpy

from anechoic.campaign.cells import Cell, is_ping
from anechoic.campaign.replication import summarise

PING, TCP = "ping.rtt_ms_mean", "tcp.rtt_ms_mean"
PING_LOSS = "ping.loss"
"""The share of requests without a reply."""

_START, _END = "flow.", ".rtt_ms_mean"
_QUANTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "p999": 0.999}


def of_trips(trips_ms: Sequence[float]) -> dict[str, float]:
    """Give mean, largest and percentiles of all pings' round trips."""
    found = numpy.quantile(trips_ms, list(_QUANTILES.values()), method="inverted_cdf")
    return {
        PING: sum(trips_ms) / len(trips_ms),
        "ping.rtt_ms_max": max(trips_ms),
        **{
            f"ping.rtt_ms_{name}": float(each) for name, each in zip(_QUANTILES, found, strict=True)
        },
    }


def with_round_trips(cell: Cell) -> Cell:
    """Give the cell with the mean over all its pings, and over its TCP connections' flows.

    Of its windows, too; and of a single ping the percentiles.
    """
    windows = dict.fromkeys(name.partition("@")[2] for name in cell.metrics)
    found: dict[str, list[float]] = {}
    for window in windows:
        behind = f"@{window}" if window else ""
        found |= {f"{name}{behind}": each for name, each in _of_window(cell, behind)}
    own = {name: summarise(values) for name, values in found.items() if values}
    return replace(cell, metrics={**cell.metrics, **own})


def _of_window(cell: Cell, behind: str) -> Iterator[tuple[str, list[float]]]:
    end = f"{_END}{behind}"
    flows = [
        name.removeprefix(_START).removesuffix(end)
        for name in cell.metrics
        if name.startswith(_START) and name.endswith(end)
    ]
    pings = [flow for flow in flows if is_ping(cell, flow)]
    connections = [flow for flow in flows if flow not in pings]
    # Flent puts all replies together, iperf3 tells a mean of each stream.
    replies = [f"{_START}{flow}.replies{behind}" for flow in pings]
    yield PING, _mean(cell, pings, end, replies)
    yield TCP, _mean(cell, connections, end)
    yield PING_LOSS, _loss(cell, pings, behind)
    if len(pings) == 1:
        for name in ("max", *_QUANTILES):
            whole = cell.metrics.get(f"{_START}{pings[0]}.rtt_ms_{name}{behind}")
            if whole is not None:
                yield f"ping.rtt_ms_{name}", list(whole.values)


def _loss(cell: Cell, pings: Sequence[str], behind: str) -> list[float]:
    """Give the share of requests without a reply, replication by replication."""
    told = [
        [cell.metrics.get(f"{_START}{flow}.{name}{behind}") for flow in pings]
        for name in ("requests", "replies")
    ]
    if not pings or None in (each for row in told for each in row):
        return []
    requests, replies = (
        numpy.sum([each.values for each in row if each is not None], axis=0) for row in told
    )
    lost = numpy.where(requests > 0, 1 - replies / numpy.maximum(requests, 1), nan)
    return [float(each) for each in lost]


def _mean(
    cell: Cell, flows: Sequence[str], end: str, weighed_by: Sequence[str] = ()
) -> list[float]:
    """Give the mean round trip of flows, replication by replication."""
    trips = [cell.metrics[f"{_START}{flow}{end}"].values for flow in flows]
    weights = [cell.metrics[name].values for name in weighed_by] or [
        (1.0,) * len(each) for each in trips
    ]
    return [
        _weighed(list(zip(each, of, strict=True)))
        for each, of in zip(zip(*trips, strict=True), zip(*weights, strict=True), strict=True)
    ]


def _weighed(trips: Sequence[tuple[float, float]]) -> float:
    """Give the mean of what was measured, each with its weight."""
    known = [(value, weight) for value, weight in trips if not isnan(value)]
    total = sum(weight for _, weight in known)
    return sum(value * weight for value, weight in known) / total if total else nan
