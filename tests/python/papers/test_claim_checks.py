"""What each check calls a pass, a failure and a refutation."""

import pytest

from anechoic.campaign.replication import Summary, summarise
from anechoic.papers import checks
from anechoic.papers.claim import Status, Verdict
from anechoic.papers.points import Point


def point(mean: float, ci95: float = 0.01, what: str = "x") -> Point:
    return Point(what, Summary(mean, ci95, ci95, mean - ci95, mean + ci95, 12, (mean,) * 12))


def line(*means: float) -> list[Point]:
    return [point(mean, what=f"x{i}") for i, mean in enumerate(means)]


def test_a_lower_mean_passes_and_only_disjoint_intervals_refute() -> None:
    assert checks.below(point(4.9), point(5.0)).status is Status.PASS
    assert checks.below(point(5.001), point(5.0)).status is Status.FAIL
    assert checks.below(point(5.1), point(5.0)).status is Status.REFUTED


def test_where_disjoint_intervals_are_asked_touching_ones_fail() -> None:
    low, high = point(4.99), point(5.0)
    assert checks.below(low, high).status is Status.PASS
    verdict = checks.below(low, high, disjoint=True)
    assert verdict.status is Status.FAIL
    assert "touch" in verdict.reason


def test_a_single_run_has_no_interval_and_is_never_disjoint() -> None:
    low, high = (Point("x", summarise([value])) for value in (4.0, 5.0))
    assert checks.below(low, high).status is Status.PASS
    assert checks.below(low, high, disjoint=True).status is Status.FAIL
    assert checks.below(high, low).status is Status.FAIL


def test_not_above_lets_intervals_meet() -> None:
    assert checks.not_above(point(5.01), point(5.0)).status is Status.PASS
    assert checks.not_above(point(5.1), point(5.0)).status is Status.REFUTED


def test_not_above_of_single_runs_compares_the_means() -> None:
    low, high = (Point("x", summarise([value])) for value in (4.0, 5.0))
    assert checks.not_above(low, high).status is Status.PASS
    assert checks.not_above(high, low).status is Status.FAIL


def test_non_increasing_forgives_two_per_cent_of_the_step_before() -> None:
    assert checks.non_increasing(line(5.0, 5.09, 4.0)).status is Status.PASS
    verdict = checks.non_increasing(line(5.0, 5.11, 4.0))
    assert verdict.status is Status.FAIL
    assert verdict.reason == "x1 is 2.2% above the step before"


def test_non_decreasing_forgives_one_per_cent_of_the_step_before() -> None:
    assert checks.non_decreasing(line(5.0, 4.96, 6.0)).status is Status.PASS
    verdict = checks.non_decreasing(line(5.0, 4.9, 6.0))
    assert verdict.status is Status.FAIL
    assert verdict.reason == "x1 is 2.0% below the step before"


def test_strictly_decreasing_forgives_nothing() -> None:
    assert checks.strictly_decreasing(line(5.0, 4.9, 4.0)).status is Status.PASS
    assert checks.strictly_decreasing(line(5.0, 5.0, 4.0)).status is Status.FAIL
    assert checks.strictly_decreasing(line(5.0, 4.995, 4.99)).status is Status.FAIL


def test_equal_within_compares_the_extremes() -> None:
    assert checks.equal_within(line(5.0, 5.05, 5.09), 0.02).status is Status.PASS
    assert checks.equal_within(line(5.0, 5.05, 5.11), 0.02).status is Status.FAIL


def test_nothing_is_near_zero() -> None:
    assert checks.equal_within(line(0.0, 5.0), 0.02).status is Status.FAIL


def test_a_step_must_be_high_enough_and_is_refuted_when_it_goes_down() -> None:
    assert checks.rises_by(point(4.0), point(4.5), 0.1).status is Status.PASS
    assert checks.rises_by(point(4.0), point(4.3), 0.1).status is Status.FAIL
    assert checks.rises_by(point(4.0), point(3.5), 0.1).status is Status.REFUTED


def test_a_band_includes_its_ends() -> None:
    assert checks.in_band(point(4.0), 4.0, 6.5).status is Status.PASS
    assert checks.in_band(point(3.9), 4.0, 6.5).status is Status.FAIL


def test_the_same_order_has_a_rank_correlation_of_0_9() -> None:
    first = line(1, 2, 3, 4, 5, 6)
    assert checks.same_order("s", first, line(10, 20, 30, 40, 60, 50)).status is Status.PASS
    assert checks.same_order("s", first, line(20, 10, 30, 40, 60, 50)).status is Status.FAIL


@pytest.mark.parametrize("worst", [Status.AMBIGUOUS, Status.FAIL, Status.REFUTED])
def test_the_worst_part_decides_and_gives_the_reason(worst: Status) -> None:
    parts = [Verdict(Status.PASS, (), "fine"), Verdict(worst, (), "this is why")]
    assert checks.all_of(parts) == Verdict(worst, (), "this is why")


def test_long_lists_of_reasons_are_cut() -> None:
    parts = [Verdict(Status.FAIL, (), f"reason {i}") for i in range(5)]
    assert checks.all_of(parts).reason == "reason 0; reason 1; reason 2; and 2 more"


def test_readings_that_disagree_are_ambiguous() -> None:
    good, bad = Verdict(Status.PASS), Verdict(Status.FAIL, (), "too low")
    assert checks.readings({"A": good, "B": good}).status is Status.PASS
    assert checks.readings({"A": bad, "B": bad}).status is Status.FAIL
    verdict = checks.readings({"A": good, "B": bad})
    assert verdict.status is Status.AMBIGUOUS
    assert verdict.reason == "pass with A; fail with B: too low"
