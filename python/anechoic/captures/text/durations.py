"""Times for people, in the unit in which they read well."""

from datetime import UTC, datetime

_UNITS = (("s", 1e9), ("ms", 1e6), ("µs", 1e3))
_LONG_NS = 1e12
"""Times that are written in whole seconds: fewer digits would need a power of ten."""
_WHOLE, _LEAST = 999.5, 1e-4
"""From where on, and up to where, three digits would need a power of ten."""


def duration(ns: float, digits: int = 3) -> str:
    """Write a time with its unit, to so many digits."""
    if abs(ns) >= _LONG_NS:
        return f"{ns / 1e9:,.0f} s"
    unit, scale = _unit(ns, digits)
    return f"{ns / scale:.{digits}g} {unit}"


def durations(least_ns: float, mean_ns: float, most_ns: float) -> str:
    """Write the extremes of several times and their mean in one unit, that of the mean."""
    unit, scale = _unit(mean_ns, 3)
    return f"{' / '.join(_plain(ns / scale) for ns in (least_ns, mean_ns, most_ns))} {unit}"


def period(first_ns: int, last_ns: int) -> str:
    """Write how long something took and when it began, from times since 1970."""
    begin = datetime.fromtimestamp(first_ns // 10**9, UTC)
    return f"{(last_ns - first_ns) / 1e9:,.3f} s from {begin:%Y-%m-%d %H:%M:%S} UTC"


def _unit(ns: float, digits: int) -> tuple[str, float]:
    # What would be rounded to the next unit is written in it.
    rounded = float(f"{abs(ns):.{digits}g}")
    return next((each for each in _UNITS if rounded >= each[1]), ("ns", 1.0))


def _plain(value: float) -> str:
    """Write a number to three digits, or whole, and never with a power of ten."""
    if value >= _WHOLE:
        return f"{value:,.0f}"
    return f"{value:.3g}" if value >= _LEAST else "0"
