"""Routers join networks: addresses and routes follow from what is joined."""

import json
from pathlib import Path
from typing import Any

import pytest
from refused import refusal_of

import anechoic as an
from anechoic import _core

# Two networks in a row behind the server's, and a BSS in the last of them.
ROUTED = """
run.duration = "2 s"
host.server.stack = "linux-6"

[router.near]

[router.far]

[ap.office]

[sta.laptop]
ap = "office"
stack = "linux-6"

[wire.first]
between = ["server", "near"]

[wire.second]
between = ["near", "far"]
delay = "5 ms"

[wire.third]
between = ["far", "office"]

[air]

[traffic.download]
app = "bulk"
from = "server"
to = "laptop"
bytes = "100 kB"

[traffic.probe]
app = "ping"
from = "server"
to = "laptop"
interval = "100 ms"
"""


def compiled(folder: Path, text: str, **values: Any) -> dict[str, Any]:
    file = folder / "routed.toml"
    file.write_text(text, encoding="utf-8")
    return an.compile_scenario(an.load(file, set=values))


def test_each_network_between_routers_has_addresses_of_its_own(tmp_path: Path) -> None:
    nodes = compiled(tmp_path, ROUTED)["nodes"]
    addresses = {node["name"]: [each["address"] for each in node["interfaces"]] for node in nodes}
    assert addresses == {
        "server": ["10.0.0.1"],
        "near": ["10.0.0.2", "10.1.0.1"],
        "far": ["10.1.0.2", "10.2.0.1"],
        # An access point bridges, so that both its interfaces are one place of one network.
        "office": ["10.2.0.2", "10.2.0.2"],
        "laptop": ["10.2.0.3"],
    }


def test_a_machine_has_a_route_to_each_network_beyond_a_router(tmp_path: Path) -> None:
    nodes = {node["name"]: node for node in compiled(tmp_path, ROUTED)["nodes"]}

    def routes(name: str) -> list[tuple[str, str, int]]:
        return [(each["to"], each["gateway"], each["interface"]) for each in nodes[name]["routes"]]

    assert routes("server") == [("10.1.0.0", "10.0.0.2", 0), ("10.2.0.0", "10.0.0.2", 0)]
    assert routes("near") == [("10.2.0.0", "10.1.0.2", 1)]
    assert routes("laptop") == [("10.1.0.0", "10.2.0.1", 0), ("10.0.0.0", "10.2.0.1", 0)]


def test_what_is_sent_arrives_through_two_routers(tmp_path: Path) -> None:
    metrics = _core.run(json.dumps(compiled(tmp_path, ROUTED)), 1).metrics()
    assert metrics["flow.download-1.bytes"] == 100_000
    assert metrics["flow.probe-1.replies"] == 20
    assert metrics["flow.probe-1.rtt_ms_mean"] > 10, "5 ms there and back"


def test_a_router_that_translates_hides_who_is_behind_it(tmp_path: Path) -> None:
    inside = {"router.far.nat": "wire.second", "traffic.download.from": "laptop"}
    inside |= {"traffic.download.to": "server", "traffic.probe.from": "laptop"}
    plan = compiled(tmp_path, ROUTED, **inside, **{"traffic.probe.to": "server"})
    assert [node["nat"] for node in plan["nodes"] if node["name"] in ("near", "far")] == [None, 0]
    metrics = _core.run(json.dumps(plan), 1).metrics()
    assert metrics["flow.download-1.bytes"] == 100_000
    assert metrics["flow.probe-1.replies"] == 20
    outside = compiled(tmp_path, ROUTED, **{"router.far.nat": "wire.second"})
    assert [flow["opener"] for flow in outside["flows"] if "opener" in flow] == ["to"]
    with pytest.raises(
        an.ScenarioError, match=r'there is no way out of the router "wire.lan"; allowed: '
    ):
        compiled(tmp_path, ROUTED, **{"router.far.nat": "wire.lan"})


