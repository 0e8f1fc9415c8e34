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
    said = "lab.toml: traffic: missing: nothing runs; allowed: a table [traffic.NAME]"
    assert refusal_of(tmp_path, 'title = "x"') == said


def test_a_file_that_is_not_toml_names_the_line(tmp_path: Path) -> None:
    message = refusal_of(tmp_path, 'title = "x"\n[run\n')
    assert message == "lab.toml: line 2: the name of a table is not closed; allowed: [table]"


SLIPS = {
    'wire.lan = { rate = "9 Mbit/s" }\nwire.lan.impair.x.kind = "drop"': (
        "line 2: wire.lan.impair.x.kind adds to wire.lan, which line 1 has closed in braces"
    ),
    '[wire]\nlan = { delay = "1 ms" }\nlan.rate = "9 Mbit/s"': (
        "line 3: wire.lan.rate adds to wire.lan, which line 2 has closed in braces"
    ),
    'run.duration = "5 s"\n[run]\nduration = "6 s"': None,
    'run.duration = "5 s"\nrun.duration = "6 s"': (
        "line 2: run.duration stands twice, first in line 1; allowed: each value once"
    ),
    'ap.a = "plain"\nap.a.rate = "1 Mbit/s"': "line 2: ap.a has a value in line 1, and no fields",
    "run.duration = 5 s": "line 1: run.duration = 5 s has no quotation marks; allowed: texts and",
    "[air]\nstandard = 802.11g # the lab's": 'such as "11 Mbit/s": standard = "802.11g"',
    "[traffic.x]\napp = bulk": "line 2: app = bulk has no quotation marks",
    'run.duration = "5 s\nair.loss = "60 dB"': "line 1: the text of run.duration is not closed",
    "title = 'x": "line 1: the text of title is not closed; allowed: ' at its end",
    'run.duration "5 s"': "line 1: there is no = between a name and its value",
    'run.duration: "5 s"': "line 1: a colon between a name and its value; allowed: name = value",
    'sta.my laptop = { ap = "a" }': "line 1: a name with a space",
    'wire.lan.between = ["a", "b"],': 'line 1: "," behind the value of wire.lan.between',
    'title = "x"; run.seed = 1': 'line 1: ";" behind the value of title',
    'wire.lan.between = [\n  "a"\n  "b",\n]': "a comma is missing between two values of wire.lan.",
    'wire.lan.between = ["a", "b"\ntitle = "x"': "line 1: the list of wire.lan.between is",
    'run = { duration = "5 s",\n  warmup = "1 s" }': "line 1: the braces of run are not closed",
    "run.datagrams = True": "line 1: run.datagrams is no truth value; allowed: true (or false)",
    'run.duration =\ntitle = "x"': "line 1: run.duration has no value; allowed: name = value",
    "title = “x”": 'line 1: quotation marks of print; allowed: the straight one, "',
    'run.seed = 1 title = "x"': 'line 1: more stands behind the value of run.seed: title = "x"',
    "run.seed = 01": "line 1: run.seed = 01 begins with a zero; allowed: 1",
    '// the lab\ntitle = "x"': "line 1: this is no comment; allowed: a comment behind #",
}


@pytest.mark.parametrize("text", SLIPS)
def test_slips_are_told_in_the_words_of_the_scenario(tmp_path: Path, text: str) -> None:
    said, expected = refusal_of(tmp_path, text), SLIPS[text]
    assert said.startswith("lab.toml: ")
    if expected is not None:
        assert expected in said
        assert "not TOML" not in said


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
        f"lab.toml: {table}: a single table, and there may be several; allowed: tables [[{table}]]"
    )


def test_tables_with_names_written_as_a_list_are_told_how_to_be_named(tmp_path: Path) -> None:
    said = refusal_of(tmp_path, 'wire.lan.between = ["a", "b"]\n[[wire.lan.impair]]\nkind = "drop"')
    assert (
        '[{"kind": "drop"}] is a list, not a table; allowed: tables [wire.lan.impair.NAME]' in said
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
