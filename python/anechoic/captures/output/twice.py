"""Captures that are read more than once."""

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO

from anechoic.captures.analysis import read
from anechoic.captures.output.pipe import is_read_once, left_to_the_writer


@contextmanager
def readable_twice(file: str) -> Iterator[str]:
    """Give a path that can be read again: a copy of what comes by the standard input or a pipe."""
    if not is_read_once(file):
        yield file
        return
    with NamedTemporaryFile(prefix="anechoic-", suffix=".capture") as copy:
        try:
            with left_to_the_writer(file):
                _copy(file, copy)
        except OSError as error:
            raise OSError(error.errno, error.strerror, error.filename or copy.name) from None
        yield copy.name


def _copy(file: str, copy: IO[bytes]) -> None:
    if file == "-":
        # A closed one holds nothing, to the core as well.
        if sys.stdin is not None:
            shutil.copyfileobj(sys.stdin.buffer, copy)
    else:
        with read(file, lambda: Path(file).open("rb")) as pipe:
            shutil.copyfileobj(pipe, copy)
    copy.flush()
