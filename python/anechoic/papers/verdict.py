"""What the check of a claim came to, and the figures that this rests on."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import nan

from anechoic.campaign.numbers import of_interval, plain


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
    ERROR = "error"
    """The study's own function for it is wrong."""


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
    beside: tuple[float, ...] = ()
    """Numbers that it is compared with, from which rounding must not hide on which side it lies."""

    def __str__(self) -> str:
        """Give the number with its interval and count."""
        unit = f" {self.unit}" if self.unit else ""
        if self.n is None:
            return f"{self.what} = {plain(self.value, self.beside)}{unit}"
        half_width = nan if self.ci95 is None else self.ci95
        number = of_interval(self.value, half_width, self.beside)
        alone = ", no interval" if self.n == 1 else ""
        return f"{self.what} = {number}{unit} (n = {self.n}{alone})"


@dataclass(frozen=True)
class Verdict:
    """Status, the figures it rests on, the reason in a sentence, and what else is to be said."""

    status: Status
    figures: tuple[Figure, ...] = ()
    reason: str = ""
    notes: tuple[str, ...] = ()
    """Said whatever the status: a mechanism's counters, what was not run."""

    def noting(self, *notes: str) -> "Verdict":
        """Give the same verdict with more to be said."""
        return replace(self, notes=tuple(dict.fromkeys((*self.notes, *notes))))

    @property
    def found(self) -> str:
        """The reason and the notes in a line."""
        return "; ".join(filter(None, (self.reason, *self.notes)))


_SHOWN = 3
"""Reasons of one kind that a verdict spells out; the scorecard has a line for each claim."""

_BY_SEVERITY = (Status.PASS, Status.AMBIGUOUS, Status.NOT_RUN, Status.FAIL, Status.REFUTED)


def all_of(parts: Sequence[Verdict], reason: str = "") -> Verdict:
    """Join parts that must all hold: the worst one decides, and its reasons are given.

    ``reason`` takes the place of theirs where all hold.
    """
    worst = max((part.status for part in parts), key=_BY_SEVERITY.index)
    decisive = [part for part in parts if part.status is worst]
    found = shortened([part.reason for part in decisive])
    if worst is Status.PASS and reason:
        found = reason
    return _joined(worst, [*decisive, *parts], found)


def readings(by_reading: dict[str, Verdict]) -> Verdict:
    """Join what the readings of an unclear text give: ambiguous when they disagree."""
    parts = list(by_reading.values())
    passing = [name for name, part in by_reading.items() if part.status is Status.PASS]
    if not passing or len(passing) == len(by_reading):
        return all_of(parts)
    others = [
        f"{part.status} with {name}: {part.reason}"
        for name, part in by_reading.items()
        if part.status is not Status.PASS
    ]
    reason = "; ".join([f"pass with {', '.join(passing)}", *others])
    return _joined(Status.AMBIGUOUS, parts, reason)


def shortened(reasons: Sequence[str]) -> str:
    """Spell out the first of several reasons, each once, and count the others."""
    distinct = list(dict.fromkeys(filter(None, reasons)))
    more = len(distinct) - _SHOWN
    return "; ".join([*distinct[:_SHOWN], *([f"and {more} more"] if more > 0 else [])])


def _joined(status: Status, parts: Sequence[Verdict], reason: str) -> Verdict:
    figures = {figure.what: figure for part in parts for figure in part.figures}
    notes = dict.fromkeys(note for part in parts for note in part.notes)
    return Verdict(status, tuple(figures.values()), reason, tuple(notes))
