"""Words for people, on standard error."""

import os
import sys

from anechoic.files import readable


def say(text: str) -> None:
    """Say a line; if nobody can read it any more, the work goes on in silence."""
    if sys.stderr is None:
        return  # Closed; printing would take the standard output instead.
    try:
        print(readable(text), file=sys.stderr, flush=True)
    except OSError:
        # What is still buffered would complain again, at exit too.
        silence(sys.stderr.fileno())


def silence(descriptor: int) -> None:
    """Let a descriptor lead nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)
