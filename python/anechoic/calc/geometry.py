"""Distances, the time to cover them, and what of a signal is left behind them."""

from math import hypot, log10

Point = tuple[float, float]


def distance_m(one: Point, other: Point) -> float:
    """Give how far apart two points are."""
    return hypot(one[0] - other[0], one[1] - other[1])


def arrival_s(start_s: float, metres: float, metres_per_s: float) -> float:
    """Give when somebody arrives who starts then."""
    return start_s + metres / metres_per_s


def fall_db(near_m: float, far_m: float, exponent: float) -> float:
    """Give how much weaker the mean signal is at the farther point (log-distance path loss)."""
    return 10 * exponent * log10(far_m / near_m)
