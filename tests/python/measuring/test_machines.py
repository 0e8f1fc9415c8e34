"""Measurements between two machines, which are namespaces of this one."""

from pathlib import Path

import pytest
from machines import paired

import anechoic as an

SCENARIO = """
run.duration = "2 s"
host.server.stack = "linux-6"
host.laptop.stack = "linux-6"
wire.lan.between = ["server", "laptop"]
"""
DOWN = 'traffic.down = { app = "bulk", from = "server", to = "laptop", count = 2 }\n'
TALK = 'traffic.talk = { app = "voip", from = "laptop", to = "server" }\n'


@pytest.fixture
def down(tmp_path: Path) -> Path:
    path = tmp_path / "down.toml"
    path.write_text(f'{SCENARIO}run.tcp_info_step = "50 ms"\n{DOWN}')
    return path


def test_tcp_info_of_every_connection_is_kept_whole_and_shown(down: Path, tmp_path: Path) -> None:
    with paired(tmp_path) as (desk, *_):
        done = desk.anechoic("measure", down, "--reps", "1", "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    results = an.Results.load(tmp_path / "out")
    (cell,) = results.cells
    table = results.tcp_info(cell)
    rows = table.to_pylist()
    ends = {(row["flow"], row["end"]) for row in rows}
    flows = ("down-1", "down-2")
    assert ends == {(flow, end) for flow in flows for end in ("sender", "receiver")}
    of_one = [row for row in rows if (row["flow"], row["end"]) == ("down-1", "sender")]
    # Every 50 ms for two seconds, and one at the end; what a busy machine misses is passed over.
    assert 15 <= len(of_one) <= 42, len(of_one)
    for row in of_one:
        assert int.from_bytes(row["raw"][80:84], "little") == row["tcpi_snd_cwnd"]
    delivered = cell.metrics["flow.down-1.bytes"].mean
    assert of_one[-1]["tcpi_bytes_acked"] == pytest.approx(delivered, rel=0.05)
    assert len(results.connections().to_pylist()) == 4
    page = (tmp_path / "out" / "report.html").read_text()
    assert "Windows of connections" in page


def test_a_ceiling_that_binds_is_told(down: Path, tmp_path: Path) -> None:
    limited = ("--max-mbps", "40")
    with paired(tmp_path, options=[(), limited]) as (desk, *_):
        done = desk.anechoic("measure", down, "--reps", "1", "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert "down-1 was held back by the ceiling of an endpoint's owner" in done.stderr
    (cell,) = an.Results.load(tmp_path / "out").cells
    assert cell.metrics["goodput_mbps"].mean < 42
    assert cell.metrics["flow.down-1.ceiling_share"].mean > 0.5


@pytest.mark.parametrize("ahead_s", [(0, 0), (0, 3600), (86_400, 0)])
def test_delays_one_way_do_not_depend_on_what_the_clocks_say(
    ahead_s: tuple[int, int], tmp_path: Path
) -> None:
    path = tmp_path / "talk.toml"
    path.write_text(f"{SCENARIO}run.datagrams = true\n{TALK}")
    with paired(tmp_path, ahead_s=ahead_s) as (desk, *_):
        done = desk.anechoic("measure", path, "--reps", "1", "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    results = an.Results.load(tmp_path / "out")
    (cell,) = results.cells
    metrics = cell.metrics
    band_ms = metrics["flow.talk-1.clock_band_ms"].mean
    assert 0 < band_ms < 0.5
    assert abs(metrics["flow.talk-1.clock_drift_ppm"].mean) < 200, "it is one clock"
    known_s = ahead_s[1] - ahead_s[0]
    assert 1e3 * abs(metrics["flow.talk-1.clock_ahead_s"].mean - known_s) <= band_ms
    datagrams = results.datagrams(cell).to_pylist()
    delays = [row["received_s"] - row["sent_s"] for row in datagrams]
    arrived = sorted(1e3 * delay for delay in delays if delay == delay)
    assert len(arrived) > 80, "fifty a second"
    # A pair of interfaces in one kernel takes some microseconds.
    assert -band_ms <= arrived[len(arrived) // 2] <= band_ms + 0.5
    assert metrics["flow.talk-1.jitter_ms_mean"].mean >= 0
