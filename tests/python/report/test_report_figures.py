"""What a figure shows: means with their intervals, units, from zero."""

import re
from colorsys import rgb_to_hls

import pytest
from made import LEDGER, made
from matplotlib.colors import to_rgb
from matplotlib.container import BarContainer, ErrorbarContainer
from matplotlib.figure import Figure as Drawing

from anechoic.campaign.results import Results
from anechoic.report import paper
from anechoic.report.airtime import ledger
from anechoic.report.figures import chart_of, default_figures
from anechoic.report.lines import NotDrawn
from anechoic.report.render import dark_rules, inline, png, svg
from anechoic.report.style import from_zero, new_figure
from anechoic.scenario.catalogue import airtime_labels
from anechoic.scenario.experiment import Figure

LINES = Figure(title="Goodput", x="connections", y="goodput_mbps", series="vendor")


def draw(results: Results, figure: Figure) -> Drawing:
    chart = chart_of(results, figure)
    return paper.draw(chart, chart.views[0])


def draw_ledgers(results: Results) -> list[Drawing]:
    chart = ledger(results)
    return [paper.draw(*page) for page in paper.pages_of(chart, chart.views[0])]


def test_axes_carry_their_units_and_start_at_zero() -> None:
    axes = draw(made(), LINES).axes[0]
    assert axes.get_ylabel() == "Total goodput (Mbit/s)"
    assert axes.get_xlabel() == "Connections"
    assert axes.get_ylim()[0] == 0.0


def test_every_point_has_its_95_per_cent_interval() -> None:
    results = made()
    containers = draw(results, LINES).axes[0].containers
    assert [type(container) for container in containers] == [ErrorbarContainer] * 2
    bars = containers[0].lines[2][0].get_segments()
    drawn = [(bar[1][1] - bar[0][1]) / 2 for bar in bars]
    cells = [results.cell(connections=n, vendor="a") for n in (2, 8)]
    assert drawn == pytest.approx([cell["goodput_mbps"].ci95 for cell in cells])


def test_the_number_of_replications_is_said() -> None:
    assert draw(made(), LINES).get_supxlabel() == "mean and 95 % interval, n = 12"
    assert draw(made(replications=1), LINES).get_supxlabel() == "single runs, no intervals"


def test_bars_stand_beside_each_other_with_their_intervals() -> None:
    figure = LINES.model_copy(update={"kind": "bar"})
    axes = draw(made(), figure).axes[0]
    bars = [container for container in axes.containers if isinstance(container, BarContainer)]
    assert [bar.errorbar is not None for bar in bars] == [True, True]
    places = sorted(patch.get_x() for bar in bars for patch in bar)
    assert len(set(places)) == 4


def test_bars_and_lines_write_a_swept_number_the_same_way() -> None:
    results = made(axes={"loss": (0.0, 0.5, 1.0)})
    for kind in ("bar", "line"):
        figure = Figure(title="Loss", x="loss", y="goodput_mbps", kind=kind)
        axes = draw(results, figure).axes[0]
        assert [label.get_text() for label in axes.get_xticklabels()] == ["0", "0.5", "1"]


def test_a_panel_for_each_value() -> None:
    figure = Figure(title="Goodput", x="connections", y="goodput_mbps", panel="vendor")
    axes = draw(made(), figure).axes
    assert [panel.get_title(loc="left") for panel in axes] == [
        "Vendor: a",
        "Vendor: b",
    ]


@pytest.mark.parametrize(("count", "rows"), [(2, 1), (3, 2), (4, 2)])
def test_panels_stand_two_in_a_row(count: int, rows: int) -> None:
    results = made(axes={"connections": (2, 8), "vendor": tuple("abcd"[:count])})
    figure = Figure(title="Goodput", x="connections", y="goodput_mbps", panel="vendor")
    drawing = draw(results, figure)
    drawing.draw_without_rendering()
    assert len(drawing.axes) == count
    assert len({round(panel.get_position().y0, 3) for panel in drawing.axes}) == rows


def test_a_title_is_taken_as_it_is_written() -> None:
    figure = LINES.model_copy(update={"title": "$ per 2^n <b>"})
    assert "$ per 2^n &lt;b&gt;" in svg(draw(made(), figure))


def test_own_labels_win() -> None:
    figure = LINES.model_copy(update={"x_label": "pairs", "y_label": "speed"})
    axes = draw(made(), figure).axes[0]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("pairs", "speed")


def test_an_axis_that_the_figure_does_not_name_tells_lines_apart() -> None:
    figure = Figure(title="Goodput", x="connections", y="goodput_mbps")
    assert len(draw(made(), figure).axes[0].containers) == 2


def test_tick_labels_do_not_overlap_at_a_step() -> None:
    results = made(axes={"threshold": (256, 1024, 1535, 1536, 2346)})
    axes = draw(results, Figure(title="Step", x="threshold", y="goodput_mbps")).axes[0]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["256", "1024", "1536", "2346"]


