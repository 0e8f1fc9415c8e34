"""One run at a time writes to a campaign's folder.

The lock is the kernel's and ends with the process that holds it, however that ends; the file
only says who it is.
"""

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from anechoic.files import has_no_room
from anechoic.scenario.errors import Problem, ScenarioError

LOCK = "lock"


@contextmanager
def locked(root: Path) -> Iterator[None]:
    """Hold a folder, made if need be; raise ScenarioError if another run does."""
    try:
        root.mkdir(parents=True, exist_ok=True)
        descriptor = _taken(root)
    except OSError as error:
        if has_no_room(error):
            raise
        if error.errno == errno.ELOOP and (root / LOCK).is_symlink():
            what = f"its {LOCK} is a symbolic link, which is not followed"
            raise _refused(root, what, "a folder whose lock this program made") from None
        reason = f"cannot be written: {error.strerror or error}"
        raise _refused(root, reason, "a folder to write to") from None
    try:
        yield
    finally:
        # While it is held: nobody else's file can stand here.
        (root / LOCK).unlink(missing_ok=True)
        os.close(descriptor)


def _taken(root: Path) -> int:
    while True:
        descriptor = os.open(root / LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_named(descriptor, root / LOCK):
                os.ftruncate(descriptor, 0)
                os.write(descriptor, f"{os.getpid()}\n".encode())
                return descriptor
        except BlockingIOError:
            holder = os.pread(descriptor, 20, 0).decode("ascii", "replace").strip()
            os.close(descriptor)
            what = f"another run (pid {holder or 'unknown'}) is writing to this folder"
            raise _refused(root, what, "another --out, or the same when that has ended") from None
        except BaseException:
            os.close(descriptor)
            raise
        # The holder removed the file between our opening and our locking it.
        os.close(descriptor)


def _is_named(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.lstat())
    except FileNotFoundError:
        return False


def _refused(root: Path, what: str, allowed: str) -> ScenarioError:
    return ScenarioError(str(root), [Problem("", what, allowed)])
