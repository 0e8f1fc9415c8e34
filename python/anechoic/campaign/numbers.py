"""Numbers as people read them: no more digits than the interval supports, nor than four."""

from collections.abc import Sequence
from math import floor, isfinite, isnan, log10

from anechoic.campaign.replication import Summary

NOTHING = "–"
"""What stands where no replication gave a value."""

_DIGITS, _MOST_DIGITS = 4, 10
_LARGE = {"trillion": 1e12, "billion": 1e9, "million": 1e6}
_WHOLE = 1e4
"""From here on four digits are fewer than those before the point."""
_NO_SPREAD = 1e-9
"""A half-width below this part of the mean is the rounding of 64-bit sums, not a spread."""


def with_interval(summary: Summary) -> str:
    """Give the mean with the half-width of its 95 % interval; a single value has none."""
    return NOTHING if summary.n == 0 else of_interval(summary.mean, summary.ci95)


def of_interval(mean: float, ci95: float, beside: Sequence[float] = ()) -> str:
    """Give a mean with this half-width, NaN if there is none.

    A half-width below the last digit of the mean is given as one of that. More digits are given
    where fewer would hide on which side of the numbers ``beside`` it lies.
    """
    if isnan(ci95):
        return plain(mean, beside)
    if word := _word(mean):
        large = [each / _LARGE[word] for each in beside]
        return f"{of_interval(mean / _LARGE[word], ci95 / _LARGE[word], large)} {word}"
    if ci95 <= _NO_SPREAD * abs(mean):
        return f"{plain(mean, beside)} ± 0"
    least = min(_decimals(ci95), _decimals(mean, _DIGITS)) if mean else _decimals(ci95)
    tried = (
        digits
        for digits in range(least, _MOST_DIGITS)
        if _tells(f"{mean:.{digits}f}", mean, beside)
    )
    digits = next(tried, least)
    half = max(ci95, 10.0**-digits)  # what is none stands above
    return f"{mean:.{digits}f} ± {half:.{digits}f}"


def plain(value: float, beside: Sequence[float] = ()) -> str:
    """Give a number to four significant digits, or all those before the point up to a million.

    More digits are given where fewer would hide on which side of the numbers ``beside`` it lies.
    """
    if word := _word(value):
        return f"{value / _LARGE[word]:.4g} {word}"
    is_plain = isfinite(value) and abs(value) < _LARGE["million"]
    if is_plain and (value == int(value) or abs(value) >= _WHOLE):
        return f"{value:.0f}"
    tried = (f"{value:.{digits}g}" for digits in range(_DIGITS, _MOST_DIGITS))
    return next((text for text in tried if _tells(text, value, beside)), f"{value:.{_DIGITS}g}")


def _tells(text: str, value: float, beside: Sequence[float]) -> bool:
    """Say whether a rounded number lies on the same side of some numbers as it did."""
    return all(
        (value < each, value > each) == (float(text) < each, float(text) > each) for each in beside
    )


def _word(value: float) -> str:
    """Name the millions or more that a number is counted in, if it is so large."""
    is_named = isfinite(value) and abs(value) < 1000 * _LARGE["trillion"]
    words = (word for word, size in _LARGE.items() if is_named and abs(value) >= size)
    return next(words, "")


def _decimals(size: float, digits: int = 2) -> int:
    """Give the decimals that show a number of this size with so many significant digits."""
    return min(max(digits - 1 - floor(log10(abs(size))), 0), 9)
