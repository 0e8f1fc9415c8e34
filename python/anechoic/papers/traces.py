"""A path as a bench of two hosts sees it: a capture at either end, and the log of a station's card.

What the first capture has of the data and the second has not was lost between them. Why the sender
sent it again, and what queue it met, our analysis of the first capture says.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, pairwise
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING

import numpy

from anechoic.papers.packet_rules import Row

if TYPE_CHECKING:
    import pyarrow as pa

SMOOTHED = 5
"""Readings of a level whose median is taken: half a second, what is seen of a figure of minutes."""

SHOWS_A_FADE_DB = 3.0
"""Range of the smoothed level from which on it has an upper and a lower half: half of 6 dB."""

SHORTEST_TIMEOUT_S = 0.9
"""Two ticks of half a second of BSD's timer, the first of which has begun."""

NS = 1e9


@dataclass(frozen=True, slots=True)
class Loss:
    """A copy of a segment that was lost."""

    time_s: float
    """When it was sent, in seconds of the run."""
    seq: int
    copy: int
    """Which of the segment's lost copies it is, from 1."""
    times: int
    """How often the segment was lost in all."""
    since_s: float | None
    """Since the loss before; None of the first."""
    sent_since: int
    """Data segments sent since then."""
    cause: str | None
    """Why the next copy was sent, as `losses` of an analysis has it."""
    regime: str | None

    @property
    def is_of_the_same_window(self) -> bool:
        """Whether the window in which it was sent had lost a segment before."""
        return self.regime == "same_window"


@dataclass(frozen=True)
class Level:
    """What a card reports of the signal: levels at times, smoothed."""

    times_s: Sequence[float]
    dbm: Sequence[float]

    @property
    def range_db(self) -> float:
        """From the 5th to the 95th percentile."""
        low, *_, high = quantiles(self.dbm, n=20)
        return high - low

    @cached_property
    def is_low(self) -> Sequence[bool]:
        """Whether each level is in the lower half of the whole range."""
        low, high = min(self.dbm), max(self.dbm)
        if high - low < SHOWS_A_FADE_DB:
            return [False] * len(self.dbm)
        return [each < (low + high) / 2 for each in self.dbm]

    @property
    def crossings_s(self) -> list[float]:
        """When the level crossed the middle of its range."""
        return [begin for begin, _ in self._runs()][1:]

    @property
    def fades_s(self) -> list[float]:
        """How long each fade lasted that is there as a whole."""
        runs = list(self._runs())
        both = pairwise(runs[1:])
        return [after - begin for (begin, is_low), (after, _) in both if is_low]

    def is_fading(self, at_s: float) -> bool:
        """Whether the level was low at a time."""
        place = min(bisect_left(self.times_s, at_s), len(self.times_s) - 1)
        return self.is_low[place]

    def _runs(self) -> Iterator[tuple[float, bool]]:
        for is_low, part in groupby(
            zip(self.times_s, self.is_low, strict=True), lambda each: each[1]
        ):
            yield next(part)[0], is_low


@dataclass(frozen=True)
class Trace:
    """What two captures and a log tell of the data that went from the first to the second."""

    losses: Sequence[Loss]
    """In the order of their sending."""
    sent: int
    """Data segments."""
    received: int
    idle_s: Sequence[float]
    """Times of more than a second between data segments: no timer of BSD is shorter."""
    timeouts_s: Sequence[tuple[float | None, float]]
    """Silences that the timer ended, each with the one before if nothing was heard between."""
    level: Level
    drops_s: Sequence[float]
    """When the card gave packets up."""

    @property
    def single(self) -> list[Loss]:
        """The segments that were lost once."""
        return [each for each in self.losses if each.times == 1]

    @property
    def multiple(self) -> list[Loss]:
        """The segments that were lost more than once, as they were lost first."""
        return [each for each in self.losses if each.times > 1 and each.copy == 1]

    @property
    def multiplicities(self) -> list[int]:
        """How often each segment that was lost was lost."""
        return [each.times for each in self.losses if each.copy == 1]

    @property
    def intervals_s(self) -> list[float]:
        """The times between losses."""
        return [each.since_s for each in self.losses if each.since_s is not None]

    @property
    def episodes_s(self) -> list[float]:
        """The times between windows with losses: those of one window are taken for one."""
        begins = [each.time_s for each in self.losses if not each.is_of_the_same_window]
        return [after - before for before, after in pairwise(begins)]


