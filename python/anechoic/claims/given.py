"""Claims judged on campaigns that are given, whether simulated, emulated or measured."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from anechoic.campaign.cells import Cell
from anechoic.campaign.results import Results
from anechoic.claims.chosen import Asked
from anechoic.papers.judging import checked
from anechoic.papers.scorecard import Row, Scorecard
from anechoic.papers.study import Study
from anechoic.papers.verdict import Verdict
from anechoic.scenario.core import build
from anechoic.scenario.errors import Problem, ScenarioError, listing, nearest_name, shown

SOURCES = {"sim": "simulated", "emu": "emulated", "live": "measured on real machines"}
"""What the results of each backend are called."""

SOURCE = "anechoic claims judge"


def judged_on(asked: Sequence[Asked], given: Sequence[str]) -> list[Scorecard]:
    """Judge the claims on campaigns, each given as EXPERIMENT=FOLDER; several folders are joined.

    Claims of other experiments are left out. What explains a claim in the simulator is not asked:
    a verdict says what its check gives.
    """
    folders = _folders([each.study for each in asked], given)
    scorecards = []
    for each in asked:
        study = each.study
        results = {
            name: _joined(study, name, paths)
            for name, paths in folders.items()
            if name in study.experiments
        }
        claims = [claim for claim in each.claims if claim.experiment in results]
        rows = [
            Row(claim, _told(verdict, results[claim.experiment]), build())
            for claim, verdict in checked(study, results, claims)
        ]
        if rows:
            scorecards.append(Scorecard(study.id, rows))
    return scorecards


def _folders(studies: Sequence[Study], given: Sequence[str]) -> dict[str, list[Path]]:
    """Read what is given as EXPERIMENT=FOLDER."""
    known = [name for study in studies for name in study.experiments]
    found: dict[str, list[Path]] = {}
    problems = []
    for each in given:
        name, equals, folder = each.partition("=")
        if not equals or name not in known:
            what = f"{shown(each)} names no experiment of those"
            allowed = f"EXPERIMENT=FOLDER with EXPERIMENT one of {listing(known)}"
            problems.append(Problem("--on", what, allowed, nearest_name(name, known)))
        found.setdefault(name, []).append(Path(folder))
    if problems:
        raise ScenarioError(SOURCE, problems)
    return found


def _joined(study: Study, experiment: str, folders: Sequence[Path]) -> Results:
    """Give the cells of all campaigns of an experiment, as if they were one's."""
    axes = study.axes(experiment)
    first, *others = [Results.load(folder) for folder in folders]
    cells: dict[tuple[object, ...], Cell] = {}
    for folder, results in zip(folders, [first, *others], strict=True):
        for cell in results.cells:
            if cell.parameters.keys() != axes.keys():
                what = f"its cells are told apart by {listing(list(cell.parameters)) or 'nothing'}"
                wanted = listing(list(axes)) or "no parameter"
                raise ScenarioError(str(folder), [Problem("", what, f"{wanted}, as {experiment}")])
            if cells.setdefault(tuple(cell.parameters.values()), cell) is not cell:
                what = f"{_name(cell.parameters)} is in another folder, too"
                raise ScenarioError(str(folder), [Problem("", what, "each cell once")])
    return replace(first, cells=list(cells.values()))


def _name(parameters: Mapping[str, object]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in parameters.items()) or "the only cell"


def _told(verdict: Verdict, results: Results) -> Verdict:
    """Give a verdict that says what measured the results."""
    return verdict.noting(SOURCES[results.campaign["backend"]])
