"""The folder of a campaign: what is finished stays, whatever happens next.

    campaign.json                  the scenario, the seed, the version, the cells
    records/<cell>/plan.json       the plan of a cell
    records/<cell>/calculated.json what closed forms say of it
    records/<cell>/0000.parquet    metrics of replication 0; it is finished when this exists
    records/<cell>/0000.TABLE.parquet    its other tables, those that have rows
    records/<cell>/0000.captures/  what its taps have captured
    metrics.parquet                every value that counts; with the results, at the end
    results.json, results.csv, connections.csv

Every file appears whole or not at all: it is written under another name, flushed to the
disk and then renamed.
"""

import json
import math
import os
import shutil
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anechoic.campaign.cells import Calculated
from anechoic.campaign.manifest import MANIFEST, read_manifest, refused
from anechoic.campaign.measured import Measured
from anechoic.files import flush_names, has_no_room, write_parquet, write_whole
from anechoic.scenario.core import Record

if TYPE_CHECKING:
    import pyarrow

CALCULATED = "calculated.json"
RESULTS = "results.json"
METRICS = ""
BESIDE = (
    "series",
    "distributions",
    "timing",
    "transfers",
    "tcp_info",
    "datagrams",
    "attempts",
)
"""The kinds of tables of a record: the one that makes it finished, and those that may be."""


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
    def prepare(cls, root: Path, manifest: dict[str, Any], plans: Sequence[str]) -> "Store":
        """Begin a campaign's folder, or go on with it."""
        store = cls(root, manifest)
        try:
            _clear_unfinished(root)
            # First: until it stands there, the folder is nobody's.
            write_whole(root / MANIFEST, _json(manifest).encode())
            for name, plan in zip(store.hashes, plans, strict=True):
                folder = cell_folder(root, name)
                folder.mkdir(parents=True, exist_ok=True)
                _clear_unfinished(folder)
                if not (folder / "plan.json").exists():
                    write_whole(folder / "plan.json", plan.encode())
            flush_names(root)
        except OSError as error:
            if has_no_room(error):
                raise
            reason = f"cannot be written: {error.strerror or error}"
            raise refused(root, reason, "a folder to write to") from None
        return store

    def is_finished(self, cell: int, replication: int) -> bool:
        """Say whether a replication was run to its end and kept."""
        return self._path(cell, replication, METRICS).exists()

    def count_finished(self) -> int:
        """Count the replications that are kept."""
        return sum(map(self.count_finished_of, dict.fromkeys(self.hashes)))

    def count_finished_of(self, name: str) -> int:
        """Count the replications that are kept of the cell of this name."""
        return len(list(cell_folder(self.root, name).glob("[0-9][0-9][0-9][0-9].parquet")))

    def plan(self, cell: int) -> str:
        """Give the plan of a cell as JSON."""
        return (self._folder(cell) / "plan.json").read_text(encoding="utf-8")

    def calculated(self, cell: int) -> Calculated:
        """Give what closed forms say of a cell; nothing if that was not asked."""
        path = self._folder(cell) / CALCULATED
        if not path.is_file():
            return Calculated()
        found = json.loads(path.read_text(encoding="utf-8"))
        return Calculated(found["metrics"], tuple(found["by"]))

    def keep_calculated(self, cell: int, calculated: Calculated) -> None:
        """Keep what closed forms say of a cell."""
        write_whole(self._folder(cell) / CALCULATED, _json(asdict(calculated)).encode())

    def metrics(self, cell: int, replication: int) -> Measured | None:
        """Give the metrics of a replication; None if it is not finished or not readable."""
        return _metrics(self._path(cell, replication, METRICS))

    def read_table(self, cell: int, replication: int, kind: str) -> "pyarrow.Table":
        """Give another table of a replication, such as its time series."""
        path = self._path(cell, replication, kind)
        if not path.exists():
            raise LookupError(f"there is no {kind} of replication {replication} in {self.root}")
        return _table(path)

    def write(self, cell: int, replication: int, record: Record) -> Measured:
        """Keep a record; the metrics come last and make it finished."""
        # Loads pyarrow, which a command that runs nothing shall not wait for.
        from anechoic.campaign.record_tables import metrics_table, tables_beside

        for kind, table in tables_beside(record).items():
            write_parquet(self._path(cell, replication, kind), table, is_small=True)
        given = record.metrics()
        # A ratio over nothing is a number that no mean and no JSON document can hold.
        numbers = (value if math.isfinite(value) else math.nan for value in given.values())
        metrics = Measured(given, numbers)
        table = metrics_table(metrics)
        write_parquet(self._path(cell, replication, METRICS), table, is_small=True)
        flush_names(self._folder(cell))
        return metrics

    def take(self, cell: int, replication: int, lender: Path) -> Measured | None:
        """Keep a record that another campaign has of the same cell, in the folder given.

        None if it is not there, or not whole. The files are linked, so they take no room twice.
        """
        theirs = {kind: _record_file(lender, replication, kind) for kind in (*BESIDE, METRICS)}
        there = {kind: path for kind, path in theirs.items() if path.exists()}
        if METRICS not in there or not all(map(_is_whole, there.values())):
            return None
        if (metrics := _metrics(there[METRICS])) is None:
            return None
        try:
            for kind, path in there.items():
                _link(path, self._path(cell, replication, kind))
        except FileNotFoundError:
            return None  # the other campaign, which is being run, turned out not to need it
        flush_names(self._folder(cell))
        return metrics

    def capture_folder(self, cell: int, replication: int) -> Path:
        """Make the folder that a run's captures are written to."""
        folder = self._captures(cell, replication)
        unfinished = folder.with_name(f".{folder.name}.tmp")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir()
        return unfinished

    def keep_captures(self, cell: int, replication: int) -> None:
        """Give a run's captures their final name."""
        folder = self._captures(cell, replication)
        shutil.rmtree(folder, ignore_errors=True)
        folder.with_name(f".{folder.name}.tmp").rename(folder)

    def captures(self, cell: int, replication: int) -> dict[str, Path]:
        """Give the capture files of a replication by their taps."""
        found = self._captures(cell, replication).glob("*.pcapng")
        return {path.stem: path for path in sorted(found)}

    def discard(self, cell: int, replication: int) -> None:
        """Remove a replication that the stopping rule turned out not to need."""
        for kind in (METRICS, *BESIDE):
            self._path(cell, replication, kind).unlink(missing_ok=True)
        shutil.rmtree(self._captures(cell, replication), ignore_errors=True)

    def _folder(self, cell: int) -> Path:
        return cell_folder(self.root, self.hashes[cell])

    def _path(self, cell: int, replication: int, kind: str) -> Path:
        return _record_file(self._folder(cell), replication, kind)

    def _captures(self, cell: int, replication: int) -> Path:
        return self._folder(cell) / f"{replication:04d}.captures"


