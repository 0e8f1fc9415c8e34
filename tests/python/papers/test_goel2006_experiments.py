"""The shipped scenario files are read, and sweep what the claims are about."""

import pytest
from invented import EXPERIMENTS

from anechoic.papers.goel2006_points import (
    CONNECTIONS,
    FULL_THRESHOLDS,
    PREAMBLE_US,
    RTS_OFF,
    RTS_ON,
    THRESHOLDS,
    UNSTATED_CONNECTIONS,
    VENDOR_OF,
    VENDORS,
)
from anechoic.scenario.load import load
from anechoic.scenario.model import Scenario

SWEPT = {
    "goel-1": {"vendor": VENDORS, "connections": CONNECTIONS},
    **{
        f"goel-{n}": {"fragmentation_threshold": THRESHOLDS, "connections": CONNECTIONS}
        for n in (2, 3, 4, 5)
    },
    **{
        f"goel-{n}": {
            "fragmentation_threshold": FULL_THRESHOLDS,
            "rts_threshold": (RTS_OFF, RTS_ON),
            "connections": UNSTATED_CONNECTIONS,
        }
        for n in (6, 7)
    },
    "goel-8": {"vendor": VENDORS, "rts_threshold": FULL_THRESHOLDS},
}

FIGURES = dict(zip(SWEPT, range(19, 27), strict=True))


def scenario_of(name: str) -> Scenario:
    return load(EXPERIMENTS / f"{name}.toml")


@pytest.mark.parametrize("name", SWEPT)
def test_the_axes_hold_every_point_that_the_claims_ask_for(name: str) -> None:
    axes = {s.title: tuple(next(iter(s.columns.values()))) for s in scenario_of(name).sweep}
    assert axes == SWEPT[name]


@pytest.mark.parametrize("name", SWEPT)
def test_the_first_figure_is_the_thesiss(name: str) -> None:
    figure = scenario_of(name).figure[0]
    assert figure.title.startswith(f"Figure {FIGURES[name]}:")
    assert figure.y == "goodput_mbps"


@pytest.mark.parametrize("name", SWEPT)
def test_five_minutes_and_12_to_60_runs_as_in_the_lab(name: str) -> None:
    scenario = scenario_of(name)
    assert scenario.run.duration == "300 s"
    assert (scenario.replication.min, scenario.replication.max) == (12, 60)


@pytest.mark.parametrize("name", SWEPT)
def test_there_are_32_transactions_in_a_record_of_all_pairs(name: str) -> None:
    scenario = scenario_of(name)
    for axis in scenario.sweep:
        if axis.title == "connections":
            counts = axis.columns["traffic.pairs.count"]
            per_record = axis.columns["traffic.pairs.transactions_per_record"]
            assert all(n * t == 32 for n, t in zip(counts, per_record, strict=True))
    pairs = scenario.traffic["pairs"]
    assert pairs.count * pairs.transactions_per_record == 32


@pytest.mark.parametrize(("name", "vendor"), VENDOR_OF.items())
def test_both_ends_use_the_preamble_that_the_claims_reckon_with(name: str, vendor: str) -> None:
    scenario = scenario_of(name)
    assert scenario.ap["office"].profile == vendor
    preamble = {192.0: "long", 96.0: "short"}[PREAMBLE_US[vendor]]
    assert scenario.sta["laptop"].preamble == preamble
