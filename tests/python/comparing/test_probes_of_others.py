"""What irtt, crusader and ndt7 write, by the formats that they document."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import anechoic as an
from anechoic.comparing.side import side_of

MS = 1_000_000


def found_in(tmp_path: Path, content: str | bytes, name: str = "test.json") -> dict[str, float]:
    """Give the means of a file with this content."""
    file = tmp_path / name
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    metrics = side_of(file).cells[0].metrics
    return {name: each.mean for name, each in metrics.items()}


def irtt(trips_ms: list[float | None], **stats: Any) -> str:
    """Give what `irtt client -o` writes; None is a request whose reply was lost."""
    replies = [each for each in trips_ms if each is not None]
    rtt = {"n": len(replies), "mean": sum(replies) / max(len(replies), 1) * MS}
    trips = [
        {
            "seqno": number,
            "lost": "false" if took is not None else "true",
            "timestamps": {"client": {"receive": {}, "send": {"wall": 1528621979787034330}}},
            "delay": {"rtt": int(took * MS), "send": 9 * MS} if took is not None else {},
            "ipdv": {},
        }
        for number, took in enumerate(trips_ms)
    ]
    counted = {"packets_sent": len(trips_ms), "packets_received": len(replies), "rtt": rtt}
    document = {
        "version": {"irtt": "0.9.2", "protocol": 1, "json_format": 1},
        "system_info": {"os": "linux"},
        "config": {"params": {"interval": 20 * MS}},
        "stats": {**counted, "send_delay": {"mean": 9 * MS}, **stats},
        "round_trips": trips,
    }
    return json.dumps(document, indent=4)


def test_irtt_tells_round_trips_and_requests_without_reply(tmp_path: Path) -> None:
    found = found_in(tmp_path, irtt([10, 20, None, 60]))
    assert found == {
        "ping.rtt_ms_mean": 30,
        "ping.rtt_ms_max": 60,
        "ping.rtt_ms_p50": 20,
        "ping.rtt_ms_p95": 60,
        "ping.rtt_ms_p99": 60,
        "ping.rtt_ms_p999": 60,
        "ping.loss": 0.25,
    }
    packed = gzip.compress(irtt([10, 20, None, 60]).encode())
    assert found_in(tmp_path, packed, "voip.json.gz") == found


def test_irtt_without_any_reply_lost_all(tmp_path: Path) -> None:
    assert found_in(tmp_path, irtt([None, None])) == {"ping.loss": 1}
    with pytest.raises(an.ScenarioError, match="no round trips; did the server answer"):
        found_in(tmp_path, irtt([]))


def time(seconds: float) -> dict[str, int]:
    return {"secs": int(seconds), "nanos": round(seconds % 1 * 1e9)}


def stream(*points: tuple[float, int]) -> dict[str, Any]:
    return {"data": [{"time": time(at), "bytes": total} for at, total in points]}


def group(*streams: dict[str, Any], download: bool, both: bool = False) -> dict[str, Any]:
    return {"download": download, "both": both, "streams": list(streams)}


def ping(sent_s: float, took_ms: float | None) -> dict[str, Any]:
    took = None if took_ms is None else time(took_ms / 1e3)
    # What came there, and whose reply was lost, has the first half alone.
    return {"index": 0, "sent": time(sent_s), "latency": {"total": took, "up": time(0.001)}}


def crusader(**changes: Any) -> dict[str, Any]:
    """Give what `crusader export` writes of a download of 4 s and an upload of 4 s."""
    return {
        "version": 2,
        "generated_by": "crusader 0.3.2",
        "config": {"load_duration": time(4)},
        "stream_groups": [
            group(
                stream((2, 0), (4, 1_000_000), (6, 3_000_000)),
                stream((2, 0), (6, 1_000_000)),
                download=True,
            ),
            group(stream((8, 0), (12, 500_000)), download=False),
        ],
        "pings": [
            *(ping(each / 10, 4) for each in range(20)),
            ping(3, 40),
            ping(4, 60),
            ping(5, None),
            ping(9, 20),
        ],
        "test_data": [
            {"start": time(2), "end": time(6), "kind": "Download"},
            {"start": time(8), "end": time(12), "kind": "Upload"},
        ],
        **changes,
    }


def test_the_parts_of_crusaders_test_have_the_names_of_windows(tmp_path: Path) -> None:
    found = found_in(tmp_path, json.dumps(crusader(), indent=2))
    assert found["goodput_mbps@download"] == pytest.approx(8), "four megabytes in four seconds"
    assert found["goodput_mbps@upload"] == pytest.approx(1)
    assert found["ping.rtt_ms_mean@download"] == pytest.approx(50)
    assert found["ping.loss@download"] == pytest.approx(1 / 3)
    assert found["ping.rtt_ms_mean@upload"] == pytest.approx(20)
    assert found["ping.rtt_ms_mean@idle"] == pytest.approx(4)
    assert "goodput_mbps" not in found, "parts that follow each other have no sum"


def test_both_directions_of_crusader_at_once_are_one_goodput(tmp_path: Path) -> None:
    groups = [
        group(stream((2, 0), (6, 4_000_000)), download=True, both=True),
        group(stream((2, 0), (6, 1_000_000)), download=False, both=True),
    ]
    # A file of version 1 does not say when its parts were.
    older = crusader(stream_groups=groups, version=1)
    del older["test_data"]
    found = found_in(tmp_path, json.dumps(older))
    assert found["goodput_mbps"] == pytest.approx(10)
    assert found["ping.rtt_ms_mean"] == pytest.approx(50), "while it was loaded"
    assert found["ping.rtt_ms_mean@idle"] == pytest.approx(4)


def test_a_test_of_crusader_without_traffic_has_its_pings(tmp_path: Path) -> None:
    found = found_in(tmp_path, json.dumps(crusader(stream_groups=[], test_data=[])))
    assert found["ping.rtt_ms_max"] == pytest.approx(60)
    assert "goodput_mbps" not in found


def event(key: str, test: str, **value: Any) -> str:
    return json.dumps({"Key": key, "Value": {"Test": test, **value}})


DOWNLOAD = [
    event("starting", "download"),
    event("connected", "download", Server="ndt.example"),
    event(
        "measurement",
        "download",
        Origin="server",
        TCPInfo={"RTT": 20_000, "TotalRetrans": 3, "BytesAcked": 1, "ElapsedTime": 1_000_000},
    ),
    event(
        "measurement",
        "download",
        Origin="server",
        TCPInfo={"RTT": 40_000, "TotalRetrans": 7, "BytesAcked": 2, "ElapsedTime": 9_000_000},
    ),
    event(
        "measurement",
        "download",
        Origin="client",
        AppInfo={"NumBytes": 12_500_000, "ElapsedTime": 10_000_000},
    ),
    event("complete", "download"),
]
UPLOAD = [
    event("starting", "upload"),
    event(
        "measurement",
        "upload",
        Origin="client",
        AppInfo={"NumBytes": 9_999_999, "ElapsedTime": 10_000_000},
    ),
    event(
        "measurement",
        "upload",
        Origin="server",
        TCPInfo={
            "RTT": 1,
            "TotalRetrans": 0,
            "BytesReceived": 2_500_000,
            "ElapsedTime": 10_000_000,
        },
    ),
    event("complete", "upload"),
]
SUMMARY = json.dumps(
    {
        "ServerFQDN": "ndt.example",
        "Download": {
            "Throughput": {"Value": 10.1, "Unit": "Mbit/s"},
            "Latency": {"Value": 18, "Unit": "ms"},
        },
        "Upload": None,
    }
)


def test_ndt7_counts_what_the_receiver_tells(tmp_path: Path) -> None:
    found = found_in(tmp_path, "\n".join([*DOWNLOAD, *UPLOAD, SUMMARY]))
    assert found == {
        "goodput_mbps@download": pytest.approx(10),
        "tcp.retransmissions@download": 7,
        "tcp.rtt_ms_mean@download": pytest.approx(30),
        "goodput_mbps@upload": pytest.approx(2),
    }
    alone = found_in(tmp_path, "\n".join(DOWNLOAD))
    assert alone["goodput_mbps"] == pytest.approx(10)
    assert alone["tcp.retransmissions"] == 7


def test_tests_of_ndt7_that_follow_each_other_are_repetitions(tmp_path: Path) -> None:
    file = tmp_path / "loop.json"
    file.write_text("\n".join([*DOWNLOAD, SUMMARY, *DOWNLOAD, SUMMARY]))
    assert side_of(file).cells[0].replications == 2


def test_a_summary_of_ndt7_tells_no_mean_round_trip(tmp_path: Path) -> None:
    found = found_in(tmp_path, SUMMARY)
    assert found == {"goodput_mbps": 10.1, "goodput_mbps@download": 10.1}


def test_the_archive_of_an_ndt7_server_tells_what_was_acknowledged(tmp_path: Path) -> None:
    kernel = {"RTT": 30_000, "TotalRetrans": 2, "BytesAcked": 5_000_000, "ElapsedTime": 4_000_000}
    archived = {
        "GitShortCommit": "773d318",
        "ClientIP": "2001:db8::1",
        "Download": {"ServerMeasurements": [{"TCPInfo": kernel}], "ClientMeasurements": None},
    }
    packed = gzip.compress(json.dumps(archived).encode())
    found = found_in(tmp_path, packed, "ndt7-download.json.gz")
    assert found["goodput_mbps"] == pytest.approx(10)
    assert found["tcp.rtt_ms_mean"] == pytest.approx(30)


def test_what_failed_or_tells_nothing_is_refused_in_a_line(tmp_path: Path) -> None:
    failed = event("error", "download", Failure="connection refused")
    with pytest.raises(an.ScenarioError, match="ndt7 says: connection refused"):
        found_in(tmp_path, "\n".join([event("starting", "download"), failed]))
    with pytest.raises(an.ScenarioError, match="does not tell what was received"):
        found_in(tmp_path, event("starting", "download"))
    cut = {**crusader(), "stream_groups": [{"download": True}]}
    with pytest.raises(an.ScenarioError, match="not whole, or of another version"):
        found_in(tmp_path, json.dumps(cut))


def test_files_of_several_tools_are_no_repetitions(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(irtt([10]))
    (tmp_path / "b.json").write_text(json.dumps(crusader()))
    with pytest.raises(an.ScenarioError, match="files of irtt, crusader are mixed"):
        side_of(tmp_path)


CELL = """
run.duration = "4 s"
host.server.stack = "linux-6"
host.laptop.stack = "linux-6"
wire.lan = { between = ["server", "laptop"], delay = "5 ms" }
traffic.probe = { app = "ping", from = "laptop", to = "server", interval = "100 ms" }
window.download = { from = "1 s", until = "3 s" }
"""


def test_a_campaigns_pings_stand_beside_those_of_irtt_and_crusader(tmp_path: Path) -> None:
    (tmp_path / "cell.toml").write_text(CELL)
    results = an.run(tmp_path / "cell.toml", reps=2, out=tmp_path / "out", progress=False)
    (tmp_path / "irtt.json").write_text(irtt([10, 10.2]))
    (tmp_path / "crusader.json").write_text(json.dumps(crusader()))
    found = an.compare(results, tmp_path / "irtt.json", tmp_path / "crusader.json")
    rows = {row.metric: row.summaries for row in found.rows}
    for name in ("ping.rtt_ms_mean", "ping.rtt_ms_p99", "ping.loss"):
        ours, theirs, _ = rows[name]
        assert ours is not None
        assert theirs is not None
        assert ours.mean == pytest.approx(theirs.mean, abs=1), name
    (row,) = an.compare(
        results, tmp_path / "crusader.json", metrics=["ping.rtt_ms_mean@download"]
    ).rows
    ours, theirs = row.summaries
    assert ours is not None
    assert theirs is not None
    assert ours.mean == pytest.approx(10, abs=1)
    assert theirs.mean == pytest.approx(50)
