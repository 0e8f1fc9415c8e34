import json
from pathlib import Path

import pytest
from conftest import SWEPT

import anechoic as an

pytestmark = pytest.mark.usefixtures("core")


def lab() -> an.Scenario:
    """Build the baseline from typed objects."""
    return an.Scenario(
        title="Baseline throughput",
        run=an.Run(duration="300 s", warmup="10 s"),
        host={"server": an.Host(stack="windows-2000", tcp={"data_retries": 500})},
        ap={"office": an.AccessPoint(profile="vendor-a")},
        sta={"laptop": an.Station(ap="office", stack="windows-xp")},
        wire={"uplink": an.Wire(between=["server", "office"], delay="1 ms")},
        air=an.Air(loss="48 dB"),
        traffic={"pairs": an.ChariotThroughput(from_="server", to="laptop", count=2)},
        sweep=[
            an.Sweep(
                name="connections",
                columns={
                    "traffic.pairs.count": [2, 4, 8],
                    "traffic.pairs.transactions_per_record": [16, 8, 4],
                },
            )
        ],
        figure=[an.Figure(title="Goodput", x="connections", y="goodput_mbps")],
    )


def test_a_scenario_of_typed_objects_equals_the_one_from_a_file(swept: Path) -> None:
    assert lab().document() == an.load(swept).document()


def test_a_scenario_written_out_reads_back(swept: Path) -> None:
    from anechoic.scenario.load import from_data

    document = an.load(swept).document()
    assert from_data(document, "again").document() == document


def test_values_are_set_by_path(baseline: Path) -> None:
    scenario = an.load(baseline, set={"ap.office.rts_threshold": 256, "air.channel": 11})
    assert scenario.ap["office"].rts_threshold == 256
    assert scenario.air is not None
    assert scenario.air.channel == 11
    assert scenario.overrides == {"ap.office.rts_threshold": 256, "air.channel": 11}


def test_a_sweep_may_leave_its_paths_unquoted(tmp_path: Path) -> None:
    path = tmp_path / "plain.toml"
    path.write_text(SWEPT.replace('"traffic.pairs.count"', "traffic.pairs.count"))
    assert an.load(path).sweep[0].columns["traffic.pairs.count"] == [2, 4, 8]


def test_a_scenario_cannot_be_changed_in_place(baseline: Path) -> None:
    with pytest.raises(ValueError, match="frozen"):
        an.load(baseline).run.seed = 3  # type: ignore[misc]


def test_the_schema_describes_every_field_with_its_unit_and_source() -> None:
    schema = an.schema()
    json.dumps(schema)
    radio = schema["$defs"]["AccessPoint"]["properties"]
    assert radio["rts_threshold"]["unit"] == "bytes"
    assert radio["beacon_interval"]["source"].startswith("100 time units")
    bare = [
        f"{name}.{field}"
        for name, part in schema["$defs"].items()
        for field, described in part["properties"].items()
        if not described.get("description")
    ]
    assert bare == []
    assert "from" in schema["$defs"]["Bulk"]["properties"]


def test_importing_the_package_loads_nothing_heavy() -> None:
    import subprocess
    import sys

    code = (
        "import sys, anechoic; "
        "print([m for m in ('pydantic', 'rich', 'pyarrow', 'scipy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
