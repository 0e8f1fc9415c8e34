"""A campaign's outcome depends on the scenario and the seed, and on nothing else."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import SWEPT

import anechoic as an
from anechoic.campaign.results import Results

pytestmark = pytest.mark.usefixtures("core")

PROGRAM = Path(__file__).parent.parent / "standin_cli.py"
# Narrow enough that cells differ in how often they are run, and some reach the limit.
RULE = "\n[replication]\nmin = 4\nmax = 20\nprecision = 0.03\n"


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    path = tmp_path / "campaign.toml"
    path.write_text(SWEPT + RULE, encoding="utf-8")
    return path


def run(file: Path, out: Path, jobs: int = 2) -> Results:
    return an.run(file, out=out, jobs=jobs, progress=False)


def written(out: Path) -> dict[str, bytes]:
    """Give every file of a campaign's folder."""
    return {
        str(path.relative_to(out)): path.read_bytes()
        for path in sorted(out.rglob("*"))
        if path.is_file()
    }


def begun(file: Path, out: Path) -> "subprocess.Popen[str]":
    """Start the command line and wait until the first replications are kept."""
    command = [sys.executable, str(PROGRAM), "run", str(file), "--out", str(out), "--jobs", "2"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8"
    )
    deadline = time.monotonic() + 20
    while len(list(out.glob("records/*/0*.parquet"))) < 8:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.002)
    return process


def test_cells_are_run_as_often_as_the_rule_asks(campaign: Path, tmp_path: Path) -> None:
    results = run(campaign, tmp_path / "out")
    counts = [cell.replications for cell in results.cells]
    assert all(4 <= count <= 20 for count in counts)
    assert len(set(counts)) > 1
    for cell in results.cells:
        goodput = cell["goodput_mbps"]
        assert cell.limit_reached == (goodput.ci95 > 0.03 * goodput.mean)


def test_the_number_of_jobs_changes_no_byte(campaign: Path, tmp_path: Path) -> None:
    run(campaign, tmp_path / "one", jobs=1)
    run(campaign, tmp_path / "many", jobs=7)
    assert written(tmp_path / "one") == written(tmp_path / "many")


