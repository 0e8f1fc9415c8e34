"""What each comparison calls a pass, a failure and a refutation."""

import pytest

from anechoic.campaign.replication import Summary, summarise
from anechoic.papers import comparisons
from anechoic.papers.points import Point
from anechoic.papers.verdict import Status, Verdict, all_of, readings


def point(mean: float, ci95: float = 0.01, what: str = "x") -> Point:
    return Point(what, Summary(mean, ci95, ci95, mean - ci95, mean + ci95, 12, (mean,) * 12))


def line(*means: float) -> list[Point]:
    return [point(mean, what=f"x{i}") for i, mean in enumerate(means)]


def test_a_lower_mean_passes_and_only_disjoint_intervals_refute() -> None:
    assert comparisons.below(point(4.9), point(5.0)).status is Status.PASS
    assert comparisons.below(point(5.001), point(5.0)).status is Status.FAIL
    assert comparisons.below(point(5.1), point(5.0)).status is Status.REFUTED


def test_where_disjoint_intervals_are_asked_touching_ones_fail() -> None:
    low, high = point(4.99), point(5.0)
    assert comparisons.below(low, high).status is Status.PASS
    verdict = comparisons.below(low, high, disjoint=True)
    assert verdict.status is Status.FAIL
    assert "touch" in verdict.reason


def test_a_single_run_has_no_interval_and_is_never_disjoint() -> None:
    low, high = (Point("x", summarise([value])) for value in (4.0, 5.0))
    assert comparisons.below(low, high).status is Status.PASS
    assert comparisons.below(low, high, disjoint=True).status is Status.FAIL
    assert comparisons.below(high, low).status is Status.FAIL


def test_not_above_lets_intervals_meet() -> None:
    low, high = point(5.01), point(5.0)
    assert comparisons.not_above(low, high, touching=True).status is Status.PASS
    assert comparisons.not_above(low, high).status is Status.FAIL
    assert comparisons.not_above(point(5.1), high, touching=True).status is Status.REFUTED


def test_not_above_forgives_a_part_of_the_other() -> None:
    assert comparisons.not_above(point(5.1), point(5.0), 0.03).status is Status.PASS
    assert comparisons.not_above(point(5.2), point(5.0), 0.03).status is Status.REFUTED


def test_not_above_of_single_runs_compares_the_means() -> None:
    low, high = (Point("x", summarise([value])) for value in (4.0, 5.0))
    assert comparisons.not_above(low, high, touching=True).status is Status.PASS
    assert comparisons.not_above(high, low, touching=True).status is Status.FAIL


def test_never_rises_forgives_a_part_of_the_step_before() -> None:
    assert comparisons.never_rises(line(5.0, 5.09, 4.0), 0.02).status is Status.PASS
    verdict = comparisons.never_rises(line(5.0, 5.11, 4.0), 0.02)
    assert verdict.status is Status.FAIL
    assert verdict.reason == "x1 is 2.2% above the step before"


def test_never_falls_forgives_a_part_of_the_step_before() -> None:
    assert comparisons.never_falls(line(5.0, 4.96, 6.0), 0.01).status is Status.PASS
    verdict = comparisons.never_falls(line(5.0, 4.9, 6.0), 0.01)
    assert verdict.status is Status.FAIL
    assert verdict.reason == "x1 is 2.0% below the step before"


def test_every_step_forgives_nothing() -> None:
    assert comparisons.every_step(line(5.0, 4.9, 4.0), -1).status is Status.PASS
    assert comparisons.every_step(line(5.0, 5.0, 4.0), -1).status is Status.FAIL
    assert comparisons.every_step(line(4.0, 4.9, 5.0), 1).status is Status.PASS


def test_equal_within_compares_the_extremes() -> None:
    assert comparisons.equal_within(line(5.0, 5.05, 5.09), 0.02).status is Status.PASS
    assert comparisons.equal_within(line(5.0, 5.05, 5.11), 0.02).status is Status.FAIL


def test_nothing_is_near_zero() -> None:
    assert comparisons.equal_within(line(0.0, 5.0), 0.02).status is Status.FAIL


def test_a_step_must_be_high_enough_and_is_refuted_when_it_goes_down() -> None:
    assert comparisons.steps_by(point(4.0), point(4.5), 0.1).status is Status.PASS
    assert comparisons.steps_by(point(4.0), point(4.3), 0.1).status is Status.FAIL
    assert comparisons.steps_by(point(4.0), point(3.5), 0.1).status is Status.REFUTED


def test_a_step_down_is_asked_for_with_a_number_below_zero() -> None:
    assert comparisons.steps_by(point(4.0), point(3.5), -0.1).status is Status.PASS
    assert comparisons.steps_by(point(4.0), point(3.7), -0.1).status is Status.FAIL
    assert comparisons.steps_by(point(4.0), point(4.5), -0.1).status is Status.REFUTED


