"""Captures that come by a pipe: what Ctrl-C means while another program writes them."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from stat import S_ISFIFO
from threading import Thread
from types import FrameType
from typing import TypeVar

from anechoic.exits import INTERRUPTED
from anechoic.saying import say

Given = TypeVar("Given")


def is_read_once(file: str) -> bool:
    """Whether a capture comes by the standard input or a pipe: another may bear its name."""
    try:
        return file == "-" or Path(file).is_fifo()
    except PermissionError:
        return False  # Reading it says so.


def read_to_the_end(file: str, reading: Callable[[], Given]) -> Given:
    """Let the core read a capture; if another program is still writing it, until that ends."""
    if not _is_pipe(file):
        return reading()
    with left_to_the_writer(file):
        return _beside(reading)


@contextmanager
def left_to_the_writer(file: str) -> Iterator[None]:
    """Leave the first Ctrl-C to the program that writes into the pipe; the next stops this one.

    A terminal sends it to both of them, and what tcpdump then ends is a capture like any other.
    """
    usual = signal.getsignal(signal.SIGINT)
    # In the background, for instance, a shell lets it be ignored.
    if usual is not signal.default_int_handler or not _is_pipe(file):
        yield
        return
    signal.signal(signal.SIGINT, _left)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)


def _left(_number: int, _frame: FrameType | None) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    say("\nreading to the end of the pipe (Ctrl-C again to stop)")


def _is_pipe(file: str) -> bool:
    try:
        return S_ISFIFO(os.fstat(0).st_mode) if file == "-" else is_read_once(file)
    except OSError:
        return False  # Reading it says so.


def _beside(reading: Callable[[], Given]) -> Given:
    """Read in another thread: this one would hear of no signal before the core returns."""
    from concurrent.futures import Future

    future: Future[Given] = Future()

    def fulfil() -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            future.set_result(reading())
        except BaseException as error:
            future.set_exception(error)

    Thread(target=fulfil, daemon=True).start()
    try:
        return future.result()
    except KeyboardInterrupt:
        # A normal exit would meet the thread that still reads.
        say("\nstopped")
        os._exit(INTERRUPTED)
