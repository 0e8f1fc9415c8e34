"""Rates under loss, against the published formulas' values."""

from math import inf, sqrt

import pytest

from anechoic.calc.loss import mathis_per_second, mathis_window, pftk_per_second


@pytest.mark.parametrize(
    ("loss", "expected"), [(1e-4, 864.08), (1e-3, 267.83), (1e-2, 70.65), (5e-2, 17.49)]
)
def test_padhye_and_others(loss: float, expected: float) -> None:
    # Round trip 0.1 s, first timeout 1 s, an ACK for two segments.
    assert pftk_per_second(loss, 0.1, 1.0) == pytest.approx(expected, abs=5e-3)


def test_a_window_bounds_the_rate_where_loss_does_not() -> None:
    assert pftk_per_second(1e-4, 0.1, 1.0, window=12) == pytest.approx(120)
    assert pftk_per_second(0, 0.1, 1.0, window=12) == pytest.approx(120)
    assert pftk_per_second(0, 0.1, 1.0) == inf


def test_mathis_and_others() -> None:
    assert mathis_window(0.01) == pytest.approx(sqrt(150))
    assert mathis_per_second(0.01, 0.1, 2) == pytest.approx(sqrt(75) / 0.1)
    assert mathis_window(0) == inf