def test_a_band_includes_its_ends() -> None:
    assert comparisons.in_band(point(4.0), 4.0, 6.5).status is Status.PASS
    assert comparisons.in_band(point(3.9), 4.0, 6.5).status is Status.FAIL


def test_a_band_may_be_open_at_one_end() -> None:
    assert comparisons.in_band(point(4.0), 4.0, None).status is Status.PASS
    verdict = comparisons.in_band(point(4.0), None, 3.9)
    assert verdict.reason.endswith("at most 3.9 asked")


def test_the_order_of_two_sets_is_spearman_s_correlation() -> None:
    def status(second: list[Point]) -> Status:
        return comparisons.same_order(line(1, 2, 3, 4, 5, 6), second, 0.9, None).status

    assert status(line(10, 20, 30, 40, 60, 50)) is Status.PASS
    assert status(line(20, 10, 30, 40, 60, 50)) is Status.FAIL
    assert status(line(1, 1, 1, 1, 1, 1)) is Status.FAIL


def test_the_best_is_forgiven_a_little_where_asked() -> None:
    points = line(4.0, 5.0, 5.04)
    assert comparisons.best(points, [points[1]], 0.01, 1).status is Status.PASS
    assert comparisons.best(points, [points[1]], 0.0, 1).status is Status.REFUTED
    assert comparisons.best(points, points[1:], 0.0, 1).status is Status.PASS
    assert comparisons.best(points, [points[0]], 0.0, -1).status is Status.PASS


def test_wilson_s_interval_of_a_probability() -> None:
    """The example of 3 in 12, and one that no normal interval could give."""
    assert comparisons.wilson(3, 12) == pytest.approx((0.0889, 0.5323), abs=1e-4)
    assert comparisons.wilson(0, 12) == pytest.approx((0.0, 0.2425), abs=1e-4)


def test_a_probability_is_refuted_when_its_interval_lies_outside() -> None:
    never = Point("x", summarise([0.0] * 60))
    assert comparisons.probable(never, 0.01, None).status is Status.FAIL
    assert comparisons.probable(never, 0.1, None).status is Status.REFUTED
    assert comparisons.probable(never, None, 0.02).status is Status.PASS


def test_a_line_through_the_means() -> None:
    fitted = comparisons.fit([0, 1, 2], [1.0, 3.0, 5.0], through_origin=False)
    assert fitted == {"slope": 2.0, "intercept": 1.0, "r2": 1.0}
    through = comparisons.fit([1, 2], [2.0, 5.0], through_origin=True)
    assert through["slope"] == pytest.approx(12 / 5)
    assert through["intercept"] == 0
    points = line(1.0, 3.0, 5.0)
    bands = {"slope": (1.9, 2.1), "r2": (0.9, 1.0)}
    verdict = comparisons.straight([0, 1, 2], points, bands, through_origin=False)
    assert verdict.status is Status.PASS
    assert [figure.what.split(" of ")[0] for figure in verdict.figures[:2]] == ["slope", "r2"]


@pytest.mark.parametrize("worst", [Status.AMBIGUOUS, Status.FAIL, Status.REFUTED])
def test_the_worst_part_decides_and_gives_the_reason(worst: Status) -> None:
    parts = [Verdict(Status.PASS, (), "fine"), Verdict(worst, (), "this is why")]
    assert all_of(parts) == Verdict(worst, (), "this is why")


def test_long_lists_of_reasons_are_cut() -> None:
    parts = [Verdict(Status.FAIL, (), f"reason {i}") for i in range(5)]
    assert all_of(parts).reason == "reason 0; reason 1; reason 2; and 2 more"


def test_figures_of_one_name_are_kept_apart_by_their_reading() -> None:
    one, two = (comparisons.in_band(Point.exactly("share", share), 0, 1) for share in (0.1, 0.2))
    found = readings({"A": one, "B": two})
    assert [(each.what, each.value) for each in found.figures] == [
        ("share [A]", 0.1),
        ("share [B]", 0.2),
    ]
    assert [each.what for each in readings({"A": one, "B": one}).figures] == ["share"]


def test_readings_that_disagree_are_ambiguous() -> None:
    good, bad = Verdict(Status.PASS), Verdict(Status.FAIL, (), "too low")
    assert readings({"A": good, "B": good}).status is Status.PASS
    assert readings({"A": bad, "B": bad}).status is Status.FAIL
    verdict = readings({"A": good, "B": bad})
    assert verdict.status is Status.AMBIGUOUS
    assert verdict.reason == "pass with A; fail with B: too low"


def test_what_is_noted_is_said_whatever_the_status() -> None:
    parts = [Verdict(Status.FAIL, (), "too low"), Verdict(Status.PASS).noting("not run: goel-9")]
    assert all_of(parts).found == "too low; not run: goel-9"
