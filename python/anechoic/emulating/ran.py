"""The emulations that a campaign's folder holds."""

import json
from pathlib import Path

from anechoic.campaign.results import Results
from anechoic.campaign.store import Store, cell_folder
from anechoic.emulating.process import OUTCOME
from anechoic.report import EmulatedRun


def emulation_folder(root: Path, cell: str, replication: int) -> Path:
    """Give the folder of what an emulation leaves beside its record."""
    return cell_folder(root, cell) / f"{replication:04d}.emulation"


def emulated_runs(results: Results) -> list[EmulatedRun]:
    """Read how each run of a campaign went, those of earlier calls too."""
    assert results.out is not None
    store = Store.open(results.out)
    found = []
    for cell, name in zip(results.cells, store.hashes, strict=True):
        for replication in range(cell.replications):
            outcome = emulation_folder(store.root, name, replication) / OUTCOME
            if outcome.is_file():
                found.append(EmulatedRun(cell, replication, json.loads(outcome.read_text())))
    return found
