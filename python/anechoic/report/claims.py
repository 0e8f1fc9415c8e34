"""The claims that a campaign's results were judged by, as a table of its report."""

from collections.abc import Sequence
from html import escape

from anechoic.report.judged import JudgedClaim
from anechoic.report.tables import table


def claims_table(claims: Sequence[JudgedClaim]) -> str:
    """Give a row for each claim: verdict, statement, reason and the numbers it rests on."""
    rows = [
        f'<tr><td class="text word">{escape(claim.id)}</td>'
        f'<td class="text word {claim.verdict}">{claim.verdict.replace("-", " ")}</td>'
        f'<td class="text">{escape(claim.text)}</td>'
        f'<td class="text">{escape(claim.found)}{_why(claim)}{_numbers(claim.figures)}</td></tr>'
        for claim in claims
    ]
    names = ("Claim", "Verdict", "Says", "Found")
    return table("".join(f'<th class="text">{name}</th>' for name in names), rows)


def _why(claim: JudgedClaim) -> str:
    return f"<p>{escape(claim.why)}</p>" if claim.why else ""


def _numbers(figures: Sequence[str]) -> str:
    if not figures:
        return ""
    lines = "<br>".join(map(escape, figures))
    count = f"{len(figures)} number{'s' if len(figures) > 1 else ''}"
    return f"<details><summary>{count}</summary><small>{lines}</small></details>"
