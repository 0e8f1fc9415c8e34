from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anechoic.scenario.quantities import (
    DURATION,
    POWER,
    RATE,
    SIZE,
    bits_per_second,
    dbm,
    decibels,
    nanoseconds,
    size_in_bytes,
)


def test_quantities_are_a_number_and_a_unit() -> None:
    assert nanoseconds("300 s") == 300_000_000_000
    assert nanoseconds("102.4 ms") == 102_400_000
    assert nanoseconds("5min") == 300_000_000_000
    assert bits_per_second("5.5 Mbit/s") == 5_500_000
    assert size_in_bytes("64 kB") == 64_000
    assert size_in_bytes("64 KiB") == 65_536
    assert decibels("48 dB") == 48.0
    assert dbm("-82 dBm") == -82.0


def test_only_sizes_may_be_bare_numbers() -> None:
    assert size_in_bytes(100_000) == 100_000
    assert size_in_bytes("100000") == 100_000
    with pytest.raises(ValueError, match="without a unit"):
        nanoseconds("300")
    with pytest.raises(ValueError, match="without a unit"):
        RATE.parse(11)


def test_a_decimal_fraction_loses_nothing() -> None:
    # 0.1 s is no binary fraction, and as a float times 1e9 it would have to be rounded.
    assert nanoseconds("0.000000001 s") == 1
    assert nanoseconds("0.1 s") == 100_000_000
    with pytest.raises(ValueError, match="finer than the smallest step, 1 ns"):
        nanoseconds("0.5 ns")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("-1 s", "negative"),
        ("11 Mbit/s", '"Mbit/s" is not a unit of time'),
        ("1 S", '"S" is not a unit of time'),
        ("soon", "not a number with a unit"),
        ("", "not a number with a unit"),
        ("1e99 s", "too large"),
        ("nan s", "not a number with a unit"),
        ("1_0 s", '"_0 s" is not a unit of time'),
    ],
)
def test_what_is_no_duration_says_why(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match="^" + reason):
        nanoseconds(text)


def test_a_power_level_may_be_negative_and_a_truth_value_is_no_number() -> None:
    assert POWER.parse("-20 dBm") == -20
    with pytest.raises(ValueError, match="not a quantity"):
        SIZE.parse(True)


@given(st.integers(0, 2**53), st.sampled_from(sorted(DURATION.units)))
def test_a_duration_written_in_any_unit_reads_back(ns: int, unit: str) -> None:
    text = f"{Decimal(ns) / DURATION.units[unit]:f} {unit}"
    divisible = Decimal(ns) / DURATION.units[unit] * DURATION.units[unit] == ns
    if divisible:
        assert nanoseconds(text) == ns


@given(st.text(max_size=20))
def test_no_text_breaks_the_parser(text: str) -> None:
    for dimension in (DURATION, RATE, SIZE, POWER):
        try:
            number = dimension.parse(text)
        except ValueError:
            continue
        assert isinstance(number, Decimal)


def test_a_number_beyond_all_bounds_is_too_large_and_no_misspelling() -> None:
    with pytest.raises(ValueError, match="too large"):
        DURATION.parse("1e400 s")
