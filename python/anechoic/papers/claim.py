"""A paper's claim and the verdict that a campaign's results pass on it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import isnan

from anechoic.papers.points import Points


class Status(StrEnum):
    """What a claim's check came to."""

    PASS = "pass"
    """The check is met."""
    NOT_RUN = "not-run"
    """The points that the check needs were not all simulated."""
    AMBIGUOUS = "ambiguous"
    """The text allows several readings, and they disagree."""
    FAIL = "fail"
    """The check is not met."""
    REFUTED = "refuted"
    """The check is not met, and intervals that do not touch show the opposite."""


@dataclass(frozen=True)
class Figure:
    """A number that a verdict rests on.

    The half-width of the 95 % interval is NaN for a mean of a single replication, and the
    count is None where the number is no mean (a rank correlation).
    """

    what: str
    value: float
    ci95: float | None = None
    n: int | None = None
    unit: str = ""

    def __str__(self) -> str:
        """Give the number with its interval and count."""
        unit = f" {self.unit}" if self.unit else ""
        if self.ci95 is None or self.n is None:
            return f"{self.what} = {self.value:.4g}{unit}"
        if isnan(self.ci95):
            return f"{self.what} = {self.value:.4g}{unit} (n = {self.n}, no interval)"
        return f"{self.what} = {self.value:.4g} ± {self.ci95:.2g}{unit} (n = {self.n})"


@dataclass(frozen=True)
class Verdict:
    """Status, the figures it rests on, and the reason in a sentence."""

    status: Status
    figures: tuple[Figure, ...] = ()
    reason: str = ""


Campaigns = Mapping[str, Points]
"""The finished experiments by id."""


@dataclass(frozen=True)
class Claim:
    """A statement of a paper with its decidable check."""

    id: str
    experiment: str
    text: str
    """The statement in our own words."""
    tier: int
    """1: a stated result; 2: a mechanism; 3: a value that only a figure holds."""
    check: Callable[[Campaigns], Verdict]
    needs: tuple[str, ...] = ()
    """Further experiments without which the check cannot be decided."""
    uses: tuple[str, ...] = ()
    """Further experiments that the check takes in where they have been run."""

    @property
    def experiments(self) -> tuple[str, ...]:
        """Every experiment that the verdict can rest on."""
        return (self.experiment, *self.needs, *self.uses)
