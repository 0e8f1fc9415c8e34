"""Verdicts as a report is handed them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class JudgedClaim:
    """A claim with its verdict, in words: whoever judges hands it over."""

    id: str
    verdict: str
    """pass, not-run, ambiguous, fail, refuted or error."""
    text: str
    found: str
    figures: tuple[str, ...] = ()
