"""What the Python side takes for granted about the compiled core holds for the real one."""

import json
from pathlib import Path

import pytest

import anechoic as an
from anechoic import _core
from anechoic.scenario.catalogue import metric_names
from anechoic.scenario.stacks import stack_fields

EVERYTHING = """
[run]
duration = "3 s"
warmup = "1 s"
series_step = "1 s"
tcp_info_step = "1 s"

[host.server]
stack = "windows-2000"

[ap.a]
profile = "vendor-a"

[sta.laptop]
ap = "a"
stack = "windows-xp"
count = 2

[wire.uplink]
between = ["server", "a"]

[air]

[traffic.script]
app = "chariot-throughput"
from = "server"
to = "laptop"
transactions_per_record = 1

[traffic.bulk]
app = "bulk"
from = "laptop"
to = "server"
bytes = "64 MB"

[traffic.flood]
app = "udp"
from = "server"
to = "laptop"
rate = "100 kbit/s"

[traffic.probe]
app = "ping"
from = "laptop"
to = "server"

[tap.cable]
at = "wire.uplink"

[tap.air]
at = "ap.a"
"""


@pytest.fixture
def plan(tmp_path: Path) -> an.Plan:
    path = tmp_path / "everything.toml"
    path.write_text(EVERYTHING)
    return an.compile_scenario(an.load(path))


def test_the_core_runs_every_kind_of_plan_the_compiler_makes(plan: an.Plan, tmp_path: Path) -> None:
    record = _core.run(json.dumps(plan), 1, str(tmp_path))
    assert record.metrics()["goodput_mbps"] > 0
    assert {path.name for path in tmp_path.glob("*.pcapng")} == {"cable.pcapng", "air.pcapng"}
    tables = record.tables()
    assert {"series", "tcp_info", "transfers"} <= tables.keys()
    width = {"f64": 8, "i64": 8, "text": 4}
    for columns in tables.values():
        assert len({len(data) // width[kind] for kind, data, _ in columns.values()}) == 1


def test_the_metrics_of_a_record_are_those_of_the_catalogue(plan: an.Plan) -> None:
    given = _core.run(json.dumps(plan), 1).metrics().keys()
    names = metric_names(plan)
    assert given <= set(names)
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("profile", ["vendor-a", "vendor-b", "plain"])
def test_the_core_takes_every_radio_profile(profile: str, plan: an.Plan, tmp_path: Path) -> None:
    scenario = an.load(tmp_path / "everything.toml", set={"ap.a.profile": profile})
    changed = an.compile_scenario(scenario)
    assert _core.run(json.dumps(changed), 1).metrics()["measured_s"] == 2.0
    assert (changed == plan) == (profile == "vendor-a")


def test_every_value_of_a_stack_profile_is_described() -> None:
    for name in _core.stack_profile_names():
        described = [field for field, source in _core.describe_stack(name) if source]
        assert described == list(json.loads(_core.stack_profile(name)))
        assert set(described) <= set(stack_fields())


CHOICES = {name: field.choices for name, field in stack_fields().items() if field.choices}


@pytest.mark.parametrize("field", sorted(CHOICES))
def test_the_core_takes_every_choice_that_it_names(field: str, plan: an.Plan) -> None:
    node = next(node for node in plan["nodes"] if node["stack"])
    profiles = (json.loads(_core.stack_profile(name)) for name in ("rfc", "linux-6"))
    node["stack"] = next(profile for profile in profiles if field in profile)
    for choice in CHOICES[field]:
        node["stack"][field] = choice
        moment = {"duration_ns": 1, "warmup_ns": 0, "series_step_ns": None}
        _core.run(json.dumps({**plan, **moment, "tcp_info_step_ns": None}), 1)


def test_stations_that_nobody_hears_leave_results_that_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "everything.toml").write_text(EVERYTHING)
    results = an.run(
        tmp_path / "everything.toml",
        set={"air.loss": "120 dB"},
        reps=2,
        out=tmp_path / "out",
        progress=False,
    )
    assert results.cell()["goodput_mbps"].mean == 0
    assert results.cell()["mac.fragments_per_msdu"].n == 0
    written = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))
    assert written["cells"][0]["metrics"]["mac.fragments_per_msdu"]["mean"] is None
