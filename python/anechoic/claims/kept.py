"""Verdicts that are kept, each with what it rests on: what is the same is not judged again."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from anechoic.campaign.manifest import read_manifest
from anechoic.campaign.results import Results
from anechoic.claims.written import digest
from anechoic.files import write_whole
from anechoic.papers.claim import Claim
from anechoic.papers.scorecard import Row, Scorecard, as_json, read
from anechoic.papers.study import Study

SCORECARD = "scorecard.json"

_JUDGES = ("papers", "captures")
"""Our packages by whose rules a verdict is found."""


@dataclass(frozen=True)
class Judged:
    """The claims of a study that were asked for, each with its verdict, and where all is kept."""

    study: Study
    folder: Path
    rows: Sequence[Row]

    @property
    def scorecard(self) -> Scorecard:
        """Their scorecard."""
        return Scorecard(self.study.id, self.rows)


def rows_in(folder: Path, claims: Iterable[Claim]) -> dict[str, Row]:
    """Give the rows that a study's folder has of these claims; none if it has no scorecard."""
    try:
        return {row.claim.id: row for row in read((folder / SCORECARD).read_bytes(), claims)}
    except (OSError, ValueError):
        return {}  # Whatever it is, it is judged anew.


def keep(folder: Path, study: Study, rows: Mapping[str, Row]) -> Scorecard:
    """Keep these rows beside those that a study's folder has of its other claims."""
    every = {**rows_in(folder, study.claims), **rows}
    scorecard = Scorecard(
        study.id, [every[claim.id] for claim in study.claims if claim.id in every]
    )
    write_whole(folder / SCORECARD, as_json([scorecard]).encode())
    return scorecard


def basis_of(check: str, results: Mapping[str, Results]) -> str:
    """Give a digest of all that a verdict rests on: the claim's check, our rules, the results."""
    return digest([check, _rules(), {name: _ran(each) for name, each in sorted(results.items())}])


def _ran(results: Results) -> list[Any]:
    manifest = None if results.out is None else read_manifest(results.out)
    hashes = [] if manifest is None else [cell["hash"] for cell in manifest["cells"]]
    cells = [[cell.parameters, cell.replications] for cell in results.cells]
    return [results.campaign["version"], results.campaign["seed"], hashes, cells]


@cache
def _rules() -> str:
    ours = Path(__file__).parents[1]
    files = sorted(path for name in _JUDGES for path in (ours / name).rglob("*.py"))
    digest = hashlib.blake2b(digest_size=12)
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()
