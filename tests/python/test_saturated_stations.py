"""Saturated stations received alike, beside what ns-3 gives; and downloads between their sums.

ns-3's figures are of 3.37 with all stations within a millimetre, so that no frame of a collision
is the stronger one: 1472 bytes of UDP, 11 Mbit/s with long preambles and responses at 2 Mbit/s, or
54 Mbit/s of 802.11g; retry limits and beacons are those of both tools' defaults.
"""

from pathlib import Path

import pytest

import anechoic as an

NS3_MBPS = {
    ("802.11b", 5): 6.315,
    ("802.11b", 10): 6.014,
    ("802.11b", 20): 5.618,
    ("802.11b", 50): 5.078,
    ("802.11g", 10): 27.24,
    ("802.11g", 50): 21.85,
}
NS3_TCP_MBPS = {
    ("802.11b", 1): 5.15,
    ("802.11b", 10): 5.07,
    ("802.11g", 1): 24.60,
    ("802.11g", 10): 24.27,
}
"""Of NewReno downloads with an acknowledgment for two segments of 1460 bytes."""
SUMS_MBPS = {"802.11b": (4.95, 6.16), "802.11g": (24.5, 31.1)}
"""Their cycle with half of CWmin slots for each frame, and with none. Access point and station
count down together, so the truth lies between."""


def cell(standard: str, stations: int, traffic: an.Udp | an.Bulk, **point: str) -> an.Scenario:
    return an.Scenario(
        run=an.Run(duration="22 s", warmup="2 s", time_series=False, distributions=False),
        host={"server": an.Host(stack="windows-xp")},
        ap={"point": an.AccessPoint(**point)},
        sta={"station": an.Station(ap="point", count=stations, stack="windows-xp")},
        wire={"lan": an.Wire(between=["server", "point"])},
        air=an.Air(loss="50 dB", standard=standard),
        traffic={"data": traffic},
    )


def goodput_mbps(scenario: an.Scenario, out: Path) -> float:
    return an.run(scenario, reps=2, progress=False, out=out).cells[0]["goodput_mbps"].mean


UPLOAD = an.Udp(from_="station", to="server", payload=1472)
DOWNLOAD = an.Bulk(from_="server", to="station")


@pytest.mark.parametrize(("standard", "stations"), NS3_MBPS)
def test_goodput_is_ns3s_within_three_percent(standard: str, stations: int, tmp_path: Path) -> None:
    found = goodput_mbps(cell(standard, stations, UPLOAD), tmp_path)
    assert found == pytest.approx(NS3_MBPS[standard, stations], rel=0.03)


@pytest.mark.parametrize(("standard", "stations"), NS3_TCP_MBPS)
def test_downloads_are_ns3s_within_two_percent(
    standard: str, stations: int, tmp_path: Path
) -> None:
    found = goodput_mbps(cell(standard, stations, DOWNLOAD), tmp_path)
    assert found == pytest.approx(NS3_TCP_MBPS[standard, stations], rel=0.02)


@pytest.mark.parametrize("standard", SUMS_MBPS)
def test_a_download_lies_between_its_sums(standard: str, tmp_path: Path) -> None:
    least, most = SUMS_MBPS[standard]
    assert least < goodput_mbps(cell(standard, 1, DOWNLOAD, beacon_interval="0 s"), tmp_path) < most
