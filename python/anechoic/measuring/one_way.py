"""What datagrams took one way: by the stamps of two kernels, and how their clocks differ."""

from dataclasses import dataclass

import numpy

from anechoic.measuring.clocks import Comparison
from anechoic.measuring.logs import RECEIVED, SENT, Rows
from anechoic.tables.table import Floats

NS_PER_S = 1e9

MOST_MISSING = 100
"""Datagrams that may be missing for each that came."""
BAND_OF_MEDIAN = 0.25
"""The share of the median delay that the band of error may be; what is less sure is not given."""


@dataclass(frozen=True, slots=True)
class Passage:
    """The datagrams of one direction: by the clock of the flow's first end, in seconds."""

    numbers: Floats
    sizes: Floats
    sent_s: Floats
    received_s: Floats
    """When each arrived; NaN where it did not."""
    band_s: float | None
    """How wrong its delays can be; None where the two clocks were not compared."""

    def delays_ms(self, window: tuple[float, float]) -> Floats:
        """Give what those took that arrived after the first instant and by the second."""
        within = self._arrivals(window)
        return (self.received_s - self.sent_s)[within] * 1e3

    def is_sure(self, window: tuple[float, float]) -> bool:
        """Say whether delays are known well enough to be given."""
        delays = self.delays_ms(window)
        if self.band_s is None or not len(delays):
            return False
        return self.band_s * 1e3 <= BAND_OF_MEDIAN * float(numpy.median(delays))

    def loss(self, window: tuple[float, float]) -> float | None:
        """Give the share that never arrived of what was sent after an instant and by another.

        None where nothing was.
        """
        sent = (self.sent_s > window[0]) & (self.sent_s <= window[1])
        return float(numpy.isnan(self.received_s[sent]).mean()) if sent.any() else None

    def jitter_ms(self, window: tuple[float, float]) -> float | None:
        """Give the mean interarrival jitter (RFC 3550 §6.4.1), for which one clock suffices.

        None where fewer than two arrived.
        """
        within = self._arrivals(window)
        places = numpy.flatnonzero(within)
        ordered = places[numpy.argsort(self.received_s[places])]
        transits = (self.received_s - self.sent_s)[ordered]
        if len(transits) < 2:
            return None
        jitter, total = 0.0, 0.0
        for change in numpy.abs(numpy.diff(transits)).tolist():
            jitter += (change - jitter) / 16
            total += jitter
        return 1e3 * total / (len(transits) - 1)

    def _arrivals(
        self, window: tuple[float, float]
    ) -> "numpy.ndarray[tuple[int], numpy.dtype[numpy.bool_]]":
        return (self.received_s > window[0]) & (self.received_s <= window[1])


def passage_of(
    sender: Rows, receiver: Rows, clocks: Comparison | None, lead_s: float, *, is_answer: bool
) -> Passage:
    """Join what was sent with what arrived, by its number.

    ``clocks`` tell how far ahead the flow's second end is of its first; ``is_answer`` says that the
    second end is the sender.
    """
    sent = sender[sender["way"] == SENT]
    came = receiver[receiver["way"] == RECEIVED]
    sent_ns, came_ns = sent["at_ns"].astype(float), came["at_ns"].astype(float)
    if clocks is not None:
        # The second end's instants; how far it is ahead changes by nothing while that is undone.
        other = sent_ns if is_answer else came_ns
        other -= clocks.ahead_at(other - clocks.ahead_at(other))
    numbers = sent["number"]
    received_ns = numpy.full(len(sent), numpy.nan)
    _, places, arrivals = numpy.intersect1d(numbers, came["number"], return_indices=True)
    received_ns[places] = came_ns[arrivals]
    return Passage(
        numbers.astype(float),
        sent["size"].astype(float),
        sent_ns / NS_PER_S - lead_s,
        received_ns / NS_PER_S - lead_s,
        None if clocks is None else clocks.band_ns / NS_PER_S,
    )


def departures(arrived: Rows) -> Rows:
    """Give when the datagrams of an iperf3 server left, by what they say in their tags.

    Those that are missing left between their neighbours. The server's clock is taken to have shown
    one's own time when the first one arrived: what differs is all that such datagrams tell.
    """
    came: Rows = arrived[arrived["way"] == RECEIVED]
    if not len(came):
        return came
    # A server that numbers its datagrams at random is not believed: it would fill the memory.
    came = came[came["number"] - came["number"].min() <= MOST_MISSING * len(came)]
    numbers, places = numpy.unique(came["number"], return_index=True)
    first = came[places]
    since = (first["tag"] - first["tag"][0]).astype(float)
    every = numpy.arange(int(numbers[0]), int(numbers[-1]) + 1)
    rows: Rows = numpy.zeros(len(every), came.dtype)
    rows["number"] = every
    rows["size"] = first["size"][0]
    rows["way"] = SENT
    rows["at_ns"] = first["at_ns"][0] + numpy.interp(every, numbers, since)
    return rows
