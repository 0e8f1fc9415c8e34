"""Distributions: percentiles with their intervals, buckets, and the figures of both."""

from pathlib import Path

import numpy
import pytest
from on_paper import drawn

import anechoic as an
from anechoic.report.buckets import Buckets, distributions_of, merged
from anechoic.report.chart import Chart
from anechoic.report.charts import charts_of
from anechoic.report.distributions import over_values

ERROR = 1 / 256
"""How far percentiles are from those of the values, at most, relatively."""

OFFICE = """
run.duration = "5 s"
run.warmup = "1 s"
run.datagrams = true
host.server = { stack = "linux-6" }
ap.office = {}
sta.laptop = { ap = "office", stack = "linux-6", count = 2 }
wire.lan.between = ["server", "office"]
air.loss = "60 dB"
traffic.down = { app = "bulk", from = "server", to = "laptop" }
traffic.short = { app = "bulk", from = "server", to = "laptop", bytes = "50 kB", start = "1 s" }
traffic.probe = { app = "ping", from = "server", to = "laptop", interval = "10 ms" }
traffic.call = { app = "voip", from = "server", to = "laptop" }

[[sweep]]
name = "queue"
"ap.office.queue_packets" = [10, 100]

[[figure]]
title = "Trips"
kind = "cdf"
each = "traffic"
y = "rtt_ms"
panel = "queue"

[[figure]]
title = "Waits"
kind = "box"
x = "queue"
y = "node.office.queue_ms"
"""


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> an.Results:
    """Give three replications of two cells."""
    folder = tmp_path_factory.mktemp("office")
    (folder / "office.toml").write_text(OFFICE, encoding="utf-8")
    return an.run(folder / "office.toml", reps=3, out=folder / "out", progress=False)


def chart(results: an.Results, title: str) -> Chart:
    charts, undrawn = charts_of(results)
    assert not undrawn
    return next(each for each in charts if each.title == title)


def trips(results: an.Results, replication: int) -> list[float]:
    """Give the raw round-trip times of the first station's pings in ms."""
    rows = results.datagrams(results.cells[1], replication).to_pylist()
    return [
        1e3 * (row["received_s"] - row["sent_s"])
        for row in rows
        if row["flow"] == "probe-1" and row["received_s"] >= 1  # NaN for what never came
    ]


def test_a_percentile_has_a_value_of_each_replication_and_an_interval(office: an.Results) -> None:
    found = office.cells[1]["flow.probe-1.rtt_ms_p95"]
    for value, replication in zip(found.values, range(3), strict=True):
        exact = numpy.quantile(trips(office, replication), 0.95, method="inverted_cdf")
        assert value == pytest.approx(exact, rel=ERROR)
    assert found.ci95 > 0
    rows = [row for row in office.records().to_pylist() if row["metric"] == "rtt_ms_p95"]
    assert {row["of"] for row in rows} >= {None, "down-1", "probe-1"}


def test_buckets_of_replications_merge(office: an.Results) -> None:
    found = distributions_of(office, office.cells[1])["flow.probe-1.rtt_ms"]
    raw = sorted(time for replication in range(3) for time in trips(office, replication))
    assert found.counts.sum() == len(raw)
    for share in (0.5, 0.95, 0.99):
        exact = numpy.quantile(raw, share, method="inverted_cdf")
        assert found.quantiles([share])[0] == pytest.approx(exact, rel=ERROR)
        assert found.shares(numpy.array([exact * (1 + 2 * ERROR)]))[0] >= share


