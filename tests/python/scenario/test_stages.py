"""Each kind of stage on a wire: what a file says of it, what a plan has, and what is refused."""

from pathlib import Path
from typing import Any

import pytest
from conftest import BASELINE
from refused import refusal_of

import anechoic as an
from anechoic.scenario.explain import explained

pytestmark = pytest.mark.usefixtures("core")

PATH = "wire.uplink.impair.stage"
HEAD = f"\n[{PATH}]\n"

# What a file says of a stage, and the parameters that the plan then has.
STAGES: dict[str, dict[str, Any]] = {
    'kind = "delay"\ndelay = "50 ms"': {
        "kind": "delay",
        "delay": 50_000_000,
        "changes": None,
    },
    'kind = "uniform-delay"\ndelay = ["5 ms", "15 ms"]': {
        "kind": "uniform-delay",
        "delay": [5_000_000, 15_000_000],
        "keep_order": True,
    },
    'kind = "normal-delay"\nmean = "50 ms"\ndeviation = "5 ms"\nkeep_order = false': {
        "kind": "normal-delay",
        "mean": 50_000_000,
        "deviation": 5_000_000,
        "keep_order": False,
    },
    'kind = "pareto-delay"\nmean = "50 ms"\nshape = 1.5': {
        "kind": "pareto-delay",
        "mean": 50_000_000,
        "shape": 1.5,
        "keep_order": True,
    },
    'kind = "empirical-delay"\ndelays = "delays.txt"': {
        "kind": "empirical-delay",
        "delays": [12_500_000, 8_000_000, 12_345_679],
        "keep_order": True,
    },
    'kind = "reorder"\nprobability = 0.05': {
        "kind": "reorder",
        "probability": 0.05,
        "displacement": [1, 7],
        "within": "link",
        "longest_wait": 100_000_000,
    },
    'kind = "duplicate"\nprobability = 0.1\ncopies = [1, 3]': {
        "kind": "duplicate",
        "probability": 0.1,
        "copies": [1, 3],
    },
    'kind = "rate"\nrate = "2 Mbit/s"\nbytes = "64 kB"\nchanges = [["20 s", "1 Mbit/s"]]': {
        "kind": "rate",
        "rate": 2_000_000,
        "changes": [[20_000_000_000, 1_000_000]],
        "packets": 1000,
        "bytes": 64_000,
        "counts": "frames",
    },
    'kind = "token-bucket"\nrate = "2 Mbit/s"\nburst = "5 kB"': {
        "kind": "token-bucket",
        "rate": 2_000_000,
        "burst": 5_000,
        "latency": 70_000_000,
    },
}
DELAYS = "ms\n12.5\n8\n12.3456789\n"


def scenario_with(folder: Path, stage: str, delays: str = DELAYS) -> an.Scenario:
    (folder / "delays.txt").write_text(delays, encoding="utf-8")
    file = folder / "stages.toml"
    file.write_text(BASELINE + HEAD + stage, encoding="utf-8")
    return an.load(file)


@pytest.mark.parametrize("stage", STAGES)
def test_a_plan_has_the_parameters_of_a_stage_in_base_units(stage: str, tmp_path: Path) -> None:
    (wire,) = an.compile_scenario(scenario_with(tmp_path, stage))["wires"]
    of_all = {"name": "stage", "match": ["all"], "from_ns": 0, "until_ns": None}
    of_all |= dict.fromkeys(["flows", "connection", "min_bytes", "max_bytes"])
    assert wire["impair"] == [[STAGES[stage] | of_all]] * 2


def test_ranges_steps_and_files_are_explained_as_they_are_written(tmp_path: Path) -> None:
    def value(stage: str, field: str) -> str:
        lines = explained(scenario_with(tmp_path, stage))
        return next(line.value for line in lines if line.path == f"{PATH}.{field}")

    copies, changes, _ = list(STAGES)[-3:]
    assert value(copies, "copies") == "1, 3"
    assert value(changes, "changes") == "[20 s, 1 Mbit/s]"
    assert value('kind = "empirical-delay"\ndelays = "delays.txt"', "delays") == "delays.txt"


