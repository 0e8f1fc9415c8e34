"""Which folder a campaign may have: an empty one, or its own, whose report it does not shrink."""

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from anechoic.campaign.cell_run import runs_so_far
from anechoic.campaign.checksums import Damaged
from anechoic.campaign.lock import LOCK
from anechoic.campaign.manifest import SEEDED_BY, read_manifest, refused, rule_of
from anechoic.campaign.store import RESULTS, Store
from anechoic.files import read_file
from anechoic.scenario.errors import ScenarioError, listing, shown

_OF_RESULTS = (
    *(RESULTS, "results.csv", "results.sha256", "metrics.parquet", "connections.csv"),
    *("report.html", "figures"),
)
"""What the results of a campaign leave in its folder, beside its records."""

_NAMED = 3
"""Files of a folder, or fields, that a message names; of more, it says how many there are."""


def is_free_for(root: Path, wanted: Mapping[str, Any]) -> bool:
    """Say whether a folder is unused, or holds the same campaign and no more of it."""
    try:
        check_free_for(root, wanted)
    except ScenarioError:
        return False
    return True


def readable_manifest(root: Path) -> dict[str, Any] | None:
    """Read what a folder says of its campaign; None if it holds none, or that is damaged."""
    try:
        return read_manifest(root)
    except Damaged:
        return None


def difference(root: Path, wanted: Mapping[str, Any]) -> str | None:
    """Say in what the campaign that a folder holds is another one; None if it is not."""
    known = readable_manifest(root)
    return None if known is None else _difference(known, wanted)


def is_same(root: Path, wanted: Mapping[str, Any]) -> bool:
    """Say whether a folder holds this very campaign: what it is run by, how often, and its file."""
    known = readable_manifest(root)
    return (
        known is not None
        and _difference(known, wanted) is None
        and rule_of(known) == rule_of(wanted)
        and known["text"] == wanted["text"]
    )


def check_free_for(root: Path, wanted: Mapping[str, Any]) -> None:
    """Refuse a folder that holds another campaign, a report of more, or something else."""
    try:
        known = read_manifest(root)
    except Damaged as damage:
        _check_cells(root, wanted, damage)
        return
    if known is None:
        _check_empty(root)
        return
    another = _difference(known, wanted)
    if another is not None:
        raise refused(root, f"it holds another campaign: {another}", "another --out, or --replace")
    if rule_of(known) != rule_of(wanted):
        _check_for_more(root, known, wanted)


def holds_another(root: Path, wanted: Mapping[str, Any]) -> bool:
    """Say whether a folder holds a campaign, and not this very one."""
    return readable_manifest(root) is not None and not is_same(root, wanted)


def drop_another(root: Path, wanted: Sequence[Mapping[str, Any]]) -> None:
    """Remove what a folder holds of another campaign, but for the cells that are wanted.

    Its campaign.json stays until the new one takes its place: a run that is killed meanwhile
    leaves a campaign that can go on.
    """
    for name in _OF_RESULTS:
        path = root / name
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    kept = {cell["hash"] for cell in wanted}
    for folder in (root / "records").glob("[!.]*"):
        if folder.name not in kept:
            shutil.rmtree(folder)


def others_in(root: Path) -> list[str]:
    """Name what a folder holds beside what a run leaves there that was killed as it began."""
    # What is hidden is ours, or nothing that one would miss.
    return sorted(path.name for path in root.glob("[!.]*") if path.name != LOCK)


def _check_empty(root: Path) -> None:
    others = others_in(root)
    if others:
        what = f"it holds no campaign but something else: {listing(others, _NAMED)}"
        raise refused(root, what, "an empty folder, or a new one")


def _check_cells(root: Path, wanted: Mapping[str, Any], damage: Damaged) -> None:
    """Refuse a folder whose campaign.json is damaged, unless its cells are those of a campaign."""
    there = {path.name for path in (root / "records").glob("*")}
    if not there or there - {cell["hash"] for cell in wanted["cells"]}:
        what = f"{damage.file.name}: {damage.what}"
        allowed = "the command that wrote this folder, which makes it again, or another --out"
        raise refused(root, what, allowed)


def _check_for_more(root: Path, known: dict[str, Any], wanted: Mapping[str, Any]) -> None:
    reported = _reported(root)
    try:
        runs = runs_so_far(Store(root, known), rule_of(wanted))
    except Damaged:
        return  # What is damaged is run again, and the report made anew.
    for there, run in zip(reported, runs, strict=False):
        if run.verdict != "more" and len(run.counted) < there:
            what = f"its report has more replications: {there}, not {len(run.counted)}"
            raise refused(root, what, "as many or more, another --out, or --replace")


def _reported(root: Path) -> list[int]:
    """Give the replications of each cell in a folder's results; none if it has no results."""
    try:
        document = json.loads(read_file(root / RESULTS, None))
        return [int(cell["replications"]) for cell in document["cells"]]
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return []


def _difference(known: Mapping[str, Any], wanted: Mapping[str, Any]) -> str | None:
    for field in SEEDED_BY:
        old, new = known["campaign"][field], wanted["campaign"][field]
        if old != new:
            return f"its {field} is {shown(old)}, not {shown(new)}"
    if known["cells"] != wanted["cells"]:
        what = f"{known['campaign']['file']} with other values or another sweep"
        fields = list(_differing(known["scenario"], wanted["scenario"]))
        return f"{what}: {listing(fields, _NAMED)}" if fields else what
    return None


def _differing(old: Mapping[str, Any], new: Mapping[str, Any], above: str = "") -> Iterator[str]:
    """Give the paths of the fields that two scenarios have otherwise, or one of them has not."""
    for name in dict.fromkeys((*old, *new)):
        one, other = old.get(name), new.get(name)
        if isinstance(one, Mapping) and isinstance(other, Mapping):
            yield from _differing(one, other, f"{above}{name}.")
        elif one != other:
            yield f"{above}{name}"
