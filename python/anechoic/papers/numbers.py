"""The numbers that papers print, beside those that were simulated: how far apart they are."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, inf, isfinite, isnan, log
from statistics import median
from typing import Protocol

from anechoic.papers.claim import Claim
from anechoic.papers.verdict import Figure, Status, Verdict


class Judged(Protocol):
    """A claim and what was found of it."""

    @property
    def claim(self) -> Claim:
        """The claim."""
        ...

    @property
    def verdict(self) -> Verdict:
        """What was found of it."""
        ...


@dataclass(frozen=True)
class Number:
    """A number of a claim: what was simulated over what is printed."""

    claim: Claim
    figure: Figure
    printed: float

    @property
    def ratio(self) -> float:
        """The mean of what was simulated, over what is printed."""
        return self.figure.value / self.printed

    @property
    def half_width(self) -> float:
        """Half of the width of the ratio's 95 % interval; nothing where there is none."""
        half = self.figure.ci95
        return 0.0 if half is None or isnan(half) else half / self.printed

    @property
    def error(self) -> float:
        """The size of the ratio's logarithm: as much for twice as for half of it."""
        return abs(log(self.ratio)) if self.ratio > 0 else inf


def numbers_of(rows: Iterable[Judged]) -> list[Number]:
    """Give the numbers of a paper's claims, without those that something was fitted to."""
    return [
        Number(row.claim, figure, figure.printed)
        for row in rows
        if not row.claim.is_own and row.verdict.status is not Status.INPUT
        for figure in row.verdict.figures
        if figure.printed is not None and not isnan(figure.value)
    ]


@dataclass(frozen=True)
class Errors:
    """How far numbers lie from what is printed: of the sizes of their ratios' logarithms."""

    median: float
    most_of_ten: float
    """The 90th percentile: nine of ten lie no farther off."""
    of: int

    @property
    def document(self) -> dict[str, float | None]:
        """All three, ready for JSON, which knows no infinity."""
        return {name: value if isfinite(value) else None for name, value in vars(self).items()}

    def __str__(self) -> str:
        """Tell both."""
        return f"{self.median:.2f}, 90 % {self.most_of_ten:.2f} (n = {self.of})"


def errors_of(numbers: Sequence[Number]) -> Errors | None:
    """Sum the errors of numbers up; None for no numbers."""
    errors = sorted(each.error for each in numbers)
    if not errors:
        return None
    return Errors(median(errors), errors[ceil(0.9 * len(errors)) - 1], len(errors))
