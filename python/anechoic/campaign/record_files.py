"""The files of one replication, and the list of their checksums, which makes it finished.

0000.parquet           its metrics, with whose they are
0000.TABLE.parquet     its other tables, those that have rows
0000.captures/         what its taps have captured
0000.sha256            the checksums of all of these; written last, removed first
"""

import os
import shutil
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from anechoic.campaign import checksums
from anechoic.campaign.checksums import ENDING, Damaged
from anechoic.campaign.measured import Measured
from anechoic.files import flush_names, open_regular, write_whole
from anechoic.tables.parquet import parquet, read_parquet
from anechoic.tables.table import Table

METRICS = ""
Owner = Mapping[str, str]
"""What a record follows from: the cell's plan, the seed and the build, by their names."""


@dataclass(frozen=True, slots=True)
class RecordFiles:
    """The files of a replication in the folder of its cell."""

    folder: Path
    replication: int

    def path(self, kind: str) -> Path:
        """Give the file of a table."""
        return self.folder / f"{self.replication:04d}{kind and '.'}{kind}.parquet"

    @property
    def captures(self) -> Path:
        """Give the folder of what taps have captured."""
        return self.folder / f"{self.replication:04d}.captures"

    @property
    def sums(self) -> Path:
        """Give the list of checksums."""
        return self.folder / f"{self.replication:04d}{ENDING}"

    def write(self, metrics: Table, beside: Mapping[str, Table]) -> None:
        """Keep tables, beside captures that are there already; the list comes last."""
        self.sums.unlink(missing_ok=True)
        sums = {}
        for kind, table in {**beside, METRICS: metrics}.items():
            data = parquet(table, is_small=True)
            write_whole(self.path(kind), data)
            sums[self.path(kind).name] = checksums.of_bytes(data)
        for capture in sorted(self.captures.glob("*")):
            sums[str(capture.relative_to(self.folder))] = checksums.of_file(capture)
        self._finish(sums)

    def read(self, owner: Owner) -> Measured:
        """Give the metrics; raise Damaged if they are not whole, or another record's."""
        path = self.path(METRICS)
        table = self._table(path, _read(path))
        if table.about != owner:
            raise Damaged(path, "it is of another cell, seed or build")
        return Measured(table["metric"].tolist(), table["value"])

    def read_table(self, kind: str) -> Table | None:
        """Give another table; None if the replication has none of this kind."""
        path = self.path(kind)
        if not self.sums.exists() or path.name not in checksums.read_list(self.sums):
            return None
        return self._table(path, _read(path))

    def check(self) -> None:
        """Raise Damaged unless all files are there and whole."""
        for name, wanted in checksums.read_list(self.sums).items():
            checksums.check(self.folder / name, wanted)

    def check_capture(self, capture: Path) -> None:
        """Raise Damaged unless a capture is whole."""
        name = str(capture.relative_to(self.folder))
        checksums.check(capture, checksums.read_list(self.sums).get(name))

    def take(self, theirs: "RecordFiles", owner: Owner) -> Measured | None:
        """Keep the record that another campaign has, and give its metrics.

        None if it is not there, not whole, or not this record, or if anybody else could have
        written it. The files are linked, so they take no room twice.
        """
        try:
            if not all(map(belongs_to_us, (theirs.folder, theirs.folder.parent))):
                return None
            sums = checksums.read_list(theirs.sums)
            metrics = theirs.read(owner)
            self.sums.unlink(missing_ok=True)
            for name, wanted in sums.items():
                # Captures are each campaign's own.
                if Path(name).name == name and not _link(
                    theirs.folder / name, self.folder / name, wanted
                ):
                    return None
        except (Damaged, FileNotFoundError):
            return None  # Or the other campaign, which is being run, did not need it.
        self._finish({name: each for name, each in sums.items() if Path(name).name == name})
        return metrics

    def remove(self) -> None:
        """Remove the replication."""
        self.sums.unlink(missing_ok=True)
        for path in self.folder.glob(f"{self.replication:04d}.*parquet"):
            path.unlink(missing_ok=True)
        shutil.rmtree(self.captures, ignore_errors=True)

    def _finish(self, sums: Mapping[str, str]) -> None:
        checksums.write_list(self.sums, sums)
        flush_names(self.folder)

    def _table(self, path: Path, data: bytes) -> Table:
        if checksums.of_bytes(data) != checksums.read_list(self.sums).get(path.name):
            raise Damaged(path, checksums.OTHER)
        return read_parquet(data)


def clear_unfinished(folder: Path) -> None:
    """Remove the files of replications that a killed run did not finish, or was removing."""
    for path in sorted(folder.iterdir()):
        number = path.name.partition(".")[0]
        if path.name.startswith("."):
            is_left = path.name.endswith(".tmp")
        else:
            is_left = number.isdecimal() and not (folder / f"{number}{ENDING}").exists()
        if is_left and path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        elif is_left:
            path.unlink(missing_ok=True)


def _read(path: Path) -> bytes:
    try:
        with os.fdopen(open_regular(path, os.O_NOFOLLOW), "rb") as file:
            return file.read()
    except FileNotFoundError:
        raise Damaged(path, "there is no such file any more") from None
    except OSError as error:
        raise Damaged(path, f"it cannot be read: {error.strerror or error}") from None


def belongs_to_us(folder: Path) -> bool:
    """Say whether a folder is no link, and nobody else can have put a file into it."""
    found = folder.lstat()
    return stat.S_ISDIR(found.st_mode) and _is_ours(found)


def _is_ours(found: os.stat_result) -> bool:
    return found.st_uid == os.geteuid() and not found.st_mode & stat.S_IWOTH


def _link(theirs: Path, ours: Path, wanted: str) -> bool:
    """Give a file a second name here if it is ours and has this checksum; say whether it did."""
    with os.fdopen(open_regular(theirs, os.O_NOFOLLOW), "rb") as file:
        found, data = os.fstat(file.fileno()), file.read()
        if not _is_ours(found) or checksums.of_bytes(data) != wanted:
            return False
    ours.unlink(missing_ok=True)
    try:
        os.link(theirs, ours, follow_symlinks=False)
        if os.path.samestat(ours.lstat(), found):
            return True
        ours.unlink()  # It was another's by then.
    except FileNotFoundError:
        raise
    except OSError:
        pass  # Another file system, or one without links.
    write_whole(ours, data)
    return True
