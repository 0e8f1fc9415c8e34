"""The levels of the Lowell bench follow from the error model, as its files say."""

from pathlib import Path

import pytest

import anechoic as an
from anechoic.scenario.core import core

STUDY = Path(an.__file__).parent / "studies" / "vasudevan"

POWER_DBM, NOISE_DBM = 15.0, -93.58  # of -174 dBm/Hz, 22 MHz and 7 dB
FRAME_BYTES = 1536  # a segment of 1460 bytes with headers of TCP, IP, LLC and 802.11


def level_dbm(loss: float, mode: str = "cck-11") -> float:
    """Give the level at which the error model loses this part of full frames."""
    low, high = -20.0, 30.0
    for _ in range(50):
        middle = (low + high) / 2
        lost = 1 - core().frame_success(mode, "long", FRAME_BYTES, middle, "nist", None)
        low, high = (middle, high) if lost > loss else (low, middle)
    return low + NOISE_DBM


@pytest.mark.parametrize(
    ("experiment", "faded_dbm"),
    [
        ("vasudevan-fig2", level_dbm(7 / 8)),
        ("vasudevan-fig2-shallow", level_dbm(3 / 4)),
        ("vasudevan-fig2-deep", level_dbm(0.99)),
    ],
)
def test_a_fade_of_six_decibels_ends_where_most_frames_are_lost(
    experiment: str, faded_dbm: float
) -> None:
    loss = str(an.load(STUDY / f"{experiment}.toml").air.link["cabinets"].loss)
    clear_dbm = POWER_DBM - float(loss.removesuffix(" dB"))
    assert clear_dbm - 6 == pytest.approx(faded_dbm, abs=0.05)


def test_the_noise_that_takes_the_slowest_rate_is_as_much_above_the_usual() -> None:
    more = level_dbm(0.99) - level_dbm(0.99, "dsss-1")
    assert more == pytest.approx(17.12 - 7, abs=0.05)
