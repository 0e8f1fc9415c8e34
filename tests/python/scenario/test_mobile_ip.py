"""Mobile IP: a station walks from its own network into another one, and stays reachable."""

import hmac
import json
from pathlib import Path
from typing import Any

import pytest
from recorded import table_of, tshark
from refused import refusal_of

from anechoic.scenario.compile import compile_scenario
from anechoic.scenario.core import core
from anechoic.scenario.load import load

BENCH = """\
run.duration = "40 s"
host.server.stack = "linux-6"

[router]
core = {}
home = { agent = {} }
abroad = { agent = {} }

[wire]
server = { between = ["server", "core"], delay = "10 ms" }
core-home = { between = ["core", "home"], delay = "5 ms" }
core-abroad = { between = ["core", "abroad"], delay = "5 ms" }
west = { between = ["home", "west"] }
east = { between = ["abroad", "east"] }

[ap]
west = { position = ["0 m", "0 m"] }
east = { position = ["400 m", "0 m"] }

[sta.walker]
ap = "west"
stack = "linux-6"
position = ["10 m", "0 m"]
mobile_ip = { home_agent = "home" }

[sta.walker.movement]
kind = "waypoints"
points = [["390 m", "0 m"]]
speed = "20 m/s"
start = "5 s"

[air]
# What is heard at all is decoded surely, so that no request is lost and retransmitted.
preamble_detection = "-82 dBm"

[air.propagation]
kind = "log-distance"
exponent = 3

[traffic.download]
app = "application-limited"
from = "server"
to = "walker"
rate = "200 kbit/s"
"""
TAPS = """
[tap]
core-home = { at = "wire.core-home" }
west = { at = "wire.west" }
east = { at = "wire.east" }
air = { at = "sta.walker" }
"""


def plan(folder: Path, text: str) -> Any:
    """Give the plan of a scenario."""
    path = folder / "lab.toml"
    path.write_text(text, encoding="utf-8")
    return compile_scenario(load(path))


@pytest.fixture(scope="module")
def walked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Path]:
    """Let it walk; give the record and the folder of the captures."""
    folder = tmp_path_factory.mktemp("walk")
    compiled = plan(folder, BENCH + TAPS)
    return core().run(json.dumps(compiled), 1, str(folder)), folder


def test_it_goes_with_its_own_agent_first_and_with_the_other_one_when_that_is_gone(
    walked: tuple[Any, Path],
) -> None:
    table = table_of(walked[0], "handovers")
    assert table["agent"] == ["home", "abroad"]
    found, registered = table["found_s"], table["registered_s"]
    assert found[0] < 1
    assert 10 < found[1] < 25
    # Request and reply pass the wires between the agents, 10 ms each way.
    assert 0.02 < registered[1] - found[1] < 0.1


def test_what_is_sent_meanwhile_comes_through_the_tunnel(walked: tuple[Any, Path]) -> None:
    metrics = walked[0].metrics()
    assert metrics["flow.download-1.goodput_mbps"] > 0.15
    outer = tshark(
        walked[1] / "core-home.pcapng", "-Y", "ip.proto == 4 && tcp", "-T", "fields", "-e", "ip.dst"
    )
    assert len(outer) > 100
    care_of, home = outer[0].split(",")
    assert care_of != home


@pytest.mark.parametrize("tap", ["core-home", "west", "east", "air"])
def test_tshark_has_nothing_to_complain_of(walked: tuple[Any, Path], tap: str) -> None:
    wrong = "_ws.malformed || _ws.expert.severity >= error"
    checks = [f"{name}.check_checksum:TRUE" for name in ("ip", "udp", "tcp", "icmp")]
    options = [word for check in checks[:3] for word in ("-o", check)]
    assert tshark(walked[1] / f"{tap}.pcapng", *options, "-Y", wrong) == []
    sums = "ip.checksum.status == bad || udp.checksum.status == bad || icmp.checksum.status == bad"
    assert tshark(walked[1] / f"{tap}.pcapng", *options, "-Y", sums) == []


