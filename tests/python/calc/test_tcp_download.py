"""The closed form gives the numbers worked out by hand for the thesis's settings."""

import pytest

from anechoic.calc.tcp_download import BACKOFF_ALONE, BACKOFF_SHARED, NO_RTS, Transfer
from anechoic.calc.timing import Radio


@pytest.mark.parametrize(
    ("preamble", "rts", "threshold", "alone", "shared"),
    [
        ("long", False, 256, 2.23, 2.32),
        ("long", False, 512, 3.07, 3.25),
        ("long", False, 768, 3.52, 3.75),
        ("long", False, 1024, 4.11, 4.44),
        ("long", False, 1280, 4.11, 4.44),
        ("long", False, 1536, 4.95, 5.43),
        ("long", True, 256, 2.02, 2.09),
        ("long", True, 512, 2.69, 2.83),
        ("long", True, 768, 3.02, 3.20),
        ("long", True, 1024, 3.45, 3.68),
        ("long", True, 1536, 4.03, 4.34),
        ("short", False, 256, 3.07, 3.25),
        ("short", False, 512, 3.97, 4.28),
        ("short", False, 1024, 4.95, 5.43),
        ("short", False, 1536, 5.63, 6.27),
        ("short", True, 256, 2.81, 2.96),
        ("short", True, 512, 3.55, 3.79),
        ("short", True, 1024, 4.31, 4.67),
        ("short", True, 1536, 4.82, 5.28),
    ],
)
def test_goodput_against_threshold_preamble_and_rts(
    preamble: str, rts: bool, threshold: int, alone: float, shared: float
) -> None:
    radio = Radio(
        preamble=preamble,
        rts_threshold=0 if rts else NO_RTS,
        fragmentation_threshold=threshold,
    )
    for backoff, expected in ((BACKOFF_ALONE, alone), (BACKOFF_SHARED, shared)):
        assert Transfer(radio, backoff).goodput_mbps == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize(
    ("mode", "goodput"), [("cck-11", 4.95), ("cck-5.5", 3.33), ("dsss-2", 1.56), ("dsss-1", 0.85)]
)
def test_goodput_at_each_rate(mode: str, goodput: float) -> None:
    assert Transfer(Radio(mode=mode)).goodput_mbps == pytest.approx(goodput, abs=0.01)


def test_an_ack_for_every_segment_or_for_every_second() -> None:
    """The brackets of one TCP flow at 11 Mbit/s, with backoff and without."""
    for segments, backoff, expected in (
        (1, 15.5, 4.18),
        (2, 15.5, 4.95),
        (1, 0, 5.37),
        (2, 0, 6.16),
    ):
        transfer = Transfer(Radio(), backoff, segments_per_ack=segments)
        assert transfer.goodput_mbps == pytest.approx(expected, abs=0.01)


def test_one_access_is_the_sum_of_its_parts() -> None:
    access = 50 + 15.5 * 20
    assert Transfer().data_us == access + 192 + 1118 + 10 + 192 + 56
    assert Transfer().tcp_ack_us == access + 192 + 56 + 10 + 192 + 56
