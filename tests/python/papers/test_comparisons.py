"""When each comparison agrees, when it disagrees, and when it stays open."""

import pytest

from anechoic.campaign.replication import summarise
from anechoic.papers import comparisons
from anechoic.papers.points import Point
from anechoic.papers.verdict import Status, Verdict, all_of, readings

PARTS = [(2 * r - 11) / 11 for r in range(12)]
"""Where twelve replications lie between -1 and 1: their mean is 0, its half-width 0.417."""

AGREES, DISAGREES, UNRESOLVED = Status.AGREES, Status.UNEXPLAINED, Status.UNRESOLVED


def point(mean: float, spread: float = 0.01, what: str = "x") -> Point:
    return Point(what, summarise([mean + spread * part for part in PARTS]))


def other(mean: float, spread: float = 0.01, what: str = "y") -> Point:
    """Give a point whose replications have random numbers of their own."""
    return Point(what, summarise([mean + spread * part for part in PARTS[::-1]]))


def line(*means: float) -> list[Point]:
    return [point(mean, what=f"x{i}") for i, mean in enumerate(means)]


def test_what_an_interval_lies_on_both_sides_of_is_unresolved() -> None:
    assert comparisons.below(point(4.9), other(5.0)).status is AGREES
    assert comparisons.below(point(5.1), other(5.0)).status is DISAGREES
    verdict = comparisons.below(point(4.999), other(5.0))
    assert verdict.status is UNRESOLVED
    assert verdict.needs is not None and verdict.needs > 12
    assert f"about {verdict.needs:,} replications would decide" in verdict.reason


