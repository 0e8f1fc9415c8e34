"""The verdicts on claims as rows: for the terminal, and as JSON, which is read again."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan, nan
from typing import TYPE_CHECKING, Any

from anechoic.papers.claim import Claim
from anechoic.papers.numbers import errors_of, numbers_of
from anechoic.papers.tally import Tally
from anechoic.papers.verdict import Figure, Status, Verdict
from anechoic.saying import plain
from anechoic.scenario.errors import listing

if TYPE_CHECKING:
    from rich.console import Console

_FIGURES_SHOWN = 4
"""Numbers that a row of the screen spells out; the JSON and the page hold all of them."""

_CHANGES_NAMED = 5
"""Verdicts that have changed of which the closing line says what they were."""

_MANY = 40
"""Claims of which the screen shows all; of more it shows those that do not agree."""

_WIDE = 100
"""Columns of a terminal below which two columns of text would be towers of single words."""

_COLOURS = {
    Status.AGREES: "green",
    Status.AGREES_IF: "yellow",
    Status.EXPLAINED: "cyan",
    Status.UNEXPLAINED: "red",
    Status.UNRESOLVED: "yellow",
    Status.NOT_TESTABLE: "yellow",
    Status.INPUT: "dim",
    Status.NOT_RUN: "yellow",
    Status.ERROR: "bold red",
}


@dataclass(frozen=True)
class Row:
    """A claim with its verdict, and where that comes from."""

    claim: Claim
    verdict: Verdict
    build: str = ""
    """The build that was judged; empty if nothing was."""
    basis: str = ""
    """A digest of all that the verdict rests on: with the same one it need not be found again."""
    campaign: str = ""
    """The folder of the claim's experiment within that of the study."""
    written: Mapping[str, str] = field(default_factory=dict)
    """Digests of what was judged as it was written: of the check, and of each scenario."""
    since: tuple[str, ...] = ()
    """What of that says something else by now, so that the verdict is of an earlier one."""
    was: Status | None = None
    """The verdict that was kept before this one was found; None if it was the same, or none."""

    @property
    def stale(self) -> str:
        """Say what the verdict is not of any more; nothing where all is as it was judged."""
        return f"{' and '.join(self.since)} changed since: run it again" if self.since else ""

    @property
    def why(self) -> str:
        """The mechanisms that decide it, and the evidence; empty if the claim says nothing."""
        return self.claim.explanation.told

    @property
    def numbers(self) -> list[str]:
        """The numbers that what was found does not tell already."""
        figures = map(str, self.verdict.figures)
        return [figure for figure in figures if figure not in self.verdict.found]


@dataclass(frozen=True)
class Scorecard:
    """The rows of one study, in the order of its claims."""

    study: str
    rows: Sequence[Row]

    @property
    def parts(self) -> "list[Scorecard]":
        """The paper's claims, and those that it does not make, as far as there are any."""
        papers = Scorecard(self.study, [row for row in self.rows if not row.claim.is_own])
        own = Scorecard(f"{self.study}, own", [row for row in self.rows if row.claim.is_own])
        return [part for part in (papers, own) if part.rows]

    @property
    def tally(self) -> Tally:
        """What its claims have come to."""
        return tally(self.rows)


def tally(rows: Iterable[Row]) -> Tally:
    """Count what claims have come to."""
    return Tally([row.verdict.status for row in rows])


def document(scorecard: Scorecard) -> dict[str, Any]:
    """Give the scorecard of a study, ready for JSON; an interval that is not there is null."""
    errors = errors_of(numbers_of(scorecard.rows))
    return {
        "study": scorecard.study,
        "verdicts": dict(scorecard.tally.counts),
        "settled": {part.study: vars(part.tally.settled) for part in scorecard.parts},
        "numbers": None if errors is None else errors.document,
        "claims": [_row_document(row) for row in scorecard.rows],
    }


def as_json(scorecards: Sequence[Scorecard]) -> str:
    """Give the scorecard of a study as JSON, or the list of several."""
    documents = [document(each) for each in scorecards]
    whole = documents[0] if len(documents) == 1 else documents
    return json.dumps(whole, indent=2, allow_nan=False, ensure_ascii=False) + "\n"


def read(told: Mapping[str, Any], claims: Iterable[Claim]) -> list[Row]:
    """Give the rows that a scorecard's document has of these claims; ValueError if it is none."""
    try:
        found = {row["id"]: row for row in told["claims"]}
        return [_row(claim, found[claim.id]) for claim in claims if claim.id in found]
    except (LookupError, TypeError, AttributeError) as error:
        raise ValueError("it is no scorecard") from error


def summary(rows: Sequence[Row]) -> str:
    """Count the verdicts in a line; say which have changed, and how many are not of what is now."""
    counts = tally(rows).counts.items()
    told = ", ".join(f"{count} {status}" for status, count in counts) or "no claims"
    changed = [row for row in rows if row.was is not None]
    if changed:
        names = listing([f"{row.claim.id} was {row.was}" for row in changed], _CHANGES_NAMED)
        told += f"; {len(changed)} changed: {names}"
    stale = sum(1 for row in rows if row.since)
    return f"{told}; {stale} of an earlier check or scenario" if stale else told