def test_a_range_may_be_swept(tmp_path: Path) -> None:
    stage = 'kind = "duplicate"\nprobability = 1.0\n'
    axis = f'[[sweep]]\nname = "copies"\n"{PATH}.copies" = [[1, 1], [2, 4]]\n'
    scenario = scenario_with(tmp_path, stage + axis)
    (line,) = (line for line in explained(scenario) if line.path == f"{PATH}.copies")
    assert line.value == "swept: [1, 1], [2, 4]"


def test_a_file_of_delays_is_found_beside_the_file_that_names_it(tmp_path: Path) -> None:
    folder = tmp_path / "bench"
    folder.mkdir()
    scenario_with(folder, 'kind = "empirical-delay"\ndelays = "delays.txt"')
    over = tmp_path / "over.toml"
    over.write_text('extends = "bench/stages.toml"\n', encoding="utf-8")
    (wire,) = an.compile_scenario(an.load(over))["wires"]
    assert len(wire["impair"][0][0]["delays"]) == 3


DUPLICATE = 'kind = "duplicate"\nprobability = 0.5\n'
REORDER = 'kind = "reorder"\nprobability = 0.5\n'
UNIFORM = 'kind = "uniform-delay"\n'
RATE = 'kind = "rate"\nrate = "2 Mbit/s"\n'
TIME = 'a number with its unit, such as "300 s" (units: ns, us, µs, ms, s, min, h)'
PAIRS = 'a list of pairs, the earliest first, such as [["300 s", "11 Mbit/s"]]'
NUMBERS = "allowed: a list of whole numbers from 1 on, each once, such as [1, 3]"

