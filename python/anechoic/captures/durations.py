"""Times for people, in the unit in which they read well."""

_UNITS = (("s", 1e9), ("ms", 1e6), ("µs", 1e3))
_LONG_NS = 1e12
"""Times that are written in whole seconds: fewer digits would need a power of ten."""


def duration(ns: float, digits: int = 3) -> str:
    """Write a time with its unit, to so many digits."""
    if abs(ns) >= _LONG_NS:
        return f"{ns / 1e9:,.0f} s"
    for unit, scale in _UNITS:
        # What would be rounded to the next unit is written in it.
        if float(f"{abs(ns):.{digits}g}") >= scale:
            return f"{ns / scale:.{digits}g} {unit}"
    return f"{ns:.{digits}g} ns"
