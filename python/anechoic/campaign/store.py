"""The folder of a campaign: what is finished stays, whatever happens next.

    campaign.json                  the scenario, the seed, the version, the cells
    records/<cell>/plan.json       the plan of a cell, whose name is a digest of it
    records/<cell>/calculated.json what closed forms say of it
    records/<cell>/0000.*          the files of replication 0, finished when 0000.sha256 exists
    metrics.parquet                every value that counts; with the results, at the end
    results.json, results.csv, connections.csv
    results.sha256                 the checksums of the results; finished when it agrees

Every file appears whole or not at all: it is written under another name, flushed to the
disk and then renamed. Whatever is read bears a checksum (`checksums.py`).
"""

import json
import math
import shutil
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from anechoic.campaign import record_files
from anechoic.campaign.cells import Calculated
from anechoic.campaign.checksums import ENDING, OTHER, Damaged, sealed, unsealed
from anechoic.campaign.manifest import MANIFEST, cell_hash, read_manifest, refused
from anechoic.campaign.measured import Measured
from anechoic.campaign.record_files import Owner, RecordFiles
from anechoic.campaign.replication import replication_seed
from anechoic.files import (
    clear_unfinished,
    flush_names,
    has_no_room,
    own_folder,
    read_file,
    write_whole,
)
from anechoic.saying import say
from anechoic.scenario.core import Record
from anechoic.tables.table import Table

CALCULATED = "calculated.json"
PLAN = "plan.json"
RESULTS = "results.json"
FIGURES = "figures"


