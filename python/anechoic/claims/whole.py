"""The scorecard of many claims: the verdicts that are kept, and those missing or out of date."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from anechoic.claims.chosen import Asked, name_of
from anechoic.claims.kept import SCORECARD, Judged, rows_in
from anechoic.claims.written import Writing
from anechoic.papers.claim import Claim
from anechoic.papers.scorecard import Row
from anechoic.papers.study import Study, shipped
from anechoic.papers.verdict import Status, Verdict
from anechoic.saying import say
from anechoic.scenario.core import build
from anechoic.scenario.errors import Problem, ScenarioError


def check_kept(root: Path) -> None:
    """Raise ScenarioError for a folder that is not there."""
    if not root.is_dir():
        allowed = "the folder of an earlier anechoic claims run"
        raise ScenarioError(str(root), [Problem("", "there is no such folder", allowed)])


def judged_in(root: Path, asked: Sequence[Asked]) -> list[Judged]:
    """Give a row for each claim: what a folder has of it, or that it was not run yet."""
    found = [_judged(root, each) for each in asked]
    _tell_builds([row for each in found for row in each.rows])
    return found


def tell_where_nothing_was_run(judged: Sequence[Judged]) -> None:
    """Say of claims none of which was run that this is no failure, and where verdicts stand."""
    if any(row.verdict.status is not Status.NOT_RUN for each in judged for row in each.rows):
        return
    say("nothing of this was run yet; anechoic claims run runs and judges it")
    if published := [each.study.id for each in judged if each.study in shipped()]:
        pages = published[0] if len(published) == 1 else "*"
        say(f"published verdicts: docs/claims.md and docs/papers/{pages}.md of the repository")


def _judged(root: Path, asked: Asked) -> Judged:
    study = asked.study
    folder = root if (root / SCORECARD).is_file() else root / study.id
    kept = rows_in(folder, asked.claims)
    writing = Writing(study)
    rows = [
        replace(row, since=tuple(writing.changed(claim, row.written)))
        if (row := kept.get(claim.id))
        else Row(claim, _missing(study, claim))
        for claim in asked.claims
    ]
    return Judged(study, folder, rows)


def _missing(study: Study, claim: Claim) -> Verdict:
    return Verdict(Status.NOT_RUN, (), f"not run yet: anechoic claims run {name_of(study, claim)}")


def _tell_builds(rows: Sequence[Row]) -> None:
    others = [row for row in rows if row.build not in ("", build())]
    if others:
        builds = ", ".join(sorted({row.build for row in others}))
        say(
            f"{len(others)} verdicts are of another build than this one ({builds}, not {build()}); "
            "anechoic claims run finds them anew"
        )
