"""Everything wrong with a scenario is said with file, path, value, what is allowed, and the
nearest valid name."""

import errno
import os
import tomllib
from pathlib import Path
from typing import Any

import pytest
from conftest import BASELINE, SWEPT
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import anechoic as an
from anechoic.campaign.sweep import cells_of, with_sweep
from anechoic.scenario.load import from_data, with_overrides
from anechoic.scenario.paths import parsed_list, parsed_value

pytestmark = pytest.mark.usefixtures("core")


def refusal(path: Path) -> str:
    """Give what is said about a file, with the file's folder left out."""
    with pytest.raises(an.ScenarioError) as caught:
        cells_of(an.load(path))
    return str(caught.value).replace(f"{path.parent}/", "")


def refusal_of(tmp_path: Path, text: str) -> str:
    path = tmp_path / "lab.toml"
    path.write_text(text, encoding="utf-8")
    return refusal(path)


DURATIONS = 'a number with its unit, such as "300 s" (units: ns, us, µs, ms, s, min, h)'
RATES = (
    'a number with its unit, such as "11 Mbit/s" '
    "(units: bit/s, kbit/s, Mbit/s, Gbit/s), more than zero"
)

# What is changed in the baseline: the text to find, what replaces it, and what is said.
EDITS = {
    "unknown field": (
        'profile = "vendor-a"',
        "rts_treshold = 256",
        "lab.toml: ap.office.rts_treshold: unknown field; allowed: profile, preamble, "
        "rate_control, rate, attempts_per_rate, basic_rates, rts_threshold, "
        "fragmentation_threshold, short_retry_limit, long_retry_limit, queue_packets, tx_power, "
        "address, beacon_interval; did you mean rts_threshold?",
    ),
    "unknown table": (
        "[host.server]",
        "[hosts.server]",
        "lab.toml: hosts: unknown field; allowed: title, run, host, ap, sta, port, wire, air, "
        "traffic, tap, replication, sweep, figure; did you mean host?",
    ),
    "wrong unit": (
        'loss = "48 dB"',
        'loss = "48 dBm"',
        'lab.toml: air.loss: "48 dBm" is refused: "dBm" is not a unit of level ratio; allowed: '
        'a number with its unit, such as "48 dB" (units: dB)',
    ),
    "no unit": (
        'duration = "300 s"',
        "duration = 300",
        "lab.toml: run.duration: 300 is refused: a number without a unit; allowed: "
        f"{DURATIONS}, more than zero",
    ),
    "negative duration": (
        'warmup = "10 s"',
        'warmup = "-10 s"',
        f'lab.toml: run.warmup: "-10 s" is refused: negative; allowed: {DURATIONS}',
    ),
    "warm-up as long as the run": (
        'warmup = "10 s"',
        'warmup = "5 min"',
        'lab.toml: run.warmup: "5 min" leaves nothing to measure; allowed: less than '
        "run.duration, 300 s",
    ),
    "fragmentation threshold of 100 bytes": (
        'profile = "vendor-a"',
        "fragmentation_threshold = 100",
        "lab.toml: ap.office.fragmentation_threshold: 100 is out of range; allowed: "
        "256 to 2346 bytes",
    ),
    "RTS threshold of 3000 bytes": (
        'profile = "vendor-a"',
        "rts_threshold = 3000",
        "lab.toml: ap.office.rts_threshold: 3000 is out of range; allowed: 0 to 2347 bytes",
    ),
    "a rate that 802.11b lacks": (
        'profile = "vendor-a"',
        'rate = "54 Mbit/s"',
        'lab.toml: ap.office.rate: "54 Mbit/s" is not a rate of 802.11b; allowed: 1 Mbit/s, '
        "2 Mbit/s, 5.5 Mbit/s, 11 Mbit/s; did you mean 11 Mbit/s?",
    ),
    "a basic rate that 802.11b lacks": (
        'profile = "vendor-a"',
        'basic_rates = ["1 Mbit/s", "6 Mbit/s"]',
        'lab.toml: ap.office.basic_rates[1]: "6 Mbit/s" is not a rate of 802.11b; allowed: '
        "1 Mbit/s, 2 Mbit/s, 5.5 Mbit/s, 11 Mbit/s; did you mean 5.5 Mbit/s?",
    ),
    "no basic rate": (
        'profile = "vendor-a"',
        "basic_rates = []",
        "lab.toml: ap.office.basic_rates: [] is too short; allowed: at least 1 values",
    ),
    "a rate with the unit of a loss": (
        'delay = "1 ms"',
        'rate = "48 dB"',
        f'lab.toml: wire.uplink.rate: "48 dB" is refused: "dB" is not a unit of rate; allowed: '
        f"{RATES}",
    ),
    "unknown profile": (
        '"vendor-a"',
        '"vendor-c"',
        'lab.toml: ap.office.profile: "vendor-c" is not one of the values; allowed: "vendor-a", '
        '"vendor-b", "plain"; did you mean vendor-b?',
    ),
    "unknown stack": (
        '"windows-xp"',
        '"windows-xq"',
        'lab.toml: sta.laptop.stack: there is no TCP stack profile "windows-xq"; allowed: '
        "windows-2000, windows-xp; did you mean windows-xp?",
    ),
    "unknown stack value": (
        "tcp.data_retries",
        "tcp.data_retrys",
        "lab.toml: host.server.tcp.data_retrys: unknown field; allowed: receive_window_bytes, "
        "sack, rto_min_ms, initial_window, data_retries; did you mean data_retries?",
    ),
    "stack value of another kind": (
        "tcp.data_retries = 500",
        "tcp.data_retries = true",
        "lab.toml: host.server.tcp.data_retries: true is refused; allowed: a whole number, such "
        "as 5 (attempts)",
    ),
    "negative stack value": (
        "tcp.data_retries = 500",
        "tcp.data_retries = -1",
        "lab.toml: host.server.tcp.data_retries: -1 is out of range; allowed: 0 to 4294967295 "
        "attempts",
    ),
    "stack value that is no choice": (
        "tcp.data_retries = 500",
        'tcp.initial_window = "rfc5682"',
        'lab.toml: host.server.tcp.initial_window: "rfc5682" is not one of the values; allowed: '
        '"rfc5681", "rfc6928", or { segments = 4 }; did you mean rfc5681?',
    ),
    "initial window of no segments": (
        "tcp.data_retries = 500",
        "tcp.initial_window = { segments = 0 }",
        'lab.toml: host.server.tcp.initial_window: {"segments": 0} is not one of the values; '
        'allowed: "rfc5681", "rfc6928", or { segments = 4 }',
    ),
    "stack size with a wrong unit": (
        "tcp.data_retries = 500",
        'tcp.receive_window_bytes = "64 ms"',
        'lab.toml: host.server.tcp.receive_window_bytes: "64 ms" is refused: "ms" is not a unit '
        'of size; allowed: a whole number of bytes, or a number with its unit, such as "64 kB" '
        "(units: B, bytes, kB, KiB, MB, MiB, GB, GiB)",
    ),
    "stack value with a wrong unit": (
        "tcp.data_retries = 500",
        'tcp.rto_min_ms = "300 dB"',
        'lab.toml: host.server.tcp.rto_min_ms: "300 dB" is refused: "dB" is not a unit of time; '
        f"allowed: {DURATIONS}",
    ),
    "a wire to a node that is not there": (
        '"server", "office"]',
        '"server", "ofice"]',
        'lab.toml: wire.uplink.between: there is no node "ofice"; allowed: server, office; '
        "did you mean office?",
    ),
    "a wire to a station": (
        '"server", "office"]',
        '"server", "laptop"]',
        'lab.toml: wire.uplink.between: there is no node "laptop"; allowed: server, office',
    ),
    "a wire from a node to itself": (
        '"server", "office"]',
        '"server", "server"]',
        'lab.toml: wire.uplink.between: both ends are "server"; allowed: two nodes',
    ),
    "a wire with one end": (
        '"server", "office"]',
        '"server"]',
        'lab.toml: wire.uplink.between: ["server"] is too short; allowed: at least 2 values',
    ),
    "a station of an access point that is not there": (
        'ap = "office"',
        'ap = "server"',
        'lab.toml: sta.laptop.ap: there is no access point "server"; allowed: office',
    ),
    "a station without an access point": (
        'ap = "office"\n',
        "",
        "lab.toml: sta.laptop.ap: missing; allowed: name of the access point it is associated with",
    ),
    "traffic to a node that is not there": (
        'to = "laptop"',
        'to = "labtop"',
        'lab.toml: traffic.pairs.to: there is no node "labtop"; allowed: server, laptop; '
        "did you mean laptop?",
    ),
    "TCP to an access point": (
        'to = "laptop"',
        'to = "office"',
        'lab.toml: traffic.pairs.to: there is no node "office"; allowed: server, laptop',
    ),
    "traffic from a node to itself": (
        'to = "laptop"',
        'to = "server"',
        'lab.toml: traffic.pairs: "server" sends to itself; allowed: two nodes',
    ),
    "TCP to a node without a stack": (
        'stack = "windows-xp"\n',
        "",
        "lab.toml: traffic.pairs.to: sta.laptop has no TCP stack; allowed: a node with one; "
        "set sta.laptop.stack",
    ),
    "an unreachable receiver": (
        '[wire.uplink]\nbetween = ["server", "office"]\ndelay = "1 ms"\n',
        "",
        "lab.toml: traffic.pairs: there is no path between server and laptop; allowed: nodes "
        "joined by wires, access points and their stations",
    ),
    "traffic that begins after the end": (
        "count = 2",
        'start = "301 s"',
        'lab.toml: traffic.pairs.start: "301 s" is not before the end of the run; allowed: less '
        "than 300 s",
    ),
    "unknown kind of traffic": (
        '"chariot-throughput"',
        '"chariot"',
        'lab.toml: traffic.pairs.app: "chariot" is not one of the values; allowed: '
        '"chariot-throughput", "bulk", "udp", "ping"; did you mean chariot-throughput?',
    ),
    "no kind of traffic": (
        'app = "chariot-throughput"\n',
        "",
        'lab.toml: traffic.pairs.app: missing; allowed: the kind of traffic: "chariot-throughput", '
        '"bulk", "udp", "ping"',
    ),
    "a field of another kind of traffic": (
        "count = 2",
        "payload = 100",
        "lab.toml: traffic.pairs.payload: unknown field; allowed: from, to, count, start, "
        "stack, tcp, sender, receiver, app, file_size, transactions_per_record, timing_records, "
        "confirmation_size, write_size",
    ),
    "a count that is no number": (
        "count = 2",
        'count = "two"',
        'lab.toml: traffic.pairs.count: "two" is not a whole number; allowed: 1 to 10000 flows',
    ),
    "no air for the radios": (
        '[air]\nloss = "48 dB"\n',
        "",
        "lab.toml: air: missing; allowed: a table [air], because there is ap.office",
    ),
    "one name for two nodes": (
        "[ap.office]",
        "[host.laptop]\n[ap.office]",
        'lab.toml: sta.laptop: "laptop" is the name of host.laptop too; allowed: a name that no '
        "other node has",
    ),
    "a group's member with another node's name": (
        "[sta.laptop]\n",
        "[host.laptop-2]\n[sta.laptop]\ncount = 3\n",
        'lab.toml: sta.laptop: "laptop-2" is the name of host.laptop-2 too; allowed: a name that '
        "no other node has",
    ),
    "one address for two nodes": (
        "[ap.office]",
        '[host.other]\naddress = "10.0.0.9"\n[ap.office]\naddress = "10.0.0.9"',
        'lab.toml: ap.office.address: "10.0.0.9" is the address of other too; allowed: one '
        "address for each node",
    ),
    "no address": (
        "[ap.office]",
        '[ap.office]\naddress = "10.0.0.300"',
        'lab.toml: ap.office.address: "10.0.0.300" is refused: not an IPv4 address; allowed: '
        'four numbers, such as "10.0.0.1"',
    ),
    "a name that is no name": (
        "[host.server]",
        '[host."my server"]',
        'lab.toml: host.my server: "my server" is not a name; allowed: a letter, then letters, '
        "digits, - and _",
    ),
    "a value where a table belongs": (
        'title = "Baseline throughput"',
        "replication = 12",
        "lab.toml: replication: 12 is not a table",
    ),
    "a table where a name belongs": (
        "count = 2",
        'stack = { sender = "rfc" }',
        'lab.toml: traffic.pairs.stack: {"sender": "rfc"} is not a text; allowed: name of the '
        "TCP stack profile of both ends",
    ),
    "an unknown amendment": (
        'loss = "48 dB"',
        'standard = "802.11g"',
        'lab.toml: air.standard: "802.11g" is not one of the values; allowed: "802.11b"; '
        "did you mean 802.11b?",
    ),
}