# A server and a printer on a hub, and a switch between that and the access point.
SHARED = """
run.duration = "3 s"
run.warmup = "1 s"
host.server.stack = "linux-6"
host.printer.stack = "linux-6"

[switch.closet]

[ap.office]

[sta.laptop]
ap = "office"
stack = "linux-6"

[segment.hub]
members = ["server", "printer", "closet"]

[wire.lan]
between = ["closet", "office"]

[air]

[tap.cable]
at = "segment.hub"

[traffic.job]
app = "bulk"
from = "server"
to = "printer"

[traffic.download]
app = "bulk"
from = "server"
to = "laptop"
"""


def test_a_hub_is_shared_and_a_switch_passes_on(tmp_path: Path) -> None:
    plan = compiled(tmp_path, SHARED)
    assert [each["members"] for each in plan["segments"]] == [
        [{"node": 0, "interface": 0}, {"node": 1, "interface": 0}, {"node": 2, "interface": 1}]
    ]
    metrics = _core.run(json.dumps(plan), 1).metrics()
    together = metrics["flow.job-1.goodput_mbps"] + metrics["flow.download-1.goodput_mbps"]
    assert 7 < together < 9.4
    assert metrics["flow.download-1.goodput_mbps"] > 0.5
    assert metrics["segment.hub.collisions_from.server"] > 0


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("segment.hub.rate", "1 Gbit/s", "rate: .* allowed: 10 Mbit/s or 100 Mbit/s"),
        ("segment.hub.delay", "30 us", "delay: .* half a slot.* allowed: at most 25600 ns"),
        ("segment.hub.members", ["server"], "members: 1 nodes share it; allowed: 2 to 100 nodes"),
        ("segment.hub.members", ["server", "laptop"], r'members\[1\]: "laptop" is a station'),
        ("segment.hub.members", ["server", "server"], r'members\[1\]: "server" stands twice'),
        ("segment.hub.members", ["server", "closet", "office"], "closes a loop of bridges"),
    ],
)
def test_what_no_segment_can_be_is_refused(
    tmp_path: Path, path: str, value: object, said: str
) -> None:
    with pytest.raises(an.ScenarioError, match=said):
        compiled(tmp_path, SHARED, **{path: value})


def test_an_interface_carries_what_its_medium_and_its_machine_do(tmp_path: Path) -> None:
    changed = {"wire.second.mtu": 576, "sta.laptop.mtu": 1000}
    nodes = {node["name"]: node for node in compiled(tmp_path, ROUTED, **changed)["nodes"]}
    mtus = {name: [each["mtu"] for each in node["interfaces"]] for name, node in nodes.items()}
    assert mtus["near"] == [1500, 576]
    assert (mtus["server"], mtus["laptop"]) == ([1500], [1000])


def test_a_datagram_that_an_interface_would_have_to_fragment_is_refused(tmp_path: Path) -> None:
    values = {"traffic.probe.payload": 1000, "host.server.mtu": 1000}
    too_long = "1000 bytes do not fit into a packet of host.server; allowed: at most 972"
    with pytest.raises(an.ScenarioError, match=rf"traffic.probe.payload: {too_long}"):
        compiled(tmp_path, ROUTED, **values)
    with pytest.raises(an.ScenarioError, match=r"wire.second.mtu: 20 .* 68 to 1500 bytes"):
        compiled(tmp_path, ROUTED, **{"wire.second.mtu": 20})


# A router that is a station of two access points, with a wire besides.
JOINED = """
run.duration = "2 s"
host.server.stack = "linux-6"
host.behind = {}

[ap.office]
[ap.annex]

[router.gate.radio.uplink]
ap = "office"

[router.gate.radio.cell]
ap = "annex"
rate = "2 Mbit/s"

[sta.laptop]
ap = "annex"
stack = "linux-6"

[wire.lan]
between = ["server", "office"]

[wire.back]
between = ["gate", "behind"]

[air]

[tap.air]
at = "router.gate-cell"

[traffic.download]
app = "bulk"
from = "server"
to = "laptop"
bytes = "100 kB"

[traffic.probe]
app = "ping"
from = "behind"
to = "server"
interval = "100 ms"
"""


