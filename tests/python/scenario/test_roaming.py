"""Stations that roam: they scan, join and leave access points by frames on the air."""

import json
from pathlib import Path
from typing import Any

import pytest
from recorded import table_of, tshark
from refused import refusal_of

from anechoic.scenario.compile import compile_scenario
from anechoic.scenario.core import core
from anechoic.scenario.load import load

WALK = """\
run.duration = "35 s"
host.server.stack = "linux-6"
switch.hall = {}

[ap]
west = { channel = 1, position = ["0 m", "0 m"] }
east = { channel = 6, position = ["150 m", "0 m"] }

[wire]
server = { between = ["server", "hall"] }
west = { between = ["west", "hall"] }
east = { between = ["east", "hall"] }

[sta.walker]
ap = "west"
stack = "linux-6"
position = ["5 m", "0 m"]
association = { roam_below = "-70 dBm", rescan = "1 s", channels = [1, 6, 11] }

[sta.walker.movement]
kind = "waypoints"
points = [["145 m", "0 m"]]
speed = "7 m/s"
start = "5 s"

[air.propagation]
kind = "log-distance"
exponent = 3

[traffic.download]
app = "application-limited"
from = "server"
to = "walker"
rate = "500 kbit/s"
"""
TAPS = """
[tap]
air = { at = "sta.walker" }
west = { at = "wire.west" }
"""


def plan(folder: Path, text: str) -> Any:
    """Give the plan of a scenario."""
    path = folder / "lab.toml"
    path.write_text(text, encoding="utf-8")
    return compile_scenario(load(path))


@pytest.fixture(scope="module")
def walked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Path]:
    """Let it walk; give the record and the folder of the captures."""
    folder = tmp_path_factory.mktemp("walk")
    compiled = plan(folder, WALK + TAPS)
    return core().run(json.dumps(compiled), 1, str(folder)), folder


def test_it_goes_to_the_access_point_that_it_comes_near_to(walked: tuple[Any, Path]) -> None:
    table = table_of(walked[0], "roams")
    assert (table["from"], table["to"], table["why"]) == (["west"], ["east"], ["signal"])
    order = ("heard_s", "left_s", "found_s", "authenticated_s", "associated_s", "served_s")
    times = [table[name][0] for name in order]
    assert times == sorted(times)
    metrics = walked[0].metrics()
    assert metrics["node.walker.associations"] == 1
    assert metrics["node.walker.outage_s"] == pytest.approx(times[4] - times[1])
    parts = ("unheard", "scan", "join", "register", "resume")
    whole = sum(metrics[f"node.walker.roam_{part}_s"] for part in parts)
    assert whole == pytest.approx(times[-1] - times[0])


def test_frames_are_on_the_air_in_the_order_of_the_standard(walked: tuple[Any, Path]) -> None:
    air = walked[1] / "air.pcapng"
    joining = "wlan.fc.type == 0 && wlan.fc.subtype in {0, 1, 2, 3, 11}"
    kinds = tshark(air, "-Y", joining, "-T", "fields", "-e", "wlan.fc.subtype")
    assert [int(kind, 0) for kind in kinds] == [11, 11, 2, 3]
    probes = tshark(
        air, "-Y", "wlan.fc.type_subtype == 4", "-T", "fields", "-e", "radiotap.channel.freq"
    )
    assert probes[:3] == ["2412", "2437", "2462"], "channel by channel"
    assert tshark(air, "-Y", "_ws.malformed || _ws.expert.severity == error") == []


def test_the_new_access_point_tells_the_bridges_where_the_station_is(
    walked: tuple[Any, Path],
) -> None:
    wire = walked[1] / "west.pcapng"
    exchange = "llc.control.u_modifier_resp == 0x2b"
    updates = tshark(wire, "-Y", exchange, "-T", "fields", "-e", "eth.src")
    probes = "wlan.fc.type_subtype == 4"
    air = walked[1] / "air.pcapng"
    assert updates == tshark(air, "-Y", probes, "-T", "fields", "-e", "wlan.ta")[:1]


def test_one_that_looks_for_no_better_one_stays_until_its_own_is_lost(tmp_path: Path) -> None:
    text = WALK.replace('roam_below = "-70 dBm", ', "").replace('["145 m"', '["210 m"')
    table = table_of(core().run(json.dumps(plan(tmp_path, text)), 1), "roams")
    assert set(table["why"]) <= {"beacons-missed", "deauthenticated"}
    late = table_of(core().run(json.dumps(plan(tmp_path, WALK)), 1), "roams")
    assert table["left_s"][0] > late["left_s"][0]


def test_a_run_is_the_same_each_time(tmp_path: Path) -> None:
    compiled = json.dumps(plan(tmp_path, WALK))
    first, second = (core().run(compiled, 3).metrics() for _ in range(2))
    assert first == second


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("channels = [1, 6, 11]", "channels = [1, 6, 15]"), "15 is not a channel of 802.11b"),
        (("channels = [1, 6, 11]", "channels = []"), "association.channels"),
        (('rescan = "1 s"', 'rescan = "0 s"'), "association.rescan"),
        (("roam_below", "roam_bellow"), "did you mean roam_below?"),
    ],
)
def test_what_cannot_be_is_refused(tmp_path: Path, change: tuple[str, str], said: str) -> None:
    assert said in refusal_of(tmp_path, WALK.replace(*change))


def test_noise_and_several_channels_do_not_go_together(tmp_path: Path) -> None:
    noise = """
[noise.hum]
tx_power = "0 dBm"
times = [["1 s", "2 s"]]
position = ["0 m", "0 m"]
"""
    assert "a station that changes its channel" in refusal_of(tmp_path, WALK + noise)
