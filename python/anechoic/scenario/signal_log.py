"""Logs of signal levels, as `iw`, wireless-tools and /proc/net/wireless tell them.

They are polled with times, or written by `iwevent` as they come.

A reading is dated by the time that stands before it, on a line of its own (`date +%s.%N`,
`date --iso-8601=ns`) or in front of each line (`ts %.s`). The time of day that `iwevent` writes
counts from 1970-01-01. Our own form is comma-separated:
`time,signal_dbm` and, if known, `noise_dbm` and `station`, the station's address.
"""

import csv
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

FORMS = (
    "iw dev … link, iw dev … station dump, iwconfig or /proc/net/wireless polled with times, "
    "iwevent's lines, or CSV of time,signal_dbm[,noise_dbm][,station]"
)


@dataclass(frozen=True, slots=True)
class Reading:
    """A signal level at a time, in seconds since 1970 by the log's clock."""

    time_s: float
    signal_dbm: float
    noise_dbm: float | None = None
    station: str | None = None


@dataclass(eq=False)
class WrongLine(ValueError):
    """A line of a log that cannot be what it is meant to be."""

    line: int
    what: str
    allowed: str

    def __str__(self) -> str:
        """Say where and what."""
        return f"line {self.line}: {self.what}"


def readings_in(lines: Sequence[str]) -> Iterator[tuple[int, Reading]]:
    """Find the levels of a log, each with the number of its line, in the order of the lines."""
    names = columns_of(lines)
    if not {"time", "signal_dbm"} <= set(names):
        yield from _polled_readings(lines)
        return
    for number, time_s, signal, row in rows_of(lines, "signal_dbm"):
        noise = _level(row.get("noise_dbm") or "")
        yield number, Reading(time_s, signal, noise, row.get("station") or None)


def columns_of(lines: Iterable[str]) -> list[str]:
    """Give the words of the first line between its commas."""
    first = next((line for line in lines if line.strip()), "")
    return [field.strip() for field in first.split(",")]


def rows_of(
    lines: Iterable[str], column: str
) -> Iterator[tuple[int, float, float, dict[str, str | None]]]:
    """Read our own form: of each row its line, its time, the number in a column, and all of it."""
    filled = [(number, line) for number, line in enumerate(lines, start=1) if line.strip()]
    rows = csv.DictReader(line for _, line in filled)
    rows.fieldnames = [name.strip() for name in rows.fieldnames or ()]
    for (number, _), row in zip(filled[1:], rows, strict=False):
        time_s, value = time_of(row["time"] or ""), _level(row[column] or "")
        if time_s is None or value is None:
            unit = column.rpartition("_")[2]
            what = f"{row['time']}, {row[column]} is not a time and a level"
            allowed = f"seconds since 1970 or ISO 8601, and {_UNITS[unit]}"
            raise WrongLine(number, what, allowed)
        yield number, time_s, value, row


_UNITS = {"dbm": "dBm", "db": "dB"}

# iw: "signal: -55 dBm", "signal: -55 [-57, -60] dBm"; iwconfig: "Signal level=-55 dBm", and with a
# colon in its older versions. /proc/net/wireless: status, then quality, level and noise.
_IW = re.compile(r"^\s*signal:\s*(-?\d+(?:\.\d+)?)\b.*dBm")
_IWCONFIG = re.compile(r"Signal level[=:]\s*(-?\d+) dBm(?:\s+Noise level[=:]\s*(-?\d+) dBm)?")
_PROC = re.compile(r"^\s*\w[\w.-]*:\s+[0-9a-fA-F]{4}\s+\d+\.?\s+(-?\d+)\.?\s+(-?\d+)\.?\s")
_NO_DBM = re.compile(r"Signal level[=:]\s*(-?\d+(?:/\d+)?)(?! ?dBm|[\d/])")
_STATION = re.compile(r"^Station ((?:[0-9a-f]{2}:){5}[0-9a-f]{2})\b")
_CLOCK = re.compile(r"(\d\d):(\d\d):(\d\d\.\d+)")
_DATED = re.compile(r"^\s*(\d[\dT:+.,Z-]{8,})(?:\s+(.*))?$")


def _polled_readings(lines: Iterable[str]) -> Iterator[tuple[int, Reading]]:
    time_s: float | None = None
    station: str | None = None
    for number, line in enumerate(lines, start=1):
        dated = _DATED.match(line)
        if dated and (at := time_of(dated[1])) is not None:
            time_s, line = at, dated[2] or ""
        if named := _STATION.match(line.strip()):
            station = named[1]
        if found := _NO_DBM.search(line):
            what = f"a level of {found[1]} is one of the card's own scale"
            raise WrongLine(number, what, "levels in dBm, as of a driver that tells them")
        level = _levels(line)
        if level is None:
            continue
        if time_s is None:
            what = "this signal level has no time before it"
            allowed = "a line of seconds since 1970 (date +%s.%N) or ISO 8601 before each reading"
            raise WrongLine(number, what, allowed)
        yield number, Reading(time_s, *level, station)


def _levels(line: str) -> tuple[float, float | None] | None:
    if found := _IW.match(line):
        return float(found[1]), None
    if found := _IWCONFIG.search(line):
        return float(found[1]), None if found[2] is None else float(found[2])
    if found := _PROC.match(line):
        level = _proc_level(int(found[1]))
        return None if level is None else (level, _proc_level(int(found[2])))
    return None


def _proc_level(value: int) -> float | None:
    """Give a level of /proc/net/wireless: a byte of which some drivers show no sign.

    -256 stands for an unknown noise (Linux, `iw_statistics`).
    """
    if value == -256:
        return None
    return float(value - 256 if value > 63 else value)


def _level(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def time_of(text: str) -> float | None:
    """Give seconds since 1970 for such a number, or for a date and time of ISO 8601."""
    try:
        return float(text)
    except ValueError:
        pass
    if clock := _CLOCK.fullmatch(text.strip()):
        hours, minutes, seconds = clock.groups()
        return 3600 * int(hours) + 60 * int(minutes) + float(seconds)
    # Python reads up to six digits of a second; `date --iso-8601=ns` writes nine after a comma.
    text = re.sub(r"([.,]\d{6})\d+", r"\1", text.strip()).replace(",", ".")
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()