# What is added to the swept baseline, and what is said.
ADDITIONS = {
    "unknown metric of the stopping rule": (
        '[replication]\nmetric = "goodput_mpbs"',
        'replication.metric: there is no metric "goodput_mpbs"',
        "did you mean goodput_mbps?",
    ),
    "unknown metric of a figure": (
        '[[figure]]\ntitle = "x"\nx = "connections"\ny = "flow.pairs-3.goodput_mbps"',
        'figure[1].y: there is no metric "flow.pairs-3.goodput_mbps"',
        "did you mean flow.pairs-2.goodput_mbps?",
    ),
    "unknown axis of a figure": (
        '[[figure]]\ntitle = "x"\nx = "conections"\ny = "goodput_mbps"',
        'figure[1].x: there is no axis of the sweep "conections"; allowed: connections',
        "did you mean connections?",
    ),
    "fewer replications at most than at least": (
        "[replication]\nmin = 12\nmax = 6",
        "replication.min: 12 is more than replication.max, 6",
        "allowed: at most 6",
    ),
    "sweep of an unknown field": (
        '[[sweep]]\n"ap.office.rts_treshold" = [0, 2347]',
        'sweep[1].ap.office.rts_treshold: there is no "rts_treshold" in ap.office',
        "did you mean ap.office.rts_threshold?",
    ),
    "sweep of a node that is not there": (
        '[[sweep]]\n"ap.ofice.rts_threshold" = [0, 2347]',
        'sweep[1].ap.ofice.rts_threshold: there is no "ofice" in ap',
        "did you mean ap.office?",
    ),
    "sweep of a table": (
        '[[sweep]]\n"ap.office" = [1, 2]',
        "sweep[1].ap.office: this is a table, not a value",
        "address, beacon_interval",
    ),
    "sweep of what is the same for all": (
        '[[sweep]]\n"run.seed" = [1, 2]',
        "sweep[1].run.seed: this is the same for all cells",
        "",
    ),
    "columns of different length": (
        '[[sweep]]\n"ap.office.rts_threshold" = [0, 2347]\n"ap.office.preamble" = ["long"]',
        "sweep[1]: columns of different length: ap.office.rts_threshold has 2, "
        "ap.office.preamble has 1",
        "allowed: columns of one length, taken row by row",
    ),
    "a column without values": (
        '[[sweep]]\n"ap.office.rts_threshold" = []',
        "sweep[1].columns.ap.office.rts_threshold: [] is too short",
        "at least 1 values",
    ),
    "two axes of one name": (
        '[[sweep]]\nname = "connections"\n"ap.office.rts_threshold" = [0]',
        'sweep[1].name: "connections" names two axes',
        "",
    ),
    "one field in two axes": (
        '[[sweep]]\nname = "again"\n"traffic.pairs.count" = [3]',
        "sweep[1].traffic.pairs.count: another axis sweeps this too",
        "",
    ),
    "a value twice": (
        '[[sweep]]\n"ap.office.rts_threshold" = [256, 256]',
        "sweep[1]: a value stands twice in [256, 256]",
        "allowed: each value once",
    ),
    "a swept value that no cell can have": (
        '[[sweep]]\n"ap.office.fragmentation_threshold" = [256, 100]',
        "ap.office.fragmentation_threshold: 100 is out of range (in the cell connections = 2, "
        "ap.office.fragmentation_threshold = 100)",
        "allowed: 256 to 2346 bytes",
    ),
    "a tap on nothing": (
        '[tap.air]\nat = "sta.labtop"',
        'tap.air.at: there is no point to tap "sta.labtop"; allowed: wire.uplink, ap.office, '
        "sta.laptop",
        "did you mean sta.laptop?",
    ),
    "a loss between what is no radio": (
        '[air.link.x]\nbetween = ["laptop", "server"]\nloss = "60 dB"',
        'air.link.x.between: there is no radio "server"; allowed: office, laptop',
        "",
    ),
    "more flows than anyone wants": (
        '[sta.crowd]\nap = "office"\ncount = 1000\n'
        '[traffic.flood]\napp = "udp"\nfrom = "crowd"\nto = "server"\ncount = 1000',
        "traffic.flood: makes 1000000 flows",
        "allowed: at most 16000",
    ),
    "a datagram larger than a frame": (
        '[traffic.flood]\napp = "udp"\nfrom = "server"\nto = "laptop"\npayload = 9000',
        "traffic.flood.payload: 9000 does not fit one Ethernet frame",
        "allowed: at most 1472 bytes",
    ),
}


