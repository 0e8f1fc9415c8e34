"""What `check` tells, for people and as a document; hints and names in any letters."""

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from anechoic.cli import cli
from anechoic.scenario.quantities import DURATION, RATE, SIZE

SCENARIO = """
run = { duration = "1 s", warmup = "0.2 s" }
host.server.stack = "linux-6"
host.client.stack = "linux-6"
wire.lan.between = ["server", "client"]
traffic.up = { app = "udp", from = "client", to = "server", rate = "1 Mbit/s" }
"""


def test_a_check_is_a_document(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.toml", tmp_path / "bad.toml"
    good.write_text(SCENARIO)
    done = CliRunner().invoke(cli, ["check", "--json", str(good)])
    assert done.exit_code == 0
    assert json.loads(done.stdout) == {
        "file": str(good),
        "cells": 1,
        "problems": [],
        "remarks": [],
    }
    bad.write_text(SCENARIO.replace("1 Mbit/s", "11 Mbps"))
    done = CliRunner().invoke(cli, ["check", "--json", str(bad)])
    assert done.exit_code == 2
    document = json.loads(done.stdout)
    (problem,) = document["problems"]
    assert document["cells"] is None
    assert (problem["path"], problem["nearest"]) == ("traffic.up.rate", '"11 Mbit/s"')
    assert problem["message"] in done.stderr


@pytest.mark.parametrize(
    ("dimension", "written", "meant"),
    [
        (RATE, "11 Mbps", "11 Mbit/s"),
        (RATE, "64 Kbps", "64 kbit/s"),
        (RATE, "64 kB/s", "512 kbit/s"),
        (RATE, "1.5 MBps", "12 Mbit/s"),
        (RATE, "5 Mb/s", "5 Mbit/s"),
        (RATE, "1 gbit/s", "1 Gbit/s"),
        (SIZE, "64 KB", "64 kB"),
        (DURATION, "5 sec", "5 s"),
    ],
)
def test_units_of_other_spellings_have_their_hint(
    dimension: object, written: str, meant: str
) -> None:
    assert dimension.meant(written) == f'"{meant}"'  # type: ignore[attr-defined]


def test_what_is_no_unit_has_no_hint() -> None:
    assert [RATE.meant(each) for each in ("5 apples", "5", 5, "fast")] == [None] * 4


def test_a_name_that_is_no_utf8_is_run_and_compared(tmp_path: Path) -> None:
    file = tmp_path / os.fsdecode(b"a\xff.toml")
    file.write_text(SCENARIO)
    for words in (["check", "--json"], ["explain", "--json"], ["calc"]):
        done = CliRunner().invoke(cli, [words[0], str(file), *words[1:]])
        assert (done.exit_code, done.exception) == (0, None)
    out = str(tmp_path / os.fsdecode(b"out\xff"))
    assert CliRunner().invoke(cli, ["run", str(file), "--reps", "1", "--out", out]).exit_code == 0
    assert CliRunner().invoke(cli, ["run", str(file), "--reps", "1", "--out", out]).exit_code == 0
    compared = ["compare", out, out, "--json", "--out", str(tmp_path / "compared")]
    assert CliRunner().invoke(cli, compared).exit_code == 0
