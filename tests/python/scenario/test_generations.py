"""Cells of several generations: stations of older amendments beside those of 802.11n, ac and ax."""

from pathlib import Path
from typing import Any

import pytest
from refused import refusal_of

import anechoic as an

CELL = """
run = { duration = "3 s", warmup = "1 s" }
air = { standard = "802.11ax", channel = 36, loss = "40 dB" }
host.server = { stack = "linux-6" }
ap.office = { beacon_interval = "0 s" }
sta.new = { ap = "office", stack = "linux-6" }
sta.old = { ap = "office", stack = "linux-6", standard = "802.11a" }
wire.lan = { between = ["server", "office"], rate = "10 Gbit/s" }
[traffic.new]
app = "udp"
from = "server"
to = "new"
payload = "1472 B"
rate = "1 Mbit/s"
[traffic.old]
app = "udp"
from = "server"
to = "old"
payload = "1472 B"
rate = "1 Mbit/s"
"""


def run(folder: Path, **changed: Any) -> an.Cell:
    """Run the cell with other values."""
    folder.mkdir(exist_ok=True)
    path = folder / "cell.toml"
    path.write_text(CELL)
    settings = {name.replace("__", "."): value for name, value in changed.items()}
    return an.run(path, set=settings, reps=3, out=folder / "out", progress=False).cells[0]


# A cycle is AIFS of 43 µs, 7.5 slots in the mean, the frame, SIFS and the answer at 24 Mbit/s. 1536
# bytes at 54 Mbit/s are 57 symbols of 4 µs; 42 MPDUs of MCS 7 with two streams and 400 ns 3636 µs.
ALONE = [
    ("802.11a", {}, 1, 20 + 57 * 4 + 16 + 28),
    ("802.11n", {"sta__old__width": "20 MHz"}, 42, 3636 + 16 + 32),
]


@pytest.mark.parametrize(("standard", "fields", "packets", "exchange_us"), ALONE)
def test_an_older_station_alone_gets_what_its_own_amendment_gives(
    standard: str, fields: dict[str, str], packets: int, exchange_us: float, tmp_path: Path
) -> None:
    told = run(tmp_path, sta__old__standard=standard, traffic__old__rate="1 Gbit/s", **fields)
    # The datagrams of the other station, one in 11.8 ms, take 1 % of the airtime.
    found = told["flow.old-1.goodput_mbps"].mean
    cycle_us = 43 + 67.5 + exchange_us
    assert found == pytest.approx(packets * 1472 * 8 / cycle_us, rel=0.03)


def test_a_station_of_802_11a_that_downloads_takes_the_airtime_of_one_of_802_11ax(
    tmp_path: Path,
) -> None:
    flood = {"traffic__new__rate": "1 Gbit/s", "traffic__old__rate": "1 Gbit/s"}
    found = run(tmp_path, **flood)
    new, old = (found[f"flow.{name}-1.goodput_mbps"].mean for name in ("new", "old"))
    assert new < 1.25 * old, "packets go in the order of their coming"
    fair = run(tmp_path / "fair", ap__office__queue="mac80211", **flood)
    new, old = (fair[f"flow.{name}-1.goodput_mbps"].mean for name in ("new", "old"))
    assert new > 15 * old, "half of the airtime each"


def test_both_directions_work_between_any_two_generations(tmp_path: Path) -> None:
    for standard in ("802.11a", "802.11n", "802.11ac"):
        up = run(
            tmp_path / standard.replace(".", "-"),
            sta__old__standard=standard,
            traffic__old__from="old",
            traffic__old__to="server",
        )
        assert up["flow.old-1.goodput_mbps"].mean == pytest.approx(1, rel=0.02)
        assert up["flow.new-1.goodput_mbps"].mean == pytest.approx(1, rel=0.02)


def test_frames_are_announced_to_stations_of_802_11b(tmp_path: Path) -> None:
    """They cannot read OFDM, and would take the air for free after a silence of theirs."""
    at_2_4_ghz = {"air__channel": 6, "traffic__new__rate": "1 Gbit/s"}
    with_g, with_b = (
        run(tmp_path / standard[-1], sta__old__standard=standard, **at_2_4_ghz)
        for standard in ("802.11g", "802.11b")
    )
    assert with_g["node.office.cts_to_self_frames"].mean == 0
    assert with_b["node.office.cts_to_self_frames"].mean > 100
    new = "flow.new-1.goodput_mbps"
    assert with_b[new].mean < 0.97 * with_g[new].mean


def test_an_older_station_is_served_by_minstrel_where_the_others_are_by_minstrel_ht(
    tmp_path: Path,
) -> None:
    """As by Linux, whose one control knows the rates without MCS as groups of their own."""
    found = run(tmp_path, ap__office__profile="linux-5", traffic__old__rate="1 Gbit/s")
    best = 1472 * 8 / (43 + 67.5 + 20 + 57 * 4 + 16 + 28)
    assert 0.9 * best < found["flow.old-1.goodput_mbps"].mean < 1.05 * best


OLD = 'standard = "802.11a"'
REFUSED = [
    (OLD, 'standard = "802.11g"', "sta.old.standard"),
    ('standard = "802.11ax"', 'standard = "802.11g"', "sta.old.standard"),
    ('"0 s" }', '"0 s", to.old.rate_control = "minstrel-ht" }', "ap.office.to.old.rate_control"),
]


@pytest.mark.parametrize(("old", "new", "where"), REFUSED)
def test_what_does_not_go_together_is_refused(
    old: str, new: str, where: str, tmp_path: Path
) -> None:
    text = CELL.replace(old, new, 1)
    assert text != CELL
    assert where in refusal_of(tmp_path, text)