@pytest.mark.parametrize("case", EDITS)
def test_a_wrong_scenario_is_refused(case: str, tmp_path: Path) -> None:
    found, replacement, said = EDITS[case]
    assert found in BASELINE
    assert refusal_of(tmp_path, BASELINE.replace(found, replacement, 1)) == said


@pytest.mark.parametrize("case", ADDITIONS)
def test_a_wrong_addition_is_refused(case: str, tmp_path: Path) -> None:
    addition, beginning, end = ADDITIONS[case]
    message = refusal_of(tmp_path, f"{SWEPT}\n{addition}\n")
    assert "\n" not in message
    assert message.startswith(f"lab.toml: {beginning}")
    assert message.endswith(end)


def test_every_problem_is_said_at_once(tmp_path: Path) -> None:
    text = BASELINE.replace("300 s", "300").replace('"48 dB"', '"48"')
    assert [line.split(": ")[1] for line in refusal_of(tmp_path, text).splitlines()] == [
        "run.duration",
        "air.loss",
    ]


def test_a_swept_value_is_said_once_however_many_cells_have_it(tmp_path: Path) -> None:
    sweep = '[[sweep]]\n"ap.office.rate" = ["54 Mbit/s"]\n'
    assert len(refusal_of(tmp_path, SWEPT + sweep).splitlines()) == 1


