"""Verdicts that are kept, each with what it rests on: what is the same is not judged again."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from anechoic.campaign.checksums import Damaged, sealed, unsealed
from anechoic.campaign.manifest import read_manifest
from anechoic.campaign.results import Results
from anechoic.files import read_file, write_whole
from anechoic.papers.claim import Claim
from anechoic.papers.digests import digest
from anechoic.papers.scorecard import Row, Scorecard, document, read
from anechoic.papers.study import Study
from anechoic.saying import say

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
    path = folder / SCORECARD
    try:
        document = unsealed(path, read_file(path, None))
        return {row.claim.id: row for row in read(document, claims)}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, Damaged) as error:
        what = error.what if isinstance(error, Damaged) else f"it cannot be read: {error}"
        say(f"{path}: {what}; its claims are judged anew")
        return {}


def joined(study: Study, rows: Mapping[str, Row]) -> Scorecard:
    """Give the scorecard of these rows, in the order of the study's claims."""
    return Scorecard(study.id, [rows[claim.id] for claim in study.claims if claim.id in rows])


def keep(folder: Path, scorecard: Scorecard) -> None:
    """Keep a scorecard in a study's folder."""
    write_whole(folder / SCORECARD, sealed(document(scorecard)).encode())


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
