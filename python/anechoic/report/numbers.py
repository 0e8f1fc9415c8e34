"""Numbers as people read them: no more digits than the interval supports."""

from math import floor, isnan, log10

from anechoic.campaign.replication import Summary

_LARGE = 1e6


def with_interval(summary: Summary) -> str:
    """Give the mean with the half-width of its 95 % interval."""
    if isnan(summary.mean):
        return "none"
    if isnan(summary.ci95):
        return f"{plain(summary.mean)} (single run)"
    digits = _decimals(summary.ci95) if summary.ci95 > 0 else _decimals(summary.mean / 100)
    return f"{summary.mean:.{digits}f} ± {summary.ci95:.{digits}f}"


def plain(value: float) -> str:
    """Give a number to four significant digits."""
    if value == int(value) and abs(value) < _LARGE:
        return str(int(value))
    return f"{value:.4g}"


def _decimals(size: float) -> int:
    """Give the decimals that show a number of this size with two significant digits."""
    if size == 0:
        return 0
    return min(max(1 - floor(log10(abs(size))), 0), 9)