def test_as_many_replications_as_are_said_to_decide_do_so() -> None:
    """The half-width falls with the root of their number."""
    values = [0.01 + 0.1 * part for part in PARTS]
    needs = comparisons.in_band(Point("x", summarise(values)), 0, None).needs
    assert needs is not None
    again = values * (needs // len(values) + 1)
    assert comparisons.in_band(Point("x", summarise(again)), 0, None).status is AGREES
    assert comparisons.in_band(Point("x", summarise(values * 2)), 0, None).status is UNRESOLVED


def test_differences_are_of_replications_that_share_their_seed() -> None:
    """They scatter widely, and together."""
    assert comparisons.below(point(4.99, 1.0), point(5.0, 1.0)).status is AGREES
    assert comparisons.below(point(4.99, 1.0), other(5.0, 1.0)).status is UNRESOLVED


def test_the_same_numbers_lie_neither_above_nor_below_each_other() -> None:
    assert comparisons.below(point(5.0), point(5.0)).status is DISAGREES
    assert comparisons.not_above(point(5.0), point(5.0)).status is AGREES


def test_a_single_run_has_no_interval_and_decides_by_its_value() -> None:
    low, high = (Point("x", summarise([value])) for value in (4.0, 5.0))
    assert comparisons.below(low, high).status is AGREES
    assert comparisons.below(high, low).status is DISAGREES
    assert comparisons.not_above(high, low).status is DISAGREES


def test_not_above_forgives_a_part_of_the_other() -> None:
    assert comparisons.not_above(point(5.1), point(5.0), 0.03).status is AGREES
    assert comparisons.not_above(point(5.2), point(5.0), 0.03).status is DISAGREES
    assert comparisons.not_above(point(-5.1), point(-5.2), 0.03).status is AGREES


def test_never_rises_forgives_a_part_of_the_step_before() -> None:
    assert comparisons.never_rises(line(5.0, 5.09, 4.0), 0.02).status is AGREES
    verdict = comparisons.never_rises(line(5.0, 5.11, 4.0), 0.02)
    assert verdict.status is DISAGREES
    assert verdict.reason == "x1 is 2.2% above the step before"


def test_never_falls_forgives_a_part_of_the_step_before() -> None:
    assert comparisons.never_falls(line(5.0, 4.96, 6.0), 0.01).status is AGREES
    verdict = comparisons.never_falls(line(5.0, 4.9, 6.0), 0.01)
    assert verdict.status is DISAGREES
    assert verdict.reason == "x1 is 2.0% below the step before"


def test_every_step_forgives_nothing() -> None:
    assert comparisons.every_step(line(5.0, 4.9, 4.0), -1).status is AGREES
    assert comparisons.every_step(line(5.0, 5.0, 4.0), -1).status is DISAGREES
    assert comparisons.every_step(line(4.0, 4.9, 5.0), 1).status is AGREES
    noisy = [point(4.0), other(4.001, what="z"), point(5.0)]
    verdict = comparisons.every_step(noisy, 1)
    assert verdict.status is UNRESOLVED
    assert verdict.reason.startswith("from x to z ")


def test_equal_within_compares_the_extremes() -> None:
    assert comparisons.equal_within(line(5.0, 5.05, 5.09), 0.02).status is AGREES
    assert comparisons.equal_within(line(5.0, 5.05, 5.11), 0.02).status is DISAGREES


def test_nothing_is_near_zero() -> None:
    assert comparisons.equal_within([point(0.0, 0), point(5.0)], 0.02).status is DISAGREES


def test_a_step_must_be_high_enough() -> None:
    assert comparisons.steps_by(point(4.0), point(4.5), 0.1).status is AGREES
    assert comparisons.steps_by(point(4.0), point(4.3), 0.1).status is DISAGREES
    assert comparisons.steps_by(point(4.0), other(4.4), 0.1).status is UNRESOLVED


def test_a_step_down_is_asked_for_with_a_number_below_zero() -> None:
    assert comparisons.steps_by(point(4.0), point(3.5), -0.1).status is AGREES
    assert comparisons.steps_by(point(4.0), point(3.7), -0.1).status is DISAGREES


def test_the_whole_interval_has_to_lie_in_a_band() -> None:
    assert comparisons.in_band(point(4.1), 4.0, 6.5).status is AGREES
    assert comparisons.in_band(point(3.9), 4.0, 6.5).status is DISAGREES
    assert comparisons.in_band(point(4.001), 4.0, 6.5).status is UNRESOLVED
    assert comparisons.in_band(point(4.1, spread=9), 4.0, 4.2).status is UNRESOLVED
    assert comparisons.in_band(Point.exactly("x", 4.0), 4.0, 6.5).status is AGREES


def test_a_band_may_be_open_at_one_end() -> None:
    assert comparisons.in_band(point(4.1), 4.0, None).status is AGREES
    verdict = comparisons.in_band(point(4.0), None, 3.9)
    assert verdict.reason.endswith("at most 3.9 asked")


def test_the_order_of_two_sets_is_spearman_s_correlation() -> None:
    def status(second: list[Point]) -> Status:
        return comparisons.same_order(line(1, 2, 3, 4, 5, 6), second, 0.9, None).status

    assert status(line(10, 20, 30, 40, 60, 50)) is AGREES
    assert status(line(20, 10, 30, 40, 60, 50)) is DISAGREES
    assert status(line(1, 1, 1, 1, 1, 1)) is DISAGREES


def test_the_best_is_forgiven_a_little_where_asked() -> None:
    points = line(4.0, 5.0, 5.04)
    assert comparisons.best(points, [points[1]], 0.01, 1).status is AGREES
    assert comparisons.best(points, [points[1]], 0.0, 1).status is DISAGREES
    assert comparisons.best(points, points[1:], 0.0, 1).status is AGREES
    assert comparisons.best(points, [points[0]], 0.0, -1).status is AGREES


def test_wilson_s_interval_of_a_probability() -> None:
    """The example of 3 in 12, and one that no normal interval could give."""
    assert comparisons.wilson(3, 12) == pytest.approx((0.0889, 0.5323), abs=1e-4)
    assert comparisons.wilson(0, 12) == pytest.approx((0.0, 0.2425), abs=1e-4)


def test_a_probability_is_decided_by_its_interval_or_where_no_run_speaks_against_it() -> None:
    never, some, all_ = (
        Point("x", summarise([1.0] * count + [0.0] * (60 - count))) for count in (0, 6, 60)
    )
    assert comparisons.probable(never, 0.01, None).status is UNRESOLVED
    assert comparisons.probable(never, 0.1, None).status is DISAGREES
    assert comparisons.probable(never, None, 0.02).status is AGREES
    assert comparisons.probable(all_, 1, None).status is AGREES
    assert comparisons.probable(some, 0.01, None).status is AGREES
    verdict = comparisons.probable(some, 0.09, None)
    assert verdict.status is UNRESOLVED
    assert verdict.needs is not None and verdict.needs > 1000


def test_a_line_through_the_means() -> None:
    fitted = comparisons.fit([0, 1, 2], [1.0, 3.0, 5.0], through_origin=False)
    assert fitted == {"slope": 2.0, "intercept": 1.0, "r2": 1.0}
    through = comparisons.fit([1, 2], [2.0, 5.0], through_origin=True)
    assert through["slope"] == pytest.approx(12 / 5)
    assert through["intercept"] == 0
    points = line(1.0, 3.0, 5.0)
    bands = {"slope": (1.9, 2.1), "r2": (0.9, 1.0)}
    verdict = comparisons.straight([0, 1, 2], points, bands, through_origin=False)
    assert verdict.status is AGREES
    assert [figure.what.split(" of ")[0] for figure in verdict.figures[:2]] == ["slope", "r2"]


@pytest.mark.parametrize(
    "worst",
    [
        Status.AGREES_IF,
        Status.NOT_TESTABLE,
        Status.UNRESOLVED,
        Status.NOT_RUN,
        Status.UNEXPLAINED,
    ],
)
def test_the_worst_part_decides_and_gives_the_reason(worst: Status) -> None:
    parts = [Verdict(Status.AGREES, (), "fine"), Verdict(worst, (), "this is why")]
    assert all_of(parts) == Verdict(worst, (), "this is why")


def test_the_part_that_needs_most_replications_says_how_many_decide() -> None:
    parts = [Verdict(UNRESOLVED, needs=needs) for needs in (30, 400, None)]
    assert all_of(parts).needs == 400


def test_long_lists_of_reasons_are_cut() -> None:
    parts = [Verdict(DISAGREES, (), f"reason {i}") for i in range(5)]
    assert all_of(parts).reason == "reason 0; reason 1; reason 2; and 2 more"


def test_figures_of_one_name_are_kept_apart_by_their_reading() -> None:
    one, two = (comparisons.in_band(Point.exactly("share", share), 0, 1) for share in (0.1, 0.2))
    found = readings({"A": one, "B": two})
    assert [(each.what, each.value) for each in found.figures] == [
        ("share [A]", 0.1),
        ("share [B]", 0.2),
    ]
    assert [each.what for each in readings({"A": one, "B": one}).figures] == ["share"]


def test_readings_that_disagree_are_not_testable() -> None:
    good, bad = Verdict(AGREES), Verdict(DISAGREES, (), "too low")
    assert readings({"A": good, "B": good}).status is AGREES
    assert readings({"A": bad, "B": bad}).status is DISAGREES
    verdict = readings({"A": good, "B": bad})
    assert verdict.status is Status.NOT_TESTABLE
    assert verdict.reason.endswith(
        "disagrees-unexplained with B: too low; the text does not say which"
    )


def test_readings_of_which_one_is_unresolved_may_still_agree() -> None:
    good, bad, open_ = Verdict(AGREES), Verdict(DISAGREES), Verdict(UNRESOLVED, needs=40)
    assert readings({"A": good, "B": open_}).status is UNRESOLVED
    assert readings({"A": bad, "B": open_}).status is UNRESOLVED
    assert readings({"A": good, "B": open_}).needs == 40


def test_what_is_noted_is_said_whatever_the_status() -> None:
    parts = [Verdict(DISAGREES, (), "too low"), Verdict(AGREES).noting("not run: goel-9")]
    assert all_of(parts).found == "too low; not run: goel-9"
