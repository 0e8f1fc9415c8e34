"""Which folder a scorecard may have: an empty one, or one of an earlier run on the same study."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from anechoic.campaign.folder import others_in
from anechoic.campaign.manifest import read_manifest, refused
from anechoic.claims.kept import SCORECARD
from anechoic.claims.page import PAGE
from anechoic.papers.study import Study
from anechoic.scenario.errors import ScenarioError, listing

_NAMED = 3
"""Files of a folder that a message names; of more, it says how many there are."""


def check_room(out: Path, studies: Sequence[Study]) -> None:
    """Raise ScenarioError for a folder that holds something else than campaigns of these studies.

    Those of one study lie in the folder itself, those of several in a folder of it for each.
    """
    if len(studies) == 1:
        others = list(_others(out, studies[0].id))
    else:
        others = [
            name
            for name in others_in(out)
            if name != PAGE and ((out / name).is_file() or any(_others(out / name, name)))
        ]
    if others:
        whose = " and ".join(study.id for study in studies)
        what = f"it holds something else than claims of {whose}: {listing(others, _NAMED)}"
        raise refused(out, what, "an empty folder, or a new one")


def _others(folder: Path, study: str) -> Iterator[str]:
    for name in others_in(folder):
        if name not in (SCORECARD, PAGE) and not _is_of(folder / name, study):
            yield name


def _is_of(folder: Path, study: str) -> bool:
    """Say whether a folder holds a campaign of the study, or nothing of a run that was killed."""
    try:
        known = read_manifest(folder)
    except ScenarioError:
        return False
    if known is None:
        return not others_in(folder)
    return str(known["campaign"]["experiment"]).startswith(f"{study}/")
