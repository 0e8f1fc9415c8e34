"""Numbers as people read them: no more digits than the interval supports."""

from math import floor, isnan, log10

from anechoic.campaign.replication import Summary

NOTHING = "–"
"""What stands where no replication gave a value."""

_LARGE = 1e6
_NO_SPREAD = 1e-9
"""A half-width below this part of the mean is the rounding of 64-bit sums, not a spread."""


def with_interval(summary: Summary) -> str:
    """Give the mean with the half-width of its 95 % interval; a single value has none."""
    if summary.n == 0:
        return NOTHING
    if isnan(summary.ci95):
        return plain(summary.mean)
    if summary.ci95 <= _NO_SPREAD * abs(summary.mean):
        return f"{plain(summary.mean)} ± 0"
    digits = _decimals(summary.ci95)
    return f"{summary.mean:.{digits}f} ± {summary.ci95:.{digits}f}"


def plain(value: float) -> str:
    """Give a number to four significant digits."""
    if value == int(value) and abs(value) < _LARGE:
        return str(int(value))
    return f"{value:.4g}"


def _decimals(size: float) -> int:
    """Give the decimals that show a number of this size with two significant digits."""
    return min(max(1 - floor(log10(size)), 0), 9)
