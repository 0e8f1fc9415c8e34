"""What a campaign beside this one has run of the same cell is not run again."""

import json
import sys
from pathlib import Path

import pytest

import anechoic as an
from anechoic.campaign.checksums import sealed
from anechoic.campaign.manifest import MANIFEST, read_manifest

pytestmark = pytest.mark.usefixtures("core")


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Give the seeds of the replications that the core has run."""
    core = sys.modules["anechoic._core"]
    run, seeds = core.run, []

    def counted(plan: str, seed: int, *arguments: object) -> object:
        # Checking a plan takes a run of one nanosecond.
        if json.loads(plan)["duration_ns"] > 1:
            seeds.append(seed)
        return run(plan, seed, *arguments)

    monkeypatch.setattr(core, "run", counted)
    return seeds


def written(out: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(out)): path.read_bytes()
        for path in sorted(out.rglob("*"))
        if path.is_file()
    }


def test_experiments_that_share_a_cell_run_it_once(
    baseline: Path, tmp_path: Path, runs: list[int], capsys: pytest.CaptureFixture[str]
) -> None:
    study = tmp_path / "study"
    an.run(baseline, out=study / "one", reps=3, progress=False)
    swept = an.run(baseline, out=study / "two", reps=3, sweep={"traffic.pairs.count": [2, 4]})
    assert len(runs) == 3 + 3
    said = "3 replications taken over from campaigns beside this one\n"
    assert capsys.readouterr().err.endswith(said)
    alone = an.run(
        baseline,
        out=tmp_path / "alone" / "two",
        reps=3,
        sweep={"traffic.pairs.count": [2, 4]},
        progress=False,
    )
    assert written(study / "two") == written(tmp_path / "alone" / "two")
    assert swept.to_json() == alone.to_json()


def test_what_was_taken_over_stays_when_the_other_campaign_goes(
    baseline: Path, tmp_path: Path, runs: list[int]
) -> None:
    first = an.run(baseline, out=tmp_path / "one", reps=2, progress=False)
    an.run(baseline, out=tmp_path / "two", reps=2, progress=False)
    for path in sorted((tmp_path / "one").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    assert an.Results.load(tmp_path / "two").to_json() == first.to_json()
    assert len(runs) == 2


@pytest.mark.parametrize("change", [{"seed": 2}, {"set": {"run.duration": "299 s"}}])
def test_another_seed_or_another_plan_is_another_record(
    change: dict[str, object], baseline: Path, tmp_path: Path, runs: list[int]
) -> None:
    an.run(baseline, out=tmp_path / "one", reps=2, progress=False)
    an.run(baseline, out=tmp_path / "two", reps=2, progress=False, **change)
    assert len(runs) == 4


def test_another_build_is_not_believed(
    baseline: Path, tmp_path: Path, runs: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    an.run(baseline, out=tmp_path / "one", reps=2, progress=False)
    monkeypatch.setattr(sys.modules["anechoic._core"], "version", lambda: "0.0.1")
    an.run(baseline, out=tmp_path / "two", reps=2, progress=False)
    assert len(runs) == 4


def test_what_was_measured_is_no_simulation(
    baseline: Path, tmp_path: Path, runs: list[int]
) -> None:
    an.run(baseline, out=tmp_path / "one", reps=2, progress=False)
    known = read_manifest(tmp_path / "one")
    assert known is not None
    known["campaign"]["backend"] = "live"
    (tmp_path / "one" / MANIFEST).write_text(sealed(known))
    an.run(baseline, out=tmp_path / "two", reps=2, progress=False)
    assert len(runs) == 4


@pytest.mark.parametrize("kind", ["0001.parquet", "0001.timing.parquet"])
def test_a_damaged_record_is_run_and_not_taken_over(
    kind: str, baseline: Path, tmp_path: Path, runs: list[int]
) -> None:
    an.run(baseline, out=tmp_path / "one", reps=2, progress=False)
    whole = written(tmp_path / "one")
    (damaged,) = (tmp_path / "one").glob(f"records/*/{kind}")
    damaged.write_bytes(damaged.read_bytes()[:40])
    an.run(baseline, out=tmp_path / "two", reps=2, progress=False)
    assert len(runs) == 3
    assert written(tmp_path / "two") == whole


def test_what_stands_beside_and_is_no_campaign_does_not_matter(
    baseline: Path, tmp_path: Path, runs: list[int]
) -> None:
    for name, text in {"a": "no JSON", "b": "[]", "c": '{"format": 1}'}.items():
        (tmp_path / "results" / name).mkdir(parents=True)
        (tmp_path / "results" / name / "campaign.json").write_text(text)
    an.run(baseline, out=tmp_path / "results" / "mine", reps=2, progress=False)
    assert len(runs) == 2


def test_a_campaign_with_taps_runs_its_own(baseline: Path, tmp_path: Path, runs: list[int]) -> None:
    baseline.write_text(baseline.read_text() + '[tap.cable]\nat = "wire.uplink"\n')
    for name in ("one", "two"):
        an.run(baseline, out=tmp_path / name, reps=1, progress=False)
        assert len(list((tmp_path / name).glob("records/*/0000.captures/cable.pcapng"))) == 1
    assert len(runs) == 2


def test_cells_of_one_plan_are_run_once(
    baseline: Path, tmp_path: Path, runs: list[int], capsys: pytest.CaptureFixture[str]
) -> None:
    # The same delay, written in two ways.
    results = an.run(
        baseline, out=tmp_path / "out", reps=3, sweep={"wire.uplink.delay": ["1 ms", "1000 us"]}
    )
    assert len(runs) == 3
    assert "2 cells, about 3 replications" in capsys.readouterr().err
    short, long = results.cells
    assert short.metrics == long.metrics
    assert [cell.replications for cell in an.Results.load(tmp_path / "out").cells] == [3, 3]
