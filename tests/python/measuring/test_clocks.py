"""Two clocks whose difference is known, and what is made of their stamps."""

import random

import numpy
import pytest

from anechoic.measuring.clocks import Comparison, comparison_of
from anechoic.measuring.logs import RECEIVED, SENT, Rows, stamps_of
from anechoic.measuring.one_way import departures, passage_of

MS, S = 1e6, 1e9
SPANS = [(0.0, 1 * S), (601 * S, 602 * S)]
"""A second before ten minutes of traffic, and one behind it."""


class Pair:
    """Two machines: the clock of the other one is ahead, drifts, and the ways differ."""

    def __init__(self, ahead_ns: float, drift_ppm: float, out_ns: float, back_ns: float) -> None:
        self.ahead_ns, self.drift_ppm = ahead_ns, drift_ppm
        self.ways_ns = out_ns, back_ns
        self.rng = random.Random(39)

    def other(self, at_ns: float) -> float:
        """Give what the other clock says."""
        return at_ns + self.ahead_ns + at_ns * self.drift_ppm / 1e6

    def travel(self, way: int) -> float:
        """Give how long a packet takes: the way, and what else is queued."""
        return self.ways_ns[way] + self.rng.expovariate(1 / (0.2 * MS))

    def stamps(self) -> tuple[Rows, Rows]:
        """Give the stamps of a request each 10 ms of both spans."""
        asker, replier = [], []
        instants = [begin + at * 10 * MS for begin, _ in SPANS for at in range(100)]
        for tag, left in enumerate(instants):
            came = left + self.travel(0)
            replied = came + 0.05 * MS
            asker += [(left, tag, SENT), (replied + self.travel(1), tag, RECEIVED)]
            replier += [(self.other(came), tag, RECEIVED), (self.other(replied), tag, SENT)]
        return rows(asker), rows(replier)


def rows(stamps: list[tuple[float, int, int]]) -> Rows:
    """Give stamps as endpoints log them."""
    found = numpy.zeros(len(stamps), stamps_of(b"").dtype)
    for place, (at_ns, tag, way) in enumerate(stamps):
        found[place] = (round(at_ns), tag, tag, 64, way)
    return found


def compared(pair: Pair) -> Comparison:
    found = comparison_of(*pair.stamps(), SPANS)
    assert found is not None
    return found


def error_ns(pair: Pair, found: Comparison, at_ns: float) -> float:
    return float(found.ahead_at(numpy.array([at_ns]))[0] - (pair.other(at_ns) - at_ns))


@pytest.mark.parametrize("ahead_ns", [0.0, 3600 * S, -7 * MS])
def test_an_even_way_gives_the_difference_to_some_microseconds(ahead_ns: float) -> None:
    pair = Pair(ahead_ns, 0, 1 * MS, 1 * MS)
    assert abs(error_ns(pair, compared(pair), 300 * S)) < 20_000


def test_what_ways_differ_by_stays_within_the_band() -> None:
    for back in (0.01, 1, 5, 40):
        pair = Pair(5 * MS, 0, 1 * MS, back * MS)
        found = compared(pair)
        assert abs(error_ns(pair, found, 300 * S)) <= found.band_ns
        # Half of what the ways differ by, as theory has it.
        expected = abs(back - 1) / 2 * MS
        assert abs(error_ns(pair, found, 300 * S)) == pytest.approx(expected, abs=50_000)


def test_a_drift_of_50_ppm_leaves_a_tenth_of_a_millisecond_in_ten_minutes() -> None:
    pair = Pair(0, 50, 1 * MS, 1 * MS)
    found = compared(pair)
    assert found.drift_ppm == pytest.approx(50, abs=0.2)
    assert all(abs(error_ns(pair, found, at * S)) < 100_000 for at in range(0, 602, 50))


def test_without_a_whole_exchange_on_both_sides_nothing_is_known() -> None:
    asker, replier = Pair(0, 0, MS, MS).stamps()
    assert comparison_of(asker[:100], replier, SPANS) is None
    assert comparison_of(asker, replier[:0], SPANS) is None


def test_delays_are_told_by_one_clock_in_both_directions() -> None:
    pair = Pair(2 * S, 50, 3 * MS, 3 * MS)
    clocks = compared(pair)
    sent = [(300 * S + at * 20 * MS, at, SENT) for at in range(50)]
    there = rows([(pair.other(at + 10 * MS), tag, RECEIVED) for at, tag, _ in sent[:40]])
    out = passage_of(rows(sent), there, clocks, 1.0, is_answer=False)
    delays = out.delays_ms((0, 600))
    assert len(delays) == 40, "ten were lost"
    assert delays == pytest.approx(numpy.full(40, 10.0), abs=0.1)
    assert out.sent_s[0] == pytest.approx(299.0)
    assert out.is_sure((0, 600)) is (clocks.band_ns <= 2.5 * MS)
    answers = rows([(pair.other(at), tag, SENT) for at, tag, _ in sent])
    came = rows([(at + 10 * MS, tag, RECEIVED) for at, tag, _ in sent])
    back = passage_of(answers, came, clocks, 1.0, is_answer=True)
    assert back.delays_ms((0, 600)) == pytest.approx(numpy.full(50, 10.0), abs=0.1)


def test_a_delay_within_the_band_is_not_given() -> None:
    pair = Pair(0, 0, 1 * MS, 9 * MS)
    clocks = compared(pair)
    sent = [(300 * S + at * 20 * MS, at, SENT) for at in range(50)]
    came = rows([(at + 1 * MS, tag, RECEIVED) for at, tag, _ in sent])
    passage = passage_of(rows(sent), came, clocks, 0.0, is_answer=False)
    assert not passage.is_sure((0, 600)), "5 ms of doubt about a millisecond"
    assert passage.jitter_ms((0, 600)) == pytest.approx(0, abs=0.001), "one clock suffices"
    alone = passage_of(rows(sent), came, None, 0.0, is_answer=False)
    assert not alone.is_sure((0, 600))


def test_when_a_foreign_server_sent_is_what_its_datagrams_say() -> None:
    arrived = rows([(7 * S + at * MS, at * MS, RECEIVED) for at in (0, 1, 3)])
    arrived["number"] = (0, 1, 3)
    left = departures(arrived)
    assert left["number"].tolist() == [0, 1, 2, 3], "the missing one left between its neighbours"
    assert (left["at_ns"] - 7 * S).tolist() == [0, MS, 2 * MS, 3 * MS]
    arrived["number"] = (0, 1, 2**32 - 1)
    assert len(departures(arrived)) == 2, "numbers at random are not believed"
