"""Theoretical maximum throughputs, as published."""

import pytest

from anechoic.calc.maxima import gast_transaction_us, jun_maximum, throughput_mbps
from anechoic.calc.saturation import lone_goodput_mbps
from anechoic.calc.timing import Radio
from anechoic.calc.transactions import transactions_per_second


@pytest.mark.parametrize(
    ("mode", "a", "b", "b_rts", "at_512", "at_1500", "at_1500_rts"),
    [
        ("dsss-1", 8, 1138.00, 1814.00, 0.783, 0.913, 0.869),
        ("dsss-2", 4, 1002.00, 1678.00, 1.343, 1.714, 1.563),
        ("cck-5.5", 1.45455, 915.45, 1591.45, 2.467, 3.874, 3.180),
        ("cck-11", 0.72727, 890.73, 1566.73, 3.243, 6.056, 4.515),
    ],
)
def test_jun_and_others(
    mode: str, a: float, b: float, b_rts: float, at_512: float, at_1500: float, at_1500_rts: float
) -> None:
    # Control frames at 1 Mbit/s, long preamble.
    plain = jun_maximum(Radio(mode=mode, basic_modes=("dsss-1",)))
    announced = jun_maximum(Radio(mode=mode, basic_modes=("dsss-1",), rts_threshold=0))
    assert (plain.a, plain.b) == (pytest.approx(a, abs=5e-6), pytest.approx(b, abs=5e-3))
    assert announced.b == pytest.approx(b_rts, abs=5e-3)
    assert plain.throughput_mbps(512) == pytest.approx(at_512, abs=5e-4)
    assert plain.throughput_mbps(1500) == pytest.approx(at_1500, abs=5e-4)
    assert announced.throughput_mbps(1500) == pytest.approx(at_1500_rts, abs=5e-4)


def test_a_lone_station_with_the_standards_header_and_whole_microseconds() -> None:
    radio = Radio()
    cycle = 50 + 310 + 1310 + 10 + 248
    assert throughput_mbps(radio, 1508, 1500) == pytest.approx(8 * 1500 / cycle)
    assert lone_goodput_mbps(radio.spaces, radio.exchange(1508), 1472) == 8 * 1472 / cycle


def test_gast() -> None:
    # 11 Mbit/s, long preamble, ACKs at 11 Mbit/s: 2084 µs, 479 a second, 5.6 Mbit/s.
    cycle = gast_transaction_us(Radio(basic_modes=("cck-11",)))
    assert cycle == 2084
    assert int(transactions_per_second(cycle)) == 479
    assert 8 * 1460 / cycle == pytest.approx(5.6, abs=0.05)
