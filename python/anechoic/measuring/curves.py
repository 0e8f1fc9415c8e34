"""What the ends of a flow have told over time, read at any instant."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy

from anechoic.campaign.arrays import Floats

TCP_FIELDS = ("cwnd_bytes", "retransmissions")
"""What Linux's TCP_INFO tells that has the meaning of a metric of simulations."""


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
    """Of each field of TCP_INFO, instants in seconds and values."""

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


def curves_of(name: str, ends: Sequence[Mapping[str, Any]]) -> FlowCurves:
    """Read what both ends of a flow measured."""
    first = next(end for end in ends if end["end"] == "initiator")
    trips = numpy.array(first["round_trips"], float).reshape(-1, 2)
    known = [each for each in first["samples"] if each["tcp"] is not None]
    times = _seconds(known)
    fields = TCP_FIELDS if known else ()
    return FlowCurves(
        name,
        [(_seconds(end["samples"]), _column(end["samples"], "delivered")) for end in ends],
        trips[:, 0] / 1e6,
        trips[:, 1] / 1e3,
        {field: (times, _column([each["tcp"] for each in known], field)) for field in fields},
    )


def _seconds(samples: Sequence[Mapping[str, Any]]) -> Floats:
    return _column(samples, "at_us") / 1e6


def _column(rows: Sequence[Mapping[str, Any]], field: str) -> Floats:
    return numpy.array([row[field] for row in rows], float)
