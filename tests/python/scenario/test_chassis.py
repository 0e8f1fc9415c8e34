"""Radios in a chassis are refused what its attenuators cannot do."""

from pathlib import Path

import pytest
from conftest import BASELINE
from refused import refusal_of

import anechoic as an

pytestmark = pytest.mark.usefixtures("core")

IN_CHASSIS = 'chassis = "azimuth-w"\n'
BENCH = BASELINE.replace("[air]\n", f"[air]\n{IN_CHASSIS}")
LEAST = "at least 48 dB (goel2006 §3.5: the minimum level of attenuation)"
BELOW = f"is below what the Azimuth W-Series has; allowed: {LEAST}"
NOISE = '\n[noise.oven]\ntx_power = "0 dBm"\nkind = "constant-noise"\n'
LINK = '\n[air.link.cable]\nbetween = ["{}", "office"]\nloss = "{}"\n'


def test_a_loss_below_its_least_is_refused(tmp_path: Path) -> None:
    assert IN_CHASSIS in BENCH
    refused = refusal_of(tmp_path, BENCH.replace('loss = "48 dB"', 'loss = "47.9 dB"'))
    assert refused == f'lab.toml: air.loss: "47.9 dB" {BELOW}'


def test_and_so_is_that_of_a_single_pair(tmp_path: Path) -> None:
    refused = refusal_of(tmp_path, BENCH + LINK.format("laptop", "40 dB"))
    assert refused == f'lab.toml: air.link.cable.loss: "40 dB" {BELOW}'


def test_its_least_is_allowed_and_a_noise_has_a_way_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "lab.toml"
    file.write_text(BENCH + NOISE + LINK.format("oven", "14 dB"), encoding="utf-8")
    [emitter] = an.compile_scenario(an.load(file))["air"]["emitters"]
    assert min(emitter["received_dbm"]) == -48.0


def test_without_a_chassis_any_loss_will_do(tmp_path: Path) -> None:
    file = tmp_path / "lab.toml"
    file.write_text(BASELINE.replace('loss = "48 dB"', 'loss = "40 dB"'), encoding="utf-8")
    assert an.load(file).air is not None
