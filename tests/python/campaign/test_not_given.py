"""Metrics that were asked for, and that no replication gave, are named with the reason."""

from math import nan

import pytest

import anechoic as an
from anechoic.campaign.cells import Cell
from anechoic.campaign.not_given import not_given
from anechoic.campaign.replication import summarise


def scenario(metric: str = "goodput_mbps", **figure: str) -> an.Scenario:
    figures = [an.Figure(title="x", **figure)] if figure else []
    return an.Scenario(
        host={name: an.Host(stack="linux-6") for name in ("server", "client")},
        wire={"lan": an.Wire(between=["server", "client"])},
        traffic={"download": an.Bulk(from_="server", to="client")},
        replication=an.Replication(metric=metric),
        figure=figures,
    )


def cell(**metrics: float) -> Cell:
    return Cell({}, 2, False, {name: summarise([value] * 2) for name, value in metrics.items()})


def of_flow(**metrics: float) -> dict[str, float]:
    return {f"flow.download-1.{name}": value for name, value in metrics.items()}


def test_what_every_cell_gives_is_not_told_of() -> None:
    assert [*not_given(scenario(), [cell(goodput_mbps=1.0)])] == []


def test_what_no_replication_gives_is_named_once() -> None:
    asked = scenario("transfer_s_p50", x="loss", y="transfer_s_p50")
    assert [*not_given(asked, [cell(goodput_mbps=1.0, transfer_s_p50=nan)])] == [
        "No replication gave a value of transfer_s_p50."
    ]


def test_the_cells_are_named_that_lack_it() -> None:
    lossy = Cell({"loss": 0.5}, 2, False, {})
    clear = Cell({"loss": 0.0}, 2, False, {"goodput_mbps": summarise([1.0, 1.0])})
    assert [*not_given(scenario(), [clear, lossy])] == [
        "No replication gave a value of goodput_mbps in 1 of 2 cells (loss = 0.5)."
    ]


@pytest.mark.parametrize(
    ("metric", "metrics", "why"),
    [
        ("goodput_mbps@later", {"goodput_mbps": 1.0}, "the window later never began"),
        ("flow.download-1.rtt_ms_mean", of_flow(bytes=0.0), "download-1 moved nothing"),
    ],
)
def test_the_reason_is_told_where_it_is_known(
    metric: str, metrics: dict[str, float], why: str
) -> None:
    (said,) = not_given(scenario(metric), [cell(**metrics)])
    assert said == f"No replication gave a value of {metric}: {why}."


def test_a_figure_of_each_flow_asks_for_the_metric_of_any_of_them() -> None:
    asked = scenario(each="flow", y="rtt_ms_mean")
    assert [*not_given(asked, [cell(goodput_mbps=1.0, **of_flow(rtt_ms_mean=2.0))])] == []
    assert [*not_given(asked, [cell(goodput_mbps=1.0)])] == [
        "No replication gave a value of rtt_ms_mean."
    ]
