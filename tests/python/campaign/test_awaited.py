"""What stages wait for and never comes is told."""

from pathlib import Path

import pytest

import anechoic as an
from anechoic.campaign.table import text
from anechoic.report.warnings import warnings

pytestmark = pytest.mark.usefixtures("wide_terminal")

SCENARIO = """
run = { duration = "2 s", warmup = "0 s" }
host.server = {}
host.desk = {}
wire.lan.between = ["server", "desk"]
traffic.ask = { app = "ping", from = "server", to = "desk", interval = "500 ms" }

[wire.lan.impair.lost]
kind = "drop"
towards = "desk"
match = "icmp"
packets = [2, 9, 7]

[replication]
metric = "flow.ask-1.requests"
"""

CONNECTIONS = """
run = { duration = "2 s", warmup = "0 s" }
host.server.stack = "linux-6"
host.desk.stack = "linux-6"
wire.lan.between = ["server", "desk"]
traffic.first = { app = "bulk", from = "server", to = "desk" }
traffic.second = { app = "bulk", from = "server", to = "desk" }

[wire.lan.impair.lost]
kind = "drop"
towards = "desk"
connection = 7
every = 10
"""


def test_packets_that_never_came_are_named_in_the_table_and_on_the_page(tmp_path: Path) -> None:
    file = tmp_path / "lab.toml"
    file.write_text(SCENARIO, encoding="utf-8")
    results = an.run(file, reps=1, out=tmp_path / "out", progress=False)
    told = "Of the packets listed for lost on the wire lan, 7 and 9 never came from server."
    assert told in text(results).replace("\n    ", " ").splitlines()
    assert told in warnings(results)


def test_a_connection_that_never_came_is_told(tmp_path: Path) -> None:
    file = tmp_path / "lab.toml"
    file.write_text(CONNECTIONS, encoding="utf-8")
    results = an.run(file, reps=1, out=tmp_path / "out", progress=False)
    told = "Connection 7, which lost on the wire lan is about, never came from server"
    assert f"{told}: there were 2." in text(results).replace("\n    ", " ").splitlines()


def test_a_list_that_came_as_a_whole_is_not_worth_a_word(tmp_path: Path) -> None:
    file = tmp_path / "lab.toml"
    file.write_text(SCENARIO.replace("[2, 9, 7]", "[2]"), encoding="utf-8")
    results = an.run(file, reps=1, out=tmp_path / "out", progress=False)
    assert "never came" not in text(results)
