"""A page on which claims of papers stand beside what was found: each with verdict and reason."""

import re
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from anechoic.campaign.results import Results
from anechoic.report.charts import charts_of
from anechoic.report.html import document, head, paragraphs
from anechoic.report.judged import ScoredClaim, ScoredExperiment, ScoredPaper, ScoredPart
from anechoic.report.numbers import numbers_drawing
from anechoic.report.render import inline, svg
from anechoic.report.tables import table

VERDICTS = {
    "agrees": "The interval lies within what is asked.",
    "agrees-if": "It does with some of the values that the text leaves open.",
    "disagrees-explained": "It lies outside, and a changed mechanism turns that.",
    "disagrees-unexplained": "It lies outside, and nothing that was tried turns that.",
    "unresolved": "It lies on both sides: so many replications would decide.",
    "not-testable": "The text lacks the sentence that would decide it.",
    "input": "So by construction or fitted, or kept by every wrong model: no evidence.",
    "not-run": "Not all that it needs was simulated.",
    "error": "The study's own function for it is wrong.",
}
"""The verdicts, and what they mean."""

_WIDE = 2.5
"""Width over height from which a drawing has panels too small to read in a column of its own."""


def first_figure(results: Results) -> str:
    """Draw the first figure of a campaign as SVG; nothing if it has none."""
    from anechoic.report.paper import draw

    charts, _ = charts_of(results)
    return svg(draw(charts[0], charts[0].views[0])) if charts else ""


def scorecard_page(
    papers: Sequence[ScoredPaper],
    parts: Sequence[ScoredPart],
    meanings: Mapping[str, str],
    facts: Sequence[tuple[str, str]],
) -> str:
    """Give the page; ``parts`` are counted at its top.

    ``meanings`` says what each mechanism is, ``facts`` what was judged.
    """
    drawings = {
        f"{paper.id}-{name}": inline(each.drawing, f"{paper.id}-{name}", escape(each.title))
        for paper in papers
        for name, each in paper.experiments.items()
        if each.drawing
    }
    drawings |= {
        f"{paper.id}-numbers": inline(
            numbers_drawing(paper.numbers), f"{paper.id}-numbers", "numbers that the paper prints"
        )
        for paper in papers
        if paper.numbers
    }
    sections = [
        f"<style>\n{_beside('scorecard.css')}</style>",
        head("Scorecard", facts),
        _bars(parts),
        _shares(parts),
        _filters(papers, meanings),
        *(_paper(paper, drawings, meanings) for paper in papers),
        '<p class="nothing" hidden>No claim is like that.</p>',
    ]
    return document("Scorecard", sections, drawings.values(), _beside("scorecard.js"))


def _bars(parts: Sequence[ScoredPart]) -> str:
    lines = "".join(_bar(part) for part in parts)
    key = "".join(
        f'<span class="key" title="{escape(meaning)}"><i class="{verdict}"></i>'
        f"{_words(verdict)}</span>"
        for verdict, meaning in VERDICTS.items()
        if any(verdict in part.counts for part in parts)
    )
    return f'<div class="bars">\n{lines}<div class="keys">{key}</div></div>'


def _bar(part: ScoredPart) -> str:
    spans = "".join(
        f'<span class="{verdict}" style="flex-grow: {part.counts[verdict]}" '
        f'title="{part.counts[verdict]} {_words(verdict)}">{part.counts[verdict]}</span>'
        for verdict in VERDICTS
        if part.counts.get(verdict)
    )
    return f'<div class="row"><b>{escape(part.name)}</b><div class="bar">{spans}</div></div>\n'


def _shares(parts: Sequence[ScoredPart]) -> str:
    names = list(dict.fromkeys(name for part in parts for name in part.shares))
    heads = "".join(f"<th>{escape(name)}</th>" for name in names)
    rows = [
        f'<tr><td class="text">{escape(part.name)}</td>'
        + "".join(f"<td>{escape(part.shares.get(name, ''))}</td>" for name in names)
        + "</tr>"
        for part in parts
        if any(part.shares.values())
    ]
    return table(f'<th class="text"></th>{heads}', rows) if rows else ""


def _words(verdict: str) -> str:
    return verdict.replace("-", " ")


def _filters(papers: Sequence[ScoredPaper], meanings: Mapping[str, str]) -> str:
    every = [claim for paper in papers for claim in paper.claims]
    named = {name for claim in every for name in claim.mechanisms}
    choices = {
        "paper": [paper.id for paper in papers],
        "tier": sorted({str(claim.tier) for claim in every}),
        "verdict": [each for each in VERDICTS if any(claim.verdict == each for claim in every)],
        "mechanism": [name for name in meanings if name in named],
    }
    selects = "".join(_select(name, values) for name, values in choices.items() if values)
    return (
        f'<form class="filters no-print">{selects}'
        '<label>words <input type="search" name="words"></label>'
        '<output aria-live="polite"></output></form>'
    )


