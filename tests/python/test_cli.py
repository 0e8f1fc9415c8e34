"""The command line as a person or a script meets it."""

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from conftest import BASELINE

from anechoic.cli import cli

PROGRAM = Path(__file__).parent / "standin_cli.py"


pytestmark = pytest.mark.usefixtures("core")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in an empty folder, as a person would."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def anechoic(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, list(map(str, arguments)), prog_name="anechoic")


def test_a_run_prints_the_table_and_where_the_report_is(swept: Path, folder: Path) -> None:
    done = anechoic("run", swept, "--reps", "3")
    assert done.exit_code == 0, done.stderr
    assert "goodput_mbps" in done.stdout
    assert done.stdout.endswith("report: results/swept/report.html\n")
    assert "cell 3/3: connections = 8: goodput_mbps" in done.stderr
    out = folder / "results" / "swept"
    assert {path.name for path in out.iterdir()} == {
        "campaign.json",
        "metrics.parquet",
        "records",
        "report.html",
        "results.csv",
        "results.json",
        "results.sha256",
    }


def test_with_json_standard_output_is_one_document(swept: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = anechoic("run", swept, "--reps", "2", "--out", out, "--json")
    assert done.exit_code == 0, done.stderr
    assert len(json.loads(done.stdout)["cells"]) == 3
    assert done.stdout == (out / "results.json").read_text(encoding="utf-8")
    assert "report: " in done.stderr


def test_values_and_sweeps_come_from_the_command_line(swept: Path, tmp_path: Path) -> None:
    options = ["--set", "air.loss=60 dB", "--set", "ap.office.preamble=short"]
    options += ["--sweep", "connections=2,8", "--sweep", "ap.office.rts_threshold=256,2347"]
    out = tmp_path / "out"
    done = anechoic("run", swept, *options, "--reps", "1", "--seed", "7", "--out", out, "--json")
    assert done.exit_code == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["campaign"]["seed"] == 7
    assert document["campaign"]["set"]["air.loss"] == "60 dB"
    assert [list(cell["parameters"].values()) for cell in document["cells"]] == [
        [2, 256],
        [2, 2347],
        [8, 256],
        [8, 2347],
    ]


def test_check_counts_the_cells(swept: Path) -> None:
    done = anechoic("check", swept)
    assert (done.exit_code, done.stdout, done.stderr) == (0, f"{swept}: fine, 3 cells\n", "")


def test_explain_names_what_was_set(baseline: Path) -> None:
    done = anechoic("explain", baseline, "--set", "run.duration=60 s")
    assert done.exit_code == 0, done.stderr
    line = next(each for each in done.stdout.splitlines() if each.startswith("run.duration"))
    assert line.split() == ["run.duration", "60", "s", "--set"]


def test_explain_shows_what_is_swept(swept: Path) -> None:
    done = anechoic("explain", swept, "--sweep", "host.server.tcp.sack=true,false")
    assert done.exit_code == 0, done.stderr
    lines = {line.split()[0]: line.split()[1:] for line in done.stdout.splitlines()}
    assert lines["traffic.pairs.count"] == ["swept:", "2,", "4,", "8", "sweep"]
    assert lines["host.server.tcp.sack"] == ["swept:", "true,", "false", "sweep"]
    assert lines["host.server.tcp.initial_window"][:5] == ["{", "segments", "=", "2", "}"]
    refused = anechoic("explain", swept, "--sweep", "run.seed=1,2")
    assert refused.stderr == (
        f"anechoic: {swept}: --sweep run.seed: this is the same for all cells; "
        "allowed: any field but title, run.seed, run.backend and those of [replication]\n"
    )


def test_one_flow_is_one_flow(baseline: Path) -> None:
    done = anechoic("explain", baseline, "--set", "traffic.pairs.count=1")
    line = next(each for each in done.stdout.splitlines() if "pairs.count" in each)
    assert line.split() == ["traffic.pairs.count", "1", "flow", "--set"]


@pytest.mark.parametrize("command", ["run", "check", "explain"])
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "lab.toml: the file is empty; allowed: a scenario"),
        (BASELINE.replace("300 s", "-300 s"), "lab.toml: run.duration: "),
        (BASELINE + "[[sweep]]\nname = 3", "lab.toml: sweep[0].name: 3 is not a text"),
    ],
)
def test_bad_input_is_a_message_and_status_2(command: str, text: str, said: str) -> None:
    Path("lab.toml").write_text(text, encoding="utf-8")
    done = anechoic(command, "lab.toml")
    assert done.exit_code == 2
    assert done.stdout == ""
    assert done.stderr.startswith(f"anechoic: {said}")
    assert isinstance(done.exception, SystemExit)
    assert not Path("results").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ["run", "lab.toml", "--set", "nothing"],
        ["run", "lab.toml", "--sweep", "=1"],
        ["run", "lab.toml", "--sweep", "air.loss=,"],
        ["run", "lab.toml", "--jobs", "0"],
        ["claims", "goel-1", "--reps", "0"],
        ["run", "lab.toml", "--reps", "0"],
        ["run", "lab.toml", "--seed", "-1"],
        ["run"],
        ["rum", "lab.toml"],
        ["check", "missing.toml"],
        ["check", "."],
    ],
)
def test_a_wrong_command_is_a_message_and_status_2(arguments: list[str]) -> None:
    Path("lab.toml").write_text(BASELINE, encoding="utf-8")
    done = anechoic(*arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr != ""
    assert isinstance(done.exception, SystemExit)


@pytest.mark.parametrize(("option", "form"), [("--set", "PATH=VALUE"), ("--sweep", "PATH=V1,V2,…")])
def test_an_option_without_a_value_shows_its_form(option: str, form: str, baseline: Path) -> None:
    assert (
        f'"nothing" is refused; allowed: {form}'
        in anechoic("check", baseline, option, "nothing").stderr
    )


def test_a_file_that_may_not_be_read_is_one_line(
    baseline: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(_path: Path) -> bytes:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr("anechoic.scenario.extends.read_file", denied)
    done = anechoic("check", baseline)
    assert done.stderr == f"anechoic: {baseline}: cannot be read: Permission denied\n"


def test_a_reader_that_goes_away_is_no_error_message(baseline: Path) -> None:
    command = f"{sys.executable} {PROGRAM} explain {baseline} | true"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.stderr == ""


@pytest.mark.usefixtures("baseline")
@pytest.mark.parametrize("words", [["explain", "baseline.toml"], ["--version"], ["--help"]])
def test_an_output_without_room_is_one_line(words: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, PROGRAM, *words]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    said = "anechoic: standard output: cannot be written: No space left on device\n"
    assert (done.returncode, done.stderr) == (1, said)


@pytest.mark.usefixtures("baseline")
@pytest.mark.parametrize("words", ["explain baseline.toml", "--version"])
def test_an_output_that_is_closed_is_one_line_too(words: str) -> None:
    command = f"{sys.executable} {PROGRAM} {words} >&-"
    done = subprocess.run(command, shell=True, stderr=subprocess.PIPE, text=True, check=False)
    said = "anechoic: standard output: cannot be written: it is closed\n"
    assert (done.returncode, done.stderr) == (1, said)


def test_words_for_people_never_go_to_the_standard_output() -> None:
    command = f"{sys.executable} {PROGRAM} check none.toml 2>&-"
    done = subprocess.run(command, shell=True, stdout=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")


def test_the_version_is_the_core_s() -> None:
    assert anechoic("--version").stdout == "anechoic 0.0.0+standin\n"


def test_a_campaign_of_one_cell_loads_nothing_that_it_does_not_need(baseline: Path) -> None:
    short = {"run.duration": "1 s", "run.warmup": "0 s"}
    runs = f"import sys, anechoic as an; an.run({str(baseline)!r}, set={short!r}, reps=2); "
    lists = "print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", runs + lists], capture_output=True, text=True, check=True
    )
    # Each takes longer to load than the campaign to run.
    heavy = {"matplotlib", "pandas", "pyarrow", "scipy", "rich"}
    assert "numpy" in done.stdout.split()
    assert heavy.isdisjoint(done.stdout.split())


def test_help_loads_nothing_that_only_a_command_needs() -> None:
    asks = "import sys; from anechoic.cli import cli; cli(['--help'], standalone_mode=False); "
    lists = "print(*sys.modules, file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", asks + lists], capture_output=True, text=True, check=True
    )
    heavy = {"numpy", "scipy", "matplotlib", "pyarrow", "pydantic", "rich", "anechoic._core"}
    assert "click" in done.stderr.split()
    assert heavy.isdisjoint(done.stderr.split())
