"""Files that appear whole or not at all, and that are read for what they are: no link, no pipe."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

MOST_BYTES = 64 << 20
"""Of a file that people write: more is no such file, and would fill the memory."""

_KINDS = (
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISSOCK, "a socket"),
)


class NoFile(OSError):
    """What bears the name of a file and is a pipe, a device or a socket, or too large."""


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


def read_file(path: Path, most: int | None = MOST_BYTES) -> bytes:
    """Read a regular file of at most so many bytes; raise NoFile, an OSError, for anything else."""
    with os.fdopen(open_regular(path), "rb") as file:
        size = os.fstat(file.fileno()).st_size
        # What the kernel makes as it is read says that it has none: one byte more than allowed.
        data = (
            b"" if most is not None and size > most else file.read(-1 if most is None else most + 1)
        )
        if most is not None and max(size, len(data)) > most:
            what = f"it is too large: over {most >> 20} MiB"
            raise NoFile(errno.EFBIG, what, str(path))
        return data


def open_regular(path: Path, flags: int = 0) -> int:
    """Open a regular file to read, and give its descriptor; raise NoFile for anything else."""
    # A pipe that nobody writes to would not even open.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | flags)
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return descriptor
    os.close(descriptor)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    kind = next((name for is_one, name in _KINDS if is_one(mode)), "no file")
    raise NoFile(errno.EINVAL, f"it is {kind}, not a file", str(path))


def write_whole(path: Path, data: Any) -> None:
    """Write a file that appears whole or not at all."""
    with appearing_whole(path) as file:
        file.write(data)


@contextmanager
def appearing_whole(path: Path) -> Iterator[BinaryIO]:
    """Write under another name, flush it to the disk, then rename it; no link is followed."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with os.fdopen(_new(unfinished), "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    except OSError as error:
        unfinished.unlink(missing_ok=True)
        reason = f"{path.name} is a folder" if path.is_dir() else error.strerror
        # A full disk does not say whose bytes it had no room for.
        raise OSError(error.errno, reason, str(path)) from None
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def own_folder(path: Path) -> Path:
    """Make a folder if need be; raise OSError for a link in its place."""
    path.mkdir(exist_ok=True)
    if path.is_symlink():
        raise OSError(errno.ELOOP, "a symbolic link, which is not followed", str(path))
    return path


def flush_names(folder: Path) -> None:
    """Flush to the disk what the files of a folder are called."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def clear_unfinished(folder: Path) -> None:
    """Remove what a killed process left under the preliminary names of `write_whole`.

    What another process is writing just now stays.
    """
    for path in folder.glob(".*.*.tmp"):
        process = path.name.split(".")[-2]
        if process.isdecimal() and not _is_running(int(process)):
            path.unlink(missing_ok=True)


def _new(path: Path) -> int:
    # Neither what a killed process of our number left there, nor a link that somebody planted.
    path.unlink(missing_ok=True)
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return process != os.getpid()
