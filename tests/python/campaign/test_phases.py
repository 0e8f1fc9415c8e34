"""What is said of flows in step, shares that hang on phase, and replications without chance."""

from pathlib import Path

import pytest

import anechoic as an
from anechoic.campaign.phases import phases
from anechoic.campaign.replication import Summary
from anechoic.campaign.results import Results

# A link that carries three quarters of what two streams offer.
LINK = """\
run = { duration = "2 s", warmup = "500 ms" }
replication = { min = 12, max = 12 }
host.a.stack = "linux-6"
host.b.stack = "linux-6"
wire.w = { between = ["a", "b"], rate = "6 Mbit/s", queue.packets = 20 }
"""
ONE = 'traffic.one = { app = "udp", from = "a", to = "b", payload = 1000, rate = "4 Mbit/s" }\n'
TWO = 'traffic.two = { app = "udp", from = "a", to = "b", payload = 1000, rate = "4 Mbit/s" }\n'


def run(tmp_path: Path, text: str) -> Results:
    """Run a scenario into a folder of its own."""
    path = tmp_path / "lab.toml"
    path.write_text(text, encoding="utf-8")
    return an.run(path, out=tmp_path / "out", progress=False)


def shares(results: Results) -> list[Summary]:
    """Give the goodputs of both streams."""
    return [results.cells[0].metrics[f"flow.{name}-1.goodput_mbps"] for name in ("one", "two")]


def test_equal_streams_share_a_link_equally_within_an_honest_interval(tmp_path: Path) -> None:
    results = run(tmp_path, LINK + ONE + TWO)
    one, two = shares(results)
    assert one.mean + two.mean == pytest.approx(6 * 1000 / 1046, rel=0.02)
    assert abs(one.mean - two.mean) < one.ci95 + two.ci95
    (said,) = phases(results)
    assert said.startswith("Flows of traffic.one, traffic.two send at one constant interval")


def test_jitter_lets_phases_change_within_a_replication(tmp_path: Path) -> None:
    late = [each.replace(" }", ', jitter = "2 ms" }') for each in (ONE, TWO)]
    results = run(tmp_path, LINK + "".join(late))
    for share in shares(results):
        assert share.mean == pytest.approx(3 * 1000 / 1046, rel=0.05)
        assert share.sd < 0.1 * share.mean
    assert phases(results) == []


def test_exact_times_are_told_and_replications_that_are_all_the_same(tmp_path: Path) -> None:
    exact = [each.replace(" }", ', start_jitter = "0 s" }') for each in (ONE, TWO)]
    same, in_step = phases(run(tmp_path, LINK + "".join(exact)))
    assert "gave the same in every replication" in same
    assert "traffic.one, traffic.two begin at exact times in every replication" in in_step


def test_another_flow_leaves_the_phases_of_the_others(tmp_path: Path) -> None:
    """What comes back on the other direction of the wire changes none of its times."""
    other = 'traffic.back = { app = "udp", from = "b", to = "a", rate = "1 Mbit/s" }\n'
    counts = []
    for name, more in (("lone", ""), ("beside", other)):
        (tmp_path / name).mkdir()
        cell = run(tmp_path / name, LINK + more + ONE.replace("4 M", "4.1 M")).cells[0]
        counts.append(cell.metrics["flow.one-1.bytes"].values)
    assert counts[0] == counts[1]
    assert len(set(counts[0])) > 1
