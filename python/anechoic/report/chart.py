"""A figure described once, data and encodings; the page and papers both draw from this."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor, isnan, log
from typing import Literal

Form = Literal["line", "bar", "stack", "box", "points"]
"""Lines over x; bars beside each other at each x; bars across, in parts that add up; boxes;
points."""

_WIDE = 10**1.5
"""Values along x whose largest is so many times the smallest pile up on a plain scale."""
_WIDE_UP = 1e3
"""The same along y, where small values may well be small."""
_SHORT_GAP = 3
"""Places without a value, as between pings, over which a line goes on."""


@dataclass(frozen=True)
class Scale:
    """What a direction of a figure measures, and how."""

    title: str
    unit: str = ""
    base: int = 0
    """Of a log scale; 0 for a linear one."""
    ticks: Sequence[float] = ()
    """Where ticks stand, if not wherever there is room."""
    names: Sequence[str] = ()
    """What stands at 0, 1, 2 and so on, on a scale of names."""
    least: float | None = None
    """Where the scale begins, if not with its values."""
    most: float | None = None
    """Where a scale of parts that add up ends, if not with its values."""

    @property
    def label(self) -> str:
        """Give title and unit."""
        return f"{self.title} ({self.unit})" if self.unit else self.title


@dataclass(frozen=True)
class Marks:
    """Where along a line something happened."""

    label: str
    symbol: str
    places: Sequence[int]
    """By their numbers along x."""


@dataclass(frozen=True)
class Series:
    """A line, a kind of bars, or a part of bars: a value for each place along x, NaN for none."""

    label: str
    colour: str
    ys: Sequence[float]
    halves: Sequence[float] = ()
    """Half-widths of the 95 % intervals, NaN for none."""
    boxes: Sequence[Sequence[float]] = ()
    """For each place where a box and its whiskers end: 5, 25, 50, 75 and 95 %."""
    marker: str = ""
    is_right: bool = False
    is_step: bool = False
    """A value holds until the next."""
    is_quiet: bool = False
    """Drawn thin and dotted, beside what matters."""
    marks: Sequence[Marks] = ()
    dots: Sequence[tuple[float, float]] = ()
    """Points of their own, in a figure of points."""

    @property
    def is_unbroken(self) -> bool:
        """Say whether a line has no gap but short ones, once it has begun."""
        given = (place for place, y in enumerate(self.ys) if not isnan(y))
        return all(after - before <= _SHORT_GAP + 1 for before, after in pairwise(given))


@dataclass(frozen=True)
class Shade:
    """Times at which something was so."""

    label: str
    colour: str
    spans: Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Moment:
    """When something began or ended, on a scale of time."""

    label: str
    at: float


@dataclass(frozen=True)
class Panel:
    """One of the pictures of a figure, which share their scales."""

    series: Sequence[Series]
    title: str = ""
    shades: Sequence[Shade] = ()
    moments: Sequence[Moment] = ()


@dataclass(frozen=True)
class View:
    """What a figure shows for one choice of its reader."""

    xs: Sequence[float]
    panels: Sequence[Panel]
    choice: tuple[str, ...] = ()
    slug: str = ""
    """Name of its files for papers; without one it is seen on the page alone."""
    names: Sequence[str] = ()
    """What stands at 0, 1, 2 and so on along x, where each view has names of its own."""
    note: str = ""
    """What is said of this view alone."""


@dataclass(frozen=True)
class Chart:
    """A figure: its scales, and a view for each choice of what its reader may choose."""

    title: str
    form: Form
    x: Scale
    left: Scale
    views: Sequence[View]
    right: Scale | None = None
    caption: str = ""
    note: str = ""
    """What the numbers are, as in "mean and 95 % interval, n = 12"."""
    key: str = ""
    """What the names of the series are of."""
    choices: Sequence[str] = ()
    """What may be chosen: a name for each part of a view's ``choice``."""


def scale_of_numbers(title: str, unit: str, numbers: Sequence[float]) -> Scale | None:
    """Give the scale for these places along x; none if neither kind keeps them apart."""
    values = sorted(set(numbers))
    if not is_wide(values) and not is_doubling(values):
        return Scale(title, unit, ticks=values)
    if values[0] <= 0:
        return None
    return Scale(title, unit, base=2 if is_doubling(values) else 10, ticks=values)


def is_doubling(values: Sequence[float]) -> bool:
    """Say whether each value is the same multiple of the one before."""
    if len(values) < 3 or values[0] <= 0:
        return False
    return all(abs(b / a - values[1] / values[0]) < 0.01 for a, b in pairwise(values))


def is_wide(values: Sequence[float]) -> bool:
    """Say whether values would pile up on a plain scale."""
    sizes = [abs(value) for value in values if value]
    return len(values) > 2 and max(sizes) > _WIDE * min(sizes)


def base_up(values: Sequence[float]) -> int:
    """Give the base of the scale that these heights ask for."""
    given = [value for value in values if value == value]
    wide = len(given) > 2 and min(given) > 0 and max(given) > _WIDE_UP * min(given)
    return 10 if wide else 0


def decades(low: float, high: float) -> tuple[float, float]:
    """Give the powers of ten around a span."""
    return 10.0 ** floor(log(low, 10)), 10.0 ** ceil(log(high, 10))


def count_note(counts: Sequence[int]) -> str:
    """Say what means rest on."""
    low, high = min(counts, default=0), max(counts, default=0)
    if high <= 1:
        return "single runs, no intervals"
    return f"mean and 95 % interval, n = {low if low == high else f'{low} to {high}'}"
