"""The airtime study's table of its model, and strict order."""

import pytest

from anechoic.calc.airtime import (
    PACKET_BYTES,
    Aggregates,
    by_weight,
    goodputs_mbps,
    in_turns,
    packet_by_packet_mbps,
)

FAST_MBPS, SLOW_MBPS = 144.4, 7.2
FIFO = [Aggregates(FAST_MBPS, 6892), Aggregates(FAST_MBPS, 7833), Aggregates(SLOW_MBPS, 2914)]
AIRTIME = [Aggregates(FAST_MBPS, 28434), Aggregates(FAST_MBPS, 28557), Aggregates(SLOW_MBPS, 2914)]
"""Bytes in an aggregate as the study measured them, of two fast stations and a slow one."""


def printed(*figures: float) -> object:
    """Expect what the study prints, to half of its last digit or half a percent."""
    return pytest.approx(list(figures), rel=5e-3, abs=0.05)


def test_what_each_station_would_get_alone_is_the_studys() -> None:
    assert [each.alone_mbps for each in FIFO] == printed(97.3, 101.1, 6.5)
    assert [each.alone_mbps for each in AIRTIME] == printed(126.7, 126.8, 6.5)


def test_in_turns_the_slow_station_has_four_fifths_of_the_airtime() -> None:
    shares = in_turns(FIFO)
    assert [round(100 * share) for share in shares] == [10, 11, 79]
    *fast, slow = goodputs_mbps(FIFO, shares)
    assert fast == printed(9.7, 11.4)
    assert slow == pytest.approx(5.153, rel=1e-3), "5.1 in print"


def test_with_the_same_airtime_each_has_a_third_of_what_it_would_get_alone() -> None:
    found = goodputs_mbps(AIRTIME, by_weight([1, 1, 1]))
    assert found == printed(42.2, 42.3, 2.2)
    assert sum(found) == pytest.approx(86.8, rel=5e-3)


def test_in_the_order_of_their_coming_packets_wait_for_the_slow_stations() -> None:
    """An aggregate of each fast station, 3757 µs, and fourteen of the slow one, 5370 µs each."""
    full = [Aggregates(FAST_MBPS, 42 * PACKET_BYTES)] * 2
    full += [Aggregates(SLOW_MBPS, 3 * PACKET_BYTES)]
    mbps = 3 * 42 * 1500 * 8 / (2 * 3756.7 + 14 * 5369.9)
    assert packet_by_packet_mbps(full) == pytest.approx(mbps, rel=1e-4)
    assert mbps == pytest.approx(18.28, abs=0.01)
