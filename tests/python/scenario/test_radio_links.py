"""What arrives of each radio at each other, without a run."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from anechoic.cli import cli

CELL = """\
traffic.probe = { app = "ping", from = "weak", to = "laptop-1" }

[ap.office]

[sta.laptop]
ap = "office"
count = 3

[sta.weak]
ap = "office"

[air]
loss = "60 dB"

[air.link.wall]
between = ["laptop-1", "laptop-2"]
loss = "120 dB"

[air.link.far]
between = ["weak", "office"]
loss = "101.4 dB"
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Save a cell of four stations."""
    path = tmp_path / "cell.toml"
    path.write_text(CELL + '[air.link.rest]\nbetween = ["weak", "laptop"]\nloss = "90 dB"\n')
    return path


def said(file: Path, *arguments: str) -> str:
    result = CliRunner().invoke(cli, ["explain", str(file), "--links", *arguments])
    assert result.exit_code == 0, result.output
    return result.output


def test_a_link_is_power_less_loss_over_the_noise(file: Path) -> None:
    links = json.loads(said(file, "--json"))["links"]
    assert len(links) == 5 * 4
    [up] = [each for each in links if (each["from"], each["to"]) == ("weak", "office")]
    assert up["level_dbm"] == pytest.approx(15 - 101.4)
    # kTB in 22 MHz and a noise figure of 7 dB are -93.55 dBm.
    assert up["snr_db"] == pytest.approx(15 - 101.4 + 93.55, abs=0.01)
    # Pei and Henderson's model loses a tenth of 1500 bytes at 11 Mbit/s at this, 7.15 dB.
    assert up["frame_error_rates"]["11"] == pytest.approx(0.1, abs=0.03)
    assert up["frame_error_rates"]["1"] == pytest.approx(0, abs=1e-9)


def test_who_does_not_hear_whom_is_hidden(file: Path) -> None:
    found = json.loads(said(file, "--json"))
    deaf = {(each["from"], each["to"]) for each in found["links"] if not each["is_heard"]}
    assert {("laptop-1", "laptop-2"), ("laptop-2", "laptop-1")} <= deaf
    assert ["laptop-1", "laptop-2"] in found["hidden"]["office"]
    unheard = [each for each in found["links"] if not each["is_heard"]]
    assert all(each["usable_rates_mbps"] == [] for each in unheard)


def test_the_table_fits_a_narrow_terminal(file: Path) -> None:
    renamed = CELL.replace("laptop", "laptop-of-a-very-long-name-indeed")
    for text in (file.read_text(), renamed):
        file.write_text(text)
        table = said(file)
        assert max(map(len, table.splitlines())) <= 80
        assert "Hidden from each other at office: " in table
    # Stations that a scenario counts are one row where all is the same for them.
    assert table.count("\noffice") == 2


def test_a_scenario_without_radios_has_no_links(tmp_path: Path) -> None:
    wire = 'host.one.stack = "rfc"\nhost.two.stack = "rfc"\nwire.lan.between = ["one", "two"]\n'
    file = tmp_path / "wire.toml"
    file.write_text(wire + 'traffic.t = { app = "bulk", from = "one", to = "two" }\n')
    assert json.loads(said(file, "--json")) == {"links": [], "hidden": {}}
    assert said(file) == "There are no radios.\n"