def test_a_doubling_sweep_has_even_steps() -> None:
    results = made(axes={"connections": (2, 4, 8, 16)})
    axes = draw(results, Figure(title="Pairs", x="connections", y="goodput_mbps")).axes[0]
    assert axes.get_xscale() == "log"
    assert [label.get_text() for label in axes.get_xticklabels()] == ["2", "4", "8", "16"]


def test_a_wide_sweep_is_drawn_by_its_ratios() -> None:
    swept = (2, 5, 10, 20, 50, 100, 1000)
    results = made(axes={"queue": swept})
    axes = draw(results, Figure(title="Queue", x="queue", y="goodput_mbps")).axes[0]
    assert axes.get_xscale() == "log"
    assert [label.get_text() for label in axes.get_xticklabels()] == [*map(str, swept)]


def test_a_wide_sweep_from_zero_has_even_steps() -> None:
    results = made(axes={"queue": (0, 2, 5, 1000)})
    axes = draw(results, Figure(title="Queue", x="queue", y="goodput_mbps")).axes[0]
    assert [*axes.get_xticks()] == [0, 1, 2, 3]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["0", "2", "5", "1000"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [({"x": "pairs"}, "pairs is not swept"), ({"y": "speed"}, "no metric speed")],
)
def test_a_figure_of_what_is_not_there_is_not_drawn(change: dict[str, str], reason: str) -> None:
    with pytest.raises(NotDrawn, match=reason):
        draw(made(), LINES.model_copy(update=change))


def test_without_figures_the_rules_metric_is_drawn_over_the_sweep() -> None:
    (figure,) = default_figures(made(figures=[]))
    assert (figure.x, figure.y, figure.series) == ("connections", "goodput_mbps", "vendor")
    assert default_figures(made(axes={})) == []


def test_the_ledger_is_a_bar_for_each_cell_that_fills_the_axis() -> None:
    (drawing,) = draw_ledgers(made())
    axes = drawing.axes[0]
    assert len(axes.containers) == len(LEDGER)
    ends = [patch.get_x() + patch.get_width() for patch in axes.containers[-1]]
    assert ends == pytest.approx([100.0] * 4)
    assert axes.get_yticklabels()[0].get_text() == "2 · a"


def test_the_legend_of_a_ledger_of_one_cell_has_room() -> None:
    results = made(axes={}, ledger=dict.fromkeys(airtime_labels(), 1 / len(airtime_labels())))
    (drawing,) = draw_ledgers(results)
    drawing.draw_without_rendering()
    (legend,) = drawing.legends
    box = legend.get_window_extent()
    assert len(legend.get_texts()) == len(airtime_labels())
    assert box.y0 >= 0
    assert box.y1 < drawing.axes[0].get_tightbbox().y0
    assert 0 <= box.x0 < box.x1 <= drawing.bbox.x1


def test_a_long_ledger_takes_several_figures() -> None:
    results = made(axes={"connections": tuple(range(90))})
    assert len(draw_ledgers(results)) == 3


def test_the_same_results_give_the_same_bytes() -> None:
    first, second = (draw(made(), LINES) for _ in range(2))
    assert svg(first) == svg(second)
    assert png(first) == png(second)


def test_a_dark_page_lightens_every_colour_of_a_figure() -> None:
    text = svg(draw(made(), LINES))
    rules = dark_rules([text])
    assert 'svg [style*="fill: #1f2328"] { fill: #e6edf3 !important; }' in rules
    for colour in re.findall(r"stroke: (#[0-9a-f]{6})", text):
        assert f'[style*="stroke: {colour}"]' in rules


def test_a_dark_page_lightens_the_ground_of_a_hatch() -> None:
    drawing = new_figure(2, 2)
    drawing.subplots().axvspan(0, 1, facecolor="#e9d5e2", hatch="//")
    text = inline(svg(drawing), "hatch", "A hatch")
    assert 'fill="#' not in text
    assert '[style*="fill: #e9d5e2"]' in dark_rules([text])


def test_on_a_dark_page_payload_and_headers_still_differ() -> None:
    rules = dark_rules(["fill: #0072b2", "fill: #56b4e9"])
    (payload, headers) = (to_rgb(c) for c in re.findall(r"{ fill: (#[0-9a-f]{6})", rules))
    lightness = [rgb_to_hls(*colour)[1] for colour in (payload, headers)]
    assert lightness[1] - lightness[0] > 0.15


def test_an_inlined_figure_brings_nothing_from_elsewhere_and_shares_no_identifier() -> None:
    text = inline(svg(draw(made(), LINES)), "goodput", "Goodput")
    assert "http" not in text
    assert "<metadata" not in text
    assert 'id="goodput-figure_1"' in text
    assert text.startswith('<svg role="img" aria-label="Goodput"')


def test_a_level_line_has_room_above_it_for_whole_marks() -> None:
    axes = new_figure(4, 2).subplots()
    axes.plot([0, 1], [10.9, 11.0])
    from_zero(axes)
    bottom, top = axes.get_ylim()
    assert bottom == 0
    assert top > 11.5
