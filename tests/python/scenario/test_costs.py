"""A machine's processor may take time for what it does, as its table cost says."""

from pathlib import Path
from typing import Any

import pytest
from conftest import BASELINE
from refused import refusal_of

import anechoic as an
from anechoic.scenario.explain import explained

pytestmark = pytest.mark.usefixtures("core")

COSTS = """
[host.server.cost]
per_packet = "20 us"
per_record = "30 ms"

[ap.office.cost]
per_packet = "0.5 ms"
queue_packets = 50
"""


def loaded(folder: Path, text: str, **more: Any) -> an.Scenario:
    file = folder / "lab.toml"
    file.write_text(text, encoding="utf-8")
    return an.load(file, **more)


def test_a_machine_has_no_cost_unless_its_scenario_says_so(tmp_path: Path) -> None:
    nodes = an.compile_scenario(loaded(tmp_path, BASELINE))["nodes"]
    assert [node["cost"] for node in nodes] == [None, None, None]


def test_a_cost_is_compiled_to_nanoseconds(tmp_path: Path) -> None:
    nodes = an.compile_scenario(loaded(tmp_path, BASELINE + COSTS))["nodes"]
    server, office, laptop = (node["cost"] for node in nodes)
    assert server == {
        "per_packet_ns": 20_000,
        "per_connection_ns": 0,
        "per_record_ns": 30_000_000,
        "queue_packets": 1000,
    }
    assert (office["per_packet_ns"], office["queue_packets"]) == (500_000, 50)
    assert laptop is None


def test_explain_shows_each_cost_and_where_it_comes_from(tmp_path: Path) -> None:
    lines = {line.path: line for line in explained(loaded(tmp_path, BASELINE + COSTS))}
    assert lines["host.server.cost.per_packet"].value == "20 us"
    assert lines["host.server.cost.per_packet"].is_given
    usual = lines["host.server.cost.queue_packets"]
    assert (usual.value, usual.origin) == ("1000 packets", "default")
    assert "netdev_max_backlog" in usual.source
    assert not any(path.startswith("sta.laptop.cost") for path in lines)


def test_a_cost_may_be_swept_where_the_file_has_none(tmp_path: Path) -> None:
    sweep = '[[sweep]]\nname = "cost"\n"ap.office.cost.per_packet" = ["0 s", "1 ms"]\n'
    lines = {line.path: line for line in explained(loaded(tmp_path, BASELINE + sweep))}
    assert lines["ap.office.cost.per_packet"].value == "swept: 0 s, 1 ms"


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ('"-20 us"', '"-20 us" is refused: negative'),
        ('"2 s"', '"2 s" is refused: too large'),
        ("20", "20 is refused: a number without a unit"),
    ],
)
def test_a_cost_is_a_time_of_a_second_at_most(tmp_path: Path, written: str, said: str) -> None:
    refusal = refusal_of(tmp_path, BASELINE + COSTS.replace('"20 us"', written))
    assert f"host.server.cost.per_packet: {said}" in refusal
    assert refusal.endswith("at most 1 s")


def test_what_ends_no_connection_has_no_cost_of_one(tmp_path: Path) -> None:
    wrong = COSTS.replace("queue_packets = 50", 'per_connection = "1 ms"')
    assert refusal_of(tmp_path, BASELINE + wrong) == (
        "lab.toml: ap.office.cost.per_connection: unknown field; allowed: per_packet, queue_packets"
    )
