"""Stations that do not hear each other, without and with RTS/CTS, beside what ns-3 gives.

What ns-3 gives stands in docs/validation.md, as `python benches/hidden.py` measures it:
saturated stations of 802.11b at 11 Mbit/s, 1500-byte packets, means of 4 runs of 65 s.
"""

import itertools
from pathlib import Path

import pytest

import anechoic as an

NS3_MBPS = {
    # (stations, hidden, with RTS/CTS)
    (2, False, False): 6.352,
    (2, False, True): 4.989,
    (2, True, False): 3.762,
    (2, True, True): 4.479,
    (3, True, False): 2.429,
    (3, True, True): 4.237,
}
PAYLOAD = 1472
# ns-3's default loss over its default 5 m, and where nothing arrives any more.
LOSS, WALL = "67.65 dB", "200 dB"


@pytest.mark.parametrize(("stations", "is_hidden", "has_rts"), NS3_MBPS)
def test_goodput_is_ns3s_within_a_twentieth(
    stations: int, is_hidden: bool, has_rts: bool, tmp_path: Path
) -> None:
    pairs = itertools.combinations(range(1, stations + 1), 2) if is_hidden else ()
    walls = {
        f"wall-{one}-{other}": an.AirLink(between=[f"station-{one}", f"station-{other}"], loss=WALL)
        for one, other in pairs
    }
    threshold = 0 if has_rts else 2347
    cell = an.Scenario(
        run=an.Run(duration="35 s", warmup="5 s"),
        host={"server": an.Host()},
        ap={"point": an.AccessPoint()},
        sta={"station": an.Station(ap="point", count=stations, rts_threshold=threshold)},
        wire={"lan": an.Wire(between=["server", "point"])},
        air=an.Air(loss=LOSS, link=walls),
        traffic={"up": an.Udp(from_="station", to="server", payload=PAYLOAD)},
    )
    found = an.run(cell, reps=4, progress=False, out=tmp_path).cells[0]["goodput_mbps"]
    ns3_mbps = NS3_MBPS[stations, is_hidden, has_rts]
    assert found.mean == pytest.approx(ns3_mbps, rel=0.05)
