"""Verdicts as a report is handed them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class JudgedClaim:
    """A claim with its verdict, in words: whoever judges hands it over."""

    id: str
    verdict: str
    """agrees, agrees-if, disagrees-explained and so on, as the scorecard's page lists them."""
    text: str
    found: str
    figures: tuple[str, ...] = ()
    why: str = ""
    """What decides it, and the evidence."""


@dataclass(frozen=True)
class ScoredClaim:
    """A claim with its verdict, in words."""

    id: str
    experiment: str
    tier: int
    cite: str
    text: str
    verdict: str
    found: str
    figures: Sequence[str] = ()
    mechanisms: Sequence[str] = ()
    because: str = ""
    is_held_out: bool = False


@dataclass(frozen=True)
class ScoredPart:
    """Claims that are counted together: how many have which verdict, and shares of them."""

    name: str
    counts: Mapping[str, int]
    shares: Mapping[str, str]


@dataclass(frozen=True)
class ScoredNumber:
    """A number that a paper prints: what was simulated over it."""

    name: str
    ratio: float
    half_width: float
    is_held_out: bool


@dataclass(frozen=True)
class ScoredValue:
    """What a bench was given where the text is silent, and the claims that other values move."""

    name: str
    value: str
    why: str
    moves: Mapping[str, Sequence[str]]
    """Claims by the other value; none of a value that moves nothing, or was not tried."""


@dataclass(frozen=True)
class ScoredExperiment:
    """An experiment, its report and our figure of it, as far as they are there."""

    title: str
    report: str = ""
    """Where its report stands, seen from the page."""
    drawing: str = ""


@dataclass(frozen=True)
class ScoredPaper:
    """A paper's claims, and the experiments that they are about."""

    id: str
    citation: str
    claims: Sequence[ScoredClaim]
    experiments: Mapping[str, ScoredExperiment] = field(default_factory=dict)
    numbers: Sequence[ScoredNumber] = ()
    values: Sequence[ScoredValue] = ()
