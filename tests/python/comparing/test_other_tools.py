"""What the versions of iperf3 and Flent write: a right number, or none."""

import bz2
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import anechoic as an
from anechoic.comparing.side import side_of
from anechoic.scenario.load import from_data


def found_in(tmp_path: Path, content: str | bytes, name: str = "test.json") -> dict[str, float]:
    """Give the means of a file with this content."""
    file = tmp_path / name
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    metrics = side_of(file).cells[0].metrics
    return {name: each.mean for name, each in metrics.items()}


def rate(mbps: float, **more: Any) -> dict[str, Any]:
    return {"bits_per_second": mbps * 1e6, **more}


def document(end: dict[str, Any], start: dict[str, Any] | None = None, **more: Any) -> str:
    return json.dumps({"start": start or {}, "intervals": [], "end": end, **more})


FORWARD = {"sum_sent": rate(52, retransmits=2), "sum_received": rate(50)}
SERVER = {"accepted_connection": {"host": "192.0.2.1"}}


def test_datagrams_with_one_rate_are_what_was_not_lost(tmp_path: Path) -> None:
    end = {"streams": [], "sum": rate(8, packets=800, lost_packets=200, lost_percent=25)}
    assert found_in(tmp_path, document(end)) == {"goodput_mbps": pytest.approx(6)}
    whole = {**end, "sum_sent": rate(8), "sum_received": rate(5.9, lost_percent=25)}
    assert found_in(tmp_path, document(whole)) == {"goodput_mbps": pytest.approx(5.9)}


def test_datagrams_that_were_all_lost_give_nothing(tmp_path: Path) -> None:
    end = {"sum_sent": rate(8), "sum_received": rate(0, lost_percent=100)}
    assert found_in(tmp_path, document(end)) == {"goodput_mbps": 0}


def test_a_server_does_not_know_what_arrives_of_what_it_sends(tmp_path: Path) -> None:
    # The sender's rate is no goodput, and nothing told is not nothing received.
    end = {"sum_sent": rate(52, retransmits=2), "sum_received": rate(0)}
    assert found_in(tmp_path, document(end, SERVER)) == {"tcp.retransmissions": 2}
    for alone in ({"sum": rate(8, lost_percent=0)}, {"sum_received": rate(0, lost_percent=0)}):
        with pytest.raises(an.ScenarioError, match="does not tell what was received"):
            found_in(tmp_path, document(alone, SERVER))


def test_a_server_knows_what_it_received_and_not_what_was_retransmitted(tmp_path: Path) -> None:
    end = {"sum_sent": rate(0, retransmits=0), "sum_received": rate(50)}
    assert found_in(tmp_path, document(end, SERVER)) == {"goodput_mbps": 50}


def streams() -> list[dict[str, Any]]:
    own, other = {"sender": True}, {"sender": False}
    there = {"sender": rate(41, retransmits=1, **own), "receiver": rate(40, **own)}
    back = {"sender": rate(22, retransmits=4, **other), "receiver": rate(20, **other)}
    return [there, back]


def test_both_directions_count_whatever_their_sums_are_called(tmp_path: Path) -> None:
    there = '"sum_sent": {"bits_per_second": 41e6}, "sum_received": {"bits_per_second": 40e6}'
    back = '"sum_sent": {"bits_per_second": 22e6}, "sum_received": {"bits_per_second": 20e6}'
    end = f'{{"streams": {json.dumps(streams())}, {there}, {back}}}'
    twice = f'{{"start": {{}}, "intervals": [], "end": {end}}}'
    both = {"goodput_mbps": pytest.approx(60), "tcp.retransmissions": 5}
    assert found_in(tmp_path, twice) == both
    own = {
        "streams": streams(),
        "sum_sent": rate(41, retransmits=1),
        "sum_received": rate(40),
        "sum_sent_bidir_reverse": rate(22, retransmits=4),
        "sum_received_bidir_reverse": rate(20),
    }
    assert found_in(tmp_path, document(own)) == both


def test_half_of_two_directions_is_no_goodput(tmp_path: Path) -> None:
    one = {"sum_sent": rate(41, retransmits=1), "sum_received": rate(40)}
    start = {"test_start": {"bidir": 1}}
    with pytest.raises(an.ScenarioError, match="does not tell what was received"):
        found_in(tmp_path, document(one, start))
    unknown = {"sum_sent_bidir_reverse": rate(22), "sum_received_bidir_reverse": rate(0)}
    with pytest.raises(an.ScenarioError, match="does not tell what was received"):
        found_in(tmp_path, document({**one, **unknown}, {**start, **SERVER}))


def events(*ends: dict[str, Any]) -> str:
    lines = [
        {"event": name, "data": data}
        for end in ends
        for name, data in (("start", {"cookie": str(end)}), ("interval", {}), ("end", end))
    ]
    return "\n".join(map(json.dumps, lines))


