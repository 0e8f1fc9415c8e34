"""A wrong field is refused with file, path, value, what is allowed, and the nearest valid name."""

from pathlib import Path

import pytest
from conftest import BASELINE
from refused import refusal_of

from anechoic.scenario.kinds import TRAFFIC

pytestmark = pytest.mark.usefixtures("core")

APPLICATIONS = ", ".join(f'"{name}"' for name in TRAFFIC)
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
        "lab.toml: ap.office.rts_treshold: unknown field; allowed: standard, profile, "
        "preamble, rate, mcs, streams, width, guard_interval, ampdu_limit, amsdu_limit, "
        "block_ack_window, agreements, reorder_buffer, reorder_timeout, agreement_timeout, "
        "mpdu_spacing, aggregate_limit, txop_limit, rate_control, basic_rates, protection, "
        "rts_threshold, fragmentation_threshold, short_retry_limit, … "
        "(44 in all); did you mean rts_threshold?",
    ),
    "unknown table": (
        "[host.server]",
        "[hosts.server]",
        "lab.toml: hosts: unknown field; allowed: title, run, host, router, switch, ap, sta, "
        "port, group, noise, wire, segment, air, traffic, program, emulation, tap, window, "
        "replication, sweep, figure, extends; did you mean host?",
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
    "more power than any radio may put out": (
        'profile = "vendor-a"',
        'tx_power = "90 dBm"',
        'lab.toml: ap.office.tx_power: "90 dBm" is refused: too large; allowed: '
        'a number with its unit, such as "15 dBm" (units: dBm), at most 30 dBm',
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
        '"vendor-b", "ns-2", "plain", "openwrt", "linux-5", "fifo"; did you mean vendor-b?',
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
        "lab.toml: host.server.tcp.data_retrys: unknown field; allowed: mss_bytes, "
        "receive_window_bytes, send_buffer_bytes, window_scaling, timestamps, delayed_ack_ms, "
        "delayed_ack_segments, sack, rto_min_ms, initial_window, data_retries, "
        "duplicate_ack_threshold, reordering_max; did you mean data_retries?",
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
        'lab.toml: wire.uplink.between: "laptop" is a station; allowed: a host, a port, a router, '
        "a switch or an access point: server, office",
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
        'lab.toml: sta.laptop.ap: "server" is a host; allowed: an access point: office',
    ),
    "a station without an access point": (
        'ap = "office"\n',
        "",
        "lab.toml: sta.laptop.ap: missing, name of the access point it is associated with; "
        "allowed: a name",
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
        'lab.toml: traffic.pairs.to: "office" is an access point; allowed: a host or a station: '
        "server, laptop",
    ),
    "traffic from a node to itself": (
        'to = "laptop"',
        'to = "server"',
        'lab.toml: traffic.pairs: "server" sends to itself; allowed: two nodes',
    ),
    "TCP to a node without a stack": (
        'stack = "windows-xp"\n',
        "",
        "lab.toml: traffic.pairs.to: sta.laptop has no TCP stack; sta.laptop.stack gives it one; "
        "allowed: a node with a TCP stack",
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
        f"{APPLICATIONS}; did you mean chariot-throughput?",
    ),
    "no kind of traffic": (
        'app = "chariot-throughput"\n',
        "",
        f"lab.toml: traffic.pairs.app: missing, the kind of traffic; allowed: {APPLICATIONS}",
    ),
    "a field of another kind of traffic": (
        "count = 2",
        "payload = 100",
        "lab.toml: traffic.pairs.payload: unknown field; allowed: from, to, opens, count, start, "
        "start_spread, start_pattern, start_jitter, jitter, stop, dscp, stack, tcp, sender, "
        "receiver, app, file_size, transactions_per_record, timing_records, confirmation_size, "
        "write_size",
    ),
    "a count that is no number": (
        "count = 2",
        'count = "two"',
        'lab.toml: traffic.pairs.count: "two" is not a whole number; allowed: a whole number, '
        "1 to 10000 flows",
    ),
    "no air for the radios": (
        '[air]\nloss = "48 dB"\n',
        "",
        "lab.toml: air: missing, and there is ap.office; allowed: a table [air]",
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
        "lab.toml: replication: 12 is not a table; allowed: a table of metric, min, max, precision",
    ),
    "a table where a name belongs": (
        "count = 2",
        'stack = { sender = "rfc" }',
        'lab.toml: traffic.pairs.stack: {"sender": "rfc"} is not a text; allowed: '
        "windows-2000, windows-xp",
    ),
    "an unknown amendment": (
        'loss = "48 dB"',
        'standard = "802.11x"',
        'lab.toml: air.standard: "802.11x" is no amendment of IEEE 802.11 we know; allowed: '
        '"802.11b", "802.11g", "802.11a", "802.11n", "802.11ac", "802.11ax"',
    ),
    "an amendment that is not simulated yet": (
        'loss = "48 dB"',
        'standard = "802.11be"',
        'lab.toml: air.standard: "802.11be" isn\'t simulated yet; allowed: "802.11b", "802.11g", '
        '"802.11a", "802.11n", "802.11ac", "802.11ax"',
    ),
}


@pytest.mark.parametrize("case", EDITS)
def test_a_wrong_scenario_is_refused(case: str, tmp_path: Path) -> None:
    found, replacement, said = EDITS[case]
    assert found in BASELINE
    assert refusal_of(tmp_path, BASELINE.replace(found, replacement, 1)) == said


def test_every_problem_is_said_at_once(tmp_path: Path) -> None:
    text = BASELINE.replace("300 s", "300").replace('"48 dB"', '"48"')
    assert [line.split(": ")[1] for line in refusal_of(tmp_path, text).splitlines()] == [
        "run.duration",
        "air.loss",
    ]