def print_rows(scorecard: Scorecard, console: "Console") -> None:
    """Print what was found for people; of many claims those that do not agree."""
    from rich.table import Table
    from rich.text import Text

    rows = scorecard.rows
    shown = [row for row in rows if _is_told_of(row)]
    is_short = len(rows) > _MANY
    is_narrow = console.width < _WIDE
    table = Table(show_lines=True, expand=False)
    table.add_column("claim", no_wrap=True)
    if is_narrow:
        table.add_column("it says, and what was found")
    else:
        table.add_column("verdict", no_wrap=True)
        table.add_column("it says", ratio=2)
        table.add_column("found", ratio=3)
    for row in shown if is_short else rows:
        claim, status = row.claim, row.verdict.status
        coloured = Text(status, style=_COLOURS[status])
        if row.was is not None:
            coloured.append(f"\nwas {row.was}", style=_COLOURS[row.was])
        lines = [*filter(None, [row.stale, row.verdict.found, row.why]), *_first(row)]
        if is_narrow:
            told = "".join(f"\n→ {line}" for line in lines)
            table.add_row(Text.assemble(claim.id, "\n", coloured), Text(plain(claim.text + told)))
        else:
            table.add_row(
                claim.id, coloured, Text(plain(claim.text)), Text(plain("\n".join(lines)))
            )
    if table.row_count:
        console.print(table)
    console.print(f"{scorecard.study}: {summary(rows)}", highlight=False)


def print_counts(scorecards: Sequence[Scorecard], console: "Console") -> None:
    """Print of each paper what its claims have come to, and of those that it does not make."""
    from rich.table import Table

    parts = parts_of(scorecards)
    statuses = [status for status in Status if any(status in p.tally.counts for p in parts)]
    counts, shares = Table(), Table()
    for table in (counts, shares):
        table.add_column("study", no_wrap=True)
    for name in ("claims", *(status.replace("-", " ") for status in statuses)):
        counts.add_column(name, justify="right")
    for name in headline([]):
        shares.add_column(name, justify="right")
    for part in parts:
        found = part.tally.counts
        cells = [str(found.get(status, "")) for status in statuses]
        counts.add_row(part.study, str(len(part.rows)), *cells)
        shares.add_row(part.study, *headline(part.rows).values())
    console.print(counts)
    console.print(shares)


def parts_of(scorecards: Sequence[Scorecard]) -> list[Scorecard]:
    """Give what is counted together: each paper's claims, what is asked besides, all papers'."""
    parts = [part for each in scorecards for part in each.parts]
    papers = [row for part in parts for row in part.rows if not row.claim.is_own]
    is_one = len(scorecards) < 2
    return parts if is_one or not papers else [*parts, Scorecard("all papers", papers)]


def headline(rows: Sequence[Row]) -> dict[str, str]:
    """Give what a paper is summed up by, each under its name."""
    held_out = tally(row for row in rows if row.claim.is_held_out)
    chosen_by = tally(row for row in rows if row.claim.chose_a_value)
    first = tally(row for row in rows if row.claim.tier == 1)
    whole = tally(rows)
    shares = {
        "settled": whole.settled,
        "unexplained": whole.unexplained,
        "settled of held out": held_out.settled,
        "of chosen by": chosen_by.settled,
        "tier 1 agree": first.agreeing,
        "|log(simulated / printed)|": errors_of(numbers_of(rows)) or "",
    }
    return {name: str(share) if whole.was_run else "" for name, share in shares.items()}


def _first(row: Row) -> list[str]:
    numbers = row.numbers
    more = len(numbers) - _FIGURES_SHOWN
    rest = [f"and {more} more: anechoic claims show {row.claim.id}"] if more > 0 else []
    return [*numbers[:_FIGURES_SHOWN], *rest]


def _is_told_of(row: Row) -> bool:
    """Say whether a row is one that a short table has."""
    return row.verdict.status is not Status.AGREES or bool(row.since) or row.was is not None


def _row_document(row: Row) -> dict[str, Any]:
    claim, verdict = row.claim, row.verdict
    return {
        "id": claim.id,
        "experiment": claim.experiment,
        "tier": claim.tier,
        "own": claim.is_own,
        "held_out": claim.is_held_out,
        "chosen_by": claim.chose_a_value,
        "cite": claim.cite,
        "text": claim.text,
        "verdict": verdict.status.value,
        "reason": verdict.found,
        "needs": verdict.needs,
        "mechanism": list(claim.explanation.mechanisms),
        "because": claim.explanation.because,
        "figures": [_figure_document(figure) for figure in verdict.figures],
        "campaign": row.campaign,
        "build": row.build,
        "basis": row.basis,
        "written": dict(row.written),
        "changed_since": list(row.since),
        "was": row.was,
    }


def _row(claim: Claim, told: Mapping[str, Any]) -> Row:
    figures = tuple(_figure(each) for each in told["figures"])
    verdict = Verdict(Status(told["verdict"]), figures, told["reason"], (), told["needs"])
    written = told.get("written", {})  # Before it was kept, nobody could tell what had changed.
    return Row(claim, verdict, told["build"], told["basis"], told["campaign"], written)


def _figure_document(figure: Figure) -> dict[str, Any]:
    return {
        "what": figure.what,
        "value": _number(figure.value),
        "ci95": _number(figure.ci95),
        "n": figure.n,
        "unit": figure.unit,
        "beside": list(figure.beside),
        "printed": figure.printed,
    }


def _figure(told: Mapping[str, Any]) -> Figure:
    """Give a figure as it was: a mean without an interval has a count, and no half-width."""
    value = nan if told["value"] is None else told["value"]
    has_no_interval = told["n"] is not None and told["ci95"] is None
    ci95 = nan if has_no_interval else told["ci95"]
    beside = tuple(told["beside"])
    return Figure(told["what"], value, ci95, told["n"], told["unit"], beside, told["printed"])


def _number(value: float | None) -> float | None:
    return None if value is None or isnan(value) else value