def test_an_empty_file(tmp_path: Path) -> None:
    assert refusal_of(tmp_path, "") == "lab.toml: the file is empty; allowed: a scenario"
    assert refusal_of(tmp_path, "# nothing\n").startswith("lab.toml: the file is empty")


def test_a_scenario_with_nothing_to_run(tmp_path: Path) -> None:
    said = "lab.toml: traffic: missing; allowed: a table [traffic.NAME]: something to run"
    assert refusal_of(tmp_path, 'title = "x"') == said


def test_a_file_that_is_not_toml_names_the_line(tmp_path: Path) -> None:
    message = refusal_of(tmp_path, 'title = "x"\n[run\n')
    assert message.startswith("lab.toml: not TOML: ")
    assert "line 2" in message


def test_of_many_names_the_nearest_few_are_listed() -> None:
    scenario = from_data(tomllib.loads(SWEPT), "lab.toml")
    with pytest.raises(an.ScenarioError) as caught:
        cells_of(with_overrides(scenario, {"replication.metric": "tcp.timeout"}))
    said = str(caught.value)
    assert 'there is no metric "tcp.timeout"; allowed: tcp.timeouts, ' in said
    assert said.count(",") == 6
    assert said.endswith(" in all); did you mean tcp.timeouts?")


def test_a_table_that_stands_twice(tmp_path: Path) -> None:
    assert refusal_of(tmp_path, BASELINE + "[host.server]\n") == (
        "lab.toml: the table [host.server] stands twice, again at line 30, column 13; "
        "allowed: each table once"
    )


