"""Links that fade, as a scenario says them."""

from pathlib import Path

import pytest
from refused import refusal_of

import anechoic as an

BENCH = """
run.duration = "1 s"
host.server.stack = "linux-6"
wire.lan.between = ["server", "office"]
ap.office = {}
sta.laptop = { ap = "office", count = 2, stack = "linux-6" }
air.loss = "60 dB"

[air.link.desks]
between = ["office", "laptop"]
loss = "70 dB"

[air.link.desks.fading.people]
kind = "fades"
depth = "6 dB"
faded = ["1 s", "4 s"]
clear = ["2 s", "6 s"]

[air.link.desks.fading.waves]
kind = "rayleigh"
doppler = 5

[traffic.download]
app = "bulk"
from = "server"
to = "laptop"
"""


def compiled(tmp_path: Path, text: str = BENCH) -> an.Plan:
    file = tmp_path / "lab.toml"
    file.write_text(text, encoding="utf-8")
    return an.compile_scenario(an.load(file))


def test_each_pair_of_two_groups_fades_by_all_processes_in_order(tmp_path: Path) -> None:
    (links,) = compiled(tmp_path)["air"]["fading"]
    assert links["between"] == [[1, 2], [1, 3]]
    people, waves = links["by"]
    assert people == {
        "name": "people",
        "kind": "fades",
        "depth": 6.0,
        "faded": [1_000_000_000, 4_000_000_000],
        "clear": [2_000_000_000, 6_000_000_000],
        "transition": 0,
    }
    assert waves == {"name": "waves", "kind": "rayleigh", "doppler": 5}


def test_of_two_links_for_a_pair_the_last_one_counts_with_all_it_says(tmp_path: Path) -> None:
    still = BENCH + "[air.link.near]\nbetween = ['office', 'laptop-1']\nloss = '50 dB'\n"
    air = compiled(tmp_path, still)["air"]
    assert air["fading"][0]["between"] == [[1, 3]]
    assert (air["loss_db"][1][2], air["loss_db"][1][3]) == (50.0, 70.0)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            'kind = "fades"',
            'kind = "fade"',
            'people.kind: "fade" is not one of the values; allowed: "fades", "blockage", '
            '"rayleigh", "rician", "nakagami", "shadowing", "steady-shadow", "per-frame", '
            '"attenuator", "level-trace"; '
            "did you mean fades?",
        ),
        (
            '["1 s", "4 s"]',
            '["4 s", "1 s"]',
            'people.faded: ["4 s", "1 s"] is refused: the lowest is above the highest',
        ),
        ("doppler = 5", "doppler = -5", "waves.doppler: -5 is out of range; allowed: 0 to 1000 Hz"),
        ("doppler = 5", "", "waves.doppler: missing"),
        ('depth = "6 dB"', 'depth = "6 dBm"', 'people.depth: "6 dBm" is refused'),
    ],
)
def test_what_is_wrong_is_said_at_its_place(
    tmp_path: Path, old: str, new: str, expected: str
) -> None:
    assert f"air.link.desks.fading.{expected}" in refusal_of(tmp_path, BENCH.replace(old, new))


def test_a_noise_does_not_fade(tmp_path: Path) -> None:
    noisy = BENCH.replace('["office", "laptop"]', '["oven", "laptop"]')
    noisy += "[noise.oven]\ntx_power = '20 dBm'\ntimes = [['10 ms', '12 ms']]\n"
    said = refusal_of(tmp_path, noisy)
    assert 'desks.fading: "oven" is a noise, whose power does not change' in said


def test_no_closed_form_answers_where_links_fade(tmp_path: Path) -> None:
    file = tmp_path / "lab.toml"
    file.write_text(BENCH, encoding="utf-8")
    (cell,) = an.calculate(an.load(file)).cells
    assert [flow.remarks for flow in cell.flows] == [("links fade",)] * 2
