"""Files that appear whole or not at all."""

import errno
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow


def readable(name: str) -> str:
    """Give a name that may be written: what is no UTF-8 in it has a mark in its place."""
    return name.encode(errors="surrogateescape").decode(errors="replace")


def closed_folder(path: Path) -> str | None:
    """Say which folder on the way to a file may not be entered, if that is why it is not read."""
    # From the outermost on: what is within a closed one cannot be asked for.
    for folder in reversed(path.absolute().parents):
        if not folder.is_dir():
            break
        if not os.access(folder, os.X_OK):
            return f"the folder {folder} may not be entered"
    return None


def has_no_room(error: OSError) -> bool:
    """Say whether the system has no room for what was to be written, or gives us none of it."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def write_whole(path: Path, data: Any) -> None:
    """Write under another name, flush it to the disk, then rename it."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with unfinished.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    except OSError as error:
        unfinished.unlink(missing_ok=True)
        # A full disk does not say whose bytes it had no room for.
        raise OSError(error.errno, error.strerror, str(path)) from None


def write_parquet(path: Path, table: "pyarrow.Table", *, is_small: bool = False) -> None:
    """Write a table as Parquet; a small one, of which there are many, in the least time."""
    import pyarrow
    import pyarrow.parquet

    # What zstd sets up for each column takes longer than a small one takes to be written.
    how = {"compression": "lz4", "write_statistics": False} if is_small else {"compression": "zstd"}
    # Measured values seldom repeat: looking for those that do takes as long as writing them.
    few = [each.name for each in table.schema if not pyarrow.types.is_floating(each.type)]
    buffer = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(table, buffer, use_dictionary=few, **how)
    write_whole(path, buffer.getvalue())


def flush_names(folder: Path) -> None:
    """Flush to the disk what the files of a folder are called."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