def test_events_are_put_together(tmp_path: Path) -> None:
    known = {"goodput_mbps": 50, "tcp.retransmissions": 2}
    assert found_in(tmp_path, events(FORWARD)) == known
    other = {"sum_sent": rate(32, retransmits=4), "sum_received": rate(30)}
    assert found_in(tmp_path, events(FORWARD, other)) == {
        "goodput_mbps": 40,
        "tcp.retransmissions": 3,
    }
    with pytest.raises(an.ScenarioError, match="iperf3 says: the server is busy"):
        found_in(tmp_path, '{"event": "error", "data": "the server is busy"}')
    unfinished = events(FORWARD).rpartition("\n")[0]
    with pytest.raises(an.ScenarioError, match="did the test end before its time"):
        found_in(tmp_path, unfinished)


def test_a_test_that_stands_twice_counts_once(tmp_path: Path) -> None:
    whole = document(FORWARD, {"cookie": str(FORWARD)})
    (tmp_path / "twice.json").write_text(f"{whole}\n{whole}\n")
    assert side_of(tmp_path / "twice.json").cells[0].replications == 1
    (tmp_path / "full.json").write_text(f"{events(FORWARD)}\n{whole}\n")
    assert side_of(tmp_path / "full.json").cells[0].replications == 1
    other = document({"sum_sent": rate(32), "sum_received": rate(30)})
    assert found_in(tmp_path, f"{whole}\n{other}\n")["goodput_mbps"] == 40


def test_words_of_the_tool_may_stand_around_a_document(tmp_path: Path) -> None:
    whole = json.dumps(json.loads(document(FORWARD)), indent=1)
    around = f"warning: no IPv6\n{whole}\niperf3: error - unable to send: Broken pipe\n"
    assert found_in(tmp_path, around)["goodput_mbps"] == 50
    with pytest.raises(an.ScenarioError, match="it is no JSON"):
        found_in(tmp_path, f"{whole}\n{whole[:-20]}")


def of_hosts(hosts: list[str]) -> str:
    results: dict[str, list[float]] = {}
    for host in hosts:
        results |= {f"TCP upload BE {host}": [5.0, 5.0], f"Ping (ms) ICMP {host}": [8.0, 9.0]}
        results[f"TCP upload BE {host}::tcp_rtt"] = [70.0, 70.0]
    about = {name: {"UNITS": "Mbits/s"} for name in results if name.startswith("TCP")}
    metadata = {"SERIES_META": about}
    raw = {name: [{"t": 0.0, "val": values[0]}] for name, values in results.items()}
    return json.dumps(
        {"x_values": [0, 1], "results": results, "raw_values": raw, "metadata": metadata}
    )


@pytest.mark.parametrize(
    "hosts",
    [
        ["192.0.2.1", "192.0.2.2"],
        ["2001:db8::a", "2001:db8::b"],
        ["2001:db8::1", "2001:db8::2"],
        ["fe80::a%eth0", "::ffff:192.0.2.1"],
    ],
)
@pytest.mark.parametrize("packed", [bytes, gzip.compress, bz2.compress])
def test_flows_to_any_address_count(hosts: list[str], packed: Any, tmp_path: Path) -> None:
    found = found_in(tmp_path, packed(of_hosts(hosts).encode()), "test.flent")
    assert found == {"goodput_mbps": 10, "ping.rtt_ms_mean": 8.5}


@pytest.mark.parametrize("packed", [gzip.compress, bz2.compress])
def test_a_torn_file_is_told(packed: Any, tmp_path: Path) -> None:
    with pytest.raises(an.ScenarioError, match="it is compressed, and not whole"):
        found_in(tmp_path, packed(of_hosts(["192.0.2.1"]).encode())[:-9], "test.flent")


def test_pings_are_compared_with_pings(tmp_path: Path) -> None:
    data = {
        "run": {"duration": "3 s", "warmup": "0.5 s"},
        "host": {"server": {"stack": "linux-6"}, "client": {"stack": "linux-6"}},
        "wire": {"lan": {"between": ["server", "client"], "rate": "5 Mbit/s", "delay": "2 ms"}},
        "traffic": {
            "down": {"app": "bulk", "from": "server", "to": "client"},
            "often": {"app": "ping", "from": "client", "to": "server", "interval": "50 ms"},
            "rarely": {"app": "ping", "from": "client", "to": "server", "interval": "500 ms"},
        },
    }
    ours = an.run(from_data(data, "pair"), reps=2, out=tmp_path / "ours", progress=False)
    theirs = tmp_path / "test.flent"
    theirs.write_text(of_hosts(["192.0.2.1"]))
    found = an.compare(ours, theirs)
    assert found.metrics == ["goodput_mbps", "ping.rtt_ms_mean"]
    (row,) = [row for row in found.rows if row.metric == "ping.rtt_ms_mean"]
    own = {name: each.values for name, each in ours.cells[0].metrics.items()}
    for r in range(2):
        trips = [
            (own[f"flow.{name}-1.rtt_ms_mean"][r], own[f"flow.{name}-1.replies"][r])
            for name in ("often", "rarely")
        ]
        mean = sum(value * n for value, n in trips) / sum(n for _, n in trips)
        assert row.summaries[0] is not None
        assert row.summaries[0].values[r] == pytest.approx(mean)
        assert own["rtt_ms_mean"][r] != pytest.approx(mean, rel=1e-3)