def test_the_messages_come_in_the_order_of_the_standard(walked: tuple[Any, Path]) -> None:
    """RFC 5944 §1.6: advertisement, request, reply, and only then what comes for it."""
    fields = ["-T", "fields", "-e", "icmp.type", "-e", "mip.type", "-e", "tcp.len"]
    seen = tshark(walked[1] / "east.pcapng", "-Y", "icmp.type == 9 || mip || tcp", *fields)
    kinds = [line.split("\t")[:2] for line in seen]
    first = kinds.index(["", "1"])
    assert kinds[first - 1] == ["9", ""]
    assert all(kind == ["9", ""] for kind in kinds[:first])
    answered = kinds.index(["", "3"])
    downwards = next(at for at, line in enumerate(seen) if line.split("\t")[2] not in ("", "0"))
    assert first < answered < downwards
    advertisement = tshark(walked[1] / "east.pcapng", "-Y", "icmp.type == 9", "-V")
    text = "\n".join(advertisement[:80])
    for said in ("Mobility Agent Advertisement", "Foreign Agent", "Home Agent"):
        assert said in text, text


def test_without_mobile_ip_nothing_comes_any_more(tmp_path: Path) -> None:
    lines = [line for line in BENCH.splitlines() if not line.startswith("mobile_ip")]
    record = core().run(json.dumps(plan(tmp_path, "\n".join(lines))), 1)
    assert record.metrics()["flow.download-1.goodput_mbps"] < 0.1


def test_an_eager_one_changes_as_soon_as_it_hears_another(tmp_path: Path) -> None:
    near = BENCH.replace("400 m", "60 m").replace("390 m", "50 m")
    eager = near.replace('home_agent = "home"', 'home_agent = "home", detection = "eager"')
    first, other = (
        table_of(core().run(json.dumps(plan(tmp_path, text)), 1), "handovers")
        for text in (eager, near)
    )
    assert {"home", "abroad"} <= set(first["agent"])
    assert first["found_s"][1] < 2
    # The cells overlap: the one that it heard first is never gone.
    assert len(other["agent"]) == 1


def test_an_access_point_leaves_to_stations_what_another_says_to_all(tmp_path: Path) -> None:
    """IEEE 802.11-2007 §7.2.2: it takes what is To DS, and sends no other cell's frames again."""
    near = BENCH.replace("400 m", "60 m").replace("390 m", "50 m").replace("40 s", "10 s")
    core().run(json.dumps(plan(tmp_path, near + TAPS)), 1, str(tmp_path))
    senders = tshark(
        tmp_path / "air.pcapng", "-Y", "icmp.type == 9", "-T", "fields", "-e", "wlan.ta"
    )
    assert [senders.count(each) for each in sorted(set(senders))] == [10, 10]


CALL = """
[traffic.down]
app = "udp"
from = "server"
to = "walker"
rate = "200 kbit/s"
payload = 500
stop = "36 s"

[traffic.up]
app = "udp"
from = "walker"
to = "server"
rate = "200 kbit/s"
payload = 500
stop = "36 s"

[tap]
server = { at = "stack.server" }
walker = { at = "stack.walker" }
"""


