"""Heusse's numbers, with the frames that they were published for."""

import pytest

from anechoic.calc.anomaly import Anomaly
from anechoic.calc.maxima import JUN_OVERHEAD_BYTES
from anechoic.calc.timing import MPDU_OVERHEAD_BYTES, Radio

# 1500 bytes, long preamble; Mbit/s of each station, of 2, 3, 4, 5 and 10.
PUBLISHED = {
    "dsss-1": (0.767, 0.659, 0.575, 0.509, 0.315),
    "dsss-2": (1.332, 1.077, 0.898, 0.766, 0.426),
    "cck-5.5": (2.470, 1.776, 1.372, 1.109, 0.537),
}
ALL_FAST = (3.27, 2.18, 1.62, 1.27, 0.58)
MSDU = 1500 + JUN_OVERHEAD_BYTES - MPDU_OVERHEAD_BYTES


def stations_mbps(slow: str) -> list[float]:
    # ACKs go at 2 Mbit/s, and at 1 in a cell with a station of 1.
    basic = ("dsss-1",) if slow == "dsss-1" else ("dsss-2",)
    fast, slower = Radio(basic_modes=basic), Radio(mode=slow, basic_modes=basic)
    return [Anomaly(fast, slower, n, MSDU).station_mbps for n in (2, 3, 4, 5, 10)]


@pytest.mark.parametrize("slow", PUBLISHED)
def test_one_slow_station(slow: str) -> None:
    assert stations_mbps(slow) == pytest.approx(PUBLISHED[slow], abs=1.1e-3)


def test_all_fast() -> None:
    assert stations_mbps("cck-11") == pytest.approx(ALL_FAST, abs=6e-3)


def test_the_slow_station_pulls_the_fast_one_below_1_mbit_s() -> None:
    assert stations_mbps("dsss-1")[0] < 1 < stations_mbps("cck-11")[0]
