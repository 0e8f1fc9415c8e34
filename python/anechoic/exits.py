"""How the program ends: its messages and exit statuses."""

import io
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

from anechoic.saying import say, silence

FAILED = 1
BAD_INPUT = 2
# As a shell says it of a program that a signal ended.
INTERRUPTED = 128 + signal.SIGINT


class Stopped(KeyboardInterrupt):
    """A signal that asks for the end of the program."""

    def __init__(self, number: int) -> None:
        """Keep which one."""
        super().__init__()
        self.signal = number


@contextmanager
def raised(*signals: signal.Signals) -> Iterator[None]:
    """Raise what would end the program at once, so that what it has changed is put back before."""

    def stop(number: int, _frame: FrameType | None) -> None:
        raise Stopped(number)

    previous = {}
    if threading.current_thread() is threading.main_thread():
        for each in signals:
            # One that is ignored, as nohup's, stays so; None could not be put back.
            if signal.getsignal(each) not in (signal.SIG_IGN, None):
                previous[each] = signal.signal(each, stop)
    try:
        yield
    finally:
        for each, handler in previous.items():
            signal.signal(each, handler)


def guarded(command: Callable[[], None]) -> None:
    """Turn bad input into a message and status 2, a request to stop into status 129, 130 or 143.

    What the system refuses beside that, as a full disk does, gives a message and status 1.
    """
    from anechoic.scenario.errors import ScenarioError

    _check_output()
    try:
        command()
    except ScenarioError as error:
        for problem in error.problems:
            say(f"anechoic: {problem.message(error.source)}")
        sys.exit(BAD_INPUT)
    except BrokenPipeError:
        # The reader has gone; closing stdout again at exit would complain once more.
        silence(sys.stdout.fileno())
        sys.exit(FAILED)
    except OSError as error:
        _failed(error)
    except KeyboardInterrupt as interrupt:
        _interrupted(interrupt)


def _check_output() -> None:
    """Begin nothing that could not be shown: into a closed output all goes without an error."""
    if sys.stdout is None:
        say("anechoic: standard output: cannot be written: it is closed")
        sys.exit(FAILED)
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Names of files are bytes, and go out as they came in.
        sys.stdout.reconfigure(errors="surrogateescape")


def _failed(error: OSError) -> NoReturn:
    """Say what the system refused; who writes to a file names it, so no name is standard output."""
    if error.filename is None:
        # What is still buffered would complain again at exit.
        silence(sys.stdout.fileno())
        say(f"anechoic: standard output: cannot be written: {error.strerror or error}")
    else:
        say(f"anechoic: {error.filename}: {error.strerror}")
    sys.exit(FAILED)


def _interrupted(interrupt: KeyboardInterrupt) -> None:
    from anechoic.campaign.runner import CampaignInterrupted

    if not isinstance(interrupt, CampaignInterrupted):
        say("\nstopped")
        sys.exit(128 + interrupt.signal if isinstance(interrupt, Stopped) else INTERRUPTED)
    say(f"\nstopped: {interrupt}\nthe same command goes on from there")
    if interrupt.is_hurried:
        # A normal exit would wait for the threads that still run the core.
        os._exit(128 + interrupt.signal)
    sys.exit(128 + interrupt.signal)
