"""What a stranger asks of the page of the example `bufferbloat`: what, to whom, when and why."""

import re
from pathlib import Path

import pytest
from on_paper import drawn

import anechoic as an
from anechoic.report import write
from anechoic.report.chart import Chart
from anechoic.report.charts import charts_of

EXAMPLE = Path(an.__file__).parent / "examples" / "bufferbloat.toml"
CELLS = ["queue = drop-tail", "queue = codel", "queue = fq-codel"]


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> an.Results:
    out = tmp_path_factory.mktemp("loaded") / "out"
    return an.run(EXAMPLE, reps=2, out=out, progress=False)


@pytest.fixture(scope="module")
def charts(loaded: an.Results) -> dict[str, Chart]:
    return {chart.title: chart for chart in charts_of(loaded)[0]}


def test_figures_over_time_begin_with_all_cells_a_panel_for_each_of_whom(
    charts: dict[str, Chart],
) -> None:
    trips = charts["RTT over time"].views[0]
    assert trips.choice == ("all cells", "Each traffic", "mean")
    assert [panel.title for panel in trips.panels] == ["upload", "probe"]
    for panel in trips.panels:
        assert [series.label for series in panel.series] == CELLS
    assert charts["RTT, distribution"].views[0].choice[0] == "all cells"


def test_windows_are_shaded_and_starts_and_stops_of_traffic_are_marked(
    charts: dict[str, Chart],
) -> None:
    for view in charts["Queues over time"].views:
        for panel in view.panels:
            (shade,) = panel.shades
            assert (shade.label, shade.spans) == ("window loaded", [(6.0, 15.0)])
            moments = [(each.label, each.at) for each in panel.moments]
            assert moments == [("upload starts", 5.0), ("upload stops", 15.0)]


def test_it_is_said_until_when_arrives_what_was_written_before_the_stop(
    loaded: an.Results, charts: dict[str, Chart]
) -> None:
    first = charts["Goodput over time"].views[0]
    last = loaded.series(loaded.cells[0], 0)["flow.upload-1.goodput_mbps"].to_pylist()[-1]
    assert last > 4
    assert first.note == (
        "upload stopped writing at 15 s; what it had written by then was still arriving when the "
        "run ended at 20 s."
    )
    assert charts["RTT over time"].views[0].note == ""


def test_a_name_has_one_colour_on_every_figure(charts: dict[str, Chart]) -> None:
    for name in (*CELLS, "laptop"):
        found = {
            series.colour
            for chart in charts.values()
            for view in chart.views
            for panel in view.panels
            for series in panel.series
            if series.label == name
        }
        assert len(found) == 1, name


def test_a_figure_names_the_cells_that_have_none_of_it(charts: dict[str, Chart]) -> None:
    again = charts["Segments retransmitted over time"]
    assert "There is none in 1 of 3 cells (queue = drop-tail)." in again.caption


def test_periods_stand_with_distributions_and_in_the_head_of_the_table(
    loaded: an.Results, charts: dict[str, Chart], tmp_path: Path
) -> None:
    assert "Measured from 0 s to 20 s, in windows" in charts["RTT, distribution"].caption
    page = write(loaded, tmp_path).read_text(encoding="utf-8")
    heads = re.findall(r"<th>(Mean RTT[^<]*) <small>([^<]*)</small>", page)
    assert heads == [
        ("Mean RTT, probe-1, loaded", "ms, 6 s to 15 s"),
        ("Mean RTT", "ms, 0 s to 20 s"),
    ]
    assert "upload: bulk from laptop to server, writes from 5 s to 15 s" in page
    title, answer, facts = (page.index(each) for each in ("<h1>", 'class="answer"', "<dl>"))
    assert title < answer < facts


def test_the_answer_tells_the_remedy_and_in_short_the_cause(loaded: an.Results) -> None:
    # In the order of the scenario, not from the least to the largest.
    assert re.fullmatch(
        r"In the window loaded \(6 s to 15 s\), the median ping of probe from laptop "
        r"to server took \d+ ms "
        r"\(queue = drop-tail\), 2\d ms \(codel\) and 22 ms \(fq-codel\); "
        r"the goodput of upload from laptop to server was 4\.7, 4\.6 and 4\.6 Mbit/s, "
        r"respectively\.",
        loaded.answer.text,
    )
    said = {each.about: each.text for each in loaded.in_short()}
    assert "round_trips" not in said  # the answer has told them
    wait, trip = (
        loaded.cells[0][f"{name}@loaded"].mean
        for name in ("wire.uplink.queue_ms_p50_from.home", "flow.probe-1.rtt_ms_p50")
    )
    share = float(re.findall(r"The median wait is ([0-9.]+) %", said["queues"])[0])
    assert share == pytest.approx(100 * wait / trip, abs=0.5)


def test_papers_have_windows_and_moments_too(loaded: an.Results) -> None:
    picture = drawn(loaded, "Queues over time")
    for said in ("window loaded", "upload starts", "upload stops"):
        assert said in picture
