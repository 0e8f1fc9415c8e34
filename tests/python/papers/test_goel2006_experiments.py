"""The shipped scenario files are read, and sweep what the claims are about."""

import pytest
from invented import THESIS

from anechoic.scenario.load import load
from anechoic.scenario.model import Scenario

VENDORS = ("vendor-a", "vendor-b")
CONNECTIONS = (2, 4, 8, 16, 32)
THRESHOLDS = (256, 512, 768, 1024, 1280, 1536)
FULL_THRESHOLDS = (256, 512, 768, 1024, 1280, 1535, 1536, 1792, 2048, 2346)
RTS_OFF, RTS_ON = 2346, 0
UNSTATED_CONNECTIONS = (32, 2)
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
    return load(THESIS.file(name))


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


@pytest.mark.parametrize("name", [f"goel-{n}" for n in range(2, 8)])
def test_vendor_a_has_the_even_numbers_and_the_long_preamble(name: str) -> None:
    scenario = scenario_of(name)
    is_even = int(name[-1]) % 2 == 0
    assert scenario.ap["office"].profile == VENDORS[0 if is_even else 1]
    assert scenario.sta["laptop"].preamble == ("long" if is_even else "short")


def test_the_study_names_every_experiment_of_its_folder_and_the_thesis() -> None:
    files = {path.stem for path in THESIS.file("goel-1").parent.glob("goel-*.toml")}
    assert files == set(THESIS.experiments)
    assert THESIS.about.citation.startswith("S. Goel")
