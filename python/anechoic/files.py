"""Files that appear whole or not at all."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow


def write_whole(path: Path, data: Any) -> None:
    """Write under another name, flush it to the disk, then rename it."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with unfinished.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)


def write_parquet(path: Path, table: "pyarrow.Table") -> None:
    """Write a table as Parquet."""
    import pyarrow
    import pyarrow.parquet

    buffer = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(table, buffer, compression="zstd")
    write_whole(path, buffer.getvalue())


def flush_names(folder: Path) -> None:
    """Flush to the disk what the files of a folder are called."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
