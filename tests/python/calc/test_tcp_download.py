"""The closed form gives the numbers worked out by hand for the thesis's settings."""

import pytest

from anechoic.calc.tcp_download import (
    BACKOFF_ALONE,
    BACKOFF_SHARED,
    LONG_PREAMBLE_US,
    SHORT_PREAMBLE_US,
    Setting,
    data_us,
    fragment_lengths,
    goodput_mbps,
    rts_exchange_us,
    tcp_ack_us,
)

LONG, SHORT = LONG_PREAMBLE_US, SHORT_PREAMBLE_US


@pytest.mark.parametrize(
    ("threshold", "count", "last"),
    [(256, 7, 168), (512, 4, 84), (768, 3, 56), (1024, 2, 540), (1280, 2, 284), (1536, 1, 1536)],
)
def test_a_full_segment_falls_into_so_many_fragments(threshold: int, count: int, last: int) -> None:
    assert len(fragment_lengths(threshold)) == count
    assert fragment_lengths(threshold)[-1] == last


def test_the_threshold_counts_the_whole_mpdu() -> None:
    assert fragment_lengths(1536) == [1536]
    assert fragment_lengths(1535) == [1535, 29]


@pytest.mark.parametrize(
    ("preamble", "rts", "threshold", "alone", "shared"),
    [
        (LONG, False, 256, 2.23, 2.32),
        (LONG, False, 512, 3.07, 3.25),
        (LONG, False, 768, 3.52, 3.75),
        (LONG, False, 1024, 4.11, 4.44),
        (LONG, False, 1280, 4.11, 4.44),
        (LONG, False, 1536, 4.95, 5.43),
        (LONG, True, 256, 2.02, 2.09),
        (LONG, True, 512, 2.69, 2.83),
        (LONG, True, 768, 3.02, 3.20),
        (LONG, True, 1024, 3.45, 3.68),
        (LONG, True, 1536, 4.03, 4.34),
        (SHORT, False, 256, 3.07, 3.25),
        (SHORT, False, 512, 3.97, 4.28),
        (SHORT, False, 1024, 4.95, 5.43),
        (SHORT, False, 1536, 5.63, 6.27),
        (SHORT, True, 256, 2.81, 2.96),
        (SHORT, True, 512, 3.55, 3.79),
        (SHORT, True, 1024, 4.31, 4.67),
        (SHORT, True, 1536, 4.82, 5.28),
    ],
)
def test_goodput_against_threshold_preamble_and_rts(
    preamble: float, rts: bool, threshold: int, alone: float, shared: float
) -> None:
    for backoff, expected in ((BACKOFF_ALONE, alone), (BACKOFF_SHARED, shared)):
        setting = Setting(threshold, rts, preamble, mean_backoff_slots=backoff)
        assert goodput_mbps(setting) == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize(("rate", "goodput"), [(11.0, 4.95), (5.5, 3.33), (2.0, 1.56), (1.0, 0.85)])
def test_goodput_at_each_rate(rate: float, goodput: float) -> None:
    assert goodput_mbps(Setting(data_rate_mbps=rate)) == pytest.approx(goodput, abs=0.01)


def test_one_exchange_is_the_sum_of_its_parts() -> None:
    segment = 50 + 15.5 * 20 + 192 + 8 * 1536 / 11 + 10 + 192 + 56
    bare_ack = 50 + 15.5 * 20 + 192 + 8 * 76 / 11 + 10 + 192 + 56
    assert data_us(Setting()) == pytest.approx(segment)
    assert tcp_ack_us(Setting()) == pytest.approx(bare_ack)
    assert rts_exchange_us(LONG) == 192 + 80 + 10 + 192 + 56 + 10 == 540