def test_what_was_run_ahead_and_not_needed_is_not_kept(campaign: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    results = run(campaign, out, jobs=7)
    kept = len(list(out.glob("records/*/[0-9][0-9][0-9][0-9].parquet")))
    assert kept == sum(cell.replications for cell in results.cells)


def test_cells_share_their_luck(campaign: Path, tmp_path: Path) -> None:
    # The stand-in's noise depends on the seed alone, so it cancels in paired differences.
    results = run(campaign, tmp_path / "out")
    two, four = results.cell(connections=2), results.cell(connections=4)
    difference = results.difference(two, four, "goodput_mbps")
    assert difference.mean == pytest.approx(0.2)
    assert difference.sd == pytest.approx(0.0, abs=1e-9)
    assert difference.n == min(two.replications, four.replications)


def test_a_finished_campaign_is_not_run_again(
    campaign: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = run(campaign, tmp_path / "out")

    def never(plan: str, *_arguments: object) -> None:
        # Checking a plan takes a run of one nanosecond.
        assert json.loads(plan)["duration_ns"] == 1

    monkeypatch.setattr(sys.modules["anechoic._core"], "run", never)
    assert run(campaign, tmp_path / "out").to_json() == first.to_json()


def test_results_are_read_from_the_folder_alone(campaign: Path, tmp_path: Path) -> None:
    first = run(campaign, tmp_path / "out")
    campaign.unlink()
    again = Results.load(tmp_path / "out")
    assert again.to_json() == first.to_json()
    assert again.axes == first.axes
    assert again.scenario.figure == first.scenario.figure


@pytest.mark.parametrize("seconds", [0.0, 0.03])
def test_a_killed_campaign_goes_on_and_ends_as_if_nothing_had_been(
    seconds: float, campaign: Path, tmp_path: Path
) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    run(campaign, whole)
    process = begun(campaign, killed)
    time.sleep(seconds)
    process.kill()
    process.communicate()
    finished = {
        path: path.stat().st_mtime_ns
        for path in records(killed).values()
        if len(path.suffixes) == 1
    }
    run(campaign, killed)
    after = records(killed)
    assert all(path.stat().st_mtime_ns == then for path, then in finished.items() if path.exists())
    for name in ("results.json", "results.csv", "metrics.parquet", "campaign.json"):
        assert (killed / name).read_bytes() == (whole / name).read_bytes()
    assert {name: path.read_bytes() for name, path in records(whole).items()}.items() <= {
        name: path.read_bytes() for name, path in after.items()
    }.items()
    assert not list(killed.rglob(".*.tmp"))


def records(out: Path) -> dict[str, Path]:
    return {str(path.relative_to(out)): path for path in out.glob("records/*/[0-9]*.parquet")}


def test_ctrl_c_keeps_what_is_finished_and_says_how_to_go_on(
    campaign: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    process = begun(campaign, out)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=20)
    assert process.returncode == 130
    assert stdout == ""
    assert f"finished replications are kept in {out}" in stderr
    assert "the same command goes on from there" in stderr
    assert "Traceback" not in stderr
    kept = len(list(out.glob("records/*/[0-9][0-9][0-9][0-9].parquet")))
    assert f"stopped: {kept} finished" in stderr
    assert run(campaign, out).to_json() == run(campaign, tmp_path / "whole").to_json()


def test_sigterm_ends_like_ctrl_c(campaign: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    process = begun(campaign, out)
    process.terminate()
    _, stderr = process.communicate(timeout=20)
    assert process.returncode == 143
    assert f"finished replications are kept in {out}" in stderr
    assert run(campaign, out).to_json() == run(campaign, tmp_path / "whole").to_json()


def test_who_stops_listening_to_the_progress_does_not_end_the_campaign(
    campaign: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    command = f"{sys.executable} {PROGRAM} run {campaign} --out {out} --jobs 1 2>&1 >/dev/null"
    subprocess.run(f"{command} | head -c 1", shell=True, check=True, stdout=subprocess.DEVNULL)
    assert (out / "results.json").read_text() == run(campaign, tmp_path / "whole").to_json()


def test_a_second_ctrl_c_does_not_wait_for_what_is_under_way(
    campaign: Path, tmp_path: Path
) -> None:
    campaign.write_text(campaign.read_text().replace("300 s", "3600 s"))
    command = [sys.executable, str(PROGRAM), "run", str(campaign), "--out", str(tmp_path / "out")]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, encoding="utf-8")
    assert process.stderr is not None
    began = time.monotonic()
    assert "3 cells" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    assert "Ctrl-C again" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=20)
    assert time.monotonic() - began < 15
    assert process.returncode == 130, stderr
    assert stderr.endswith(
        f"stopped: 0 finished replications are kept in {tmp_path / 'out'}\n"
        "the same command goes on from there\n"
    )


def test_a_damaged_record_is_run_again(campaign: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    whole = run(campaign, out).to_json()
    damaged = next(out.glob("records/*/0003.parquet"))
    good = damaged.read_bytes()
    damaged.write_bytes(good[:40])
    assert run(campaign, out).to_json() == whole
    assert damaged.read_bytes() == good


def test_more_replications_build_on_those_that_are_there(baseline: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    few = an.run(baseline, out=out, reps=3, progress=False).cells[0]["goodput_mbps"].values
    more = an.run(baseline, out=out, reps=5, progress=False).cells[0]["goodput_mbps"].values
    assert more[:3] == few
    assert len(records(out)) == 3 * 5


def test_a_folder_of_another_campaign_is_refused(baseline: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    an.run(baseline, out=out, reps=1, progress=False)
    with pytest.raises(an.ScenarioError, match="another campaign: its seed is 1, not 2"):
        an.run(baseline, out=out, reps=1, seed=2, progress=False)
    with pytest.raises(an.ScenarioError, match="with other values or another sweep"):
        an.run(baseline, out=out, reps=1, set={"air.channel": 1}, progress=False)


def test_without_a_folder_each_campaign_gets_its_own(
    baseline: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    first = an.run(baseline, reps=1, progress=False)
    other = an.run(baseline, reps=1, seed=2, progress=False)
    again = an.run(baseline, reps=1, progress=False)
    assert (first.out, again.out) == (Path("results/baseline"),) * 2
    assert other.out == Path("results/baseline-2")


def test_a_folder_that_cannot_be_one_is_refused(baseline: Path, tmp_path: Path) -> None:
    with pytest.raises(an.ScenarioError, match="this is a file; allowed: a folder"):
        an.run(baseline, out=baseline, reps=1, progress=False)
    out = tmp_path / "out"
    out.mkdir()
    (out / "campaign.json").write_text("{}")
    with pytest.raises(an.ScenarioError, match="not of this program's format"):
        an.run(baseline, out=out, reps=1, progress=False)


def test_an_unfinished_campaign_has_no_results_yet(campaign: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(campaign, out)
    max(out.glob("records/*/0004.sha256")).unlink()
    with pytest.raises(an.ScenarioError, match="not finished"):
        Results.load(out)
    with pytest.raises(an.ScenarioError, match=r"there is no campaign\.json"):
        Results.load(tmp_path)


def test_a_plan_that_the_core_refuses_is_found_before_anything_runs(
    swept: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    sweep = {"host.server.tcp.data_retries": [5, 13]}
    with pytest.raises(an.ScenarioError) as caught:
        an.run(swept, out=out, sweep=sweep, progress=False)
    assert str(caught.value).endswith(
        "swept.toml: the core refuses the plan: thirteen retries are too many "
        "(in the cell connections = 2, host.server.tcp.data_retries = 13)"
    )
    assert not out.exists()


def test_captures_are_of_the_first_replication_unless_all_are_asked_for(
    baseline: Path, tmp_path: Path
) -> None:
    taps = '[tap.cable]\nat = "wire.uplink"\n[tap.air]\nat = "ap.office"\nreplications = "all"\n'
    baseline.write_text(baseline.read_text() + taps)
    an.run(baseline, out=tmp_path / "out", reps=2, progress=False)
    captures = (tmp_path / "out").glob("records/*/*.captures/*")
    assert sorted(f"{path.parent.name}/{path.name}" for path in captures) == [
        "0000.captures/air.pcapng",
        "0000.captures/cable.pcapng",
        "0001.captures/air.pcapng",
    ]
