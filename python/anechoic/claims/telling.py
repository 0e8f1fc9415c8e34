"""Claims in words: a line for each, or all that is known of one."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import indent

from anechoic.claims.chosen import name_of
from anechoic.claims.kept import Judged
from anechoic.papers.claim import Claim
from anechoic.papers.explanation import MECHANISMS
from anechoic.papers.scorecard import Row
from anechoic.papers.study import Study, shipped
from anechoic.papers.toml_file import table_of
from anechoic.running import REPORT

_TIERS = {1: "a stated result", 2: "a mechanism", 3: "only in a figure"}


def listed(judged: Sequence[Judged]) -> Iterator[str]:
    """Give a line for each claim: id, tier, verdict and what it says."""
    width = max(len(row.claim.id) for each in judged for row in each.rows)
    for each in judged:
        yield each.study.about.citation or each.study.id
        for row in each.rows:
            claim, status = row.claim, row.verdict.status
            stale = f"({row.stale}) " if row.stale else ""
            yield f"  {claim.id:{width}}  {claim.tier}  {status:21}  {stale}{claim.text}"


def shown(judged: Judged) -> Iterator[str]:
    """Tell of each claim what it says, how it is decided, what was found and why."""
    study = judged.study
    for row in judged.rows:
        claim = row.claim
        yield "\n".join(
            [
                f"{claim.id}: {claim.text}",
                f"stated: {', '.join(filter(None, [study.about.citation, claim.cite]))}",
                f"tier {claim.tier}: {_TIERS[claim.tier]}",
                f"experiment: {study.file(claim.experiment)}",
                f"decided by: {study.claims_file}",
                *(indent(table_of(study.claims_file, each), "    ") for each in _like(claim)),
                *_found(row, judged.folder),
                *_why(claim),
                *_to_try_another(study, claim),
            ]
        )


def _to_try_another(study: Study, claim: Claim) -> Iterator[str]:
    if study in shipped():
        yield f"to try another: cp -r {study.folder} mine"
        yield f"    change a line of mine/{study.claims_file.name}"
        yield f"    anechoic claims mine/{claim.id}"
    else:
        scenario = study.file(claim.experiment)
        yield "to try another:"
        yield f"    change a line of {study.claims_file}, or of {scenario} or what that extends"
        yield f"    anechoic claims {name_of(study, claim)}"


def _like(claim: Claim) -> list[str]:
    """Name the claim, and the one whose check it repeats."""
    return list(filter(None, [claim.id, claim.like]))


def _why(claim: Claim) -> Iterator[str]:
    for name in claim.explanation.mechanisms:
        yield f"mechanism: {name}: {MECHANISMS[name]}"
    if claim.explanation.because:
        yield f"because: {claim.explanation.because}"


def _found(row: Row, folder: Path) -> Iterator[str]:
    by = f", by build {row.build}" if row.build else ""
    stale = f" ({row.stale})" if row.stale else ""
    yield f"verdict: {row.verdict.status}{stale}{by}"
    if row.verdict.found:
        yield f"found: {row.verdict.found}"
    yield from (f"    {number}" for number in row.numbers)
    report = folder / row.campaign / REPORT
    if row.campaign and report.is_file():
        yield f"report: {report}"