def _select(name: str, values: Sequence[str]) -> str:
    options = "".join(f"<option>{escape(value)}</option>" for value in values)
    any_of_them = '<option value="">any</option>'
    return f'<label>{name} <select name="{name}">{any_of_them}{options}</select></label>'


def _paper(paper: ScoredPaper, drawings: Mapping[str, str], meanings: Mapping[str, str]) -> str:
    names = dict.fromkeys(claim.experiment for claim in paper.claims)
    experiments = "\n".join(_experiment(paper, name, drawings, meanings) for name in names)
    cited = paragraphs([paper.citation]) if paper.citation else ""
    drawing = drawings.get(f"{paper.id}-numbers", "")
    numbers = (
        f'<figure class="numbers">{drawing}<figcaption>The numbers that it prints, and those '
        f"simulated over them, with 95 % intervals.</figcaption></figure>"
    )
    return (
        f'<section class="paper"><h2>{escape(paper.id)}</h2>\n{cited}\n'
        f"{numbers if drawing else ''}{_values(paper)}\n{experiments}</section>"
    )


def _values(paper: ScoredPaper) -> str:
    """Give what the bench was given, beside the claims that hang on it."""
    if not paper.values:
        return ""
    rows = [
        f'<tr><td class="text">{escape(each.name)}</td><td class="text">{escape(each.value)}</td>'
        f'<td class="text">{escape(each.why)}</td><td class="text">{_moves(each.moves)}</td></tr>'
        for each in paper.values
    ]
    names = ("What the text does not say", "Here", "Why", "Claims that another value moves")
    heads = "".join(f'<th class="text">{name}</th>' for name in names)
    count = f"{len(rows)} values that the bench was given"
    return f"<details><summary>{count}</summary>{table(heads, rows)}</details>"


def _moves(moves: Mapping[str, Sequence[str]]) -> str:
    return "<br>".join(
        f"{escape(value)}: "
        + ", ".join(f'<a href="#{escape(claim)}">{escape(claim)}</a>' for claim in claims)
        for value, claims in moves.items()
    )


def _experiment(
    paper: ScoredPaper, name: str, drawings: Mapping[str, str], meanings: Mapping[str, str]
) -> str:
    about = paper.experiments.get(name, ScoredExperiment(""))
    link = f' <a href="{escape(about.report)}">report</a>' if about.report else ""
    title = f": {escape(about.title)}" if about.title else ""
    drawing = drawings.get(f"{paper.id}-{name}", "")
    figure = f"<figure>{drawing}<figcaption>What we measured.{link}</figcaption></figure>"
    rows = "\n".join(
        _claim(paper.id, claim, meanings) for claim in paper.claims if claim.experiment == name
    )
    place = ("above" if _is_wide(drawing) else "beside") if drawing else ""
    return (
        f'<section class="experiment"><h3>{escape(name)}{title}{"" if drawing else link}</h3>\n'
        f'<div class="{place}">{figure if drawing else ""}'
        f'<div class="claims">\n{rows}\n</div></div></section>'
    )


def _is_wide(drawing: str) -> bool:
    shape = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', drawing)
    return shape is not None and float(shape[1]) > _WIDE * float(shape[2])


def _claim(paper: str, claim: ScoredClaim, meanings: Mapping[str, str]) -> str:
    held_out = ", held out" if claim.is_held_out else ""
    about = f'<span class="faint">tier {claim.tier}, {escape(claim.cite)}{held_out}</span>'
    return (
        f'<article id="{escape(claim.id)}" data-paper="{escape(paper)}" data-tier="{claim.tier}" '
        f'data-verdict="{claim.verdict}" data-mechanism="{" ".join(claim.mechanisms)}">'
        f'<header><a href="#{escape(claim.id)}">{escape(claim.id)}</a> '
        f'<span class="verdict {claim.verdict}">{_words(claim.verdict)}</span> {about}</header>'
        f'<p class="says">{escape(claim.text)}</p>'
        f"{_found(claim)}{_why(claim, meanings)}</article>"
    )


def _found(claim: ScoredClaim) -> str:
    found = f'<p class="found">{escape(claim.found)}</p>' if claim.found else ""
    if not claim.figures:
        return found
    lines = "<br>".join(map(escape, claim.figures))
    count = f"{len(claim.figures)} number{'s' if len(claim.figures) > 1 else ''}"
    return f"{found}<details><summary>{count}</summary><small>{lines}</small></details>"


def _why(claim: ScoredClaim, meanings: Mapping[str, str]) -> str:
    if not claim.because:
        return ""
    names = " ".join(
        f'<span class="mechanism" title="{escape(meanings.get(name, ""))}">{escape(name)}</span>'
        for name in claim.mechanisms
    )
    return f'<p class="why">{names} {escape(claim.because)}</p>'


def _beside(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")
