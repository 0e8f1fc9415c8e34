"""Queues stand at either end of a wire and in front of radios."""

from pathlib import Path
from typing import Any

import pytest
from conftest import BASELINE
from refused import refusal_of

import anechoic as an
from anechoic.scenario.explain import explained

pytestmark = pytest.mark.usefixtures("core")

DROP_TAIL = {"kind": "drop-tail", "packets": 1000, "bytes": None}
CODEL = {
    "kind": "codel",
    "target": 5_000_000,
    "interval": 100_000_000,
    "ecn": False,
    "packets": 1000,
}


def plan_of(tmp_path: Path, text: str, **values: Any) -> dict[str, Any]:
    file = tmp_path / "queues.toml"
    file.write_text(BASELINE + text, encoding="utf-8")
    return an.compile_scenario(an.load(file, set=values))


def test_a_wire_has_the_same_queue_at_either_end_unless_one_is_told_of(tmp_path: Path) -> None:
    (wire,) = plan_of(tmp_path, "")["wires"]
    assert wire["queue"] == [DROP_TAIL] * 2
    (wire,) = plan_of(tmp_path, '[wire.uplink.queue_at.office]\nkind = "codel"\n')["wires"]
    assert wire["queue"] == [DROP_TAIL, CODEL]


def test_a_radio_has_the_queue_of_its_mac_or_one_of_its_own(tmp_path: Path) -> None:
    access_point = plan_of(tmp_path, "")["nodes"][1]["interfaces"][0]["radio"]
    assert (access_point["queue"], access_point["mac"]["queue_packets"]) == (None, 100)
    plan = plan_of(tmp_path, "", **{"ap.office.queue": "codel"})
    assert plan["nodes"][1]["interfaces"][0]["radio"]["queue"] == CODEL


def test_explain_tells_of_each_queue(tmp_path: Path) -> None:
    file = tmp_path / "queues.toml"
    own = '[wire.uplink.queue_at.office]\nkind = "red"\n[ap.office.queue]\nkind = "pie"\n'
    file.write_text(BASELINE + own, encoding="utf-8")
    lines = {line.path: line.value for line in explained(an.load(file))}
    assert lines["wire.uplink.queue.packets"] == "1000 packets"
    assert lines["wire.uplink.queue_at.office.max_threshold"] == "15.0 packets"
    assert lines["ap.office.queue.target"] == "15 ms"


def test_a_radio_with_two_queues_is_refused(tmp_path: Path) -> None:
    both = '[ap.office.queue]\nkind = "codel"\n'
    text = BASELINE.replace("[sta.laptop]", f"queue_packets = 50\n{both}\n[sta.laptop]")
    assert refusal_of(tmp_path, text).endswith(
        "is refused: there is a queue of its own; allowed: queue_packets, or queue"
    )


def test_the_service_of_packets_is_that_of_their_traffic(tmp_path: Path) -> None:
    assert {flow["dscp"] for flow in plan_of(tmp_path, "")["flows"]} == {0}
    plan = plan_of(tmp_path, "", **{"traffic.pairs.dscp": 46})
    assert {flow["dscp"] for flow in plan["flows"]} == {46}
    wrong = BASELINE.replace("count = 2", "count = 2\ndscp = 64")
    assert refusal_of(tmp_path, wrong) == (
        "lab.toml: traffic.pairs.dscp: 64 is out of range; allowed: 0 to 63"
    )
