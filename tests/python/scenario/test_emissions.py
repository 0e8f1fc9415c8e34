"""What noises radiate, told without a run, and those that radiate past everybody."""

from pathlib import Path

import pytest
from conftest import BASELINE

import anechoic as an

pytestmark = pytest.mark.usefixtures("core")

GENERATOR = """
[noise.generator]
kind = "signal-generator"
tx_power = "-20 dBm"
rate = 1908
frequency = 2432
"""


def told(tmp_path: Path, noise: str) -> dict[str, str]:
    file = tmp_path / "lab.toml"
    file.write_text(BASELINE + noise, encoding="utf-8")
    lines = an.explain(file, path="noise").lines
    return {line.path.partition(" ")[2]: line.value for line in lines if " " in line.path}


def test_burst_duty_cycle_and_mask_of_a_train_of_frames(tmp_path: Path) -> None:
    """24 of 30 µs radiate, 1908 times a second."""
    assert told(tmp_path, GENERATOR) == {
        "radiates for": "24 µs",
        "duty cycle": "4.58 %",
        "mask": "OFDM",
        "mask takes off at office": "0.9 dB",
        "mask takes off at laptop": "0.9 dB",
    }


def test_noise_without_end_has_no_mask(tmp_path: Path) -> None:
    found = told(tmp_path, '\n[noise.hum]\nkind = "constant-noise"\ntx_power = "-40 dBm"\n')
    assert found["duty cycle"] == "100 %"
    assert found["mask"] == "none: as strong in every channel"


NOBODY = "nobody: it lies in no channel that a radio listens to"


def test_noise_in_no_channel_is_said_to_reach_nobody(tmp_path: Path) -> None:
    found = told(tmp_path, GENERATOR.replace("2432", "5180"))
    assert found["reaches"] == NOBODY
    assert not any(field.startswith("mask takes off") for field in found)


def test_what_hops_is_in_a_channel_for_its_part_of_all_channels(tmp_path: Path) -> None:
    """366 of 625 µs, and of that 22 of 79 channels."""
    found = told(tmp_path, '\n[noise.headset]\nkind = "bluetooth"\ntx_power = "0 dBm"\n')
    assert found["radiates for"] == "366 µs"
    assert found["duty cycle"] == "58.6 %"
    assert found["mask"] == "1 MHz, hopping over 79"
    assert found["duty cycle in the channel of office"] == "16.3 %"


def test_what_sweeps_is_in_a_channel_for_its_part_of_the_sweep(tmp_path: Path) -> None:
    """From 2430 to 2470 MHz it is below 2448 MHz for 18 of 40, in half of the time."""
    oven = '\n[noise.oven]\nkind = "microwave-oven"\ntx_power = "10 dBm"\nsweep = 40\n'
    found = told(tmp_path, oven)
    assert found["radiates for"] == "8333.33 µs"
    assert found["duty cycle"] == "50 %"
    assert found["mask"] == "a line that sweeps"
    assert found["duty cycle in the channel of office"] == "22.5 %"


def test_a_line_beside_the_channel_reaches_nobody(tmp_path: Path) -> None:
    """2450 MHz is 13 MHz from the centre of channel 6."""
    oven = '\n[noise.oven]\nkind = "microwave-oven"\ntx_power = "10 dBm"\n'
    assert told(tmp_path, oven)["reaches"] == NOBODY


@pytest.mark.parametrize("frequency", [2437 - 36, 2437 + 40])
def test_a_skirt_that_reaches_into_the_channel_is_noise_there(
    frequency: int, tmp_path: Path
) -> None:
    """The mask of OFDM is level from 30 MHz on, and the channel reaches 11 MHz towards it."""
    taken_off = told(tmp_path, GENERATOR.replace("2432", str(frequency)))
    assert taken_off["mask takes off at office"].endswith(" dB")