@pytest.mark.parametrize(
    ("detection", "east"), [("lazy", (400, 390)), ("eager", (400, 390)), ("eager", (60, 50))]
)
def test_nothing_comes_twice_and_nothing_is_lost_without_a_cause(
    detection: str, east: tuple[int, int], tmp_path: Path
) -> None:
    """Cells apart and cells that overlap: all that never came was dropped by somebody who says so.

    What a radio gave up may have come, as its last acknowledgment may be what was lost.
    """
    text = BENCH[: BENCH.index("[traffic.download]")] + CALL
    text = text.replace('"40 s"', '"40 s"\nrun.warmup = "0 s"', 1)
    text = text.replace('"home" }', f'"home", detection = "{detection}" }}')
    text = text.replace("400 m", f"{east[0]} m").replace("390 m", f"{east[1]} m")
    record = core().run(json.dumps(plan(tmp_path, text)), 1, str(tmp_path))
    assert len(set(table_of(record, "handovers")["agent"])) == 2
    metrics = record.metrics()
    for flow, end, radios in (("down", "walker", ["west", "east"]), ("up", "server", ["walker"])):
        port = f"flow.{flow}-1"
        fields = ["-T", "fields", "-e", "ip.src", "-e", "ip.id"]
        received = "ip.dst != 255.255.255.255 && data.len == 500"
        own = tshark(tmp_path / f"{end}.pcapng", "-Y", f"udp && {received}", *fields)
        sent, got = metrics[f"{port}.datagrams_sent"], metrics[f"{port}.datagrams_received"]
        assert len(own) == len(set(own))
        lost = sent - got
        surely = sum(
            metrics[f"node.{radio}.drops_queue"] + metrics.get(f"node.{radio}.drops_no_station", 0)
            for radio in radios
        )
        perhaps = sum(metrics[f"node.{radio}.drops_retry_limit"] for radio in radios)
        # Registrations and advertisements wait in the same queues and are lost as well.
        messages = 40 * len(radios)
        assert surely - messages <= lost <= surely + perhaps


def test_who_hears_no_agent_asks_for_one(tmp_path: Path) -> None:
    """RFC 5944 §2.4: it need not wait for agents that say seldom that they are there."""
    seldom = 'agent = { advertisement_interval = "30 s", advertisement_lifetime = 90 }'
    text = BENCH.replace("agent = {}", seldom) + TAPS
    record = core().run(json.dumps(plan(tmp_path, text)), 2, str(tmp_path))
    asked = tshark(
        tmp_path / "west.pcapng",
        "-Y",
        "icmp.type == 10",
        "-T",
        "fields",
        "-e",
        "frame.time_relative",
    )
    assert len(asked) == 1
    told = tshark(tmp_path / "west.pcapng", "-Y", "icmp.type == 9")
    assert told
    first, *_ = table_of(record, "handovers")["registered_s"]
    assert 1 < first < 1.1


def test_registrations_carry_the_authenticator_of_both_ends_key(
    walked: tuple[Any, Path],
) -> None:
    """RFC 5944 §3.5.1: HMAC-MD5 of UDP's payload before it, here worked out by Python."""
    fields = ["-T", "fields", "-e", "udp.payload"]
    messages = tshark(walked[1] / "east.pcapng", "-Y", "mip.type", *fields)
    assert len(messages) >= 2
    for message in map(bytes.fromhex, messages):
        key = bytes.fromhex("00112233445566778899aabbccddeeff")
        assert message[-16:] == hmac.digest(key, message[:-16], "md5")


WRONG = {
    "nobody": (
        'home_agent = "home"',
        'home_agent = "core"',
        'sta.walker.mobile_ip.home_agent: "core" is no router with an agent; allowed: home, abroad',
    ),
    "another's network": (
        'home_agent = "home"',
        'home_agent = "abroad"',
        'sta.walker.mobile_ip.home_agent: "abroad" does not serve the network of its access '
        "point; allowed: the agent of the network that it belongs to",
    ),
    "no access point": (
        "core = {}",
        "core = { agent = {} }",
        "router.core.agent: 0 of its networks have an access point; allowed: one network with some",
    ),
    "no wire": (
        'core-abroad = { between = ["core", "abroad"], delay = "5 ms" }',
        "",
        'router.abroad.agent: no wire leads to "home", so nobody can be reached there; allowed: '
        "wires between both agents",
    ),
    "a key too short": (
        'home_agent = "home"',
        'home_agent = "home", key = "0011"',
        'sta.walker.mobile_ip.key: "0011"',
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_an_agent_that_nobody_can_reach_is_refused(case: str, tmp_path: Path) -> None:
    found, instead, said = WRONG[case]
    assert refusal_of(tmp_path, BENCH.replace(found, instead, 1)).startswith(f"lab.toml: {said}")
