"""Files of levels over time, by which a link fades: a card's log, or losses.

What a card logs is read as `anechoic.scenario.signal_log` has it. Losses are comma-separated, as of
an attenuator's program: `time,loss_db`, the decibels above the link's own loss.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

from anechoic.files import read_file
from anechoic.scenario.errors import Problem
from anechoic.scenario.quantities import dbm, nanoseconds
from anechoic.scenario.signal_log import FORMS, WrongLine, columns_of, readings_in, rows_of

LEVELS_ALLOWED = f"{FORMS} or of time,loss_db; the earliest first"

GAP_OF_MEDIANS = 10
"""How many median times between readings may pass without one, where no longest_gap is stated."""

LOWEST_DBM, HIGHEST_DBM = -120.0, 30.0
"""Beyond these a number is no level in dBm. [inferred: 20 MHz have -101 dBm of thermal noise, and
30 dBm is the most that 47 CFR 15.247 lets a transmitter have]"""

HIGHEST_LOSS_DB = 200.0


@dataclass(frozen=True, slots=True)
class LevelFile:
    """Readings with the numbers of their lines; times in nanoseconds from the first one on."""

    lines: list[int]
    times: list[int]
    values: list[float]
    are_losses: bool

    @property
    def usual_gap(self) -> float:
        """Give the median time between two readings."""
        return median(later - earlier for earlier, later in pairwise(self.times))


def levels_in(file: Path) -> LevelFile:
    """Read a file of levels; ValueError with the reason."""
    try:
        lines = read_file(file).decode("utf-8-sig", errors="replace").splitlines()
    except OSError as error:
        raise ValueError(f"cannot be read: {error.strerror or error}") from None
    columns = columns_of(lines)
    if "time" in columns and not {"signal_dbm", "loss_db"} & set(columns):
        raise ValueError(f"line 1: {', '.join(columns)}: neither signal_dbm nor loss_db")
    are_losses = {"time", "loss_db"} <= set(columns)
    found = list(_losses(lines) if are_losses else _levels(lines))
    if len(found) < 2:
        raise ValueError(f"there are {len(found)} readings, of which no change follows")
    for (_, earlier, _), (line, later, _) in pairwise(found):
        if later <= earlier:
            raise ValueError(f"line {line}: its time is not after that of the reading before")
    numbers, seconds, values = map(list, zip(*found, strict=True))
    times = [round((each - seconds[0]) * 1e9) for each in seconds]
    return LevelFile(numbers, times, values, are_losses)


def _losses(lines: list[str]) -> Iterator[tuple[int, float, float]]:
    for line, time_s, loss, _ in rows_of(lines, "loss_db"):
        if abs(loss) > HIGHEST_LOSS_DB:
            raise WrongLine(line, f"{loss:g} dB is no change of a loss", "at most 200 dB")
        yield line, time_s, loss


def _levels(lines: list[str]) -> Iterator[tuple[int, float, float]]:
    first = None
    for line, reading in readings_in(lines):
        level = reading.signal_dbm
        if not LOWEST_DBM <= level <= HIGHEST_DBM:
            what = f"{level:g} dBm is no level that a radio receives"
            raise WrongLine(line, what, f"{LOWEST_DBM:g} to {HIGHEST_DBM:g} dBm")
        if first is not None and reading.station != first:
            what = f"a reading of {reading.station}, and above are those of {first}"
            raise WrongLine(line, what, "readings of one station")
        first = reading.station
        yield line, reading.time_s, level


def level_readings(
    path: str, named: str, found: LevelFile, part: Any, run: str, problems: list[Problem]
) -> list[list[float]]:
    """Give times and decibels above the link's own level, of a file that fits a run this long."""
    problems += _wrong_reference(f"{path}.reference", named, found, part)
    problems += _gaps(f"{path}.file", named, found, part, run)
    if found.are_losses:
        changes = [0.0 - loss for loss in found.values]
    else:
        reference = 0.0 if part.reference is None else dbm(part.reference)
        changes = [level - reference for level in found.values]
    return [[time, change] for time, change in zip(found.times, changes, strict=True)]


def _wrong_reference(path: str, named: str, found: LevelFile, part: Any) -> Iterator[Problem]:
    if found.are_losses and part.reference is not None:
        what = f"{named} tells losses, which stand for themselves"
        yield Problem(path, what, "none, or a file of levels in dBm")
    elif not found.are_losses and part.reference is None:
        what = f"missing, and {named} tells levels in dBm"
        allowed = "the level that stands for the link's own loss, such as -60 dBm"
        yield Problem(path, what, allowed)


def _gaps(path: str, named: str, found: LevelFile, part: Any, run: str) -> Iterator[Problem]:
    """Refuse a file that tells nothing for too long, up to the end of the run."""
    if part.longest_gap is None:
        longest = GAP_OF_MEDIANS * found.usual_gap
        rule = f"{GAP_OF_MEDIANS} times their median, or a longest_gap"
    else:
        longest = nanoseconds(part.longest_gap)
        rule = "longest_gap"
    allowed = f"at most {_seconds(longest)} between readings, {rule}"
    places = zip(pairwise(found.times), pairwise(found.lines), strict=True)
    for (earlier, later), (before, behind) in places:
        if later - earlier > longest:
            what = f"{named}: lines {before} and {behind} lie {_seconds(later - earlier)} apart"
            yield Problem(path, what, allowed)
            return
    last, end = found.times[-1], nanoseconds(run)
    if end - last > longest:
        what = f"{named}: its last reading is at {_seconds(last)}, and the run lasts {run}"
        yield Problem(path, what, allowed)


def _seconds(nanos: float) -> str:
    return f"{nanos / 1e9:g} s"
