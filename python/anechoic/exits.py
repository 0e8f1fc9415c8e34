"""How the program ends: its messages and exit statuses."""

import os
import sys
from collections.abc import Callable

import click

BAD_INPUT = 2
INTERRUPTED = 130


def guarded(command: Callable[[], None]) -> None:
    """Turn bad input into a message and status 2, Ctrl-C into status 130."""
    from anechoic.scenario.errors import ScenarioError

    try:
        command()
    except ScenarioError as error:
        for problem in error.problems:
            click.echo(f"anechoic: {problem.message(error.source)}", err=True)
        sys.exit(BAD_INPUT)
    except BrokenPipeError:
        # The reader has gone; closing stdout again at exit would complain once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except KeyboardInterrupt as interrupt:
        _interrupted(interrupt)


def _interrupted(interrupt: KeyboardInterrupt) -> None:
    from anechoic.campaign.runner import CampaignInterrupted

    if isinstance(interrupt, CampaignInterrupted):
        click.echo(f"\nstopped: {interrupt}\nthe same command goes on from there", err=True)
        if interrupt.is_hurried:
            # A normal exit would wait for the threads that still run the core.
            sys.stderr.flush()
            os._exit(INTERRUPTED)
    else:
        click.echo("\nstopped", err=True)
    sys.exit(INTERRUPTED)
