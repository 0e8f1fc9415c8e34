"""What the figures of an analysis show: everything, where it is, and of what."""

from pathlib import Path

import numpy as np
import pytest
from handmade import Conversation, save
from matplotlib.figure import Figure as Drawing

import anechoic as an
from anechoic.captures.figures.capture import MOST_POINTS, draw_losses, draw_transfers
from anechoic.captures.figures.connection import draw_over_time, draw_sequence
from anechoic.captures.figures.drawing import COLUMNS, thinned
from anechoic.captures.text.ends import by_number

ABOUT = "server.pcap, connection 1, from the server: 10.0.0.2:80 → 10.0.0.1:40000"


@pytest.fixture
def paused(tmp_path: Path) -> an.Analysis:
    """Two segments a second apart, the second of them retransmitted after a timeout."""
    talk = Conversation().opened().data(0.1, 0).ack(0.15, 1)
    talk.data(1.1, 1).data(2.1, 1).ack(2.15, 2)
    return an.analyse(save(tmp_path / "server.pcap", talk))


@pytest.fixture
def figures(paused: an.Analysis) -> list[Drawing]:
    segments, losses = paused.segments(1), paused.losses()
    return [
        draw_sequence(segments, losses, "server", ABOUT),
        draw_over_time(segments, "server", ABOUT),
        draw_losses(losses, ABOUT),
    ]


def test_what_is_sent_and_what_is_in_flight_stays_until_it_changes(figures: list[Drawing]) -> None:
    growth, _ = figures[0].axes
    _, _, flight = figures[1].axes
    for axes in (growth, flight):
        assert axes.lines[0].get_drawstyle() == "steps-post"


def test_a_figure_names_its_capture_and_every_axis(figures: list[Drawing]) -> None:
    for drawing in figures:
        assert ABOUT in [text.get_text() for text in drawing.texts]
        for axes in drawing.axes:
            assert axes.get_ylabel()
            assert axes.get_xlabel() or not axes.xaxis.get_visible()


def test_panels_of_all_figures_begin_at_one_edge(figures: list[Drawing]) -> None:
    edges = {round(drawing.axes[0].get_position().x0, 6) for drawing in figures}
    assert len(edges) == 1


def test_fewer_points_keep_the_ends_of_every_column() -> None:
    chance = np.random.default_rng(1)
    xs = np.sort(chance.random(100_000) ** 8)
    ys = chance.normal(size=len(xs))
    few_xs, few_ys = thinned(xs, ys)
    assert len(few_xs) <= 4 * COLUMNS
    edges = np.linspace(xs[0], xs[-1], COLUMNS + 1)
    column, few_column = (np.searchsorted(edges[1:-1], each) for each in (xs, few_xs))
    assert set(column) == set(few_column)
    for each in set(column):
        all_there, kept = ys[column == each], few_ys[few_column == each]
        assert (kept.min(), kept.max()) == (all_there.min(), all_there.max())
        assert (kept[0], kept[-1]) == (all_there[0], all_there[-1])


def test_few_points_are_all_drawn() -> None:
    xs, ys = np.arange(4.0 * COLUMNS), np.zeros(4 * COLUMNS)
    assert thinned(xs, ys)[0] is xs


def test_an_axis_of_powers_leaves_out_what_is_at_0_and_says_so(tmp_path: Path) -> None:
    talk = Conversation().opened()
    # Two are lost at once, a third soon after, and the last much later.
    talk.data(0.1, 0, 1, 2).data(0.11, 3).ack(0.15, 1)
    for number in (1, 2, 3):
        talk.data(number + 0.1, number).ack(number + 0.15, number + 1)
    talk.data(60.0, 4).data(61.0, 4).ack(61.05, 5)
    losses = an.analyse(save(tmp_path / "server.pcap", talk)).losses()
    gaps = losses["since_last_s"].drop_null().to_pylist()
    assert gaps.count(0.0) == 1
    _, clusters = draw_losses(losses, ABOUT).axes
    assert "1 more at 0, off these axes" in clusters.get_legend_handles_labels()[1]
    assert clusters.get_xscale() == "log"
    assert clusters.get_xlim()[0] > 0


def test_ends_too_long_for_a_line_are_named_in_two(paused: an.Analysis) -> None:
    host = "[2001:db8:85a3:8d3:1319:8a2e:370:7348]:50000"
    about = f"{'a' * 40}.pcapng, connection 12, from the server: {host} → {host}"
    drawing = draw_over_time(paused.segments(1), "server", about)
    title, named = (text.get_text() for text in drawing.texts)
    assert title == "Throughput, round trips and data in flight"
    assert named.replace("\n", " ") == about
    assert max(map(len, named.splitlines())) < len(about)


def test_both_figures_of_a_connection_show_its_whole_time(paused: an.Analysis) -> None:
    segments = paused.segments(1)
    sequence = draw_sequence(segments, paused.losses(), "server", ABOUT)
    over_time = draw_over_time(segments, "server", ABOUT)
    for drawing in (sequence, over_time):
        assert drawing.axes[0].get_xlim() == pytest.approx((-0.0215, 2.1715))