def test_a_router_has_any_number_of_radios_and_wires(tmp_path: Path) -> None:
    plan = compiled(tmp_path, JOINED)
    gate = plan["nodes"][2]["interfaces"]
    assert [each["radio"] and each["radio"]["name"] for each in gate] == [
        "gate-uplink",
        "gate-cell",
        None,
    ]
    assert plan["taps"][0]["at"] == {"air": {"node": 2, "interface": 1}}
    metrics = _core.run(json.dumps(plan), 1).metrics()
    assert metrics["flow.download-1.bytes"] == 100_000
    assert metrics["flow.probe-1.replies"] == 20
    data = metrics["node.gate-cell.attempts_2mbps"]
    assert data == metrics["node.gate-cell.attempts"] >= 69, "100,000 bytes in segments of 1460"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            '[sta.gate-cell]\nap = "office"',
            'router.gate.radio.cell: "gate-cell" is the name of sta.gate-cell too; '
            "allowed: a name that no other node has",
        ),
        (
            '[router.gate.radio.third]\nap = "offices"',
            'router.gate.radio.third.ap: there is no access point "offices"; '
            "allowed: office, annex; did you mean office?",
        ),
        (
            '[router.deaf]\n[air.link.x]\nbetween = ["deaf", "gate"]\nloss = "60 dB"',
            "air.link.x.between: router.deaf has no radio; allowed: a node with a radio",
        ),
    ],
)
def test_radios_of_routers_are_named_and_joined_as_stations(
    tmp_path: Path, wrong: str, message: str
) -> None:
    assert refusal_of(tmp_path, f"{JOINED}\n{wrong}\n") == f"lab.toml: {message}"


def test_a_written_address_gives_its_network_its_numbers(tmp_path: Path) -> None:
    nodes = compiled(tmp_path, ROUTED, **{"sta.laptop.address": "192.168.0.7"})["nodes"]
    assert [each["address"] for each in nodes[2]["interfaces"]] == ["10.1.0.2", "192.168.0.1"]


def test_an_address_of_another_network_is_refused(tmp_path: Path) -> None:
    text = (
        ROUTED + '\n[host.other]\naddress = "10.9.0.1"\n[wire.x]\nbetween = ["other", "office"]\n'
    )
    text = text.replace("[sta.laptop]", '[sta.laptop]\naddress = "10.2.0.7"')
    assert refusal_of(tmp_path, text) == (
        'lab.toml: sta.laptop.address: "10.2.0.7" is not in the network of other, which it is '
        "joined with; allowed: an address in 10.9.0.0/16"
    )


def test_a_loop_of_access_points_is_refused(tmp_path: Path) -> None:
    ring = "\n".join(
        f'wire.{one}{other}.between = ["{one}", "{other}"]' for one, other in ("ab", "bc", "ca")
    )
    text = f"ap.a = {{}}\nap.b = {{}}\nap.c = {{}}\nhost.h = {{}}\nair = {{}}\n{ring}\n" + (
        'wire.h.between = ["h", "a"]\ntraffic.probe = { app = "ping", from = "h", to = "c" }'
    )
    assert refusal_of(tmp_path, text) == (
        "lab.toml: wire.ca: it closes a loop of bridges, in which frames would go round; "
        "allowed: one way between any two"
    )


def test_with_empty_caches_the_first_packet_waits_for_an_address(tmp_path: Path) -> None:
    only_pings = {"traffic.download.start": "1.99 s"}
    longest = {}
    for caches in ("filled", "empty"):
        plan = compiled(tmp_path, ROUTED, **{"run.caches": caches}, **only_pings)
        metrics = _core.run(json.dumps(plan), 1).metrics()
        assert metrics["flow.probe-1.replies"] == 20
        longest[caches] = metrics["flow.probe-1.rtt_ms_max"]
    assert longest["empty"] > longest["filled"] + 10, "a question and an answer on the long wire"


def test_caches_are_filled_or_empty(tmp_path: Path) -> None:
    text = ROUTED.replace('run.duration = "2 s"', 'run.duration = "2 s"\nrun.caches = "emty"')
    with pytest.raises(an.ScenarioError, match="did you mean empty") as caught:
        compiled(tmp_path, text)
    assert 'run.caches: "emty" is not one of the values; allowed: "filled", "empty"' in str(
        caught.value
    )
