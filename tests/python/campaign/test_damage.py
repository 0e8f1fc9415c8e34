"""What a campaign keeps is what was written: damage is named and made again, never believed."""

import os
from pathlib import Path

import pytest

import anechoic as an
from anechoic.campaign.checksums import Damaged

pytestmark = pytest.mark.usefixtures("core")


def kept(out: Path) -> dict[str, bytes]:
    paths = (path for path in sorted(out.rglob("*")) if path.is_file())
    return {str(path.relative_to(out)): path.read_bytes() for path in paths}


def flipped(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at % len(data)] ^= 4
    path.write_bytes(data)


@pytest.mark.parametrize("at", [40, 200, -20])
@pytest.mark.parametrize("kind", ["0001.parquet", "0001.series.parquet", "0001.sha256"])
def test_a_flipped_bit_is_named_and_its_replication_run_again(
    kind: str, at: int, baseline: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    whole = an.run(baseline, out=out, reps=2, progress=False).to_json()
    before = kept(out)
    (path,) = out.glob(f"records/*/{kind}")
    flipped(path, at)
    again = an.run(baseline, out=out, reps=2, progress=False)
    said = capsys.readouterr().err
    assert said.startswith(f"{path.parent}/0001.") and "its replication is run again" in said
    assert again.to_json() == whole
    assert kept(out) == before


def test_results_of_damaged_records_are_refused_by_name(baseline: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    results = an.run(baseline, out=out, reps=2, progress=False)
    (series,) = out.glob("records/*/0000.series.parquet")
    flipped(series, 100)
    with pytest.raises(Damaged, match=r"0000\.series\.parquet: it is damaged"):
        results.series(results.cells[0])
    (metrics,) = out.glob("records/*/0000.parquet")
    flipped(metrics, 100)
    with pytest.raises(Damaged, match=r"0000\.parquet: it is damaged"):
        an.Results.load(out)


def test_what_closed_forms_said_is_missed_where_it_is_gone(baseline: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    whole = an.run(baseline, out=out, reps=2, progress=False).to_json()
    (calculated,) = out.glob("records/*/calculated.json")
    calculated.unlink()
    with pytest.raises(Damaged, match=r"calculated\.json: it cannot be read: No such file"):
        an.Results.load(out)
    assert an.run(baseline, out=out, reps=2, progress=False).to_json() == whole


def test_a_folder_where_a_file_is_written_is_named(baseline: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    an.run(baseline, out=out, reps=2, progress=False)
    (sums,) = out.glob("records/*/0001.sha256")
    sums.unlink()
    sums.mkdir()
    with pytest.raises(OSError, match=r"0001\.sha256 is a folder; "):
        an.run(baseline, out=out, reps=2, progress=False)


@pytest.mark.parametrize("name", ["campaign.json", "plan.json", "results.csv", "metrics.parquet"])
def test_what_stands_beside_the_records_is_written_anew(
    name: str, baseline: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    an.run(baseline, out=out, reps=2, progress=False)
    before = kept(out)
    (path,) = out.rglob(name)
    flipped(path, 60)
    an.run(baseline, out=out, reps=2, progress=False)
    assert kept(out) == before


def test_records_change_no_place(baseline: Path, tmp_path: Path) -> None:
    """A record that is whole, and of another replication, is no record of this one."""
    out = tmp_path / "out"
    whole = an.run(baseline, out=out, reps=2, progress=False).to_json()
    (cell,) = (path for path in (out / "records").iterdir())
    for path in cell.glob("0000.*"):
        name = path.name.replace("0000", "0001")
        text = path.read_bytes()
        (cell / name).write_bytes(text.replace(b"0000.", b"0001.") if "sha" in name else text)
    with pytest.raises(Damaged, match="of another cell, seed or build"):
        an.Results.load(out)
    assert an.run(baseline, out=out, reps=2, progress=False).to_json() == whole


@pytest.mark.parametrize("place", ["lock", "records", "a cell"])
def test_no_link_is_followed(place: str, baseline: Path, tmp_path: Path) -> None:
    """Whoever may write into the folder cannot have another file emptied or written to."""
    out, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "mine").write_text("mine")
    first = an.run(baseline, out=out, reps=1, progress=False)
    assert first.out == out
    if place == "lock":
        (out / "lock").symlink_to(elsewhere / "mine")
    else:
        (cell,) = (out / "records").iterdir()
        moved = cell if place == "a cell" else out / "records"
        moved.rename(tmp_path / "moved")
        moved.symlink_to(elsewhere)
    with pytest.raises(an.ScenarioError, match="a symbolic link, which is not followed"):
        an.run(baseline, out=out, reps=2, progress=False)
    assert {path.name: path.read_text() for path in elsewhere.iterdir()} == {"mine": "mine"}


def test_what_would_be_written_under_a_planted_name_goes_to_a_file_of_its_own(
    tmp_path: Path,
) -> None:
    from anechoic.files import write_whole

    (tmp_path / "mine").write_text("mine")
    (tmp_path / f".out.{os.getpid()}.tmp").symlink_to(tmp_path / "mine")
    write_whole(tmp_path / "out", b"out")
    assert (tmp_path / "mine").read_text() == "mine"
    assert not (tmp_path / "out").is_symlink()


@pytest.mark.parametrize("whose", ["another's", "everybody's"])
def test_records_that_others_could_have_written_are_not_taken(
    whose: str, baseline: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    an.run(baseline, out=tmp_path / "theirs", reps=1, progress=False)
    (record,) = (tmp_path / "theirs").glob("records/*/0000.parquet")
    if whose == "everybody's":
        record.chmod(0o666)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: record.stat().st_uid + 1)
    an.run(baseline, out=tmp_path / "mine", reps=1, progress=False)
    (mine,) = (tmp_path / "mine").glob("records/*/0000.parquet")
    assert not mine.samefile(record)
