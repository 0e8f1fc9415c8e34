"""Figures over time: means over replications, single ones, and for each of whom."""

import math
from pathlib import Path

import numpy
import pytest

import anechoic as an
from anechoic.campaign.in_short import jain
from anechoic.report.chart import Chart, Series
from anechoic.report.people import who_got_what
from anechoic.report.series import over_time

OFFICE = """
run.duration = "4 s"
host.server = { stack = "linux-6" }
ap.office = {}
sta.laptop = { ap = "office", stack = "linux-6", count = 2 }
wire.lan.between = ["server", "office"]
air.loss = "60 dB"
traffic.down = { app = "bulk", from = "server", to = "laptop", count = 2 }
"""


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> an.Results:
    """Give three replications of four flows to two stations."""
    folder = tmp_path_factory.mktemp("office")
    (folder / "office.toml").write_text(OFFICE, encoding="utf-8")
    return an.run(folder / "office.toml", reps=3, out=folder / "out", progress=False)


def chart(results: an.Results, title: str) -> Chart:
    return next(each for each in over_time(results) if each.title == title)


def test_a_step_is_chosen_with_which_two_hundred_suffice(office: an.Results) -> None:
    assert office.series(office.cells[0]).num_rows == 200
    times = office.series(office.cells[0])["time_s"].to_pylist()
    assert times[:2] == [0.02, 0.04]


def test_a_reader_chooses_whose_values_and_which_run(office: an.Results) -> None:
    goodput = chart(office, "Goodput over time")
    assert list(goodput.choices) == ["Of", "Run"]
    assert {view.choice[1] for view in goodput.views} == {
        *("mean", "replication 0", "replication 1", "replication 2")
    }
    names = {view.choice[0]: [s.label for s in view.panels[0].series] for view in goodput.views}
    assert names == {
        "All together": ["all flows"],
        "Each station": ["laptop-1", "laptop-2"],
        "Each flow": ["down-1", "down-2", "down-3", "down-4"],
    }


def test_the_mean_of_a_station_is_that_of_its_flows_sum(office: an.Results) -> None:
    view = next(
        view
        for view in chart(office, "Goodput over time").views
        if view.choice == ("Each station", "mean")
    )
    tables = [office.series(office.cells[0], each) for each in range(3)]
    sums = [
        sum(table[f"flow.{name}.goodput_mbps"][7].as_py() for name in ("down-1", "down-2"))
        for table in tables
    ]
    series = view.panels[0].series[0]
    assert series.ys[7] == pytest.approx(numpy.mean(sums))
    spread = numpy.std(sums, ddof=1) / numpy.sqrt(3)
    assert series.halves[7] == pytest.approx(4.302653 * spread, rel=1e-6)  # t of 2 degrees


def test_airtime_of_all_uses_adds_up_and_radios_send_within_it(office: an.Results) -> None:
    airtime = chart(office, "Airtime over time")
    means = {v.choice[0]: v.panels[0].series for v in airtime.views if v.choice[1] == "mean"}
    uses = numpy.sum([series.ys for series in means["Each use"]], axis=0)
    # What a frame was is known at its end, when a step may be over.
    assert uses.mean() == pytest.approx(100, abs=0.1)
    sent = numpy.sum([series.ys for series in means["Each radio"]], axis=0)
    assert 50 < sent.mean() < 100


def test_what_nothing_is_to_be_seen_of_is_left_out(office: an.Results) -> None:
    titles = [each.title for each in over_time(office)]
    assert "Goodput over time" in titles
    lost = sum(cell["tcp.retransmissions"].mean for cell in office.cells)
    assert ("Segments retransmitted over time" in titles) == (lost > 0)


def test_without_series_there_is_nothing_over_time(office: an.Results, tmp_path: Path) -> None:
    results = an.run(
        office.scenario, reps=1, out=tmp_path, set={"run.time_series": False}, progress=False
    )
    assert over_time(results) == []
    assert not list(tmp_path.glob("records/*/*.series.parquet"))


@pytest.mark.parametrize(
    ("values", "index"), [([2, 2, 2, 2], 1), ([4, 0, 0, 0], 0.25), ([3, 1], 0.8)]
)
def test_jains_index(values: list[float], index: float) -> None:
    assert jain(values) == pytest.approx(index)


def test_who_got_what_says_sum_and_fairness(office: an.Results) -> None:
    (chart,) = who_got_what(office)
    assert [view.choice for view in chart.views] == [("Each station",), ("Each flow",)]
    station = chart.views[0]
    assert list(station.names) == ["laptop-1", "laptop-2"]
    total = office.cells[0]["goodput_mbps"].mean
    assert sum(station.panels[0].series[0].ys) == pytest.approx(total)
    assert station.note.startswith("Together ")
    assert "Jain's index" in station.note


