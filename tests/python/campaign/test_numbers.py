"""A mean is written with the digits that its interval supports."""

import pytest

from anechoic.campaign.numbers import with_interval
from anechoic.campaign.replication import Summary, summarise


@pytest.mark.parametrize(
    ("mean", "ci95", "text"),
    [
        (4.81234, 0.0132, "4.812 ± 0.013"),
        (187.23, 12.4, "187 ± 12"),
        (4.69871, 0.00042, "4.699 ± 0.001"),
        (21.976, 0.0601, "21.98 ± 0.06"),
        (0.00396, 0.00021, "0.00396 ± 0.00021"),
        (-0.284, 0.0002, "-0.2840 ± 0.0002"),
        (0.0, 0.25, "0.00 ± 0.25"),
        (123456.7, 1234.5, "123457 ± 1234"),
        (3.0, 0.0, "3 ± 0"),
        (0.69521, 1.2e-17, "0.6952 ± 0"),
        (0.0, 0.0, "0 ± 0"),
    ],
)
def test_mean_and_half_width(mean: float, ci95: float, text: str) -> None:
    assert with_interval(Summary(mean, ci95, 1.0, mean, mean, 12, (mean,) * 12)) == text


def test_a_single_run_has_no_interval() -> None:
    assert with_interval(summarise([4.81234])) == "4.812"


def test_a_metric_that_no_replication_could_give_has_no_mean() -> None:
    assert with_interval(summarise([float("nan")])) == "–"