def test_a_file_that_is_not_utf8_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "lab.toml"
    path.write_bytes(b'title = "x"\nname = "\xff"\n')
    said = "lab.toml: not UTF-8: byte 0xff in line 2; allowed: a text file in UTF-8"
    assert refusal(path) == said


def test_a_directory(tmp_path: Path) -> None:
    said = "this is a directory; allowed: a scenario file"
    assert refusal(tmp_path).endswith(f"{tmp_path.name}: {said}")


def test_a_missing_file_suggests_a_neighbour(baseline: Path) -> None:
    message = refusal(baseline.with_name("basline.toml"))
    assert message == "basline.toml: there is no such file; did you mean baseline.toml?"


def test_a_file_without_permission(baseline: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The superuser may read every file, so the system's refusal is put on.
    def refused(_path: Path) -> bytes:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(Path, "read_bytes", refused)
    assert refusal(baseline) == "baseline.toml: cannot be read: Permission denied"


SET = {
    "ap.office.rts_treshold": 'there is no "rts_treshold" in ap.office',
    "wlan.office.rate": 'there is no "wlan" in a scenario',
    "run": "this is a table, not a value",
    "run.seed.x": "run.seed is a value, not a table",
    "port.x.address": 'there is no "x" in port; allowed: nothing',
}


@pytest.mark.parametrize("path", SET)
def test_setting_an_unknown_path_is_refused(path: str, baseline: Path) -> None:
    with pytest.raises(an.ScenarioError) as caught:
        an.load(baseline, set={path: 1})
    assert f"baseline.toml: {path}: {SET[path]}" in str(caught.value)


def test_setting_a_wrong_value_is_refused(baseline: Path) -> None:
    values: dict[str, Any] = {"ap.office.fragmentation_threshold": 100}
    with pytest.raises(an.ScenarioError, match="100 is out of range; allowed: 256 to 2346 bytes"):
        an.load(baseline, set=values)


def test_sweeping_an_unknown_path_from_outside_is_refused(baseline: Path) -> None:
    with pytest.raises(an.ScenarioError, match=r"--sweep ap\.office\.rts: there is no"):
        with_sweep(an.load(baseline), {"ap.office.rts": [1, 2]})


def test_nesting_without_end(tmp_path: Path) -> None:
    text = f"title = {'[' * 5000}"
    assert refusal_of(tmp_path, text) == "lab.toml: not a scenario: nested too deeply"


def test_a_number_without_end(tmp_path: Path) -> None:
    assert refusal_of(tmp_path, f"run.seed = {'9' * 5000}").startswith("lab.toml: not TOML: ")


def leaves(data: Any, place: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Give the place of every table, list and value below the top."""
    steps = data.items() if isinstance(data, dict) else enumerate(data)
    found = []
    for key, value in steps:
        found.append((*place, key))
        if isinstance(value, dict | list):
            found += leaves(value, (*place, key))
    return found


PLACES = leaves(tomllib.loads(SWEPT))
WRONG = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["1 s", "-82 dBm", "server", "office", "laptop", "48 dB", "wire.uplink"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


@settings(
    max_examples=300,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.lists(st.tuples(st.sampled_from(PLACES), WRONG), min_size=1, max_size=3))
def test_whatever_is_written_is_run_or_refused(changes: list[tuple[tuple[Any, ...], Any]]) -> None:
    data: Any = tomllib.loads(SWEPT)
    for place, value in changes:
        at = data
        try:
            for step in place[:-1]:
                at = at[step]
            at[place[-1]] = value
        except (KeyError, IndexError, TypeError):
            continue  # an earlier change took the place away
    try:
        cells_of(from_data(data, "lab.toml"))
    except an.ScenarioError as error:
        assert str(error).startswith("lab.toml: ")


@settings(
    max_examples=200,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@example(("title",), "")
@example(("run", "seed"), "1979-05-27")
@given(st.sampled_from(PLACES), st.text(max_size=12))
def test_whatever_is_set_is_run_or_refused(place: tuple[Any, ...], text: str) -> None:
    path = ".".join(map(str, place))
    scenario = from_data(tomllib.loads(SWEPT), "lab.toml")
    try:
        cells_of(with_overrides(scenario, {path: parsed_value(text)}))
        cells_of(with_sweep(scenario, {path: parsed_list(text)}))
    except an.ScenarioError as error:
        assert str(error).startswith("lab.toml: ")
