"""Saturated stations of 802.11n, ac and ax beside Bianchi's fixed point with an A-MPDU's exchange.

A collision costs the longest of the frames in it, up to 5.4 ms of an A-MPDU, or an RTS. Retries are
as good as unlimited, and all stations are received alike, so that no frame survives a collision.
"""

from pathlib import Path
from typing import Any

import pytest

import anechoic as an

ONE = {"streams": 1, "guard_interval": "800 ns", "width": "20 MHz"}
CELLS = [
    ("802.11n", 5, {**ONE, "mcs": 7}),
    ("802.11n", 20, {**ONE, "mcs": 3}),
    ("802.11n", 10, {**ONE, "mcs": 7, "ampdu_limit": "8191 B"}),
    ("802.11n", 10, {**ONE, "mcs": 7, "amsdu_limit": "3839 B", "ampdu_limit": "32767 B"}),
    ("802.11ac", 10, {"mcs": 9, "streams": 2, "width": "80 MHz"}),
    ("802.11ac", 50, {"mcs": 4, "streams": 1, "width": "40 MHz"}),
    ("802.11ax", 5, {**ONE, "mcs": 7, "block_ack_window": 64}),
    ("802.11ax", 10, {**ONE, "mcs": 11, "block_ack_window": 64}),
    ("802.11ax", 20, {"mcs": 11, "streams": 2, "width": "160 MHz"}),
    ("802.11ax", 50, {**ONE, "mcs": 7, "rts_threshold": 0}),
    ("802.11ac", 20, {"mcs": 9, "streams": 2, "width": "80 MHz", "rts_threshold": 0}),
]


def cell(standard: str, stations: int, fields: dict[str, Any]) -> an.Scenario:
    """Give a cell of stations that are never out of datagrams."""
    return an.Scenario(
        run=an.Run(duration="42 s", warmup="2 s", time_series=False, distributions=False),
        air=an.Air(standard=standard, channel=36, loss="40 dB"),
        ap={"point": an.AccessPoint(**fields, beacon_interval="0 s")},
        sta={"up": an.Station(ap="point", count=stations, short_retry_limit=255, **fields)},
        host={"server": an.Host()},
        wire={"lan": an.Wire(between=["server", "point"], rate="10 Gbit/s")},
        traffic={"data": an.Udp(from_="up", to="server", payload=1472)},
    )


@pytest.mark.parametrize(("standard", "stations", "fields"), CELLS)
def test_what_saturated_stations_get_is_bianchis_within_two_percent(
    standard: str, stations: int, fields: dict[str, Any], tmp_path: Path
) -> None:
    scenario = cell(standard, stations, fields)
    expected = an.calculate(scenario).cells[0].metrics["goodput_mbps"]
    found = an.run(scenario, reps=2, progress=False, out=tmp_path).cells[0]["goodput_mbps"].mean
    assert found == pytest.approx(expected, rel=0.02)
