"""What contradicts itself in a stack is refused with its reason; what follows, follows."""

import json
from pathlib import Path
from typing import Any

import pytest

import anechoic as an
from anechoic import _core
from anechoic.scenario.compile import compile_scenario
from anechoic.scenario.explain import explained

TWO_HOSTS = """
[run]
duration = "2 s"

[host.a]
stack = "linux-6"

[host.b]
stack = "linux-6"

[wire.w]
between = ["a", "b"]

[traffic.data]
app = "bulk"
from = "a"
to = "b"
count = 2

[traffic.probe]
app = "udp"
from = "a"
to = "b"
rate = "1 Mbit/s"
"""


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    path = tmp_path / "two.toml"
    path.write_text(TWO_HOSTS, encoding="utf-8")
    return path


def stack_of(path: Path, **values: Any) -> dict[str, Any]:
    set_ = {f"host.a.{name}".replace("__", "."): value for name, value in values.items()}
    node = compile_scenario(an.load(path, set=set_))["nodes"][0]
    stack: dict[str, Any] = node["stack"]
    return stack


def refusal(path: Path, values: dict[str, Any]) -> str:
    with pytest.raises(an.ScenarioError) as caught:
        compile_scenario(an.load(path, set=values))
    return str(caught.value).replace(f"{path}: ", "")


def test_a_value_of_another_family_is_refused_with_the_stacks_that_have_it(scenario: Path) -> None:
    said = refusal(scenario, {"host.a.tcp.recovery": "newreno"})
    assert said.startswith(
        'host.a.tcp.recovery: "linux-6" has no recovery: its family, linux, works without; '
        '"bsd-4.4", "freebsd-4.9", "linux-2.4", "macos", "ns-2", "rfc", "windows-11", '
        '"windows-2000", "windows-xp" have it; allowed: mss_bytes, receive_window_bytes, '
    )
    said = refusal(scenario, {"host.a.stack": "freebsd-4.9", "host.a.tcp.jiffy_ms": 4})
    assert said.startswith(
        'host.a.tcp.jiffy_ms: "freebsd-4.9" has no jiffy_ms: its family, bsd, works without; '
        '"android", "linux-2.4", "linux-6" have it; allowed: mss_bytes, '
    )


def test_the_family_of_a_stack_is_not_to_be_changed(scenario: Path) -> None:
    assert refusal(scenario, {"host.a.tcp.family": "bsd"}) == (
        "host.a.tcp.family: the family comes with the stack; allowed: another stack"
    )


def test_linux_acknowledges_as_linux_whatever_its_least_delay(scenario: Path) -> None:
    stack = stack_of(scenario, tcp__delayed_ack_ms=40)
    assert (stack["family"], stack["delayed_ack_min_ms"]) == ("linux", 40)


@pytest.mark.parametrize("profile", _core.stack_profile_names())
def test_no_profile_contradicts_itself(profile: str, scenario: Path) -> None:
    given = stack_of(scenario, stack=profile, tcp__data_retries=7)
    assert given == {**stack_of(scenario, stack=profile), "data_retries": 7}


