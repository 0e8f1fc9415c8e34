"""How two machines' clocks differ, from requests and replies that their kernels stamped.

Four stamps make an exchange: t1 the request leaves, t2 it arrives, t3 the reply leaves, t4 it
arrives. Half of (t2 - t1) - (t4 - t3) is what the clock of the other machine is ahead, wrong by
half of what the two ways differ (RFC 5905 §8), which is half of the round trip at most. So of an
idle span the exchange of the least round trip is believed, and between two spans the clocks are
taken to drift evenly.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy

from anechoic.measuring.logs import RECEIVED, SENT, Rows
from anechoic.tables.table import Floats


@dataclass(frozen=True, slots=True)
class Comparison:
    """How far ahead the other machine's clock is of one's own, by one's own clock; in ns."""

    at_ns: tuple[float, float]
    ahead_ns: tuple[float, float]
    band_ns: float
    """How wrong it can be, whatever the two ways between them are like."""

    @property
    def drift_ppm(self) -> float:
        """Say how much faster the other clock goes."""
        spent, gained = self.at_ns[1] - self.at_ns[0], self.ahead_ns[1] - self.ahead_ns[0]
        return 1e6 * gained / spent

    def ahead_at(self, instants_ns: Floats) -> Floats:
        """Say how far ahead the other clock is at instants of one's own."""
        spent = (instants_ns - self.at_ns[0]) / (self.at_ns[1] - self.at_ns[0])
        return self.ahead_ns[0] + spent * (self.ahead_ns[1] - self.ahead_ns[0])


def comparison_of(
    asker: Rows, replier: Rows, spans_ns: Sequence[tuple[float, float]]
) -> Comparison | None:
    """Compare two clocks by the stamps of both ends; None where a span has no whole exchange."""
    found = [_least(_exchanges(asker, replier), span) for span in (spans_ns[0], spans_ns[-1])]
    before, behind = found
    if before is None or behind is None or before[0] == behind[0]:
        return None
    return Comparison((before[0], behind[0]), (before[1], behind[1]), max(before[2], behind[2]) / 2)


def _exchanges(asker: Rows, replier: Rows) -> Floats:
    """Give t1, t2, t3, t4 of every whole exchange."""
    times = [
        _by_tag(asker, SENT),
        _by_tag(replier, RECEIVED),
        _by_tag(replier, SENT),
        _by_tag(asker, RECEIVED),
    ]
    whole = set(times[0]).intersection(*times[1:])
    rows = [[each[tag] for each in times] for tag in sorted(whole)]
    return numpy.array(rows, float).reshape(-1, 4)


def _by_tag(stamps: Rows, way: int) -> Mapping[int, int]:
    found = stamps[stamps["way"] == way]
    return dict(zip(found["tag"].tolist(), found["at_ns"].tolist(), strict=True))


def _least(exchanges: Floats, span: tuple[float, float]) -> tuple[float, float, float] | None:
    """Give instant, offset and round trip of the fastest exchange that began within a span."""
    within = exchanges[(exchanges[:, 0] >= span[0]) & (exchanges[:, 0] < span[1])]
    if not len(within):
        return None
    first, second, third, fourth = within.T
    trips = (fourth - first) - (third - second)
    best = int(numpy.argmin(trips))
    ahead = ((second - first) - (fourth - third)) / 2
    return float(first[best]), float(ahead[best]), float(trips[best])
