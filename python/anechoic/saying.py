"""Words for people, on standard error."""

import os
import re
import sys

from anechoic.files import readable

_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""What moves a terminal's cursor, colours it or turns its text round, but for lines and tabs."""


def plain(text: str) -> str:
    """Give a text as a terminal may show it, whoever wrote it: controls are spelled out."""
    return _CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def say(text: str) -> None:
    """Say a line; if nobody can read it any more, the work goes on in silence."""
    if sys.stderr is None:
        return  # Closed; printing would take the standard output instead.
    try:
        print(plain(readable(text)), file=sys.stderr, flush=True)
    except OSError:
        # What is still buffered would complain again, at exit too.
        silence(sys.stderr.fileno())


def silence(descriptor: int) -> None:
    """Let a descriptor lead nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)
