"""The verdicts on a study's claims as a table for the terminal, as Markdown and as JSON."""

import json
from collections import Counter
from collections.abc import Sequence
from math import isnan
from typing import TYPE_CHECKING, Any

from anechoic.papers.claim import Claim
from anechoic.papers.judging import Evaluation
from anechoic.papers.verdict import Figure, Status, Verdict

if TYPE_CHECKING:
    from rich.console import Console

_FIGURES_SHOWN = 2
"""Numbers that a row spells out; the JSON holds all of them."""

_WIDE = 100
"""Columns of a terminal below which two columns of text would be towers of single words."""

_COLOURS = {
    Status.PASS: "green",
    Status.NOT_RUN: "yellow",
    Status.AMBIGUOUS: "yellow",
    Status.FAIL: "red",
    Status.REFUTED: "bold red",
    Status.ERROR: "bold red",
}


def document(study: str, evaluation: Evaluation) -> dict[str, Any]:
    """Give the scorecard of a study, ready for JSON; an interval that is not there is null."""
    return {
        "study": study,
        "verdicts": dict(_counts(evaluation)),
        "claims": [_claim_document(claim, verdict) for claim, verdict in evaluation],
    }


def as_json(scorecards: Sequence[tuple[str, Evaluation]]) -> str:
    """Give the scorecard of a study as JSON, or the list of several."""
    documents = [document(study, evaluation) for study, evaluation in scorecards]
    whole = documents[0] if len(documents) == 1 else documents
    return json.dumps(whole, indent=2, allow_nan=False, ensure_ascii=False) + "\n"


def as_markdown(study: str, evaluation: Evaluation) -> str:
    """Give the scorecard as a Markdown table."""
    lines = [
        f"# Claims of {study}",
        "",
        summary(evaluation),
        "",
        "| claim | verdict | it says | found | figures |",
        "| --- | --- | --- | --- | --- |",
    ]
    for claim, verdict in evaluation:
        numbers = "<br>".join(_figures(verdict))
        found = "<br>".join(filter(None, [verdict.found, _why(claim)]))
        cells = (claim.id, verdict.status, claim.text, found, numbers)
        lines.append(f"| {' | '.join(cell.replace('|', '¦') for cell in cells)} |")
    return "\n".join([*lines, ""])


def print_table(evaluation: Evaluation, console: "Console") -> None:
    """Print the scorecard for people."""
    from rich.table import Table
    from rich.text import Text

    is_narrow = console.width < _WIDE
    table = Table(show_lines=True, expand=False)
    table.add_column("claim", no_wrap=True)
    if is_narrow:
        table.add_column("it says, and what was found")
    else:
        table.add_column("verdict", no_wrap=True)
        table.add_column("it says", ratio=2)
        table.add_column("found", ratio=3)
    for claim, verdict in evaluation:
        status = Text(verdict.status, style=_COLOURS[verdict.status])
        lines = [*filter(None, [verdict.found, _why(claim)]), *_figures(verdict)]
        if is_narrow:
            told = "".join(f"\n→ {line}" for line in lines)
            table.add_row(Text.assemble(claim.id, "\n", status), Text(claim.text + told))
        else:
            table.add_row(claim.id, status, Text(claim.text), Text("\n".join(lines)))
    console.print(table)
    console.print(summary(evaluation))


def summary(evaluation: Evaluation) -> str:
    """Count the verdicts in a line."""
    return ", ".join(f"{count} {status}" for status, count in _counts(evaluation)) or "no claims"


def _counts(evaluation: Evaluation) -> list[tuple[str, int]]:
    counts = Counter(verdict.status for _, verdict in evaluation)
    return [(status.value, counts[status]) for status in Status if counts[status]]


def _claim_document(claim: Claim, verdict: Verdict) -> dict[str, Any]:
    return {
        "id": claim.id,
        "experiment": claim.experiment,
        "tier": claim.tier,
        "cite": claim.cite,
        "text": claim.text,
        "verdict": verdict.status.value,
        "reason": verdict.found,
        "mechanism": list(claim.explanation.mechanisms),
        "because": claim.explanation.because,
        "figures": [_figure_document(figure) for figure in verdict.figures],
    }


def _figure_document(figure: Figure) -> dict[str, Any]:
    return {
        "what": figure.what,
        "value": _number(figure.value),
        "ci95": _number(figure.ci95),
        "n": figure.n,
        "unit": figure.unit,
    }


def _number(value: float | None) -> float | None:
    return None if value is None or isnan(value) else value


def _why(claim: Claim) -> str:
    why = claim.explanation
    return f"{', '.join(why.mechanisms)}: {why.because}" if why.because else ""


def _figures(verdict: Verdict) -> list[str]:
    lines = [str(figure) for figure in verdict.figures[:_FIGURES_SHOWN]]
    more = len(verdict.figures) - _FIGURES_SHOWN
    return [*lines, *([f"and {more} more"] if more > 0 else [])]