REFUSED = {
    "SACK recovery without SACK": (
        {"stack": "rfc", "recovery": "sack", "sack": False},
        "false is refused: SACK recovery reads SACK blocks (RFC 6675), and sack is false; "
        'allowed: sack = true, or recovery = "newreno"',
    ),
    "DSACK without SACK": (
        {"sack": False, "dsack": True},
        "true is refused: DSACK reports travel in SACK options (RFC 2883 §4), and sack is false; "
        "allowed: sack = true, or dsack = false",
    ),
    "HyStart without CUBIC": (
        {"hystart": True, "congestion_control": "vegas"},
        '"vegas" is refused: HyStart is the slow start of Linux\'s CUBIC (Ha and Rhee 2011); '
        'allowed: congestion_control = "cubic", or hystart = false',
    ),
    "undo by timestamps without timestamps": (
        {"stack": "rfc", "timestamps": False, "timestamp_undo": True},
        "true is refused: the undo compares echoed timestamps (RFC 3522 §3.2), and timestamps is "
        "false; allowed: timestamps = true, or timestamp_undo = false",
    ),
    "a window that the field cannot hold": (
        {"window_scaling": False, "receive_window_bytes": "64 KiB"},
        "65536 is refused: the window field has 16 bits (RFC 9293 §3.1), and window_scaling is "
        "false; allowed: at most 65535 bytes, or window_scaling = true",
    ),
    "a shift without scaling": (
        {"window_scaling": False, "window_shift_min": 3},
        "3 is refused: a shift is offered by window scaling (RFC 7323 §2.2), and window_scaling "
        "is false; allowed: 0, or window_scaling = true",
    ),
    "a shift above 14": (
        {"window_shift_min": 15},
        "15 is refused: the window can be shifted by 14 at most (RFC 7323 §2.3); allowed: at "
        "most 14",
    ),
    "CUBIC with Tahoe's recovery": (
        {"stack": "rfc", "congestion_control": "cubic", "recovery": "tahoe"},
        '"tahoe" is refused: Tahoe\'s recovery leaves one segment after every loss, so that the '
        "reduction that any other congestion control is made of never happens; allowed: recovery "
        '"reno", "newreno" or "sack"; or congestion_control = "reno"',
    ),
    "BBR without a sender that measures rates": (
        {"stack": "rfc", "congestion_control": "bbr"},
        '"bbr" is refused: BBR goes by the rate at which segments are delivered, which Linux\'s '
        'sender alone measures, as it alone paces; allowed: the stack "linux-6" or '
        '"android", or another congestion_control',
    ),
    "a receive buffer that begins larger than it may grow to": (
        {"receive_buffer_bytes": "8 MiB"},
        "8388608 is refused: the receive buffer begins larger than it may grow to; allowed: "
        "receive_buffer_bytes at most receive_buffer_max_bytes",
    ),
    "a least timeout above the largest": (
        {"rto_min_ms": "3 s", "rto_max_ms": "2 s"},
        "2000 is refused: the least retransmission timeout, rto_min_ms, is above the largest, "
        "rto_max_ms; allowed: rto_min_ms at most rto_max_ms",
    ),
    "an initial timeout above the largest": (
        {"rto_max_ms": 500},
        "500 is refused: the initial retransmission timeout, rto_initial_ms, is above the "
        "largest, rto_max_ms; allowed: rto_initial_ms at most rto_max_ms",
    ),
    "acknowledgements held back too long": (
        {"delayed_ack_ms": "501 ms"},
        "501 is refused: no acknowledgement may be held back for longer than half a second "
        "(RFC 9293 §3.8.6.3); allowed: at most 500 ms",
    ),
    "a least delay above the longest": (
        {"delayed_ack_ms": 100, "delayed_ack_min_ms": 200},
        "200 is refused: the least delay of an acknowledgement is longer than the longest, "
        "delayed_ack_ms; allowed: at most delayed_ack_ms",
    ),
    "no segment acknowledged": (
        {"delayed_ack_segments": 0},
        "0 is refused: there is nothing to acknowledge before a segment has come; allowed: at "
        "least 1",
    ),
    "a loss without a sign": (
        {"duplicate_ack_threshold": 0},
        "0 is refused: without a duplicate acknowledgement nothing speaks for a loss; allowed: "
        "at least 1",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_contradiction_is_refused_where_it_was_written_last(case: str, scenario: Path) -> None:
    values, said = REFUSED[case]
    path = f"host.a.tcp.{list(values)[-1]}"
    written = {
        f"host.a.{name}" if name == "stack" else f"host.a.tcp.{name}": value
        for name, value in values.items()
    }
    assert refusal(scenario, written) == f"{path}: {said}"


def test_what_nobody_wrote_follows_as_on_a_real_host(scenario: Path) -> None:
    without_sack = stack_of(scenario, stack="rfc", tcp__sack=False)
    assert (without_sack["recovery"], without_sack["dsack"]) == ("newreno", False)
    assert stack_of(scenario, tcp__sack=False)["dsack"] is False
    with_reno = stack_of(scenario, tcp__congestion_control="reno")
    assert (with_reno["hystart"], with_reno["tail_loss_probe"]) == (False, True)
    without_scaling = stack_of(scenario, tcp__window_scaling=False)
    assert without_scaling["receive_window_bytes"] == 65_535
    assert without_scaling["window_shift_min"] == 0
    old = stack_of(scenario, stack="linux-2.4", tcp__timestamps=False)
    assert old["timestamp_undo"] is False


def test_explain_says_what_followed_and_why(scenario: Path) -> None:
    loaded = an.load(scenario, set={"host.a.stack": "rfc", "host.a.tcp.sack": False})
    lines = {line.path: line.columns()[1:] for line in explained(loaded)}
    assert lines["host.a.tcp.sack"] == ("false", "--set", "")
    assert lines["host.a.tcp.recovery"] == (
        "newreno",
        "follows",
        "SACK recovery reads SACK blocks (RFC 6675), and sack is false",
    )


def flows(path: Path, values: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = compile_scenario(an.load(path, set=values))["flows"]
    return found


def test_a_connection_has_the_tcp_of_its_nodes_unless_it_says_otherwise(scenario: Path) -> None:
    assert [flow["stacks"] for flow in flows(scenario, {})] == [[None, None]] * 3


def test_a_connection_may_change_values_at_both_ends_or_at_one(scenario: Path) -> None:
    values = {
        "traffic.data.tcp.congestion_control": "vegas",
        "traffic.data.receiver.tcp.receive_window_bytes": "32 KiB",
    }
    first, second, _ = flows(scenario, values)
    sender, receiver = first["stacks"]
    assert first["stacks"] == second["stacks"]
    assert (sender["congestion_control"], receiver["congestion_control"]) == ("vegas", "vegas")
    assert sender["receive_window_bytes"] > 32_768 == receiver["receive_window_bytes"]


def test_a_connection_with_a_profile_begins_anew(scenario: Path) -> None:
    values = {"host.a.tcp.rto_min_ms": 1000, "traffic.data.sender.stack": "windows-xp"}
    sender, receiver = flows(scenario, values)[0]["stacks"]
    xp = compile_scenario(an.load(scenario, set={"host.a.stack": "windows-xp"}))["nodes"][0]
    assert sender == xp["stack"]
    assert receiver is None


def test_a_connection_may_bring_the_only_stack(tmp_path: Path) -> None:
    path = tmp_path / "bare.toml"
    path.write_text(TWO_HOSTS.replace('stack = "linux-6"', ""), encoding="utf-8")
    assert refusal(path, {}).startswith("traffic.data.from: host.a has no TCP stack; ")
    sender, receiver = flows(path, {"traffic.data.stack": "rfc"})[0]["stacks"]
    assert sender == receiver == json.loads(_core.stack_profile("rfc"))
    assert refusal(path, {"traffic.data.tcp.sack": False}).endswith(
        "traffic.data.tcp: there is no stack to change; allowed: a stack"
    )


def test_a_contradiction_between_node_and_connection_is_the_connections(scenario: Path) -> None:
    values = {"host.a.tcp.dsack": True, "traffic.data.sender.tcp.sack": False}
    assert refusal(scenario, values).startswith("traffic.data.sender.tcp.sack: false is refused: ")


def test_a_mistake_of_a_node_is_said_once(scenario: Path) -> None:
    values = {"host.a.tcp.sck": False, "traffic.data.tcp.dsack": False}
    assert refusal(scenario, values).count("host.a.tcp.sck") == 1


def test_datagrams_have_no_tcp(tmp_path: Path) -> None:
    for field in ("congestion_control = 'cubic'", "stack = 'rfc'", "tcp.sack = false"):
        path = tmp_path / "probe.toml"
        path.write_text(TWO_HOSTS + field, encoding="utf-8")
        name = field.partition(" ")[0].partition(".")[0]
        with pytest.raises(an.ScenarioError) as caught:
            an.load(path)
        assert str(caught.value).startswith(
            f'{path}: traffic.probe.{name}: there is no TCP in "udp", but in "script", '
        )


def test_a_value_of_a_stack_outside_its_table_is_shown_the_way(tmp_path: Path) -> None:
    path = tmp_path / "host.toml"
    path.write_text(
        TWO_HOSTS.replace("[host.b]", "congestion_control = 'vegas'\n[host.b]"), encoding="utf-8"
    )
    with pytest.raises(an.ScenarioError) as caught:
        an.load(path)
    assert str(caught.value) == (
        f"{path}: host.a.congestion_control: a single value of a TCP stack stands in the table "
        "tcp; allowed: stack, address, mtu, tcp, cost, port; "
        "did you mean host.a.tcp.congestion_control?"
    )


def test_a_path_to_a_value_of_a_stack_is_shown_the_way_too(scenario: Path) -> None:
    said = refusal(scenario, {"traffic.data.congestion_control": "vegas"})
    assert said.endswith("did you mean traffic.data.tcp.congestion_control?")


def test_a_sweep_takes_any_variant_with_any_profile_that_has_a_recovery(scenario: Path) -> None:
    from anechoic.campaign.sweep import cells_of, with_sweep

    linux = ("android", "linux-6")
    stacks = [name for name in _core.stack_profile_names() if name not in linux]
    swept = with_sweep(
        an.load(scenario),
        {
            "traffic.data.stack": stacks,
            "traffic.data.sender.tcp.congestion_control": ["reno", "cubic", "vegas", "westwood"],
            "traffic.data.sender.tcp.recovery": ["reno", "newreno"],
        },
    )
    assert len(cells_of(swept)) == 8 * len(stacks)
