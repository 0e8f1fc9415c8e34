"""Captures that are read more than once."""

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile


@contextmanager
def readable_twice(file: str) -> Iterator[str]:
    """Give a path that can be read again: a copy of what comes by the standard input or a pipe."""
    if file != "-" and not Path(file).is_fifo():
        yield file
        return
    with NamedTemporaryFile(prefix="anechoic-", suffix=".capture") as copy:
        if file == "-":
            shutil.copyfileobj(sys.stdin.buffer, copy)
        else:
            with Path(file).open("rb") as pipe:
                shutil.copyfileobj(pipe, copy)
        copy.flush()
        yield copy.name