class Store:
    """One campaign's folder."""

    def __init__(self, root: Path, manifest: dict[str, Any]) -> None:
        """Tie a folder and what its campaign.json says."""
        self.root = root
        self.manifest = manifest
        self.hashes: list[str] = [cell["hash"] for cell in manifest["cells"]]

    @classmethod
    def open(cls, root: Path) -> "Store":
        """Open the folder of a campaign that was begun before."""
        manifest = read_manifest(root)
        if manifest is None:
            raise refused(root, f"there is no {MANIFEST}", "the folder of a campaign")
        return cls(root, manifest)

    @classmethod
    def prepare(cls, root: Path, manifest: dict[str, Any], plans: Iterable[str]) -> "Store":
        """Begin a campaign's folder, or go on with it; say what is damaged and made again."""
        store = cls(root, manifest)
        try:
            clear_unfinished(root)
            # First: until it stands there, the folder is nobody's.
            _write_manifest(root, manifest)
            own_folder(root / "records")
            for name, plan in zip(store.hashes, plans, strict=True):
                folder = own_folder(cell_folder(root, name))
                record_files.clear_unfinished(folder)
                _write_plan(folder / PLAN, plan.encode())
            flush_names(root)
        except OSError as error:
            if has_no_room(error):
                raise
            reason = f"cannot be written: {error.strerror or error}"
            raise refused(root, reason, "a folder to write to") from None
        return store

    def is_finished(self, cell: int, replication: int) -> bool:
        """Say whether a replication was run to its end and kept."""
        return self._files(cell, replication).sums.exists()

    def count_finished(self) -> int:
        """Count the replications that are kept."""
        return sum(map(self.count_finished_of, dict.fromkeys(self.hashes)))

    def count_finished_of(self, name: str) -> int:
        """Count the replications that are kept of the cell of this name."""
        return len(list(cell_folder(self.root, name).glob(f"[0-9][0-9][0-9][0-9]{ENDING}")))

    def plan(self, cell: int) -> str:
        """Give the plan of a cell as JSON; raise Damaged if it is another one."""
        path = self._folder(cell) / PLAN
        try:
            text = read_file(path, None).decode("utf-8")
            if cell_hash(json.loads(text)) == self.hashes[cell]:
                return text
        except OSError as error:
            raise Damaged(path, f"it cannot be read: {error.strerror or error}") from None
        except (ValueError, RecursionError):
            pass
        raise Damaged(path, OTHER)

    def calculated(self, cell: int) -> Calculated:
        """Give what closed forms say of a cell; nothing if that was not asked. Or raise Damaged."""
        path = self._folder(cell) / CALCULATED
        try:
            found = unsealed(path, read_file(path, None))
        except OSError as error:
            raise Damaged(path, f"it cannot be read: {error.strerror or error}") from None
        return Calculated(found["metrics"], tuple(found["by"]))

    def keep_calculated(self, cell: int, calculated: Calculated) -> None:
        """Keep what closed forms say of a cell."""
        write_whole(self._folder(cell) / CALCULATED, sealed(asdict(calculated)).encode())

    def metrics(self, cell: int, replication: int) -> Measured | None:
        """Give the metrics of a replication; None if it is not finished, or Damaged raised."""
        files = self._files(cell, replication)
        return files.read(self._owner(cell, replication)) if files.sums.exists() else None

    def checked(self, cell: int, replication: int) -> Measured:
        """Give the metrics of a finished replication; raise Damaged unless all of it is whole."""
        files = self._files(cell, replication)
        files.check()
        return files.read(self._owner(cell, replication))

    def read_table(self, cell: int, replication: int, kind: str) -> Table:
        """Give another table of a replication, such as its time series."""
        table = self._files(cell, replication).read_table(kind)
        if table is None:
            raise LookupError(f"there is no {kind} of replication {replication} in {self.root}")
        return table

    def write(self, cell: int, replication: int, record: Record) -> Measured:
        """Keep a record; the list of its checksums comes last and makes it finished."""
        # Loads NumPy, which a command that runs nothing shall not wait for.
        from anechoic.campaign.record_tables import metrics_table, tables_beside

        given = record.metrics()
        # A ratio over nothing is a number that no mean and no JSON document can hold.
        numbers = (value if math.isfinite(value) else math.nan for value in given.values())
        metrics = Measured(given, numbers)
        table = metrics_table(metrics, self._owner(cell, replication))
        self._files(cell, replication).write(table, tables_beside(record))
        return metrics

    def take(self, cell: int, replication: int, lender: Path) -> Measured | None:
        """Keep a record that another campaign has of the same cell, in the folder given.

        None if it is not there, not whole, or could be of another user.
        """
        theirs = RecordFiles(lender, replication)
        return self._files(cell, replication).take(theirs, self._owner(cell, replication))

    def capture_folder(self, cell: int, replication: int) -> Path:
        """Make the folder that a run's captures are written to."""
        folder = self._files(cell, replication).captures
        unfinished = folder.with_name(f".{folder.name}.tmp")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir()
        return unfinished

    def keep_captures(self, cell: int, replication: int) -> None:
        """Give a run's captures their final name."""
        folder = self._files(cell, replication).captures
        shutil.rmtree(folder, ignore_errors=True)
        folder.with_name(f".{folder.name}.tmp").rename(folder)

    def captures(self, cell: int, replication: int) -> dict[str, Path]:
        """Give the capture files of a replication by their taps."""
        found = self._files(cell, replication).captures.glob("*.pcapng")
        return {path.stem: path for path in sorted(found)}

    def check_capture(self, cell: int, replication: int, capture: Path) -> None:
        """Raise Damaged unless a capture of a replication is whole."""
        self._files(cell, replication).check_capture(capture)

    def discard(self, cell: int, replication: int) -> None:
        """Remove a replication that the stopping rule turned out not to need."""
        self._files(cell, replication).remove()

    def _folder(self, cell: int) -> Path:
        return cell_folder(self.root, self.hashes[cell])

    def _files(self, cell: int, replication: int) -> RecordFiles:
        return RecordFiles(self._folder(cell), replication)

    def _owner(self, cell: int, replication: int) -> Owner:
        campaign = self.manifest["campaign"]
        seed = replication_seed(campaign["seed"], replication)
        return {"cell": self.hashes[cell], "seed": str(seed), "build": campaign["version"]}


def cell_folder(root: Path, name: str) -> Path:
    """Give the folder of a cell's records."""
    return root / "records" / name


def _write_manifest(root: Path, manifest: dict[str, Any]) -> None:
    try:
        read_manifest(root)
    except Damaged as damage:
        say(f"{damage.file}: {damage.what}; it is written anew")
    write_whole(root / MANIFEST, sealed(manifest).encode())


def _write_plan(path: Path, plan: bytes) -> None:
    try:
        if read_file(path, None) == plan:
            return
        say(f"{path}: {OTHER}; it is written anew")
    except FileNotFoundError:
        pass
    write_whole(path, plan)
