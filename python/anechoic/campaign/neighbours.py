"""Campaigns in the folders beside a campaign's own, which may have run its cells already.

A record follows from the build, the plan and the seed, and from nothing else. So what one
experiment of a study has run, another need not run again. What others could have written is not
believed: folders and files are the user's own.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from anechoic.campaign.manifest import MANIFEST, read_manifest, same_draws
from anechoic.campaign.measured import Measured
from anechoic.campaign.record_files import belongs_to_us
from anechoic.campaign.store import Store, cell_folder
from anechoic.scenario.errors import ScenarioError


class Neighbours:
    """The campaigns of the same build and seed that share cells with one."""

    def __init__(self, store: Store) -> None:
        """Look into the folders beside that of a campaign."""
        self._store = store
        self._lenders: dict[str, list[Path]] = {name: [] for name in store.hashes}
        own = store.root.absolute()
        for path in sorted(own.parent.glob(f"*/{MANIFEST}")):
            if path.parent == own:
                continue
            for name in _cells(path.parent, store.manifest) & self._lenders.keys():
                self._lenders[name].append(cell_folder(path.parent, name))

    def take(self, cell: int, replication: int) -> Measured | None:
        """Keep a record that one of them has, and give its metrics; None if none has it."""
        for lender in self._lenders[self._store.hashes[cell]]:
            metrics = self._store.take(cell, replication, lender)
            if metrics is not None:
                return metrics
        return None


def _cells(root: Path, wanted: Mapping[str, Any]) -> set[str]:
    """Give the cells of a campaign whose records may stand in for those wanted."""
    try:
        if not belongs_to_us(root):
            return set()
        manifest = read_manifest(root)
        if manifest is None or not same_draws(manifest, wanted):
            return set()
        return {cell["hash"] for cell in manifest["cells"]}
    except (ScenarioError, OSError, LookupError, TypeError, AttributeError):
        return set()  # Whatever it is, it is none of ours.
