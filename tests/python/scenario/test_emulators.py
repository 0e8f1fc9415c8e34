"""A wire that names its emulator is refused what the device cannot do."""

from pathlib import Path

import pytest
from conftest import BASELINE
from refused import refusal_of

import anechoic as an
from anechoic.scenario.declared import declarations
from anechoic.scenario.devices import DEVICES

pytestmark = pytest.mark.usefixtures("core")

GEL2 = "the Anue Systems GEL2, version 1.78.00 (goel2006 §3.3)"


def bench(stage: str) -> str:
    """Give the baseline with a stage in the emulator of its wire."""
    emulated = BASELINE.replace('delay = "1 ms"\n', 'delay = "1 ms"\nemulator = "gel2"\n')
    return f"{emulated}\n[wire.uplink.impair.stage]\n{stage}\n"


@pytest.mark.parametrize("ber", [0.0, 1e-6, 1e-5, 1e-4])
def test_what_the_device_can_do_is_accepted(ber: float, tmp_path: Path) -> None:
    file = tmp_path / "lab.toml"
    file.write_text(bench(f'kind = "bit-error"\nber = {ber}\nfcs = "wrong"'), encoding="utf-8")
    (wire,) = an.compile_scenario(an.load(file))["wires"]
    assert [stage["ber"] for stage in wire["impair"][0]] == [ber]


# The stage, and what is said.
WRONG = {
    "more than it can": (
        'kind = "bit-error"\nber = 1e-3',
        f"impair.stage.ber: 0.001 is beyond {GEL2}; allowed: 1e-06 to 0.0001 "
        "(goel2006 §4.3.6: no result beyond these rates)",
    ),
    "less than it can": (
        'kind = "bit-error"\nber = 1e-9',
        f"impair.stage.ber: 1e-09 is beyond {GEL2}; allowed: 1e-06 to 0.0001 "
        "(goel2006 §4.3.6: no result beyond these rates)",
    ),
    "a field that it has not": (
        'kind = "drop"\npackets = [3]',
        f"impair.stage.packets: {GEL2} has no such field; allowed: probability",
    ),
    "an impairment that it has not": (
        'kind = "gilbert-elliott"\nto_bad = 0.1\nto_good = 0.5',
        f'impair.stage.kind: "gilbert-elliott" is no impairment of {GEL2}; allowed: delay, '
        "uniform-delay, drop, duplicate, reorder, bit-error, bad-fcs",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_the_device_cannot_do_is_refused(case: str, tmp_path: Path) -> None:
    stage, said = WRONG[case]
    assert refusal_of(tmp_path, bench(stage)) == f"lab.toml: wire.uplink.{said}"


def test_a_device_that_nobody_knows_is_refused(tmp_path: Path) -> None:
    text = bench('kind = "drop"\nprobability = 0.1').replace('"gel2"', '"gel3"')
    said = 'emulator: "gel3" is not one of the values; allowed: "gel2"; did you mean gel2?'
    assert refusal_of(tmp_path, text) == f"lab.toml: wire.uplink.{said}"


# What is wrong with a stage of its own, without any device.
VALUES = {
    'kind = "bit-error"\nber = 1.5': "ber: 1.5 is out of range; allowed: 0 to 1",
    'kind = "bad-fcs"\nprobability = -0.1': "probability: -0.1 is out of range; allowed: 0 to 1",
    'kind = "bit-error"\nber = 0.1\nfcs = "bad"': 'fcs: "bad" is not one of the values; allowed: '
    '"recomputed", "wrong"',
    'kind = "gilbert-elliott"\nto_bad = 2\nto_good = 0.5': (
        "to_bad: 2 is out of range; allowed: 0 to 1"
    ),
}


@pytest.mark.parametrize("stage", VALUES)
def test_a_value_out_of_range_is_refused(stage: str, tmp_path: Path) -> None:
    path = "lab.toml: wire.uplink.impair.stage."
    text = bench(stage).replace('emulator = "gel2"\n', "")
    assert refusal_of(tmp_path, text) == path + VALUES[stage]


@pytest.mark.parametrize("kind", DEVICES["gel2"].kinds)
def test_the_table_of_a_device_has_fields_of_an_impairment_alone(kind: str) -> None:
    declared = next((each for each in declarations("impairment") if each["name"] == kind), None)
    if declared is not None:
        assert DEVICES["gel2"].kinds[kind].keys() <= {field["name"] for field in declared["fields"]}
