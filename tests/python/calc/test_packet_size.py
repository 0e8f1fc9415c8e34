"""Packet size and transmission probability of saturated stations."""

import pytest

from anechoic.calc.packet_size import best_payload_bytes, goodput_at_mbps, goodput_mbps
from anechoic.calc.saturation import Contender, Saturated, best_attempt_probability
from anechoic.calc.timing import Radio

SIZES = range(172, 1473, 100)


def test_without_errors_the_largest_packet_is_best() -> None:
    assert best_payload_bytes(Radio(), 10, SIZES) == SIZES[-1]


def test_bit_errors_make_a_smaller_one_best() -> None:
    rare, often = (best_payload_bytes(Radio(), 10, SIZES, each) for each in (1e-4, 4e-4))
    assert often < rare < SIZES[-1]


def test_with_rts_stations_cost_little_and_without_much() -> None:
    plain = [goodput_mbps(Radio(), n, 1472) for n in (5, 50)]
    announced = [goodput_mbps(Radio(rts_threshold=0), n, 1472) for n in (5, 50)]
    assert plain[1] / plain[0] == pytest.approx(0.80, abs=0.01)
    assert announced[1] / announced[0] == pytest.approx(0.97, abs=0.01)


def test_the_standards_window_is_best_for_few_stations() -> None:
    radio = Radio()
    of = Contender.of(radio.spaces, radio.exchange(1508), 1472, 10)
    tau = Saturated((of,), 20, "bianchi-2000").attempt_probabilities[0]
    best = best_attempt_probability(10, 20, of.collision_us)
    assert tau > best
    assert goodput_at_mbps(radio, 10, 1472, best) > goodput_at_mbps(radio, 10, 1472, tau)
