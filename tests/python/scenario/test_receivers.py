"""An access point may have a rate, a rate control and retry limits for each of its stations."""

from pathlib import Path

import pytest

import anechoic as an
from anechoic.calc.plan import solve
from anechoic.campaign.sweep import cells_of
from anechoic.scenario.load import load

CELL = """
run = { duration = "5 s" }
host.server.stack = "linux-6"
ap.office.beacon_interval = "0 s"
sta.near = { ap = "office", stack = "linux-6" }
sta.far = { ap = "office", stack = "linux-6" }
wire.lan.between = ["server", "office"]
air.standard = "802.11b"
air.loss = "60 dB"
"""
FLOOD = """
[traffic.NAME]
app = "poisson"
from = "server"
to = "NAME"
rate = "6 Mbit/s"
"""


def ran(folder: Path, *parts: str) -> an.Cell:
    file = folder / "lab.toml"
    file.write_text("\n".join([CELL, *parts]), encoding="utf-8")
    (cell,) = an.run(file, reps=2, out=folder / "out", progress=False).cells
    return cell


def flood(name: str) -> str:
    return FLOOD.replace("NAME", name)


def cycle_us(mbps: float, ack_mbps: float) -> float:
    """Time a lone station takes for 1500 bytes of IP: DIFS, half of 31 slots, frame, SIFS, ACK."""
    data, ack = 192 + (1500 + 8 + 28) * 8 / mbps, 192 + 14 * 8 / ack_mbps
    return 50 + 15.5 * 20 + data + 10 + ack


def test_the_performance_anomaly_downstream(tmp_path: Path) -> None:
    """One queue gives both as many frames, and the slow one's take nearly all of the time."""
    cell = ran(tmp_path, 'ap.office.to.far.rate = "1 Mbit/s"', flood("near"), flood("far"))
    near, far = (cell[f"flow.{name}-1.goodput_mbps"].mean for name in ("near", "far"))
    assert near == pytest.approx(far, rel=0.1)
    of_near, of_far = cycle_us(11, 2), cycle_us(1, 1)
    assert (near * of_near + far * of_far) / (1472 * 8) == pytest.approx(1, rel=0.01)
    assert near + far == pytest.approx(2 * 1472 * 8 / (of_near + of_far), rel=0.05)


def test_a_rate_control_of_its_own(tmp_path: Path) -> None:
    """At 91 dB, 4 dB over the noise, 11 Mbit/s fail and lower rates do not."""
    wall = 'air.link.wall = { between = ["far", "office"], loss = "104 dB" }'
    lost = ran(tmp_path, wall, flood("far"))["flow.far-1.goodput_mbps"].mean
    (tmp_path / "adapted").mkdir()
    control = 'ap.office.to.far.rate_control = "arf"'
    cell = ran(tmp_path / "adapted", wall, control, flood("far"), flood("near"))
    assert lost < 0.05 < 0.2 < cell["flow.far-1.goodput_mbps"].mean


@pytest.mark.parametrize("limit", [1, 3])
def test_retry_limits_of_its_own(limit: int, tmp_path: Path) -> None:
    lose = 'air.lose.all = { sender = "office", receiver = "far", frame = "data" }'
    limits = f"ap.office.to.far.short_retry_limit = {limit}"
    cell = ran(tmp_path, lose, limits, flood("far"))
    attempts, given_up = (
        cell[f"node.office.{name}"].mean for name in ("attempts", "drops_retry_limit")
    )
    assert attempts / given_up == pytest.approx(limit, rel=0.01)


def test_groups_and_single_stations(tmp_path: Path) -> None:
    """Who is named alone has what stands there; a station of 802.11b keeps to its own rates."""
    text = """
host.server.stack = "linux-6"
ap.office = {}
ap.office.to.all.rate = "24 Mbit/s"
ap.office.to.laptop-2.long_retry_limit = 2
ap.office.to.old = {}
sta.laptop = { ap = "office", stack = "linux-6", count = 3 }
sta.old = { ap = "office", stack = "linux-6", standard = "802.11b" }
group.all.members = ["laptop"]
wire.lan.between = ["server", "office"]
air.standard = "802.11g"
traffic.a = { app = "bulk", from = "server", to = "laptop" }
"""
    file = tmp_path / "lab.toml"
    file.write_text(text.replace("ap.office = {}\n", ""), encoding="utf-8")
    (cell,) = cells_of(load(file))
    nodes = cell.plan["nodes"]
    radio = next(node for node in nodes if node["name"] == "office")["interfaces"][0]["radio"]
    got = {
        nodes[each["at"]["node"]]["name"]: (each["mac"]["rate"], each["mac"]["long_retry_limit"])
        for each in radio["receivers"]
    }
    assert {name: limit for name, (_, limit) in got.items()} == {
        "laptop-1": 4,
        "laptop-2": 2,
        "laptop-3": 4,
        "old": 4,
    }
    rates = {name: rate for name, (rate, _) in got.items()}
    assert rates["laptop-1"] == rates["laptop-3"] != rates["laptop-2"]
    assert solve(cell.plan).flows[0].remarks[0].startswith("office has rates or retry limits")


@pytest.mark.parametrize(
    ("towards", "said"),
    [
        ('to.far.rate = "54 Mbit/s"', r"ap.office.to.far.rate: .* is not a rate of 802.11b"),
        ('to.fur.rate = "1 Mbit/s"', r"ap.office.to.fur: .*far"),
        ('to.server.rate = "1 Mbit/s"', r"ap.office.to.server: .*server"),
        ("to.far.short_retry_limit = 0", r"short_retry_limit: 0 is out of range"),
    ],
)
def test_what_no_station_can_have_is_refused(tmp_path: Path, towards: str, said: str) -> None:
    with pytest.raises(an.ScenarioError, match=said):
        ran(tmp_path, f"ap.office.{towards}", flood("far"))
