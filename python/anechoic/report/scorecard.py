"""A page on which claims of papers stand beside what was found: each with verdict and reason."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from anechoic.campaign.results import Results
from anechoic.report.charts import charts_of
from anechoic.report.html import document, head, paragraphs
from anechoic.report.judged import ScoredClaim, ScoredExperiment, ScoredPaper
from anechoic.report.render import inline, svg

VERDICTS = ("pass", "not-run", "ambiguous", "fail", "refuted", "error")

_WIDE = 2.5
"""Width over height from which a drawing has panels too small to read in a column of its own."""


def first_figure(results: Results) -> str:
    """Draw the first figure of a campaign as SVG; nothing if it has none."""
    from anechoic.report.paper import draw

    charts, _ = charts_of(results)
    return svg(draw(charts[0], charts[0].views[0])) if charts else ""


def scorecard_page(
    papers: Sequence[ScoredPaper], meanings: Mapping[str, str], facts: Sequence[tuple[str, str]]
) -> str:
    """Give the page; ``meanings`` says what each mechanism is, ``facts`` what was judged."""
    drawings = {
        f"{paper.id}-{name}": inline(each.drawing, f"{paper.id}-{name}", escape(each.title))
        for paper in papers
        for name, each in paper.experiments.items()
        if each.drawing
    }
    sections = [
        f"<style>\n{_beside('scorecard.css')}</style>",
        head("Scorecard", facts),
        _bars(papers),
        _filters(papers, meanings),
        *(_paper(paper, drawings, meanings) for paper in papers),
        '<p class="nothing" hidden>No claim is like that.</p>',
    ]
    return document("Scorecard", sections, drawings.values(), _beside("scorecard.js"))


def _bars(papers: Sequence[ScoredPaper]) -> str:
    every = [claim for paper in papers for claim in paper.claims]
    rows = [(paper.id, paper.claims) for paper in papers]
    lines = [_bar(*row) for row in [*rows, *([("all", every)] if len(rows) > 1 else [])]]
    key = "".join(
        f'<span class="key"><i class="{verdict}"></i>{verdict}</span>'
        for verdict in VERDICTS
        if any(claim.verdict == verdict for claim in every)
    )
    return f'<div class="bars">\n{"".join(lines)}<div class="keys">{key}</div></div>'


def _bar(name: str, claims: Sequence[ScoredClaim]) -> str:
    counts = Counter(claim.verdict for claim in claims)
    first = [claim.verdict == "pass" for claim in claims if claim.tier == 1]
    parts = "".join(
        f'<span class="{verdict}" style="flex-grow: {counts[verdict]}" '
        f'title="{counts[verdict]} {verdict}">{counts[verdict]}</span>'
        for verdict in VERDICTS
        if counts[verdict]
    )
    tier = f"{sum(first)} of {len(first)} of tier 1 pass" if first else ""
    return (
        f'<div class="row"><b>{escape(name)}</b><div class="bar">{parts}</div>'
        f"<small>{tier}</small></div>\n"
    )


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
    return f'<section class="paper"><h2>{escape(paper.id)}</h2>\n{cited}\n{experiments}</section>'


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
    about = f'<span class="faint">tier {claim.tier}, {escape(claim.cite)}</span>'
    return (
        f'<article id="{escape(claim.id)}" data-paper="{escape(paper)}" data-tier="{claim.tier}" '
        f'data-verdict="{claim.verdict}" data-mechanism="{" ".join(claim.mechanisms)}">'
        f'<header><a href="#{escape(claim.id)}">{escape(claim.id)}</a> '
        f'<span class="verdict {claim.verdict}">{claim.verdict}</span> {about}</header>'
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
