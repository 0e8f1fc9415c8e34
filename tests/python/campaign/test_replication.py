import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import stdtrit

from anechoic.campaign.replication import (
    StoppingRule,
    half_width,
    replication_seed,
    standard_deviation,
    summarise,
    t_quantile,
)

VALUES = st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=80)


def test_the_quantiles_are_those_of_the_tables() -> None:
    # Any table of Student's t, two-sided 95 %.
    assert [round(t_quantile(n), 3) for n in (1, 4, 11, 29)] == [12.706, 2.776, 2.201, 2.045]


def test_the_quantiles_are_those_of_scipy() -> None:
    degrees = [*range(1, 200), 998, 999, 9_998, 9_999]
    expected = stdtrit(degrees, 0.975)
    assert [t_quantile(n) for n in degrees] == pytest.approx(expected.tolist(), rel=1e-12)


def test_the_root_covers_the_whole_fraction() -> None:
    # The thesis prints the root over the numerator alone, which would give 5.5 / 4 here.
    values = [5.0, 5.0, 6.0, 4.0, 5.0]
    assert standard_deviation(values) == pytest.approx(math.sqrt(2.0 / 4.0))
    assert half_width(values) == pytest.approx(2.776 * math.sqrt(0.5) / math.sqrt(5), rel=1e-3)


def test_a_tiny_spread_around_a_large_mean_keeps_its_digits() -> None:
    assert standard_deviation([1e9, 1e9 + 1, 1e9 + 2]) == 1.0


def test_one_value_has_no_interval() -> None:
    summary = summarise([5.0])
    assert (summary.mean, summary.min, summary.max, summary.n) == (5.0, 5.0, 5.0, 1)
    assert math.isnan(summary.ci95)
    assert math.isnan(summary.sd)


def test_a_replication_without_the_metric_is_not_counted() -> None:
    summary = summarise([5.0, math.nan, 7.0])
    assert (summary.mean, summary.n, len(summary.values)) == (6.0, 2, 3)
    assert summarise([math.nan]).n == 0


def test_seeds_differ_between_replications_and_stay_as_they_are() -> None:
    seeds = [replication_seed(1, replication) for replication in range(1000)]
    assert len(set(seeds)) == 1000
    assert all(0 <= seed < 2**63 for seed in seeds)
    # A change here would change every result ever published.
    assert seeds[0] == 7905823413281271423


def test_a_cell_is_run_until_its_interval_is_narrow_enough() -> None:
    rule = StoppingRule("goodput_mbps", minimum=3, maximum=6, precision=0.05)
    assert rule.verdict([5.0, 5.0]) == "more"
    assert rule.verdict([5.0, 5.1, 4.9]) == "precise"
    assert rule.verdict([5.0, 6.0, 4.0]) == "more"
    assert rule.verdict([5.0, 6.0, 4.0, 5.0, 6.0, 4.0]) == "limit"


def test_a_fixed_number_of_replications_has_no_limit_to_reach() -> None:
    rule = StoppingRule.exactly("goodput_mbps", 2)
    assert rule.verdict([1.0]) == "more"
    assert rule.verdict([1.0, 9.0]) == "precise"


def test_a_metric_that_is_always_zero_is_known_precisely() -> None:
    rule = StoppingRule("tcp.retransmissions", 2, 60, 0.05)
    assert rule.verdict([0.0, 0.0]) == "precise"


@given(VALUES)
def test_the_standard_deviation_is_the_sample_s(values: list[float]) -> None:
    assert standard_deviation(values) == pytest.approx(statistics.stdev(values), rel=1e-9, abs=1e-9)


@given(
    st.lists(st.floats(0, 10), max_size=40),
    st.integers(2, 20),
    st.integers(0, 20),
    st.floats(0.001, 0.5),
)
def test_a_cell_never_stops_before_the_minimum_nor_goes_on_after_the_maximum(
    values: list[float], minimum: int, more: int, precision: float
) -> None:
    rule = StoppingRule("goodput_mbps", minimum, minimum + more, precision)
    verdict = rule.verdict(values)
    if len(values) < rule.minimum:
        assert verdict == "more"
    elif len(values) >= rule.maximum:
        assert verdict != "more"
    if verdict == "precise":
        assert half_width(values) <= precision * abs(summarise(values).mean)


@given(VALUES, st.integers(2, 20), st.integers(0, 40))
def test_the_estimate_of_the_effort_stays_within_the_rule(
    values: list[float], minimum: int, more: int
) -> None:
    rule = StoppingRule("goodput_mbps", minimum, minimum + more, 0.05)
    assert rule.minimum <= rule.expected(values) <= rule.maximum
