"""What the check of a claim came to, and the figures that this rests on."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import nan

from anechoic.campaign.numbers import of_interval, plain


class Status(StrEnum):
    """What a claim has come to."""

    AGREES = "agrees"
    """The interval lies wholly within what is asked."""
    AGREES_IF = "agrees-if"
    """It does with some of the values that the text leaves open, and with others it does not."""
    EXPLAINED = "disagrees-explained"
    """The interval lies wholly outside, and a changed mechanism turns that."""
    UNEXPLAINED = "disagrees-unexplained"
    """The interval lies wholly outside."""
    UNRESOLVED = "unresolved"
    """The interval lies on both sides of an end of what is asked."""
    NOT_TESTABLE = "not-testable"
    """The text does not say what decides it, or contradicts itself."""
    INPUT = "input"
    """So by construction, or fitted to, or kept by every wrong model: no evidence."""
    NOT_RUN = "not-run"
    """The points that the check needs were not all simulated."""
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
    printed: float | None = None
    """The number that the paper prints for it."""

    def __str__(self) -> str:
        """Give the number with its interval and count."""
        unit = f" {self.unit}" if self.unit else ""
        printed = "" if self.printed is None else f", printed {plain(self.printed)}"
        if self.n is None:
            return f"{self.what} = {plain(self.value, self.beside)}{unit}{printed}"
        half_width = nan if self.ci95 is None else self.ci95
        number = of_interval(self.value, half_width, self.beside)
        alone = ", no interval" if self.n == 1 else ""
        return f"{self.what} = {number}{unit} (n = {self.n}{alone}){printed}"


@dataclass(frozen=True)
class Verdict:
    """Status, the figures it rests on, the reason in a sentence, and what else is to be said."""

    status: Status
    figures: tuple[Figure, ...] = ()
    reason: str = ""
    notes: tuple[str, ...] = ()
    """Said whatever the status: a mechanism's counters, what was not run."""
    needs: int | None = None
    """About how many replications would decide what is unresolved."""

    def noting(self, *notes: str) -> "Verdict":
        """Give the same verdict with more to be said."""
        return replace(self, notes=tuple(dict.fromkeys((*self.notes, *notes))))

    @property
    def found(self) -> str:
        """The reason and the notes in a line."""
        return "; ".join(filter(None, (self.reason, *self.notes)))


_SHOWN = 3
"""Reasons of one kind that a verdict spells out; the scorecard has a line for each claim."""

_BY_SEVERITY = (
    Status.AGREES,
    Status.AGREES_IF,
    Status.NOT_TESTABLE,
    Status.UNRESOLVED,
    Status.NOT_RUN,
    Status.UNEXPLAINED,
)


def all_of(parts: Sequence[Verdict], reason: str = "") -> Verdict:
    """Join parts that must all hold: the worst one decides, and its reasons are given.

    ``reason`` takes the place of theirs where all hold.
    """
    worst = max((part.status for part in parts), key=_BY_SEVERITY.index)
    decisive = [part for part in parts if part.status is worst]
    found = shortened([part.reason for part in decisive])
    if worst is Status.AGREES and reason:
        found = reason
    return _joined(worst, decisive, parts, found)


def readings(by_reading: dict[str, Verdict]) -> Verdict:
    """Join what the readings of an unclear text give: where they disagree it cannot be tested.

    As long as one is unresolved, or was not run, they may still agree.
    """
    by_reading = _named_apart(by_reading)
    parts = list(by_reading.values())
    statuses = {part.status for part in parts}
    if len(statuses) == 1:
        return all_of(parts)
    by_status = [
        f"{status} with {name}: {part.reason}"
        for status in _BY_SEVERITY
        for name, part in by_reading.items()
        if part.status is status
    ]
    are_apart = {Status.AGREES, Status.UNEXPLAINED} <= statuses
    if are_apart:
        joined = Status.NOT_TESTABLE
    else:
        may_agree = statuses - {Status.UNEXPLAINED, Status.NOT_RUN} or statuses
        joined = max(may_agree, key=_BY_SEVERITY.index)
    decisive = [part for part in parts if part.status is joined]
    reason = "; ".join(by_status)
    return _joined(
        joined, decisive, parts, f"{reason}; the text does not say which" if are_apart else reason
    )


def _named_apart(by_reading: dict[str, Verdict]) -> dict[str, Verdict]:
    """Put the reading behind what several readings give different figures of."""
    known: dict[str, set[Figure]] = {}
    for part in by_reading.values():
        for figure in part.figures:
            known.setdefault(figure.what, set()).add(figure)

    def named(figure: Figure, reading: str) -> Figure:
        is_alone = len(known[figure.what]) == 1
        return figure if is_alone else replace(figure, what=f"{figure.what} [{reading}]")

    return {
        name: replace(part, figures=tuple(named(figure, name) for figure in part.figures))
        for name, part in by_reading.items()
    }


def shortened(reasons: Sequence[str]) -> str:
    """Spell out the first of several reasons, each once, and count the others."""
    distinct = list(dict.fromkeys(filter(None, reasons)))
    more = len(distinct) - _SHOWN
    return "; ".join([*distinct[:_SHOWN], *([f"and {more} more"] if more > 0 else [])])


def _joined(
    status: Status, decisive: Sequence[Verdict], parts: Sequence[Verdict], reason: str
) -> Verdict:
    figures = {figure.what: figure for part in (*decisive, *parts) for figure in part.figures}
    notes = dict.fromkeys(note for part in parts for note in part.notes)
    needs = max((part.needs for part in decisive if part.needs is not None), default=None)
    return Verdict(status, tuple(figures.values()), reason, tuple(notes), needs)
