"""How the program ends: its messages and exit statuses."""

import os
import signal
import sys
from collections.abc import Callable

from anechoic.saying import say, silence

BAD_INPUT = 2
# As a shell says it of a program that a signal ended.
INTERRUPTED = 128 + signal.SIGINT


def guarded(command: Callable[[], None]) -> None:
    """Turn bad input into a message and status 2, a request to stop into status 130 or 143."""
    from anechoic.scenario.errors import ScenarioError

    try:
        command()
    except ScenarioError as error:
        for problem in error.problems:
            say(f"anechoic: {problem.message(error.source)}")
        sys.exit(BAD_INPUT)
    except BrokenPipeError:
        # The reader has gone; closing stdout again at exit would complain once more.
        silence(sys.stdout.fileno())
        sys.exit(1)
    except KeyboardInterrupt as interrupt:
        _interrupted(interrupt)


def _interrupted(interrupt: KeyboardInterrupt) -> None:
    from anechoic.campaign.runner import CampaignInterrupted

    if not isinstance(interrupt, CampaignInterrupted):
        say("\nstopped")
        sys.exit(INTERRUPTED)
    say(f"\nstopped: {interrupt}\nthe same command goes on from there")
    if interrupt.is_hurried:
        # A normal exit would wait for the threads that still run the core.
        os._exit(128 + interrupt.signal)
    sys.exit(128 + interrupt.signal)
