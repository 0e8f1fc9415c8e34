"""The scorecard as a page: the claims of every paper, each with what was found and our figure."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from anechoic.campaign import checksums
from anechoic.campaign.results import Results
from anechoic.claims.kept import Judged
from anechoic.claims.written import CHECK
from anechoic.files import write_whole
from anechoic.papers.calibration import INFERRED, inferred_of
from anechoic.papers.explanation import MECHANISMS
from anechoic.papers.numbers import Number, numbers_of
from anechoic.papers.scorecard import Row, headline, parts_of, summary
from anechoic.papers.trial_record import Recorded
from anechoic.running import REPORT
from anechoic.scenario.load import load

if TYPE_CHECKING:
    from anechoic.report import ScoredClaim, ScoredExperiment, ScoredValue

PAGE = "scorecard.html"
_LETTERS = 60
"""Of a number's name that there is room for."""
_DRAWN = "figure.svg"
"""An experiment's first figure, drawn once for all pages."""


def write_page(judged: Sequence[Judged], root: Path) -> Path:
    """Write the page into a folder, and give its path."""
    from anechoic.report import ScoredNumber, ScoredPaper, ScoredPart, scorecard_page

    path = root / PAGE
    papers = [
        ScoredPaper(
            each.study.id,
            each.study.about.citation,
            [_claim(row) for row in each.rows],
            dict(_experiments(each, root)),
            [
                ScoredNumber(
                    _name(number), number.ratio, number.half_width, number.claim.is_held_out
                )
                for number in numbers_of(each.rows)
            ],
            list(_values(each)),
        )
        for each in judged
    ]
    parts = [
        ScoredPart(
            part.study,
            {status.value: count for status, count in part.tally.counts.items()},
            headline(part.rows),
        )
        for part in parts_of([each.scorecard for each in judged])
    ]
    write_whole(path, scorecard_page(papers, parts, MECHANISMS, _facts(judged)).encode())
    return path


def _values(judged: Judged) -> "Iterator[ScoredValue]":
    """Give what the study's bench was given, with the claims that the record says move with it."""
    from anechoic.report import ScoredValue

    if not (judged.study.folder / INFERRED).is_file():
        return
    recorded = Recorded.of(judged.study)
    moving = {
        row.claim.id: recorded.moving(row.claim, row.written.keys() - {CHECK})
        for row in judged.rows
    }
    for each in inferred_of(judged.study):
        shown = [] if each.sweep is None else list(map(str, each.sweep.shown))
        by_value = {
            value: [claim for claim, names in moving.items() if f"{each.name}: {value}" in names]
            for value in shown[1:]
        }
        moves = {value: claims for value, claims in by_value.items() if claims}
        yield ScoredValue(each.name, shown[0] if shown else "", each.why, moves)


def _name(number: Number) -> str:
    """Name a number by its claim and by what is measured, without its experiment."""
    what = number.figure.what.removeprefix(f"{number.claim.experiment} ")
    shown = what if len(what) <= _LETTERS else f"{what[: _LETTERS - 1]}…"
    return f"{number.claim.id}: {shown}"


def _facts(judged: Sequence[Judged]) -> list[tuple[str, str]]:
    rows = [row for each in judged for row in each.rows]
    builds = sorted({row.build for row in rows if row.build})
    asked = sum(1 for row in rows if row.claim.explanation.because)
    return [
        ("Claims", f"{len(rows)}: {summary(rows)}"),
        ("Explained", f"{asked} have the mechanism behind their verdict and its evidence"),
        ("Judged by", ", ".join(f"Anechoic {build}" for build in builds)),
        (
            "Tiers",
            "1: a stated result; 2: a mechanism, or a rule on packets; 3: only in a figure, or "
            "a summary",
        ),
    ]


def _claim(row: Row) -> "ScoredClaim":
    from anechoic.report import ScoredClaim

    claim, verdict = row.claim, row.verdict
    return ScoredClaim(
        claim.id,
        claim.experiment,
        claim.tier,
        claim.cite,
        claim.text,
        verdict.status.value,
        "; ".join(filter(None, [row.stale, verdict.found])),
        row.numbers,
        claim.explanation.mechanisms,
        claim.explanation.because,
        claim.is_held_out,
    )


def _experiments(judged: Judged, root: Path) -> "Iterator[tuple[str, ScoredExperiment]]":
    from anechoic.report import ScoredExperiment

    campaigns = {row.claim.experiment: row.campaign for row in judged.rows}
    for name, campaign in campaigns.items():
        title, folder = load(judged.study.file(name)).title, judged.folder / campaign
        if campaign and (folder / REPORT).is_file():
            link = os.path.relpath(folder / REPORT, root)
            yield name, ScoredExperiment(title, link, _drawn(folder))
        else:
            yield name, ScoredExperiment(title)


def _drawn(folder: Path) -> str:
    """Give a campaign's first figure, drawn unless it has been since the report was written."""
    from anechoic.report import first_figure

    drawing, listed = folder / _DRAWN, (folder / _DRAWN).with_suffix(checksums.ENDING)
    is_whole = checksums.are_whole(listed, [_DRAWN])
    if not is_whole or drawing.stat().st_mtime < (folder / REPORT).stat().st_mtime:
        data = first_figure(Results.load(folder)).encode()
        write_whole(drawing, data)
        checksums.write_list(listed, {_DRAWN: checksums.of_bytes(data)})
    return drawing.read_text(encoding="utf-8")
