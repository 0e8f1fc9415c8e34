"""Standard deviation and interval as the thesis on TCP over 802.11 prints them.

S. Goel, Performance Evaluation of TCP over IEEE 802.11 WLANs, 2006, §3.2. What Anechoic itself
reports is the sample standard deviation and Student's interval.
"""

from collections.abc import Sequence
from math import sqrt

NORMAL_QUANTILE = 1.96
"""The factor of a 95 % interval as printed, whatever the number of runs."""


def printed_deviation(values: Sequence[float]) -> float:
    """Give the deviation whose root covers the numerator only."""
    n = len(values)
    return sqrt(n * sum(x * x for x in values) - sum(values) ** 2) / (n * (n - 1))


def printed_shortfall(n: int) -> float:
    """Give by which factor that is too small."""
    return sqrt(n * (n - 1))


def printed_half_width(deviation: float, n: int) -> float:
    """Give the half-width of the interval as printed."""
    return NORMAL_QUANTILE * deviation / sqrt(n)