def test_data_in_flight_are_shown_below_the_window_also_where_some_are_not_known(
    tmp_path: Path,
) -> None:
    talk = Conversation().opened()
    for number in (0, 2, 4):
        talk.data(0.1 + number, number, number + 1).ack(0.15 + number, number + 2, window=3_000)
    segments = an.analyse(save(tmp_path / "server.pcap", talk)).segments(1)
    assert segments["flight_other"].null_count > 0
    *_, flight = draw_over_time(segments, "server", ABOUT).axes
    assert flight.get_ylabel() == "In flight\n(kbyte)"
    assert flight.get_legend_handles_labels()[1] == ["in flight", "receiver's window"]
    assert flight.lines[0].get_ydata().max() == 2.0


def test_a_window_that_is_far_for_most_of_the_time_is_drawn_where_it_closes(tmp_path: Path) -> None:
    talk = Conversation().opened()
    for number in range(8):
        window = 0 if number == 3 else 60_000
        talk.data(0.1 + number, number).ack(0.15 + number, number + 1, window=window)
    segments = an.analyse(save(tmp_path / "server.pcap", talk)).segments(1)
    *_, flight = draw_over_time(segments, "server", ABOUT).axes
    in_flight, window_line = flight.lines
    assert window_line.get_label() == "receiver's window"
    assert window_line.get_ydata().min() == 0.0
    assert flight.get_ylim()[1] <= 3 * in_flight.get_ydata().max()


def test_a_pause_is_shaded_that_is_as_wide_as_a_line(tmp_path: Path) -> None:
    talk = Conversation().opened()
    for at_s, number in ((0.1, 0), (0.6, 1), (99.0, 2)):
        talk.data(at_s, number).ack(at_s + 0.05, number + 1)
    analysis = an.analyse(save(tmp_path / "server.pcap", talk))
    growth = draw_sequence(analysis.segments(1), analysis.losses(), "server", ABOUT).axes[0]
    assert [each.get_width() for each in growth.patches] == pytest.approx([0.5, 98.4])


def test_of_too_many_equal_transfers_some_all_along_are_drawn(tmp_path: Path) -> None:
    talks = []
    for number in range(MOST_POINTS + 500):
        talk = Conversation(10_000 + number, 1_700_000_000.0 + number).opened()
        talks.append(talk.data(0.1, 0, 1).ack(0.2, 2))
    analysis = an.analyse(save(tmp_path / "server.pcap", *talks))
    rate = draw_transfers(analysis.transfers(), analysis.station_of(), ABOUT).axes[0]
    assert "500 more, not larger, not drawn" in rate.get_legend_handles_labels()[1]
    times = next(line.get_xdata() for line in rate.lines if len(line.get_xdata()))
    assert len(times) == MOST_POINTS
    assert (min(times), max(times)) == pytest.approx((0.2, MOST_POINTS + 499.2), abs=0.2)


def test_throughput_is_no_mean_of_less_than_a_round_trip(tmp_path: Path) -> None:
    talk = Conversation().opened()
    for number in range(10):
        talk.data(0.1 + 0.05 * number, number).ack(0.15 + 0.05 * number, number + 1)
    segments = an.analyse(save(tmp_path / "a.pcap", talk)).segments(1)
    for round_trip_s, label in ((0.049, "mean of each 50 ms"), (2.0, "mean of each 600 ms")):
        rate, *_ = draw_over_time(segments, "server", ABOUT, round_trip_s).axes
        assert rate.get_legend_handles_labels()[1] == [label]


def test_the_only_segment_of_a_connection_is_a_step_until_its_end(tmp_path: Path) -> None:
    talk = Conversation().opened().data(0.1, 0).ack(0.15, 1)
    analysis = an.analyse(save(tmp_path / "server.pcap", talk))
    sent = draw_sequence(analysis.segments(1), analysis.losses(), "server", ABOUT).axes[0].lines[0]
    assert sent.get_xdata() == pytest.approx([0.1, 0.15])
    assert len(set(sent.get_ydata())) == 1


def test_stations_are_in_the_order_of_their_numbers() -> None:
    addresses = ["2001:db8::2", "10.0.0.10", "10.0.0.3"]
    assert sorted(addresses, key=by_number) == ["10.0.0.3", "10.0.0.10", "2001:db8::2"]


def test_transfers_of_very_different_throughput_stand_within_their_axis(tmp_path: Path) -> None:
    talks = []
    for number, took_s in enumerate((0.1, 1.0, 10.0, 100.0)):
        talk = Conversation(40_000 + number, 1_700_000_000.0 + number).opened()
        talks.append(talk.data(took_s, 0).ack(took_s + 0.05, 1))
    analysis = an.analyse(save(tmp_path / "server.pcap", *talks))
    transfers = analysis.transfers()
    rate, *_, again = draw_transfers(transfers, analysis.station_of(), ABOUT).axes
    low, high = rate.get_ylim()
    known = transfers["throughput_mbps"].drop_null().to_pylist()
    assert rate.get_yscale() == "log"
    assert 0.1 * min(known) < low < min(known) <= max(known) < high
    assert again.get_ylim() == (0, 1)
    longest = rate.collections[-1].get_segments()[-1]
    assert longest[:, 0] == pytest.approx([3.0, 103.0])
    left, right = again.get_xlim()
    assert left < 0.0 <= 103.0 < right
