from pathlib import Path
from typing import Any

import pytest

import anechoic as an

pytestmark = pytest.mark.usefixtures("core")


def compiled(path: Path, **values: Any) -> dict[str, Any]:
    return an.compile_scenario(an.load(path, set=values.get("set")))


def radio_of(node: dict[str, Any]) -> Any:
    (radio,) = [each["radio"] for each in node["interfaces"] if each["radio"]]
    return radio


def addresses_of(node: dict[str, Any]) -> list[str]:
    return [each["address"] for each in node["interfaces"]]


def test_times_become_nanoseconds(baseline: Path) -> None:
    plan = compiled(baseline, set={"run.series_step": "1 s"})
    assert plan["duration_ns"] == 300_000_000_000
    assert plan["warmup_ns"] == 10_000_000_000
    assert plan["series_step_ns"] == 1_000_000_000


def test_nodes_come_in_a_fixed_order_with_an_address_each(baseline: Path) -> None:
    nodes = compiled(baseline)["nodes"]
    assert [(node["name"], node["role"], addresses_of(node)) for node in nodes] == [
        ("server", "host", ["10.0.0.1"]),
        ("office", "ap", ["10.0.0.2", "10.0.0.2"]),
        ("laptop", "sta", ["10.0.0.3"]),
    ]


def test_a_written_address_is_not_given_to_another_node(baseline: Path) -> None:
    nodes = compiled(baseline, set={"sta.laptop.address": "10.0.0.1"})["nodes"]
    assert [addresses_of(node)[0] for node in nodes] == ["10.0.0.2", "10.0.0.3", "10.0.0.1"]


def test_a_stack_is_its_profile_with_single_values_changed(baseline: Path) -> None:
    server, _, laptop = compiled(baseline, set={"host.server.tcp.rto_min_ms": "1 s"})["nodes"]
    assert server["stack"]["data_retries"] == 500
    assert server["stack"]["rto_min_ms"] == 1000
    assert laptop["stack"]["data_retries"] == 5


def test_a_stack_value_may_carry_its_unit(baseline: Path) -> None:
    server = compiled(baseline, set={"host.server.tcp.receive_window_bytes": "32 KiB"})["nodes"][0]
    assert server["stack"]["receive_window_bytes"] == 32_768


def test_a_stack_value_may_be_a_choice_with_a_number(baseline: Path) -> None:
    server = compiled(baseline, set={"host.server.tcp.initial_window.segments": 4})["nodes"][0]
    assert server["stack"]["initial_window"] == {"segments": 4}


def test_a_radio_is_its_profile_with_single_values_changed(baseline: Path) -> None:
    plan = compiled(baseline, set={"ap.office.rts_threshold": 256})
    assert radio_of(plan["nodes"][1]) == {
        "mac": {
            "standard": "802.11b",
            "short_slot": False,
            "protection": "none",
            "preamble": "long",
            "basic_rates": ["dsss-1", "dsss-2"],
            "rate": "cck-11",
            "rate_control": {"kind": "fallback", "attempts_per_rate": 1},
            "rts_threshold": 256,
            "fragmentation_threshold": 2346,
            "short_retry_limit": 7,
            "long_retry_limit": 4,
            "msdu_lifetime_ns": None,
            "privacy": "none",
            "queue_packets": 100,
            "cw_min": 31,
            "cw_max": 1023,
        },
        "queue": None,
        "tx_power_dbm": 15.0,
        "beacon_interval_ns": 102_400_000,
        "name": "office",
        "ledger": "office",
        "access_point": None,
        "frequency_mhz": 2437,
    }


def test_the_vendors_differ_in_what_their_profiles_say(baseline: Path) -> None:
    a, b = (
        radio_of(compiled(baseline, set={"ap.office.profile": name})["nodes"][1])["mac"]
        for name in ("vendor-a", "vendor-b")
    )
    assert {key for key in a if a[key] != b[key]} == {"preamble", "queue_packets", "rate_control"}
    assert (b["preamble"], b["queue_packets"]) == ("short", 60)


def test_a_rate_names_a_mode_of_the_standard(baseline: Path) -> None:
    plan = compiled(baseline, set={"ap.office.rate": "2 Mbit/s"})
    assert radio_of(plan["nodes"][1])["mac"]["rate"] == "dsss-2"


def test_no_beacons_are_an_interval_of_zero(baseline: Path) -> None:
    plan = compiled(baseline, set={"ap.office.beacon_interval": "0 s"})
    assert radio_of(plan["nodes"][1])["beacon_interval_ns"] is None


def test_a_group_makes_a_station_and_a_flow_for_each_member(baseline: Path) -> None:
    plan = compiled(baseline, set={"sta.laptop.count": 3})
    assert [node["name"] for node in plan["nodes"][2:]] == ["laptop-1", "laptop-2", "laptop-3"]
    access_point = {"node": 1, "interface": 0}
    assert [radio_of(node)["access_point"] for node in plan["nodes"][2:]] == [access_point] * 3
    assert [(flow["name"], flow["to"]) for flow in plan["flows"]] == [
        ("pairs-1", 2),
        ("pairs-2", 2),
        ("pairs-3", 3),
        ("pairs-4", 3),
        ("pairs-5", 4),
        ("pairs-6", 4),
    ]


