"""What is no scenario file is refused with the reason, and where it can be with the line."""

import errno
import os
from pathlib import Path

import pytest
from conftest import BASELINE
from refused import refusal, refusal_of

pytestmark = pytest.mark.usefixtures("core")


def test_an_empty_file(tmp_path: Path) -> None:
    assert refusal_of(tmp_path, "") == "lab.toml: the file is empty; allowed: a scenario"
    assert refusal_of(tmp_path, "# nothing\n").startswith("lab.toml: the file is empty")


def test_a_scenario_with_nothing_to_run(tmp_path: Path) -> None:
    said = "lab.toml: traffic: missing; allowed: a table [traffic.NAME]: something to run"
    assert refusal_of(tmp_path, 'title = "x"') == said


def test_a_file_that_is_not_toml_names_the_line(tmp_path: Path) -> None:
    message = refusal_of(tmp_path, 'title = "x"\n[run\n')
    assert message.startswith("lab.toml: not TOML: ")
    assert "line 2" in message


def test_a_table_that_stands_twice(tmp_path: Path) -> None:
    assert refusal_of(tmp_path, BASELINE + "[host.server]\n") == (
        "lab.toml: the table [host.server] stands twice, again at line 30, column 13; "
        "allowed: each table once"
    )


@pytest.mark.parametrize("before", ['lan = { rate = "5 Mbit/s" }', 'lan.impair.x.kind = "drop"'])
def test_a_table_that_adds_to_one_that_is_whole(tmp_path: Path, before: str) -> None:
    assert refusal_of(tmp_path, f"[wire]\n{before}\n[wire.lan.impair]\n") == (
        "lab.toml: the table [wire.lan.impair] adds to one that is written in braces or with dots, "
        "at line 3, column 17; allowed: all of a table in one place"
    )


def test_a_file_that_is_not_utf8_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "lab.toml"
    path.write_bytes(b'title = "x"\nname = "\xff"\n')
    said = "lab.toml: not UTF-8: byte 0xff in line 2; allowed: a text file in UTF-8"
    assert refusal(path) == said


def test_a_directory(tmp_path: Path) -> None:
    said = "this is a directory; allowed: a scenario file"
    assert refusal(tmp_path).endswith(f"{tmp_path.name}: {said}")


def test_the_ending_makes_no_name_nearer(baseline: Path) -> None:
    baseline.with_name("Cargo.toml").touch()
    assert refusal(baseline.with_name("a.toml")) == "a.toml: there is no such file"


@pytest.mark.parametrize("table", ["sweep", "figure"])
def test_a_list_written_as_a_single_table_is_told_how_to_be_one(tmp_path: Path, table: str) -> None:
    assert refusal_of(tmp_path, BASELINE + f'[{table}]\ntitle = "x"\n') == (
        f"lab.toml: {table}: a single table, and there may be several; "
        f"allowed: [[{table}]] above each"
    )


def test_tables_with_names_written_as_a_list_are_told_how_to_be_named(tmp_path: Path) -> None:
    said = refusal_of(tmp_path, 'wire.lan.between = ["a", "b"]\n[[wire.lan.impair]]\nkind = "drop"')
    assert (
        '[{"kind": "drop"}] is a list, not a table; allowed: [wire.lan.impair.NAME] above' in said
    )


def test_a_missing_file_suggests_a_neighbour(baseline: Path) -> None:
    message = refusal(baseline.with_name("basline.toml"))
    assert message == "basline.toml: there is no such file; did you mean baseline.toml?"


def test_a_file_without_permission(baseline: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The superuser may read every file, so the system's refusal is put on.
    def refused(_path: Path) -> bytes:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr("anechoic.files.open_regular", refused)
    assert refusal(baseline) == "baseline.toml: cannot be read: Permission denied"


def test_nesting_without_end(tmp_path: Path) -> None:
    text = f"title = {'[' * 5000}"
    assert refusal_of(tmp_path, text) == "lab.toml: not a scenario: nested too deeply"


def test_a_number_without_end(tmp_path: Path) -> None:
    assert refusal_of(tmp_path, f"run.seed = {'9' * 5000}").startswith("lab.toml: not TOML: ")
