"""The sentence and the quantities that answer a scenario's question, from numbers made by hand."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

import anechoic as an
from anechoic.campaign.answer import Answer, answer
from anechoic.campaign.cells import Axis, Cell, Value
from anechoic.campaign.replication import summarise
from anechoic.campaign.results import Results
from anechoic.campaign.table import text

HOME = """
run.duration = "20 s"
host.server = { stack = "linux-6" }
ap.home = {}
sta.laptop = { ap = "home", stack = "linux-6" }
wire.uplink.between = ["home", "server"]
air.loss = "60 dB"
"""
DOWNLOAD = 'traffic.load = { app = "bulk", from = "server", to = "laptop" }\n'
CALL = 'traffic.call = { app = "voip", from = "laptop", to = "server" }\n'
PING = 'traffic.probe = { app = "ping", from = "laptop", to = "server" }\n'
GOODPUT = "flow.load-1.goodput_mbps"


def cell(parameters: dict[str, Value], metrics: Mapping[str, float | Sequence[float]]) -> Cell:
    """Give a cell of three replications, equal ones where a metric has one number."""
    values = {
        name: [value] * 3 if isinstance(value, float) else list(value)
        for name, value in metrics.items()
    }
    summaries = {name: summarise(each) for name, each in values.items()}
    return Cell(parameters, 3, limit_reached=False, metrics=summaries)


def answered(tmp_path: Path, traffic: str, axes: Sequence[Axis], cells: Sequence[Cell]) -> Answer:
    (tmp_path / "home.toml").write_text(HOME + traffic, encoding="utf-8")
    return answer(an.load(tmp_path / "home.toml"), axes, cells)


def of_queues(*metrics: Mapping[str, float | Sequence[float]]) -> tuple[list[Axis], list[Cell]]:
    names = ("drop-tail", "codel", "fq-codel")[: len(metrics)]
    cells = [cell({"queue": name}, own) for name, own in zip(names, metrics, strict=True)]
    return [Axis("queue", names)], cells


def call(there: float, back: float, load: float) -> dict[str, float]:
    ways = {"flow.call-1.mos": there, "flow.call-1.mos_back": back}
    return {**ways, "flow.call-1.goodput_mbps": 0.06, GOODPUT: load}


def test_a_call_beside_a_download_is_asked_for_its_voice_not_for_tcp(tmp_path: Path) -> None:
    given = of_queues(call(4.4, 1.0, 4.11), call(4.4, 4.39, 4.53))
    found = answered(tmp_path, DOWNLOAD + CALL, *given)
    # The way that the queue spoils is told before the one that it does not.
    assert found.text == (
        "The mean opinion score of call from server to laptop was 1.0 (queue = drop-tail) and 4.4 "
        "(codel); the mean opinion score of call from laptop to server was 4.4 with each; the "
        "goodput of load from server to laptop was 4.1 and 4.5 Mbit/s, respectively."
    )
    assert found.helps == (
        "What helps, against queue = drop-tail: codel (call MOS to laptop 3.4 points more; load "
        "10 % more)."
    )
    heads = [each.head for each in found.quantities]
    assert heads == ["call MOS to server", "call MOS to laptop", "load (Mbit/s)"]


def ping(
    median: float | Sequence[float], goodput: float = 5.0
) -> dict[str, float | Sequence[float]]:
    trips = {"flow.probe-1.rtt_ms_p50": median, "flow.probe-1.rtt_ms_p99": 740.0}
    return {**trips, "flow.probe-1.goodput_mbps": 0.0, GOODPUT: goodput}


def test_of_two_axes_one_is_told_and_the_value_of_the_other_is_named(tmp_path: Path) -> None:
    axes = [Axis("queue", ("drop-tail", "codel")), Axis("wire.uplink.delay", ("10 ms", "50 ms"))]
    medians = {
        ("drop-tail", "10 ms"): 372.0,
        ("drop-tail", "50 ms"): 410.0,
        ("codel", "10 ms"): 26.6,
        ("codel", "50 ms"): 104.0,
    }
    cells = [
        cell({"queue": queue, "wire.uplink.delay": delay}, ping(median))
        for (queue, delay), median in medians.items()
    ]
    found = answered(tmp_path, DOWNLOAD + PING, axes, cells)
    # The extremes of all, 410 and 26.6 ms, differ in queue and delay, and are not set side by side.
    assert found.text == (
        "With delay = 10 ms, the median ping of probe from laptop to server took 372 ms (queue = "
        "drop-tail) and 27 ms (codel); the goodput of load from server to laptop was 5 "
        "Mbit/s with each."
    )
    assert found.compared.cells == [cells[0], cells[2]]


def test_of_many_cells_the_least_and_the_largest_are_told_in_their_order(tmp_path: Path) -> None:
    losses = ("60 dB", "70 dB", "80 dB", "90 dB", "100 dB")
    goodputs = (20.0, 21.0, 12.0, 0.0, 1.0)
    cells = [
        cell({"air.loss": loss}, {GOODPUT: own}) for loss, own in zip(losses, goodputs, strict=True)
    ]
    found = answered(tmp_path, DOWNLOAD, [Axis("air.loss", losses)], cells)
    assert found.text == (
        "The goodput of load from server to laptop was 21 Mbit/s (loss = 70 dB, the most) and 0 "
        "Mbit/s (90 dB, the least)."
    )


def test_a_difference_that_may_be_chance_is_called_so(tmp_path: Path) -> None:
    given = of_queues(ping([20.0, 90.0, 25.0]), ping([30.0, 20.0, 22.0]))
    found = answered(tmp_path, DOWNLOAD + PING, *given)
    assert found.text.endswith(
        " With 3 replications the difference between 24 ms and 45 ms is not significant; more "
        "(--reps) may tell."
    )
    assert not found.helps


def test_what_was_asked_for_and_never_came_is_told_before_what_did(tmp_path: Path) -> None:
    silent = {"flow.probe-1.goodput_mbps": 0.0, GOODPUT: 5.0}
    found = answered(tmp_path, DOWNLOAD + PING, [], [cell({}, silent)])
    assert found.text == (
        "No replication gave a value of probe median. The goodput of load from server to laptop "
        "was 5 Mbit/s."
    )


@pytest.mark.parametrize(
    ("rule", "first"),
    [("flow.load-1.goodput_mbps", "The goodput of load"), ("goodput_mbps", "The median ping")],
)
def test_what_the_stopping_rule_names_comes_first(rule: str, first: str, tmp_path: Path) -> None:
    traffic = f'{DOWNLOAD}{PING}replication.metric = "{rule}"\n'
    found = answered(tmp_path, traffic, [], [cell({}, ping(20.0))])
    assert found.text.startswith(first)


def test_several_flows_of_a_traffic_add_up(tmp_path: Path) -> None:
    two = {GOODPUT: 2.0, "flow.load-2.goodput_mbps": 3.0}
    found = answered(tmp_path, DOWNLOAD, [], [cell({}, two)])
    assert found.quantities[0].summary(cell({}, two)).values == (5.0, 5.0, 5.0)


def test_a_screen_holds_the_tables_of_a_large_sweep_and_says_where_the_rest_is(
    tmp_path: Path,
) -> None:
    delays = tuple(range(1000))
    cells = [cell({"delay": each}, {**ping(20.0), "goodput_mbps": 5.0}) for each in delays]
    answered(tmp_path, DOWNLOAD + PING, [Axis("delay", delays)], cells)  # writes the file
    campaign = {"replication": {"metric": "goodput_mbps", "max": 3, "precision": None}}
    scenario = an.load(tmp_path / "home.toml")
    lines = text(Results(campaign, scenario, [Axis("delay", delays)], cells)).split("\n")
    assert len(lines) < 40  # of a terminal of 24 lines: two tables, and what is told of them
    assert lines.count("… and 992 more cells") == 2


def test_what_helps_is_told_with_its_price_the_best_first(tmp_path: Path) -> None:
    given = of_queues(ping(372.0, 4.7), ping(26.6, 4.59), ping(22.0, 4.7))
    found = answered(tmp_path, DOWNLOAD + PING, *given)
    assert found.helps == (
        "What helps, against queue = drop-tail: fq-codel (probe median 94 % less), codel (probe "
        "median 93 % less; load 2.3 % less)."
    )


def test_frames_that_hidden_stations_collide_with_are_told_before_what_they_cost(
    tmp_path: Path,
) -> None:
    def shares(all_of_them: float, hidden: float, load: float) -> dict[str, float]:
        names = {"collision_probability": all_of_them, "collision_probability_hidden": hidden}
        return {**names, GOODPUT: load}

    found = answered(
        tmp_path, DOWNLOAD, *of_queues(shares(0.47, 0.46, 1.9), shares(0.06, 0.0, 3.2))
    )
    assert found.text == (
        "The share of frames that collided was 47 % (queue = drop-tail) and 6 % (codel); the "
        "goodput of load from server to laptop was 1.9 and 3.2 Mbit/s, respectively."
    )


def test_a_page_of_a_traffic_with_that_name_is_a_page(tmp_path: Path) -> None:
    web = 'traffic.page = { app = "web", from = "laptop", to = "server" }\n'
    metrics = {"flow.page-1.response_ms_mean": 348.0, "flow.page-1.goodput_mbps": 0.1}
    found = answered(tmp_path, web, [], [cell({}, metrics)])
    assert found.text == "A page took on average 348 ms."
    assert [each.head for each in found.quantities] == ["page mean (ms)"]