def trace_of(first: Path, second: Path, log: Path, sender: str = "client") -> Trace:
    """Read both captures, of which the first is the sender's, and the log of a card."""
    import pyarrow.compute as pc

    from anechoic.captures.analysis import analyse
    from anechoic.captures.pair.comparison import compare_captures
    from anechoic.captures.signal.log import read_drops, read_signal_log

    analysis = analyse(first)
    told = {row["lost_ns"]: row for row in analysis.losses().to_pylist() if row["sender"] == sender}
    data = _data(compare_captures(first, second, packets=True).packets)
    places = [place for place, fate in enumerate(data["fate"].to_pylist()) if fate == "lost"]
    lost = data.filter(pc.equal(data["fate"].cast("string"), "lost"))
    readings = read_signal_log(log)
    levels = [each.signal_dbm for each in readings]
    half = SMOOTHED // 2
    smooth = [median(levels[max(at - half, 0) : at + half + 1]) for at in range(len(levels))]
    idle = numpy.diff(data["time_first_ns"].to_numpy()) / NS
    return Trace(
        list(_losses(places, lost.to_pylist(), told)),
        data.num_rows,
        data["fate"].to_pylist().count("passed"),
        idle[idle > 1].tolist(),
        _timeouts(analysis.segments(1), sender),
        Level([each.time_s for each in readings], smooth),
        read_drops(log),
    )


def _data(packets: "pa.Table") -> "pa.Table":
    """Give the packets with payload that the first capture has, in the order of their sending."""
    import pyarrow.compute as pc

    is_data = pc.and_(
        pc.equal(packets["way"].cast("string"), "forth"),
        pc.and_(pc.is_valid(packets["time_first_ns"]), pc.greater(packets["length"], 0)),
    )
    is_syn = pc.equal(pc.bit_wise_and(packets["flags"], 2), 2)
    columns = ["seq", "number_first", "time_first_ns", "fate"]
    found = packets.filter(pc.and_not(is_data, is_syn)).select(columns)
    return found.sort_by("number_first")


def _losses(places: Sequence[int], rows: Sequence[Row], told: dict[int, Row]) -> Iterator[Loss]:
    times = Counter(row["seq"] for row in rows)
    copies: Counter[int] = Counter()
    last: tuple[int, float] | None = None
    for place, row in zip(places, rows, strict=True):
        seq, at_s = row["seq"], row["time_first_ns"] / NS
        copies[seq] += 1
        more = told.get(row["time_first_ns"], {})
        yield Loss(
            time_s=at_s,
            seq=seq,
            copy=copies[seq],
            times=times[seq],
            since_s=None if last is None else at_s - last[1],
            sent_since=0 if last is None else place - last[0],
            cause=more.get("cause"),
            regime=more.get("regime"),
        )
        last = (place, at_s)


def _timeouts(segments: "pa.Table", sender: str) -> list[tuple[float | None, float]]:
    """Give the silences that end with a segment retransmitted, each with the one just before it."""
    rows = segments.select(["time_s", "sender", "kind"])
    silences = numpy.diff(rows["time_s"].to_numpy()).tolist()
    found: list[tuple[float | None, float]] = []
    last: tuple[int, float] | None = None
    for place, silence in enumerate(silences):
        if silence < SHORTEST_TIMEOUT_S:
            continue
        [row] = rows.slice(place + 1, 1).to_pylist()
        if row["sender"] == sender and row["kind"] == "retransmitted":
            before = last[1] if last is not None and last[0] == place - 1 else None
            found.append((before, silence))
            last = (place, silence)
    return found
