"""Places, propagation and movement: losses that follow, and what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest
from refused import refusal_of

from anechoic.scenario.compile import compile_scenario
from anechoic.scenario.load import load
from anechoic.scenario.tracks import tracks_in

BENCH = """\
run.duration = "60 s"
host.server.stack = "linux-6"
ap.office.position = ["0 m", "0 m"]
wire.lan.between = ["server", "office"]
air.propagation = { kind = "log-distance", exponent = 3, reference_loss = "40 dB" }
traffic.download = { app = "bulk", from = "server", to = "laptop" }
[sta.laptop]
ap = "office"
stack = "linux-6"
"""
HERE = 'position = ["60 m", "80 m"]\n'


def air(folder: Path, text: str) -> Any:
    """Give the plan of the air of a scenario."""
    path = folder / "lab.toml"
    path.write_text(text, encoding="utf-8")
    return compile_scenario(load(path))["air"]


def test_a_loss_follows_from_the_places_of_both(tmp_path: Path) -> None:
    plan = air(tmp_path, BENCH + HERE)
    assert plan["loss_db"][1][2] == plan["loss_db"][2][1] == 40 + 30 * 2
    assert plan["motion"] is None


HOUSE = BENCH.replace(
    'kind = "log-distance", exponent = 3, reference_loss = "40 dB"',
    'kind = "multi-wall", heavy_walls = [[["30 m", "0 m"], ["30 m", "90 m"], ["0 m", "90 m"]]]',
)


def test_walls_between_both_take_their_losses(tmp_path: Path) -> None:
    """One heavy wall of 6.9 dB, and 80.18 dB of free space over 100 m at 2437 MHz."""
    loss = air(tmp_path, HOUSE + HERE)["loss_db"][1][2]
    assert loss == pytest.approx(80.184 + 6.9, abs=1e-3)


@pytest.mark.parametrize(
    ("walls", "refused"),
    [
        ('[[["1 m", "2 m"]]]', "is too short; allowed: at least 2 values"),
        ("[]", "is too short; allowed: at least 1 value"),
        ('[[["1", "2 m"], ["3 m", "4 m"]]]', "a number without a unit"),
    ],
)
def test_what_is_no_wall_is_refused(walls: str, refused: str, tmp_path: Path) -> None:
    model = f'kind = "multi-wall", light_walls = {walls}'
    text = BENCH.replace('kind = "log-distance", exponent = 3, reference_loss = "40 dB"', model)
    assert refused in refusal_of(tmp_path, text + HERE)


def test_a_stated_loss_stands_beside_places(tmp_path: Path) -> None:
    stated = BENCH + HERE + '[air.link.near]\nbetween = ["office", "laptop"]\nloss = "50 dB"\n'
    assert air(tmp_path, stated)["loss_db"][1][2] == 50


def test_a_radio_without_a_place_has_the_loss_of_the_air_if_that_is_stated(tmp_path: Path) -> None:
    assert air(tmp_path, 'air.loss = "70 dB"\n' + BENCH)["loss_db"][1][2] == 70


def test_a_noise_has_a_place_too(tmp_path: Path) -> None:
    oven = (
        '[noise.oven]\ntx_power = "0 dBm"\ntimes = [["1 s", "2 s"]]\nposition = ["10 m", "0 m"]\n'
    )
    received = air(tmp_path, BENCH + HERE + oven)["emitters"][0]["received_dbm"]
    assert received[1] == -70


def test_what_moves_is_in_the_plan_with_the_pairs_that_change(tmp_path: Path) -> None:
    moves = 'movement = { kind = "waypoints", points = [["0 m", "8 m"]], speed = "1.5 m/s" }\n'
    motion = air(tmp_path, BENCH + HERE + moves)["motion"]
    assert motion["pairs"] == [[1, 2]]
    assert motion["places"][2]["place"] == [60, 80]
    assert motion["places"][2]["movement"]["points"] == [[0, 8]]


WALK = 'movement = { kind = "recorded", file = "walk.txt" }\n'
NS2 = """\
$node_(0) set X_ 10.0
$node_(0) set Y_ 20.0
$node_(0) set Z_ 0.0
$god_ set-dist 0 1 1
$ns_ at 2.0 "$node_(0) setdest 10.0 50.0 10.0"
$ns_ at 4.0 "$node_(0) setdest 70.0 40.0 6.0"
"""


def test_the_walk_of_ns_2_s_setdest_turns_where_it_is(tmp_path: Path) -> None:
    """At 4 s it is at (10, 40), 20 m on its way; 60 m to the next place take 10 s."""
    (tmp_path / "walk.txt").write_text(NS2, encoding="utf-8")
    movement = air(tmp_path, BENCH + WALK)["motion"]["places"][2]["movement"]
    second = 10**9
    fixes = [[2 * second, [10, 20]], [4 * second, [10, 40]], [14 * second, [70, 40]]]
    assert json.loads(json.dumps(movement["file"])) == fixes


def test_bonnmotion_has_a_line_for_each_node(tmp_path: Path) -> None:
    path = tmp_path / "walk.txt"
    path.write_text("0.0 1 2 5.5 3 4\n0 7 8\n", encoding="utf-8")
    assert tracks_in(path) == {
        0: [(0, [1, 2]), (5_500_000_000, [3, 4])],
        1: [(0, [7, 8])],
    }


FILES = {
    "disorder": ("0 1 1 0 2 2\n", "line 1: a time is not after the one before"),
    "no triples": ("0 1\n", "line 1: 2 numbers are no triples of time, x and y"),
    "no number": ("0 1 x\n", 'line 1: "x" is not a number'),
    "nothing": ("\n", "the file is empty"),
    "no speed": (
        NS2.replace("50.0 10.0", "50.0 0.0"),
        "line 5: a speed of 0.0 leads nowhere",
    ),
    "an earlier turn": (
        NS2.replace("at 4.0", "at 1.0"),
        "line 6: its time is before that of a line above",
    ),
    "no place": (
        '$ns_ at 2.0 "$node_(0) setdest 1 1 1"\n',
        "line 1: node 0 has no place to leave from",
    ),
    "something else": (
        "$node_(0) set X_ 1\nhello\n",
        'line 2: "hello" is neither a place nor a setdest',
    ),
}


@pytest.mark.parametrize("case", FILES)
def test_a_wrong_file_of_movements_is_refused(case: str, tmp_path: Path) -> None:
    text, said = FILES[case]
    (tmp_path / "walk.txt").write_text(text, encoding="utf-8")
    refused = refusal_of(tmp_path, BENCH + WALK)
    assert refused.startswith(f"lab.toml: sta.laptop.movement.file: walk.txt: {said}; allowed: ")
    assert "\n" not in refused


WRONG = {
    "speed zero": (
        HERE + 'movement = { kind = "circular", centre = ["0 m", "0 m"], speed = "0 m/s" }',
        'movement.speed: "0 m/s" is refused: zero; allowed: a number with its unit, such as '
        '"1.4 m/s" (units: m/s), more than zero, at most 1000000 m/s',
    ),
    "no unit": (
        'position = ["60", "80 m"]',
        'position[0]: "60" is refused: a number without a unit; allowed: a number with its unit, '
        'such as "25 m" (units: m, km)',
    ),
    "outside": (
        HERE + 'movement = { kind = "random-waypoint", area = ["50 m", "90 m"], speed = "1 m/s" }',
        'position: ["60 m", "80 m"] is outside the area that it moves in; '
        "allowed: 0 m to 50 m and 0 m to 90 m",
    ),
    "nowhere to begin": (
        'movement = { kind = "waypoints", points = [["0 m", "8 m"]], speed = "1 m/s" }',
        "position: missing, where it begins; allowed: [x, y]",
    ),
    "no place and no loss": (
        "",
        "position: missing, and nothing else tells the loss to office; "
        "allowed: a position, a link in [air.link], or a loss of [air] for all others",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_place_or_movement_is_refused(case: str, tmp_path: Path) -> None:
    written, said = WRONG[case]
    refused = refusal_of(tmp_path, BENCH + written)
    assert refused == f"lab.toml: sta.laptop.{said}"


def test_a_position_needs_a_propagation(tmp_path: Path) -> None:
    without = "\n".join(line for line in BENCH.splitlines() if "propagation" not in line)
    refused = refusal_of(tmp_path, f"air.channel = 6\n{without}\n{HERE}")
    assert "air.propagation: missing, and ap.office has a position" in refused


@pytest.mark.parametrize(
    ("stations", "where"),
    [
        ('count = 3\nposition = ["5 m", "0 m"]\n', "sta.laptop.position"),
        (
            'position = ["5 m", "0 m"]\n'
            '[sta.other]\nap = "office"\nstack = "linux-6"\nposition = ["5.0 m", "0 m"]\n',
            "sta.other.position",
        ),
        ('position = ["0 m", "0 m"]\n', "sta.laptop.position"),
        (
            'count = 2\nposition = ["5 m", "0 m"]\nmovement.kind = "circular"\n'
            'movement.centre = ["0 m", "0 m"]\nmovement.speed = "1 m/s"\n',
            "sta.laptop.position",
        ),
    ],
)
def test_radios_in_one_place_are_refused_once(stations: str, where: str, tmp_path: Path) -> None:
    """No loss would be between them."""
    said = refusal_of(tmp_path, BENCH + stations)
    assert said.count("are in one place, with no loss between them") == 1
    assert where in said


def test_walkers_of_a_group_may_begin_in_one_place(tmp_path: Path) -> None:
    walk = 'movement = { kind = "random-waypoint", area = ["90 m", "90 m"], speed = "1 m/s" }\n'
    assert air(tmp_path, BENCH + "count = 3\n" + HERE + walk)["motion"] is not None
