"""Round trips of a campaign apart by who measured them, as other tools tell theirs.

Flent sends pings, and iperf3 asks TCP's own measurements; the mean of all round trips of a campaign
that has both is neither.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import isnan, nan

from anechoic.campaign.cells import Cell, is_ping
from anechoic.campaign.replication import summarise

PING, TCP = "ping.rtt_ms_mean", "tcp.rtt_ms_mean"
_START, _END = "flow.", ".rtt_ms_mean"


def with_round_trips(cell: Cell) -> Cell:
    """Give the cell with the mean over all its pings, and over its TCP connections' flows."""
    flows = [
        name.removeprefix(_START).removesuffix(_END)
        for name in cell.metrics
        if name.startswith(_START) and name.endswith(_END)
    ]
    pings = [flow for flow in flows if is_ping(cell, flow)]
    connections = [flow for flow in flows if flow not in pings]
    found = {
        # Flent puts all replies together, iperf3 tells a mean of each stream.
        PING: _mean(cell, pings, [f"{_START}{flow}.replies" for flow in pings]),
        TCP: _mean(cell, connections),
    }
    own = {name: summarise(values) for name, values in found.items() if values}
    return replace(cell, metrics={**cell.metrics, **own})


def _mean(cell: Cell, flows: Sequence[str], weighed_by: Sequence[str] = ()) -> list[float]:
    """Give the mean round trip of flows, replication by replication."""
    trips = [cell.metrics[f"{_START}{flow}{_END}"].values for flow in flows]
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
