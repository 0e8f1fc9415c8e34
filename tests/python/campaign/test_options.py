"""What a caller asks for is checked first, and refused in the words of the command line."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import anechoic as an
from anechoic.cli import cli

pytestmark = pytest.mark.usefixtures("core")

REFUSED = {
    "no replications": ({"reps": 0}, "--reps: 0 is out of range; allowed: 1 to 10000"),
    "fewer than none": ({"reps": -3}, "--reps: -3 is out of range; allowed: 1 to 10000"),
    "half of one": ({"reps": 2.5}, "--reps: 2.5 is not a whole number; allowed: 1 to 10000"),
    "a truth": ({"reps": True}, "--reps: true is not a whole number; allowed: 1 to 10000"),
    "a text": ({"reps": "4"}, '--reps: "4" is not a whole number; allowed: 1 to 10000'),
    "no jobs": ({"jobs": 0}, "--jobs: 0 is out of range; allowed: 1 to 10000"),
    "no path": ({"out": 7}, "--out: 7 is not a path; allowed: the path of a folder"),
    "no name": (
        {"out": ""},
        "--out: an empty name is no folder; the current one is '.'; allowed: the path of a folder",
    ),
    "a pair as text": (
        {"set": "a=b"},
        '--set: "a=b" names no path; allowed: values by path, such as {"run.duration": "60 s"}',
    ),
    "a path that is none": (
        {"set": {3: 4}},
        '--set: 3 is not a path; allowed: values by path, such as {"run.duration": "60 s"}',
    ),
    "values as text": (
        {"sweep": {"air.loss": "60 dB"}},
        '--sweep air.loss: "60 dB" is not a list; allowed: one or more values',
    ),
    "a seed as text": (
        {"seed": "4"},
        'run.seed: "4" is not a whole number; '
        "allowed: a whole number, at least 0 and less than 9223372036854775808",
    ),
}


@pytest.mark.parametrize(("asked", "said"), REFUSED.values(), ids=REFUSED.keys())
def test_a_wrong_option_is_refused_before_anything_is_touched(
    asked: dict[str, Any], said: str, baseline: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    an.run(baseline, reps=2, out=out, progress=False)
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    with pytest.raises(an.ScenarioError) as caught:
        an.run(baseline, **{"out": out, "progress": False, **asked})
    assert str(caught.value) == f"{baseline}: {said}"
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before


def test_what_is_no_scenario_is_refused() -> None:
    with pytest.raises(an.ScenarioError, match="5 is neither a file nor a Scenario; allowed: "):
        an.run(5)  # type: ignore[arg-type]


@pytest.mark.parametrize("option", ["--reps", "--jobs"])
def test_the_command_line_says_the_same(option: str, baseline: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = CliRunner().invoke(cli, ["run", str(baseline), option, "0", "--out", str(out)])
    assert done.exit_code == 2
    said = f"anechoic: {baseline}: {option}: 0 is out of range; allowed: 1 to 10000\n"
    assert (done.stdout, done.stderr) == ("", said)
    assert not out.exists()


def test_values_may_come_from_anything_that_can_be_listed(baseline: Path, tmp_path: Path) -> None:
    sweep = {"traffic.pairs.count": range(1, 4)}
    results = an.run(baseline, sweep=sweep, reps=1, out=tmp_path / "out", progress=False)
    assert results.axes[0].values == (1, 2, 3)
