"""A campaign that is intended: what it will be, and how much of it a folder has already."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anechoic.campaign.folder import is_same, readable_manifest
from anechoic.campaign.manifest import rule_of, same_draws
from anechoic.campaign.result_files import are_written
from anechoic.campaign.results import Results
from anechoic.campaign.store import Store
from anechoic.scenario.errors import ScenarioError


@dataclass(frozen=True)
class Intended:
    """A campaign before it is run."""

    manifest: Mapping[str, Any]
    seconds: Mapping[str, float]
    """The simulated time of a replication of each distinct cell, by its name."""

    @property
    def fewest(self) -> int:
        """How often each cell is run at the least."""
        return rule_of(self.manifest).minimum

    def kept_in(self, folder: Path) -> dict[str, int]:
        """Count the replications of each cell that a folder has."""
        known = readable_manifest(folder)
        if known is None or not same_draws(known, self.manifest):
            return dict.fromkeys(self.seconds, 0)
        store = Store(folder, dict(known))
        return {name: store.count_finished_of(name) for name in self.seconds}

    def finished_in(self, folder: Path) -> Results | None:
        """Give the results if a folder has all of this very campaign, to its last file."""
        if not is_same(folder, self.manifest):
            return None
        try:
            found = Results.load(folder)
            _check_records(Store.open(folder), found)
        except ScenarioError:
            return None  # It is not finished, or damaged.
        return found if are_written(found, folder) else None


def _check_records(store: Store, results: Results) -> None:
    for cell in {name: place for place, name in enumerate(store.hashes)}.values():
        for replication in range(results.cells[cell].replications):
            store.checked(cell, replication)
