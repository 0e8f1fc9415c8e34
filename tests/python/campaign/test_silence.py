"""A flow that moves nothing is named, with why, as far as that can be known."""

from pathlib import Path

import pytest
from click.testing import CliRunner

import anechoic as an
from anechoic.campaign.sweep import cells_of
from anechoic.campaign.table import text
from anechoic.cli import cli
from anechoic.scenario.reach import out_of_reach

pytestmark = pytest.mark.usefixtures("wide_terminal")

SCENARIO = """
run = { duration = "2 s", warmup = "0 s" }
host.server.stack = "linux-2.4"
ap.office.profile = "plain"
sta.near = { ap = "office" }
sta.far = { ap = "office", stack = "linux-2.4" }
wire.lan.between = ["server", "office"]
air.loss = "60 dB"
traffic.download = { app = "udp", from = "server", to = "near", rate = "1 Mbit/s" }
traffic.upload.app = "bulk"
traffic.upload.from = "far"
traffic.upload.to = "server"
traffic.ask = { app = "ping", from = "far", to = "server" }
"""


def shown(folder: Path, *more: str) -> list[str]:
    """Run the scenario with some more values and give the lines on silent flows."""
    file = folder / "scenario.toml"
    file.write_text("\n".join([SCENARIO, *more]), encoding="utf-8")
    results = an.run(file, reps=1, out=folder / "out", progress=False)
    lines = text(results).replace("\n    ", " ").splitlines()
    return [line for line in lines if "moved no data" in line]


def test_a_flow_that_moves_data_is_not_named(tmp_path: Path) -> None:
    assert shown(tmp_path) == []


def test_a_station_out_of_range_is_named_for_all_its_flows(tmp_path: Path) -> None:
    far = 'air.link.wall = { between = ["far", "office"], loss = "110 dB" }'
    assert shown(tmp_path, far) == [
        "upload-1, ask-1 moved no data: far and office are out of range of each other, "
        "-95 dBm arrive where -94 dBm are detected."
    ]


def test_an_access_point_that_is_louder_than_its_stations_is_heard_by_them(tmp_path: Path) -> None:
    one_way = 'air.link.wall = { between = ["far", "office"], loss = "112 dB" }'
    (line, *_) = shown(tmp_path, one_way, 'ap.office.tx_power = "25 dBm"')
    assert "office is out of range of far, -97 dBm arrive" in line


def test_what_the_wire_lost_is_told(tmp_path: Path) -> None:
    (line,) = shown(tmp_path, 'wire.lan.impair.all = { kind = "drop", probability = 1.0 }')
    assert line.startswith("download-1, upload-1, ask-1 moved no data: all on the wire lan lost ")


def test_a_flow_that_begins_too_late_is_told(tmp_path: Path) -> None:
    late = shown(tmp_path, 'traffic.upload.start = "1.9999 s"')
    assert late == ["upload-1 moved no data: it begins 0.0001 s before the end."]


def test_a_ping_whose_interval_is_longer_than_the_run_is_told(tmp_path: Path) -> None:
    seldom = 'traffic.seldom = { app = "ping", from = "near", to = "server", interval = "1 h" }'
    assert shown(tmp_path, seldom) == [
        "seldom-1 moved no data: it begins anywhere in its interval of 3600 s, which is longer "
        "than it has (`start_jitter` of 0 s: at once)."
    ]


def test_a_ping_that_begins_at_once_is_not_named(tmp_path: Path) -> None:
    seldom = 'traffic.seldom = { app = "ping", from = "near", to = "server", interval = "1 h" }'
    assert shown(tmp_path, seldom.replace(" }", ', start_jitter = "0 s" }')) == []


def said(folder: Path, *more: str) -> list[str]:
    """Give what `out_of_reach` says of the scenario, which is not run."""
    file = folder / "scenario.toml"
    file.write_text("\n".join([SCENARIO, *more]), encoding="utf-8")
    (cell,) = cells_of(an.load(file))
    return out_of_reach([cell.plan])


def test_a_station_out_of_range_is_named_before_a_run(tmp_path: Path) -> None:
    far = 'air.link.wall = { between = ["far", "office"], loss = "110 dB" }'
    assert said(tmp_path) == []
    assert said(tmp_path, far) == [
        "far and office are out of range of each other, -95 dBm arrive where -94 dBm are detected"
    ]


@pytest.mark.parametrize("command", [["check"], ["explain"], ["run", "--reps", "1", "--out", "o"]])
def test_every_command_says_it_first(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    far = 'air.link.wall = { between = ["far", "office"], loss = "110 dB" }'
    said(tmp_path, far)
    told = CliRunner().invoke(cli, [*command, "scenario.toml"]).stderr.splitlines()
    assert told[0].startswith("scenario.toml: far and office are out of range of each other, ")


def test_a_station_whose_link_fades_may_come_into_range(tmp_path: Path) -> None:
    fades = 'air.link.wall = { between = ["far", "office"], loss = "110 dB" }'
    assert (
        said(tmp_path, fades.replace(" }", ', fading.slow = { kind = "rayleigh", doppler = 1 } }'))
        == []
    )
    others = 'air.link.others = { between = ["near", "far"], fading.slow.kind = "rayleigh" }'
    assert len(said(tmp_path, fades, others.replace(" }", ", fading.slow.doppler = 1 }"))) == 1


def test_a_radio_with_access_categories_tells_of_each(tmp_path: Path) -> None:
    edca = 'ap.office.access = "edca"'
    late = 'traffic.late = { app = "bulk", from = "server", to = "far", start = "1.9999 s" }'
    (line,) = shown(tmp_path, edca, late)
    assert line == "late-1 moved no data: it begins 0.0001 s before the end."


def test_what_an_access_category_gave_up_is_told(tmp_path: Path) -> None:
    edca = 'ap.office.access = "edca"'
    lossy = 'air.lose.all = { sender = "office", receiver = "far", frame = "data" }'
    assert any("office-best-effort gave up" in told for told in shown(tmp_path, edca, lossy))
