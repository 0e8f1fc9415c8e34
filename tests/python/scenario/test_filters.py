"""A stage is about the packets that its filter describes; one that can match nothing is refused."""

from pathlib import Path
from typing import Any

import pytest
from conftest import BASELINE
from refused import refusal_of

import anechoic as an

pytestmark = pytest.mark.usefixtures("core")

BENCH = (
    BASELINE
    + """
[traffic.flood]
app = "udp"
from = "server"
to = "laptop"

[wire.uplink.impair.loss]
kind = "drop"
towards = "office"
probability = 0.01
"""
)


def stage_of(folder: Path, text: str) -> dict[str, Any]:
    """Compile the bench with some more fields of the stage, and give it."""
    (folder / "lab.toml").write_text(BENCH + text, encoding="utf-8")
    plan = an.compile_scenario(an.load(folder / "lab.toml"))
    stage: dict[str, Any] = plan["wires"][0]["impair"][0][0]
    return stage


def test_traffic_stands_for_all_its_flows(tmp_path: Path) -> None:
    assert stage_of(tmp_path, 'traffic = "pairs"')["flows"] == [0, 1]
    assert stage_of(tmp_path, 'traffic = "flood"')["flows"] == [2]
    assert stage_of(tmp_path, "")["flows"] is None


def test_sizes_are_of_bytes(tmp_path: Path) -> None:
    stage = stage_of(tmp_path, 'min_size = "1 kB"\nmax_size = 1500')
    assert (stage["min_bytes"], stage["max_bytes"]) == (1000, 1500)


def test_a_connection_has_a_number(tmp_path: Path) -> None:
    assert stage_of(tmp_path, 'traffic = "pairs"\nconnection = 2')["connection"] == 2


# The fields of the stage, and what is said.
WRONG = {
    "traffic that there is not": (
        'traffic = "pair"',
        'traffic: there is no traffic "pair"; allowed: pairs, flood; did you mean pairs?',
    ),
    "traffic that does not go there": (
        'traffic = "flood"\ntowards = "server"',
        'traffic: none of "flood" goes over the wire towards server; allowed: pairs',
    ),
    "a kind that the traffic has not": (
        'traffic = "flood"\nmatch = "tcp-data"',
        'match: "tcp-data" can match nothing: no such packets go over the wire towards office; '
        "allowed: all, udp",
    ),
    "the answer where the question goes": (
        'match = "tcp-syn-ack"',
        'match: "tcp-syn-ack" can match nothing: no such packets go over the wire towards '
        "office; allowed: all, tcp, tcp-data, tcp-ack, tcp-syn, tcp-fin, tcp-rst, tcp-psh, udp",
    ),
    "a connection of datagrams": (
        'traffic = "flood"\nconnection = 1',
        "connection: there is no connection whose packets go over the wire towards office; "
        "allowed: traffic over TCP",
    ),
    "a connection and datagrams": (
        'match = "udp"\nconnection = 1',
        'match: "udp" can match nothing: no such packets go over the wire towards office; '
        "allowed: all, tcp, tcp-data, tcp-ack, tcp-syn, tcp-fin, tcp-rst, tcp-psh",
    ),
    "a connection before the first": (
        "connection = 0",
        "connection: 0 is out of range; allowed: 1 to 4294967295",
    ),
    "sizes that exclude each other": (
        "min_size = 1000\nmax_size = 999",
        "max_size: 999 is less than the smallest size; allowed: at least 1000",
    ),
    "packets larger than a frame takes": (
        "min_size = 1501",
        "min_size: 1501 can match nothing: no such packets are as large; "
        "allowed: at most 1500 bytes",
    ),
    "acknowledgments as large as data": (
        'match = "tcp-ack"\nmin_size = 1000',
        "min_size: 1000 can match nothing: no such packets are as large; allowed: at most 80 bytes",
    ),
    "data smaller than their headers": (
        'match = "tcp-data"\nmax_size = 40',
        "max_size: 40 can match nothing: no such packets are as small; allowed: at least 41 bytes",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_filter_that_can_match_nothing_is_refused(case: str, tmp_path: Path) -> None:
    fields, said = WRONG[case]
    bench = BENCH.replace('towards = "office"\n', "") if "towards" in fields else BENCH
    message = refusal_of(tmp_path, bench + fields)
    assert message == f"lab.toml: wire.uplink.impair.loss.{said}"
