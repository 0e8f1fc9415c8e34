from pathlib import Path
from typing import Any

import pytest
from refused import refusal_of

import anechoic as an

pytestmark = pytest.mark.usefixtures("core")

CELL = """
[host.server]
stack = "windows-xp"

[ap.office]

[sta.laptop]
ap = "office"
stack = "windows-xp"

[wire.lan]
between = ["server", "office"]

[air]
standard = "802.11g"

[traffic.download]
app = "bulk"
from = "server"
to = "laptop"
"""


def macs(tmp_path: Path, text: str) -> dict[str, dict[str, Any]]:
    file = tmp_path / "lab.toml"
    file.write_text(text)
    return {
        node["name"]: each["radio"]["mac"]
        for node in an.compile_scenario(an.load(file))["nodes"]
        for each in node["interfaces"]
        if each["radio"]
    }


def test_the_amendment_gives_rates_windows_and_slots(tmp_path: Path) -> None:
    mac = macs(tmp_path, CELL)["office"]
    assert mac["rate"] == "erp-ofdm-54"
    assert mac["basic_rates"] == ["dsss-1", "dsss-2", "cck-5.5", "cck-11"]
    assert (mac["cw_min"], mac["cw_max"]) == (15, 1023)
    assert (mac["short_slot"], mac["protection"]) == (True, "none")


def test_a_station_of_802_11b_gives_its_cell_long_slots_and_protection(tmp_path: Path) -> None:
    old = '[sta.old]\nap = "office"\nstack = "windows-xp"\nstandard = "802.11b"\n'
    found = macs(tmp_path, CELL.replace("[wire.lan]", f"{old}\n[wire.lan]"))
    for name in ("office", "laptop"):
        mac = found[name]
        assert (mac["standard"], mac["short_slot"]) == ("802.11g", False)
        assert mac["protection"] == "cts-to-self"
    assert (found["old"]["standard"], found["old"]["rate"]) == ("802.11b", "cck-11")
    assert (found["old"]["cw_min"], found["old"]["protection"]) == (31, "none")


def test_a_station_is_of_its_access_points_amendment(tmp_path: Path) -> None:
    found = macs(tmp_path, CELL.replace("[ap.office]", '[ap.office]\nstandard = "802.11b"'))
    assert {mac["standard"] for mac in found.values()} == {"802.11b"}


def test_at_5_ghz_channels_and_rates_are_others(tmp_path: Path) -> None:
    file = tmp_path / "lab.toml"
    file.write_text(CELL.replace("802.11g", "802.11a"))
    plan = an.compile_scenario(an.load(file))
    radios = [each["radio"] for node in plan["nodes"] for each in node["interfaces"]]
    assert {radio["frequency_mhz"] for radio in radios if radio} == {5180}
    mac = macs(tmp_path, CELL.replace("802.11g", "802.11a"))["laptop"]
    assert (mac["rate"], mac["basic_rates"]) == ("ofdm-54", ["ofdm-6", "ofdm-12", "ofdm-24"])


def test_encryption_and_a_lifetime_are_the_radios_own(tmp_path: Path) -> None:
    text = CELL.replace("[ap.office]", '[ap.office]\nprivacy = "ccmp"\nmsdu_lifetime = "0.5 s"')
    found = macs(tmp_path, text)
    assert (found["office"]["privacy"], found["laptop"]["privacy"]) == ("ccmp", "none")
    assert found["office"]["msdu_lifetime_ns"] == 500_000_000
    assert found["laptop"]["msdu_lifetime_ns"] is None


@pytest.mark.parametrize(
    ("found", "replacement", "said"),
    [
        (
            "[ap.office]",
            '[ap.office]\nbasic_rates = ["6 Mbit/s"]\n[sta.old]\nap = "office"\n'
            'stack = "windows-xp"\nstandard = "802.11b"',
            "lab.toml: ap.office.basic_rates[0]: 6 Mbit/s is beyond the stations of 802.11b in "
            "this cell; allowed: 1 Mbit/s, 2 Mbit/s, 5.5 Mbit/s, 11 Mbit/s",
        ),
        (
            "[ap.office]",
            '[ap.office]\nrate = "22 Mbit/s"',
            'lab.toml: ap.office.rate: "22 Mbit/s" is not a rate of 802.11g; allowed: 1 Mbit/s, '
            "2 Mbit/s, 5.5 Mbit/s, 6 Mbit/s, 9 Mbit/s, 11 Mbit/s, 12 Mbit/s, 18 Mbit/s, "
            "24 Mbit/s, 36 Mbit/s, 48 Mbit/s, 54 Mbit/s; did you mean 24 Mbit/s?",
        ),
        (
            'standard = "802.11g"',
            'standard = "802.11a"\nchannel = 37',
            "lab.toml: air.channel: 37 is not a channel of 802.11a; allowed: 36 to 64 by 4, "
            "100 to 140 by 4, 149 to 165 by 4; did you mean 36?",
        ),
        (
            'standard = "802.11g"',
            'standard = "802.11g"\nchannel = 14',
            "lab.toml: air.channel: 14 is not a channel of 802.11g; allowed: 1 to 13; did you "
            "mean 13?",
        ),
        (
            'ap = "office"',
            'ap = "office"\nstandard = "802.11a"',
            'lab.toml: sta.laptop.standard: "802.11a" does not go with ap.office, which is '
            '802.11g; allowed: "802.11g", "802.11b"',
        ),
        (
            'ap = "office"',
            'ap = "office"\nbasic_rates = ["1 Mbit/s"]\nrate = "54 Mbit/s"\nstandard = "802.11b"',
            'lab.toml: sta.laptop.rate: "54 Mbit/s" is not a rate of 802.11b; allowed: 1 Mbit/s, '
            "2 Mbit/s, 5.5 Mbit/s, 11 Mbit/s; did you mean 11 Mbit/s?",
        ),
    ],
    ids=[
        "basic rates too fast",
        "no rate",
        "no channel",
        "no channel of OFDM",
        "another band",
        "no rate of its own",
    ],
)
def test_what_the_amendment_lacks_is_refused(
    found: str, replacement: str, said: str, tmp_path: Path
) -> None:
    assert refusal_of(tmp_path, CELL.replace(found, replacement, 1)) == said
