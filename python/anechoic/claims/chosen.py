"""Which claims the names on the command line stand for."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from anechoic.papers.claim import Claim
from anechoic.papers.study import CLAIMS, Study, shipped
from anechoic.scenario.errors import Problem, ScenarioError, nearest_name, unknown_name


@dataclass
class Asked:
    """The claims of one study that were asked for."""

    study: Study
    claims: list[Claim]


def chosen(names: Sequence[str]) -> list[Asked]:
    """Give the claims that the names stand for, study by study, in their order.

    Without a name these are all that ship. A name is that of a study, an experiment or a claim
    that ships, a claims file or a folder that holds one, or FOLDER/NAME for a part of it.
    """
    if not names:
        return [Asked(study, list(study.claims)) for study in shipped()]
    wanted: dict[Path, Asked] = {}
    for name in names:
        found = _own(name) or _part(name) or _shipped(name)
        asked = wanted.setdefault(found.study.claims_file, found)
        # By their ids: a file that two names stand for is read twice, and gives two of each claim.
        named = {claim.id for claim in (*asked.claims, *found.claims)}
        asked.claims = [claim for claim in asked.study.claims if claim.id in named]
    return list(wanted.values())


def name_of(study: Study, claim: Claim) -> str:
    """Give a name that stands for a claim, or for the file of one's own that holds it."""
    if study in shipped():
        return claim.id
    if study.claims_file.name != CLAIMS:
        return str(study.claims_file)
    return f"{study.folder}/{claim.id}"


def stated(asked: Sequence[Asked]) -> list[Asked]:
    """Give those of the claims that are stated results and decided by metrics alone."""
    return [
        Asked(each.study, [c for c in each.claims if c.tier == 1 and c.check.is_counted])
        for each in asked
    ]


def to_be_explained(asked: Sequence[Asked]) -> list[Asked]:
    """Give those of the claims that name a model by which they are turned."""
    found = [Asked(each.study, [c for c in each.claims if c.flipped_by]) for each in asked]
    return [each for each in found if each.claims]


def _own(name: str) -> Asked | None:
    path = Path(name)
    file = path / CLAIMS if path.is_dir() else path
    if not file.is_file():
        return None
    study = Study(file.parent, file)
    return Asked(study, list(study.claims))


def _part(name: str) -> Asked | None:
    """Find an experiment or a claim of a folder of one's own."""
    folder, slash, part = name.rpartition("/")
    file = Path(folder) / CLAIMS
    if not slash or not file.is_file():
        return None
    study = Study(file.parent, file)
    claims = _named(study, part)
    if not claims:
        kind = f"experiment or claim of {study.id} named"
        raise ScenarioError(name, [unknown_name("", part, _names((study,)), kind)])
    return Asked(study, claims)


def _shipped(name: str) -> Asked:
    for study in shipped():
        claims = list(study.claims) if name == study.id else _named(study, name)
        if claims:
            return Asked(study, claims)
    if Path(name).is_dir():
        what = f"there is no {CLAIMS} in this folder"
        raise ScenarioError(name, [Problem("", what, f"a folder that holds one, or a {CLAIMS}")])
    what = "there is no study, experiment or claim of this name, and no such file"
    allowed = ", ".join(study.id for study in shipped())
    allowed += ", one of their experiments or claims, or a claims file"
    known = [*(study.id for study in shipped()), *_names(shipped())]
    raise ScenarioError(name, [Problem("", what, allowed, nearest_name(name, known))])


def _named(study: Study, name: str) -> list[Claim]:
    return [claim for claim in study.claims if name in (claim.experiment, claim.id)]


def _names(studies: Iterable[Study]) -> list[str]:
    return [
        name
        for study in studies
        for name in (*study.experiments, *(claim.id for claim in study.claims))
    ]
