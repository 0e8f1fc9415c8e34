"""A figure of several metrics has two scales at most, and one of each flow a line for each."""

from pathlib import Path

import pytest
from made import made
from matplotlib.container import BarContainer
from matplotlib.figure import Figure as Drawing

import anechoic as an
from anechoic.report import paper
from anechoic.report.axes import numbers_of, scale_along
from anechoic.report.figures import chart_of
from anechoic.report.lines import MOST_BARS, MOST_LINES, NotDrawn

OFFICE = """
[run]
duration = "500 ms"

[host.server]
stack = "windows-2000"

[ap.office]

[sta.laptop]
ap = "office"
count = 2
stack = "windows-xp"

[sta.phone]
ap = "office"
stack = "windows-xp"

[group.mobile]
members = ["phone", "laptop-2"]

[wire.lan]
between = ["server", "office"]

[air]

[traffic.download]
app = "bulk"
from = "server"
to = "laptop"

[traffic.news]
app = "bulk"
from = "server"
to = "phone"
count = 14

[[sweep]]
name = "RTS"
labels = ["off", "on"]
"ap.office.rts_threshold" = [2347, 0]
"""


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> an.Results:
    """Give results of 16 flows to three stations, without and with RTS."""
    folder = tmp_path_factory.mktemp("office")
    (folder / "office.toml").write_text(OFFICE, encoding="utf-8")
    return an.run(folder / "office.toml", reps=2, out=folder / "out", progress=False)


def draw(results: an.Results, figure: an.Figure) -> Drawing:
    chart = chart_of(results, figure)
    return paper.draw(chart, chart.views[0])


def caption(results: an.Results, figure: an.Figure) -> str:
    return chart_of(results, figure).caption


def labels_of(results: an.Results, figure: an.Figure) -> list[str]:
    """Give the texts of a figure's key."""
    (legend,) = draw(results, figure).legends
    return [text.get_text() for text in legend.get_texts()]


def test_metrics_of_one_unit_share_a_scale_that_is_named_by_it() -> None:
    shares = ["airtime.payload_share", "airtime.idle_share"]
    figure = an.Figure(title="Airtime", x="connections", panel="vendor", y=shares)
    drawing = draw(made(), figure)
    assert len(drawing.axes) == 2
    assert drawing.axes[0].get_ylabel() == "Payload, share of airtime, Idle, share of airtime"
    assert labels_of(made(), figure) == ["Payload, share of airtime", "Idle, share of airtime"]


def test_metrics_of_two_units_have_a_scale_each_from_zero() -> None:
    figure = an.Figure(title="Both", x="connections", y=["goodput_mbps", "rtt_ms_mean"])
    left, right = draw(made(axes={"connections": (2, 8)}), figure).axes
    assert (left.get_ylabel(), right.get_ylabel()) == ("Total goodput (Mbit/s)", "Mean RTT (ms)")
    assert (left.get_ylim()[0], right.get_ylim()[0]) == (0.0, 0.0)
    assert (len(left.containers), len(right.containers)) == (1, 1)
    assert labels_of(made(axes={"connections": (2, 8)}), figure) == [
        "Total goodput",
        "Mean RTT (right)",
    ]


def test_two_metrics_of_a_series_share_its_colour() -> None:
    figure = an.Figure(title="Both", x="connections", y=["goodput_mbps", "rtt_ms_mean"])
    left, right = draw(made(), figure).axes
    colours = [[each.lines[0].get_color() for each in axes.containers] for axes in (left, right)]
    assert colours[0] == colours[1]
    assert len(set(colours[0])) == 2


def test_without_an_axis_there_is_a_bar_for_each_station(office: an.Results) -> None:
    figure = an.Figure(title="Retries", each="station", y="attempts")
    axes = draw(office, figure).axes[0]
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["laptop-1", "laptop-2", "phone"]
    assert axes.get_xlabel() == "Station"
    assert [type(each) for each in axes.containers if isinstance(each, BarContainer)] == [
        BarContainer,
        BarContainer,
    ]


