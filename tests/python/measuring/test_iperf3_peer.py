"""An iperf3 server in the place of a node: nothing of ours runs on that machine."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from machines import PORT, Machine, machines

import anechoic as an

SCENARIO = """
run.duration = "3 s"
host.nas.stack = "linux-6"
host.laptop.stack = "linux-6"
wire.lan.between = ["nas", "laptop"]
"""
UP = 'traffic.load = { app = "bulk", from = "laptop", to = "nas", count = 3 }'
DOWN = 'traffic.load = { app = "bulk", from = "nas", to = "laptop", count = 3 }'
RATE_MBPS = 10
DATAGRAMS = f'app = "udp", payload = 1000, rate = "{RATE_MBPS} Mbit/s", count = 2'


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Machine]:
    """The console; it knows an endpoint, whose owner knows an iperf3 server."""
    with machines(tmp_path, names=("laptop", "nas")) as (laptop, nas):
        home = laptop.home / "desk"
        home.mkdir()
        found = Machine("desk", laptop.address, home, laptop.process)
        laptop.pair(found.pair(), "desk")
        laptop.pair("iperf3", "nas", f"{nas.address}:5201")
        found.pair(laptop.pair(), "laptop", f"{laptop.address}:{PORT}")
        laptop.listen("--max-mbps", "300")
        nas.start("iperf3", "-s")
        while ":5201" not in nas.run("ss", "-ltn").stdout:
            pass
        yield found


def written(folder: Path, traffic: str) -> Path:
    path = folder / "load.toml"
    path.write_text(f"{SCENARIO}{traffic}\n")
    return path


@pytest.mark.parametrize(("traffic", "ceiling_mbps"), [(UP, 300), (DOWN, None)])
def test_what_we_measure_is_what_the_server_counted(
    traffic: str, ceiling_mbps: float | None, desk: Machine, tmp_path: Path
) -> None:
    words = [written(tmp_path, traffic), "--iperf3", "nas=nas", "--reps", "2"]
    done = desk.anechoic("measure", *words, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    (cell,) = an.Results.load(tmp_path / "out").cells
    for number in (1, 2, 3):
        counted = cell.metrics[f"flow.load-{number}.iperf3_bytes"].mean
        ours = cell.metrics[f"flow.load-{number}.bytes"].mean
        # What was on its way at the end, or is read on until the server ends, one counts alone.
        assert ours == pytest.approx(counted, rel=0.1), (ours, counted)
    goodput = cell.metrics["goodput_mbps"].mean
    if ceiling_mbps is None:
        assert goodput > 100
    else:
        assert 0.5 * ceiling_mbps < goodput <= 1.01 * ceiling_mbps


@pytest.mark.parametrize("ends", ['from = "laptop", to = "nas"', 'from = "nas", to = "laptop"'])
def test_datagrams_go_both_ways_at_their_rate(ends: str, desk: Machine, tmp_path: Path) -> None:
    words = [written(tmp_path, f"traffic.load = {{ {DATAGRAMS}, {ends} }}"), "--iperf3", "nas=nas"]
    done = desk.anechoic("measure", *words, "--reps", "1", "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    (cell,) = an.Results.load(tmp_path / "out").cells
    for flow in ("flow.load-1", "flow.load-2"):
        found = {
            name: cell.metrics[f"{flow}.{name}"].mean
            for name in ("goodput_mbps", "bytes", "iperf3_bytes", "iperf3_datagram_loss")
        }
        assert found["goodput_mbps"] == pytest.approx(RATE_MBPS, rel=0.1)
        assert found["bytes"] == pytest.approx(found["iperf3_bytes"], rel=0.02)
        assert found["iperf3_datagram_loss"] < 0.01


@pytest.mark.parametrize(
    ("traffic", "name", "said"),
    [
        (UP, "nas=attic", "the owner's list has no iperf3 server"),
        (UP, "ns=nas", '"ns=nas" names no node of those'),
        (UP.replace("bulk", "two-way"), "nas=nas", "an iperf3 server sends and receives as much"),
        (f"{UP}\n{DOWN.replace('load', 'other')}", "nas=nas", "one direction, one start"),
    ],
)
def test_what_a_server_cannot_be_is_told_in_one_line(
    traffic: str, name: str, said: str, desk: Machine, tmp_path: Path
) -> None:
    words = [written(tmp_path, traffic), "--iperf3", name, "--reps", "1"]
    done = desk.anechoic("measure", *words, "--out", tmp_path / "out")
    assert done.returncode == 2
    assert said in done.stderr, done.stderr