def test_distributions_merge_bucket_by_bucket() -> None:
    one = Buckets(numpy.array([1.0, 2.0]), numpy.array([2.0, 3.0]), numpy.array([1.0, 1.0]))
    two = Buckets(numpy.array([2.0, 4.0]), numpy.array([3.0, 5.0]), numpy.array([2.0, 4.0]))
    both = merged([one, two])
    assert both is not None
    assert both.froms.tolist() == [1.0, 2.0, 4.0]
    assert both.counts.tolist() == [1.0, 3.0, 4.0]
    assert both.quantiles([0.125, 0.5, 0.51, 1.0]).tolist() == [1.5, 2.5, 4.5, 4.5]
    assert both.shares(numpy.array([0.5, 2.0, 4.9, 5.0])).tolist() == [0, 0.125, 0.5, 1]
    assert merged([]) is None


def test_the_page_shows_the_distributions_that_there_are(office: an.Results) -> None:
    charts = over_values(office)
    assert [each.title for each in charts] == [
        "RTT, distribution",
        "One-way delay, distribution",
        "Transfer time, distribution",
        "Time between losses, distribution",
        "Wait in the queue, distribution",
        "Service time in the MAC, distribution",
    ]
    trips = charts[0]
    assert list(trips.choices) == ["Cell", "Of"]
    for view in trips.views:
        for series in view.panels[0].series:
            assert list(series.ys) == sorted(series.ys)
            assert series.ys[-1] == pytest.approx(100)
    assert trips.note == "3 replications together"


def test_a_longer_queue_shifts_the_waits(office: an.Results) -> None:
    waits = next(each for each in over_values(office) if each.title.startswith("Wait"))
    together, short, long = waits.views
    assert together.choice == ("all cells",)
    half = []
    for view in (short, long):
        (access,) = (each for each in view.panels[0].series if each.label == "office")
        half.append(next(x for x, y in zip(view.xs, access.ys, strict=True) if y >= 50))
    assert half[1] > 3 * half[0]


def test_a_scenario_asks_for_lines_and_boxes(office: an.Results) -> None:
    lines, boxes = chart(office, "Trips"), chart(office, "Waits")
    (view,) = lines.views
    assert [panel.title for panel in view.panels] == ["Queue: 10", "Queue: 100"]
    assert [each.label for each in view.panels[0].series] == ["down", "short", "probe"]
    (panel,) = boxes.views[0].panels
    (series,) = panel.series
    assert boxes.form == "box" and list(boxes.x.names) == ["10", "100"]
    for box, cell in zip(series.boxes, office.cells, strict=True):
        assert list(box) == sorted(box)
        # The median of all is near the mean of the replications' medians.
        assert box[2] == pytest.approx(cell["node.office.queue_ms_p50"].mean, rel=0.2)


@pytest.mark.parametrize("title", ["Trips", "Waits", "RTT, distribution"])
def test_both_are_drawn_for_papers(title: str, office: an.Results) -> None:
    assert "ms" in drawn(office, title)


@pytest.mark.parametrize(
    ("figure", "said"),
    [
        ('kind = "cdf"\ny = "rtt_ms_mean"', "is no quantity"),
        ('kind = "cdf"\ny = "rtt_ms"\nx = "queue"', "whose x are the values"),
        ('kind = "box"\ny = ["rtt_ms", "delay_ms"]', "2 quantities"),
    ],
)
def test_what_is_no_distribution_is_refused(figure: str, said: str, tmp_path: Path) -> None:
    text = OFFICE + f'\n[[figure]]\ntitle = "Wrong"\n{figure}\n'
    (tmp_path / "wrong.toml").write_text(text, encoding="utf-8")
    with pytest.raises(an.ScenarioError) as refused:
        an.run(tmp_path / "wrong.toml", reps=1, out=tmp_path / "out", progress=False)
    assert "figure[2]" in str(refused.value) and said in str(refused.value)


def test_nothing_is_kept_where_nobody_wants_it(tmp_path: Path, office: an.Results) -> None:
    less = office.scenario.model_copy(update={"figure": []})
    results = an.run(less, reps=1, out=tmp_path, set={"run.distributions": False}, progress=False)
    assert not over_values(results)
    assert not any("_p95" in name for name in results.cells[0].metrics)