# A stage, and what is said of it.
WRONG = {
    "a probability above one": (
        'kind = "duplicate"\nprobability = 1.5',
        "probability: 1.5 is out of range; allowed: 0 to 1",
    ),
    "a displacement of none to too many": (
        REORDER + "displacement = [0, 9]",
        "displacement: [0, 9] is refused: 0 is out of range; "
        "allowed: [lowest, highest], each 1 to 7 packets",
    ),
    "a range upside down": (
        DUPLICATE + "copies = [3, 1]",
        "copies: [3, 1] is refused: the lowest is above the highest; "
        "allowed: [lowest, highest], each 1 to 100 copies",
    ),
    "a number where a range stands": (
        DUPLICATE + "copies = 2",
        "copies: 2 is refused: not a list of two values; "
        "allowed: [lowest, highest], each 1 to 100 copies",
    ),
    "a range of halves": (
        DUPLICATE + "copies = [1, 1.5]",
        "copies: [1, 1.5] is refused: not whole numbers; "
        "allowed: [lowest, highest], each 1 to 100 copies",
    ),
    "times upside down": (
        UNIFORM + 'delay = ["9 ms", "5 ms"]',
        'delay: ["9 ms", "5 ms"] is refused: the lowest is above the highest; '
        f"allowed: [lowest, highest], each {TIME}",
    ),
    "a time without a unit": (
        UNIFORM + 'delay = [5, "9 ms"]',
        'delay: [5, "9 ms"] is refused: a number without a unit; '
        f"allowed: [lowest, highest], each {TIME}",
    ),
    "another word": (
        REORDER + 'within = "flow"',
        'within: "flow" is not one of the values; allowed: "link", "connection"',
    ),
    "changes in no order": (
        RATE + 'changes = [["9 s", "1 Mbit/s"], ["5 s", "2 Mbit/s"]]',
        'changes: [["9 s", "1 Mbit/s"], ["5 s", "2 Mbit/s"]] is refused: a time is not after the '
        f"one before; allowed: {PAIRS}",
    ),
    "a change of one value": (
        RATE + 'changes = ["9 s", "1 Mbit/s"]',
        f'changes: ["9 s", "1 Mbit/s"] is refused: not a list of pairs; allowed: {PAIRS}',
    ),
    "a change behind the end": (
        RATE + 'changes = [["9 s", "1 Mbit/s"], ["300 s", "2 Mbit/s"]]',
        'changes[1]: "300 s" is not before the end of the run; allowed: less than 300 s',
    ),
    "a number where a list stands": (
        'kind = "drop"\npackets = 3',
        f"packets: 3 is refused: not a list; {NUMBERS}",
    ),
    "a packet with the number zero": (
        'kind = "drop"\npackets = [0]',
        f"packets: [0] is refused: they count from 1 on; {NUMBERS}",
    ),
    "no rate at all": (
        RATE + 'changes = [["9 s", "0 bit/s"]]',
        f'changes: [["9 s", "0 bit/s"]] is refused: "0 bit/s" is out of range; allowed: {PAIRS}',
    ),
    "a tail without a mean": (
        'kind = "pareto-delay"\nmean = "5 ms"\nshape = 1.0',
        "shape: 1.0 is out of range; allowed: more than 1 and less than 100",
    ),
    "a parameter of another kind": (
        'kind = "delay"\ndelay = "5 ms"\nmean = "5 ms"',
        "mean: unknown field; allowed: towards, match, traffic, connection, min_size, "
        "max_size, from, until, kind, delay, changes",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_stage_is_refused(case: str, tmp_path: Path) -> None:
    stage, said = WRONG[case]
    assert refusal_of(tmp_path, BASELINE + HEAD + stage) == f"lab.toml: {PATH}.{said}"


# What a file of delays holds, and what is said of it.
WRONG_FILES = {
    "": "the file is empty",
    "ms\n": "there are no numbers below the unit",
    "12.5\n8\n": 'line 1: "12.5" is not a unit of time',
    "ms\n12.5\n\nlate\n": 'line 4: "late" is not a number',
    "ms\n12.5\n8 ms\n": 'line 3: "8 ms" is not a number',
    "ms\n-1\n": 'line 2: "-1" is negative',
    "s\n1e30\n": 'line 2: "1e30" is too large',
    "\x00\ufffd": 'line 1: "\\u0000\ufffd" is not a unit of time',
}


@pytest.mark.parametrize("delays", WRONG_FILES)
def test_a_wrong_file_of_delays_is_refused_by_its_line(delays: str, tmp_path: Path) -> None:
    (tmp_path / "delays.txt").write_text(delays, encoding="utf-8")
    stage = 'kind = "empirical-delay"\ndelays = "delays.txt"'
    allowed = "a unit in the first line (ns, us, µs, ms, s, min, h), and a number in each other"
    assert refusal_of(tmp_path, BASELINE + HEAD + stage) == (
        f"lab.toml: {PATH}.delays: delays.txt: {WRONG_FILES[delays]}; allowed: {allowed}"
    )


def test_a_file_of_delays_may_begin_with_a_mark_of_byte_order(tmp_path: Path) -> None:
    (tmp_path / "delays.txt").write_text("ms\n1\n", encoding="utf-8-sig")
    file = tmp_path / "lab.toml"
    file.write_text(BASELINE + HEAD + 'kind = "empirical-delay"\ndelays = "delays.txt"')
    (stage, *_) = an.compile_scenario(an.load(file))["wires"][0]["impair"][0]
    assert stage["delays"] == [1_000_000]


def test_a_file_of_delays_that_is_not_there_is_refused(tmp_path: Path) -> None:
    stage = 'kind = "empirical-delay"\ndelays = "delays.txt"'
    said = refusal_of(tmp_path, BASELINE + HEAD + stage)
    assert f"{PATH}.delays: delays.txt: cannot be read: No such file or directory" in said