def test_one_more_station_leaves_the_others_where_they_are(baseline: Path) -> None:
    few = compiled(baseline, set={"sta.laptop.count": 2})["nodes"]
    many = compiled(baseline, set={"sta.laptop.count": 3})["nodes"]
    assert many[: len(few)] == few


def linked(**link: Any) -> an.Scenario:
    return an.Scenario(
        ap={"office": an.AccessPoint()},
        sta={"laptop": an.Station(ap="office", count=2)},
        air=an.Air(loss="48 dB", link={"weak": an.AirLink(**link)}),
        traffic={"up": an.Udp(from_="laptop", to="office")},
    )


def test_the_way_back_may_lose_more() -> None:
    scenario = linked(between=["laptop-1", "office"], loss="75 dB", back="90 dB")
    assert an.compile_scenario(scenario)["air"]["loss_db"] == [
        [0.0, 90.0, 48.0],
        [75.0, 0.0, 48.0],
        [48.0, 48.0, 0.0],
    ]


def test_a_group_has_no_way_back_to_itself() -> None:
    scenario = linked(between=["laptop", "laptop"], loss="75 dB", back="90 dB")
    with pytest.raises(an.ScenarioError, match=r"air\.link\.weak\.back: .* there is no back"):
        an.compile_scenario(scenario)


def test_losses_hold_between_radios_and_single_links_override_them() -> None:
    scenario = an.Scenario(
        host={"server": an.Host()},
        ap={"office": an.AccessPoint()},
        sta={"near": an.Station(ap="office"), "far": an.Station(ap="office", count=2)},
        air=an.Air(
            loss="48 dB", link={"hidden": an.AirLink(between=["near", "far"], loss="200 dB")}
        ),
        traffic={"up": an.Udp(from_="far", to="office")},
        replication=an.Replication(metric="collision_probability"),
    )
    assert an.compile_scenario(scenario)["air"]["loss_db"] == [
        [0.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 48.0, 48.0, 48.0],
        [0.0, 48.0, 0.0, 200.0, 200.0],
        [0.0, 48.0, 200.0, 0.0, 48.0],
        [0.0, 48.0, 200.0, 48.0, 0.0],
    ]


def test_channels_become_frequencies_and_stations_follow_their_access_point(
    baseline: Path,
) -> None:
    def frequencies(**written: int) -> set[int]:
        settings = {name.replace("_", "."): value for name, value in written.items()}
        nodes = compiled(baseline, set=settings)["nodes"]
        interfaces = [each for node in nodes for each in node["interfaces"]]
        return {each["radio"]["frequency_mhz"] for each in interfaces if each["radio"]}

    assert frequencies() == {2437}
    assert frequencies(air_channel=14) == {2484}
    assert frequencies(air_channel=14, ap_office_channel=1) == {2412}


def test_traffic_and_taps_name_places_of_the_plan(baseline: Path) -> None:
    text = baseline.read_text() + (
        '[traffic.probe]\napp = "ping"\nfrom = "laptop"\nto = "server"\n'
        '[tap.cable]\nat = "wire.uplink"\n[tap.air]\nat = "sta.laptop"\nsnap = 128\n'
    )
    baseline.write_text(text)
    plan = compiled(baseline)
    assert plan["flows"][2] == {
        "name": "probe-1",
        "from": 2,
        "to": 0,
        "start_ns": 0,
        "start_within_ns": 0,
        "start_jitter_ns": 10_000_000,
        "jitter_ns": 0,
        "stop_ns": None,
        "dscp": 0,
        "stacks": [None, None],
        "app": {"kind": "ping", "payload": 56, "interval": 1_000_000_000, "flood": False},
    }
    assert plan["taps"] == [
        {"name": "cable", "at": {"wire": 0}, "snap_bytes": 65535},
        {"name": "air", "at": {"air": {"node": 2, "interface": 0}}, "snap_bytes": 128},
    ]


def test_explain_shows_every_value_where_it_is_from_and_its_source(baseline: Path) -> None:
    from anechoic.scenario.explain import as_text, explained

    scenario = an.load(baseline, set={"run.warmup": "5 s"})
    lines = {line.path: line.columns()[1:] for line in explained(scenario)}
    assert lines["run.duration"] == ("300 s", "file", "")
    assert lines["run.warmup"] == ("5 s", "--set", "")
    assert lines["wire.uplink.rate"][:2] == ("100 Mbit/s", "default")
    assert lines["ap.office.queue_packets"][:2] == ("100 packets", "profile vendor-a")
    assert lines["ap.office.queue_packets"][2].startswith("inferred")
    assert lines["host.server.tcp.data_retries"] == ("500 attempts", "file", "")
    assert lines["host.server.tcp.rto_min_ms"] == ("300 ms", "stack windows-2000", "a test")
    assert lines["sta.laptop.address"][0] == "10.0.0.3"
    assert lines["ap.office.cw_min"][:2] == ("31 slots", "standard 802.11b")
    assert lines["flow pairs-2"][0] == "server → laptop"
    sourceless = [
        path for path, (_, origin, why) in lines.items() if origin == "default" and not why
    ]
    assert sourceless == []
    assert as_text(explained(scenario)).splitlines()[0].split() == [
        "field",
        "value",
        "from",
        "source",
        "of",
        "the",
        "value",
    ]