def cell_folder(root: Path, name: str) -> Path:
    """Give the folder of a cell's records."""
    return root / "records" / name


def _record_file(folder: Path, replication: int, kind: str) -> Path:
    return folder / f"{replication:04d}{kind and '.'}{kind}.parquet"


def _metrics(path: Path) -> Measured | None:
    import pyarrow

    try:
        table = _table(path)
    except (OSError, pyarrow.ArrowException):
        return None
    return Measured(table.column("metric").to_pylist(), table.column("value").to_numpy())


def _table(path: Path) -> "pyarrow.Table":
    import pyarrow.parquet

    # `read_table` loads the machinery of partitioned data sets, and pandas with it.
    # A path that is no UTF-8 it would not open.
    with path.open("rb") as data, pyarrow.parquet.ParquetFile(data) as file:
        return file.read()


def _is_whole(path: Path) -> bool:
    import pyarrow.parquet

    try:
        with path.open("rb") as data, pyarrow.parquet.ParquetFile(data):
            return True
    except (OSError, pyarrow.ArrowException):
        return False


def _link(theirs: Path, ours: Path) -> None:
    ours.unlink(missing_ok=True)
    try:
        os.link(theirs, ours)
    except FileNotFoundError:
        raise
    except OSError:
        # Another file system, or one without links.
        write_whole(ours, theirs.read_bytes())


def _clear_unfinished(folder: Path) -> None:
    # What a killed run left behind under a preliminary name.
    for path in sorted(folder.glob(".*.tmp")):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def _json(document: Any) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
