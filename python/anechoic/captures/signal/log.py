"""Logs of signal levels, and of frames that a card gave up, as files."""

import re
from pathlib import Path

from anechoic.files import closed_folder, read_file
from anechoic.scenario.errors import Problem, ScenarioError
from anechoic.scenario.signal_log import FORMS, Reading, WrongLine, readings_in, time_of


def read_signal_log(path: str | Path) -> list[Reading]:
    """Read a log of signal levels, in the order of time."""
    name = str(path)
    try:
        text = read_file(Path(path)).decode("utf-8", "replace")
    except OSError as error:
        reason = closed_folder(Path(path)) or f"cannot be read: {error.strerror or error}"
        raise ScenarioError(name, [Problem("", reason, FORMS)]) from None
    try:
        found = [reading for _, reading in readings_in(text.splitlines())]
    except WrongLine as wrong:
        raise ScenarioError(
            name, [Problem(f"line {wrong.line}", wrong.what, wrong.allowed)]
        ) from None
    if not found:
        raise ScenarioError(name, [Problem("", "there is no signal level with a time", FORMS)])
    return sorted(found, key=lambda reading: reading.time_s)


_DROPPED = re.compile(r"^\s*(\d\d:\d\d:\d\d\.\d+)\s+\S+\s+Tx packet dropped:")


def read_drops(path: str | Path) -> list[float]:
    """Read when a card gave frames up, in seconds since 1970, from what `iwevent` has written."""
    lines = read_file(Path(path)).decode("utf-8", "replace").splitlines()
    found = (_DROPPED.match(line) for line in lines)
    return [at for each in found if each and (at := time_of(each[1])) is not None]