WALK = """
run.duration = "15 s"
run.warmup = "2 s"
host.server.stack = "linux-6"
switch.hall = {}
ap.west = { channel = 1, position = ["0 m", "0 m"] }
ap.east = { channel = 6, position = ["150 m", "0 m"] }
wire.server.between = ["server", "hall"]
wire.west.between = ["west", "hall"]
wire.east.between = ["east", "hall"]
sta.still = { ap = "west", stack = "linux-6", position = ["5 m", "5 m"] }
air.propagation = { kind = "log-distance", exponent = 3 }
traffic.walk = { app = "application-limited", from = "server", to = "walker", rate = "300 kbit/s" }
traffic.sit = { app = "application-limited", from = "server", to = "still", rate = "300 kbit/s" }
[sta.walker]
ap = "west"
stack = "linux-6"
position = ["5 m", "0 m"]
association = { roam_below = "-70 dBm", rescan = "1 s", channels = [1, 6] }
movement = { kind = "waypoints", points = [["145 m", "0 m"]], speed = "14 m/s", start = "3 s" }
"""


def steps_of(results: an.Results, times: list[float]) -> list[int]:
    """Give the steps of a run's series in which these times are."""
    ends = numpy.asarray(results.series(results.cells[0])["time_s"].to_pylist())
    return sorted(set(numpy.searchsorted(ends, times).tolist()))


def marked(described: Chart, label: str) -> dict[str, list[list[int]]]:
    """Give of each line of a figure the steps that are marked so."""
    every = [series for view in described.views for series in view.panels[0].series]
    return {
        series.label: [list(marks.places) for marks in series.marks if marks.label == label]
        for series in every
    }


def test_roams_are_marked_where_they_happened_on_the_lines_of_who_roamed(tmp_path: Path) -> None:
    (tmp_path / "walk.toml").write_text(WALK, encoding="utf-8")
    walk = an.run(tmp_path / "walk.toml", reps=1, out=tmp_path / "out", progress=False)
    steps = steps_of(walk, walk.roams(walk.cells[0])["left_s"].to_pylist())
    assert steps
    goodput, airtime = (chart(walk, f"{name} over time") for name in ("Goodput", "Airtime"))
    for described, walker, still in ((goodput, "walk", "sit"), (airtime, "walker", "still")):
        assert marked(described, "roam")[walker] == [steps]
        assert marked(described, "roam")[still] == []
        assert "✖ roams" in described.caption and "✚" not in described.caption


ABROAD = """
run.duration = "20 s"
host.server.stack = "linux-6"
router.core = {}
router.home = { agent = {} }
router.abroad = { agent = {} }
ap.west = { position = ["0 m", "0 m"] }
ap.east = { position = ["100 m", "0 m"] }
air.propagation = { kind = "log-distance", exponent = 3.5 }
traffic.walk = { app = "application-limited", from = "server", to = "walker", rate = "200 kbit/s" }
traffic.sit = { app = "application-limited", from = "server", to = "still", rate = "200 kbit/s" }
[wire]
server.between = ["server", "core"]
core-home.between = ["core", "home"]
core-abroad.between = ["core", "abroad"]
west.between = ["home", "west"]
east.between = ["abroad", "east"]
[sta.still]
ap = "west"
stack = "linux-6"
position = ["5 m", "5 m"]
[sta.walker]
ap = "west"
stack = "linux-6"
position = ["10 m", "0 m"]
movement = { kind = "waypoints", points = [["90 m", "0 m"]], speed = "7 m/s", start = "3 s" }
mobile_ip = { home_agent = "home", detection = "eager" }
"""


def test_handovers_of_mobile_ip_are_marked_where_another_agent_was_found(tmp_path: Path) -> None:
    (tmp_path / "abroad.toml").write_text(ABROAD, encoding="utf-8")
    walk = an.run(tmp_path / "abroad.toml", reps=1, out=tmp_path / "out", progress=False)
    found = walk.handovers(walk.cells[0])
    assert "abroad" in found["agent"].to_pylist()
    steps = steps_of(walk, found["found_s"].to_pylist())
    goodput, airtime = (chart(walk, f"{name} over time") for name in ("Goodput", "Airtime"))
    for described, walker, still in ((goodput, "walk", "sit"), (airtime, "walker", "still")):
        assert marked(described, "handover")[walker] == [steps]
        assert marked(described, "handover")[still] == []
        assert "✚ handovers of Mobile IP" in described.caption


@pytest.mark.parametrize(
    ("ys", "expected"),
    [
        ([1.0, math.nan, 2.0, math.nan, math.nan, math.nan, 3.0, math.nan], True),
        ([math.nan] * 9 + [1.0, 2.0], True),
        ([1.0, math.nan, math.nan, math.nan, math.nan, 2.0], False),
    ],
    ids=["pings now and then", "once it has begun", "an interruption"],
)
def test_a_line_goes_on_over_short_gaps_alone(ys: list[float], expected: bool) -> None:
    assert Series("ping", "#000000", ys).is_unbroken is expected
