"""The numbers that papers print, beside made-up ones that were simulated."""

from dataclasses import replace
from math import log

import pytest

from anechoic.papers.claim import Claim, check_of
from anechoic.papers.numbers import errors_of, numbers_of
from anechoic.papers.scorecard import Row, headline
from anechoic.papers.verdict import Figure, Status, Verdict

CLAIM = Claim("x-a", "x", "It is 4.", 1, "§0", check_of({"band": "goodput_mbps", "to": 1}, ""))


def row(*values: float, status: Status = Status.AGREES, claim: Claim = CLAIM) -> Row:
    figures = [Figure(f"x {value}", value, 0.4, 12, printed=4.0) for value in values]
    return Row(claim, Verdict(status, (*figures, Figure("beside", 7.0, 0.1, 12))))


def test_twice_is_as_far_off_as_half() -> None:
    double, half = numbers_of([row(8.0, 2.0)])
    assert double.error == pytest.approx(half.error) == pytest.approx(log(2))
    assert (double.ratio, double.half_width) == (2.0, pytest.approx(0.1))


def test_what_was_fitted_and_what_the_paper_does_not_claim_are_left_out() -> None:
    own = replace(CLAIM, is_own=True)
    assert numbers_of([row(8.0, status=Status.INPUT), row(8.0, claim=own)]) == []
    assert errors_of([]) is None


def test_the_median_and_what_nine_of_ten_do_not_exceed_are_told() -> None:
    found = errors_of(numbers_of([row(*(4.0 * 1.1**power for power in range(10)), 4000.0)]))
    assert found is not None
    assert found.median == pytest.approx(5 * log(1.1))
    assert found.most_of_ten == pytest.approx(9 * log(1.1))
    assert str(found) == "0.48, 90 % 0.86 (n = 11)"
    assert headline([row(4.0)])["|log(simulated / printed)|"] == "0.00, 90 % 0.00 (n = 1)"


def test_a_number_that_is_printed_is_told_beside_what_was_simulated() -> None:
    assert str(Figure("rate", 4.4, 0.2, 12, "Mbit/s", (), 4.0)) == (
        "rate = 4.40 ± 0.20 Mbit/s (n = 12), printed 4"
    )
