"""Figures of points, marks on lines over time, and what is told in words."""

from pathlib import Path

import numpy
import pytest
from on_paper import drawn

import anechoic as an
from anechoic.campaign.spans import Spans, milliseconds, number
from anechoic.report.chart import Chart
from anechoic.report.charts import charts_of
from anechoic.report.people import who_got_what

OFFICE = """
run.duration = "6 s"
run.datagrams = true
host.server = { stack = "linux-6" }
ap.office = {}
sta.laptop = { ap = "office", stack = "linux-6", count = 2 }
wire.lan.between = ["server", "office"]
air.loss = "60 dB"
traffic.down = { app = "bulk", from = "server", to = "laptop" }
traffic.page = { app = "bulk", from = "server", to = "laptop", bytes = "50 kB", count = 3 }
traffic.probe = { app = "ping", from = "server", to = "laptop-1", interval = "50 ms" }
traffic.call = { app = "voip", from = "server", to = "laptop-2" }

[wire.lan.impair.drop]
kind = "drop"
probability = 0.01
match = "tcp-data"

[[sweep]]
name = "queue"
"ap.office.queue_packets" = [10, 100]

[[figure]]
title = "Pings"
kind = "points"
y = "rtt_ms"
series = "queue"

[[figure]]
title = "Pages"
kind = "points"
each = "station"
y = "transfer_s"
panel = "queue"

[[figure]]
title = "Replications"
kind = "points"
x = "queue"
y = "goodput_mbps"
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


def test_each_ping_is_a_point_where_it_was_sent(office: an.Results) -> None:
    (panel,) = chart(office, "Pings").views[0].panels
    assert [each.label for each in panel.series] == ["10", "100"]
    for series, cell in zip(panel.series, office.cells, strict=True):
        rows = [
            row
            for replication in range(3)
            for row in office.datagrams(cell, replication).to_pylist()
            if row["flow"] == "probe-1" and row["received_s"] > 0
        ]
        expected = [(row["sent_s"], 1e3 * (row["received_s"] - row["sent_s"])) for row in rows]
        assert len(expected) > 200
        assert numpy.array(series.dots) == pytest.approx(numpy.array(expected))


def test_each_transfer_is_a_point_as_high_as_it_took(office: an.Results) -> None:
    pages = chart(office, "Pages")
    assert pages.note == "a point for each transfer of all replications"
    panels = pages.views[0].panels
    assert [panel.title for panel in panels] == ["Queue: 10", "Queue: 100"]
    for panel, cell in zip(panels, office.cells, strict=True):
        assert [each.label for each in panel.series] == ["laptop-1", "laptop-2"]
        took = [took for series in panel.series for _, took in series.dots]
        assert len(took) == 3 * cell["tcp.transfers"].mean
        longest = [cell[f"flow.page-{n}.transfer_s_max"].max for n in range(1, 7)]
        assert max(took) == pytest.approx(max(longest))


def test_each_replication_is_a_point_at_its_value(office: an.Results) -> None:
    replications = chart(office, "Replications")
    (series,) = replications.views[0].panels[0].series
    values = [
        (x, y)
        for x, cell in zip((10, 100), office.cells, strict=True)
        for y in cell["goodput_mbps"].values
    ]
    assert list(series.dots) == values
    assert replications.note == "a point for each replication"


@pytest.mark.parametrize("title", ["Pings", "Pages", "Replications"])
def test_points_are_drawn_for_papers(title: str, office: an.Results) -> None:
    assert title in drawn(office, title)


@pytest.mark.parametrize(
    ("figure", "said"),
    [
        ('y = "goodput_mbps"', "has no points over time"),
        ('y = "rtt_ms"', "no table of pings and datagrams is kept"),
    ],
)
def test_points_that_no_table_has_are_refused(figure: str, said: str, tmp_path: Path) -> None:
    text = OFFICE.replace("run.datagrams = true", "").replace("[[figure]]", "[[figure]]\n", 1)
    text += f'\n[[figure]]\ntitle = "Wrong"\nkind = "points"\n{figure}\n'
    (tmp_path / "wrong.toml").write_text(text, encoding="utf-8")
    with pytest.raises(an.ScenarioError) as refused:
        an.run(tmp_path / "wrong.toml", reps=1, out=tmp_path / "out", progress=False)
    assert "figure[3]" in str(refused.value) and said in str(refused.value)


def test_losses_and_timeouts_are_marked_where_they_happened(office: an.Results) -> None:
    goodput = chart(office, "Goodput over time")
    marked = 0
    for view in goodput.views:
        cell, of, run = view.choice
        if of != "Each traffic" or run == "mean":
            assert run != "mean" or not any(s.marks for s in view.panels[0].series)
            continue
        steps = office.series(
            next(each for each in office.cells if each.name == cell), int(run.split()[1])
        )
        again = sum(steps[f"flow.down-{n}.retransmissions"].to_numpy() for n in (1, 2))
        (down,) = (each for each in view.panels[0].series if each.label == "down")
        (places,) = [each.places for each in down.marks if each.label == "retransmitted"] or [[]]
        assert bool(places) == bool(again.sum())
        times = {round(view.xs[place], 6) for place in places}
        step = view.xs[1] - view.xs[0]
        for time, count in zip(steps["time_s"].to_numpy(), again, strict=True):
            if count and time <= view.xs[-1]:
                assert any(time <= mark + 1e-9 and time > mark - step - 1e-9 for mark in times)
        marked += len(places)
    assert marked > 0


def test_what_was_asked_is_told_first_and_what_is_behind_it_in_short(office: an.Results) -> None:
    assert office.answer.text.startswith("The median transfer of page took ")
    said = {each.about: each.text for each in office.in_short()}
    assert said.keys() == {"shares", "queues", "losses"}
    assert said["queues"].startswith("Packets waited longest before ")
    document = office.document()
    assert next(iter(document)) == "answer"
    assert document["answer"]["text"] == office.answer.text
    in_short = [{"about": each.about, "text": each.text} for each in office.in_short()]
    assert document["in_short"] == in_short


def test_values_of_cells_are_named_once_and_then_told_in_their_order(office: an.Results) -> None:
    spans = Spans(office.cells)
    assert spans.say([20.0, 1500.0], milliseconds) == "20 ms (queue = 10) to 1.5 s (queue = 100)"
    assert spans.say([3.0, 1.0], number) == "3 to 1"
    assert spans.say([1.0, 1.005], number) == "1"  # nobody would feel the difference
    assert spans.say([None, None], number) == ""


def test_responsiveness_is_what_the_mean_trip_allows(office: an.Results) -> None:
    for cell in office.cells:
        rate = cell["flow.probe-1.responsiveness_rpm"].mean
        # Without the longest 5 % the mean is shorter.
        least = 60_000 / cell["flow.probe-1.rtt_ms_mean"].mean
        assert least < rate < 2 * least


def test_a_ping_has_no_share_of_the_goodput(office: an.Results) -> None:
    (chart,) = who_got_what(office)
    names = {view.choice[1]: view.names for view in chart.views if view.choice[0] == "queue = 10"}
    assert names["Each traffic"] == ["down", "page", "call"]
    assert len(names["Each flow"]) == 9
    # Stations are finer than traffics, and told apart.
    assert next(iter(names)) == "Each station"


def test_a_figure_of_the_report_is_plotted_by_its_title(office: an.Results) -> None:
    drawing = office.plot("RTT over time")
    assert drawing.axes[0].get_ylabel() == "RTT (ms)"
    with pytest.raises(LookupError, match='there is no figure "Goodptu"; allowed: Pings, Pages, '):
        office.plot("Goodptu")


def test_the_wide_frame_has_a_row_for_each_cell(office: an.Results) -> None:
    frame = office.wide()
    assert list(frame["queue"]) == [10, 100]
    assert frame["rtt_ms_mean"][1] == office.cells[1]["rtt_ms_mean"].mean