def test_along_an_axis_there_is_a_line_for_each_traffic(office: an.Results) -> None:
    figure = an.Figure(title="Goodput", each="traffic", x="RTS", y="goodput_mbps")
    # No closed form covers stations that are not alike at a full channel.
    assert labels_of(office, figure) == ["download", "news"]
    drawn = draw(office, figure).axes[0].containers[1].lines[0].get_ydata()
    cell = office.cells[0]
    news = [cell[f"flow.news-{n}.goodput_mbps"].mean for n in range(1, 15)]
    assert drawn[0] == pytest.approx(sum(news))
    assert "of several flows the sum. A line for each traffic." in caption(office, figure)


def test_of_a_group_s_round_trip_times_the_mean_is_drawn(office: an.Results) -> None:
    figure = an.Figure(title="RTT", each="group", y="rtt_ms_mean", series="RTS")
    axes = draw(office, figure).axes[0]
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["mobile", "laptop"]
    cell = office.cells[0]
    laptops = [cell[f"flow.download-{n}.rtt_ms_mean"].mean for n in (1, 2)]
    assert axes.patches[1].get_height() == pytest.approx(sum(laptops) / 2)
    assert "of several flows the mean. A bar for each group." in caption(office, figure)


def test_a_group_has_the_flows_and_the_radios_of_its_members(office: an.Results) -> None:
    figure = an.Figure(title="Attempts", each="group", y=["attempts", "bytes"])
    left, right = draw(office, figure).axes
    cell = office.cells[0]
    attempts = sum(cell[f"node.{name}.attempts"].mean for name in ("phone", "laptop-2"))
    assert left.patches[0].get_height() == pytest.approx(attempts)
    flows = ["download-2", *(f"news-{n}" for n in range(1, 15))]
    read = sum(cell[f"flow.{name}.bytes"].mean for name in flows)
    assert right.patches[0].get_height() == pytest.approx(read)


def test_of_many_flows_the_first_dozen_are_lines_and_the_caption_says_so(
    office: an.Results,
) -> None:
    figure = an.Figure(title="Goodput", each="flow", x="RTS", y="goodput_mbps")
    assert len(labels_of(office, figure)) == MOST_LINES
    assert caption(office, figure).endswith(f"Drawn are the first {MOST_LINES} of 16.")
    as_bars = an.Figure(title="Goodput", each="flow", y="goodput_mbps")
    assert len(draw(office, as_bars).axes[0].get_xticks()) == 16 < MOST_BARS
    assert "Drawn" not in caption(office, as_bars)


def test_the_report_draws_a_figure_of_each(office: an.Results, tmp_path: Path) -> None:
    from anechoic.report import write, write_figures

    figure = an.Figure(title="Who gets what", each="flow", y="goodput_mbps")
    scenario = office.scenario.model_copy(update={"figure": [figure]})
    results = an.Results(office.campaign, scenario, office.axes, office.cells, office.out)
    text = write(results, tmp_path).read_text(encoding="utf-8")
    assert "A bar for each flow." in text
    write_figures(results, tmp_path)
    assert (tmp_path / "figures" / "who-gets-what.svg").exists()


def test_results_without_a_folder_do_not_say_what_is_whose() -> None:
    with pytest.raises(NotDrawn, match="without a folder"):
        draw(made(), an.Figure(title="Flows", each="flow", y="goodput_mbps"))


@pytest.mark.parametrize("label", ["1e14 ms", "-20 ms", "0.5 ns", "1e999 ms"])
def test_a_label_that_is_no_possible_value_is_a_name(label: str) -> None:
    """No field would take it, so it has no place on a scale; a label may be any text."""
    assert numbers_of(["20 ms", label]) == ([], "")
    scale, places = scale_along("queue", ["20 ms", label])
    assert scale.names == ["20 ms", label]
    assert places == [0.0, 1.0]
