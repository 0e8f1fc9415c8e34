"""What the ends of a flow have told over time, read at any instant."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy

from anechoic.measuring.logs import NO_CONNECTION, Rows
from anechoic.measuring.tcp_info import decoded
from anechoic.tables.table import Floats

COOKIE = 37
"""Bytes by which an iperf3 server knows a connection, before the data."""


@dataclass(frozen=True, slots=True)
class FlowCurves:
    """A flow: bytes delivered, round trips, and the state of the sender's connection."""

    name: str
    delivered: Sequence[tuple[Floats, Floats]]
    """Of each end, instants in seconds and bytes that had arrived there."""
    trips_s: Floats
    """When round trips ended."""
    trips_ms: Floats
    """How long they took."""
    tcp: Mapping[str, tuple[Floats, Floats]]
    """Of each field that means what a metric of simulations does, instants and values."""

    def delivered_at(self, instants_s: Floats) -> Floats:
        """Give the bytes that had arrived at some instants, in proportion between two samples."""
        total = numpy.zeros(len(instants_s))
        for times, values in self.delivered:
            total += numpy.interp(instants_s, times, values, left=0.0)
        return total

    def trips_within(self, begin_s: float, end_s: float) -> Floats:
        """Give the round trips that ended after ``begin_s``, and by ``end_s``."""
        return self.trips_ms[(self.trips_s > begin_s) & (self.trips_s <= end_s)]

    def tcp_at(self, field: str, instants_s: Floats) -> Floats:
        """Give what the last sample before some instants said; NaN before the first."""
        times, values = self.tcp[field]
        places = numpy.searchsorted(times, instants_s, side="right") - 1
        return numpy.where(places < 0, numpy.nan, values[numpy.maximum(places, 0)])


def curves_of(
    name: str, sender: Mapping[str, Any], samples: Sequence[Rows], lead_s: float
) -> FlowCurves:
    """Read what both ends of a flow measured, the sender first, and what else the sender said.

    The flow's time begins ``lead_s`` behind theirs.
    """
    trips = numpy.array(sender["round_trips"], float).reshape(-1, 2)
    known = [each for each in samples if len(each)]
    return FlowCurves(
        name,
        [(seconds_of(each, lead_s), each["delivered"].astype(float)) for each in known],
        trips[:, 0] / 1e6 - lead_s,
        trips[:, 1] / 1e3,
        _tcp(samples[0], lead_s),
    )


def acknowledged(samples: Rows) -> Rows:
    """Give what an iperf3 server has received, by what it has acknowledged to the sender."""
    rows: Rows = samples[samples["connection"] == 0].copy()
    if len(rows):
        told = decoded(rows["told"], int(rows["length"][0]))
        rows["delivered"] = numpy.maximum(told["tcpi_bytes_acked"] - COOKIE, 0)
        rows["connection"] = NO_CONNECTION
    return rows


def _tcp(samples: Rows, lead_s: float) -> dict[str, tuple[Floats, Floats]]:
    """Give what the kernel told of the first connection, in the fields of metrics."""
    first = samples[samples["connection"] == 0]
    if not len(first):
        return {}
    told = decoded(first["told"], int(first["length"][0]))
    times = seconds_of(first, lead_s)
    window = told["tcpi_snd_cwnd"] * told["tcpi_snd_mss"]
    return {
        "cwnd_bytes": (times, window.astype(float)),
        "retransmissions": (times, told["tcpi_total_retrans"].astype(float)),
    }


def seconds_of(samples: Rows, lead_s: float) -> Floats:
    """Say when samples were taken."""
    seconds: Floats = samples["at_us"] / 1e6 - lead_s
    return seconds
