"""What slipped below a [[sweep]] or [[figure]] is told as that; a name is only guessed if near."""

from pathlib import Path

import pytest
from conftest import SWEPT
from refused import refusal_of

from anechoic.scenario.errors import nearest_name

pytestmark = pytest.mark.usefixtures("core")

MOVE = "move it above the first [[…]] or under its own table"
FIGURE = "allowed: title, x, y, "
COLUMN = "allowed: a list of values, one of each makes a row"

# What follows the last [[figure]] of the swept baseline: where it is said to stand.
BELOW = {
    'duration = "5 s"': "figure[0].duration: this stands below [[figure]] 1",
    'run.duration = "5 s"': "figure[0].run: this stands below [[figure]] 1",
    '"air.loss" = "60 dB"': "figure[0].air.loss: this stands below [[figure]] 1",
    "replication.max = 20": "figure[0].replication: this stands below [[figure]] 1",
    '[[sweep]]\n"air.loss" = "60 dB"': "sweep[1].air.loss: this stands below [[sweep]] 2",
    '[[sweep]]\nextends = "bench.toml"': "sweep[1].extends: this stands below [[sweep]] 2",
    '[[sweep]]\n"air.loss" = ["60 dB"]\ntitle = "Loss"': (
        "sweep[1].title: this stands below [[sweep]] 2"
    ),
}


@pytest.mark.parametrize("line", BELOW)
def test_a_line_of_the_scenario_below_an_entry_of_a_list(line: str, tmp_path: Path) -> None:
    (said, *_) = refusal_of(tmp_path, f"{SWEPT}{line}\n").splitlines()
    assert said.startswith(f"lab.toml: {BELOW[line]} and belongs to it in TOML; {MOVE}; ")
    assert (FIGURE if "figure" in BELOW[line] else COLUMN) in said


def test_the_scenarios_title_below_a_figure_that_has_one(tmp_path: Path) -> None:
    assert refusal_of(tmp_path, f'{SWEPT}title = "Two vendors"\n') == (
        "lab.toml: title stands twice below [[figure]] 1, again at line 40, column 22; "
        f"{MOVE}; allowed: each value once"
    )


def test_a_mistyped_field_of_a_figure_is_no_such_line(tmp_path: Path) -> None:
    said = refusal_of(tmp_path, f'{SWEPT}pannel = "connections"\n')
    assert said.startswith("lab.toml: figure[0].pannel: unknown field; ")
    assert said.endswith("did you mean panel?")


def test_a_column_that_is_no_list_and_no_line_of_the_scenario(tmp_path: Path) -> None:
    said = refusal_of(tmp_path, f'{SWEPT}[[sweep]]\n"ap.ofice.rate" = "2 Mbit/s"\n')
    assert said.startswith("lab.toml: sweep[1].ap.ofice.rate: ")


NEAR = {
    "fragmentation_treshold": "fragmentation_threshold",
    "hsot": "host",
    "retires": "retries",
    "long-retry-limit": "long_retry_limit",
    "chariot": "chariot-throughput",
}
FAR = ("loss", "size", "speed", "bandwidth", "buffer", "x", "")


@pytest.mark.parametrize("name", NEAR)
def test_a_slip_of_the_pen_is_put_right(name: str) -> None:
    names = ["queue_packets", "delay", "rate", "frequency", "retransmissions", *NEAR.values()]
    assert nearest_name(name, names) == NEAR[name]


@pytest.mark.parametrize("name", FAR)
def test_another_word_is_no_slip_of_the_pen(name: str) -> None:
    names = ["queue_packets", "delay", "rate", "between", "stack", "attempts_per_rate"]
    assert nearest_name(name, names) is None
