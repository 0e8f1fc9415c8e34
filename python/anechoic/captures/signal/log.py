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
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from anechoic.files import closed_folder
from anechoic.scenario.errors import Problem, ScenarioError

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


def read_signal_log(path: str | Path) -> list[Reading]:
    """Read a log of signal levels, in the order of time."""
    name = str(path)
    try:
        text = Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        reason = closed_folder(Path(path)) or f"cannot be read: {error.strerror or error}"
        raise ScenarioError(name, [Problem("", reason, FORMS)]) from None
    lines = text.splitlines()
    first = next((line for line in lines if line.strip()), "")
    names = [field.strip() for field in first.split(",")]
    is_csv = "time" in names and "signal_dbm" in names
    found = list(_csv_readings(name, lines) if is_csv else _polled_readings(name, lines))
    if not found:
        raise ScenarioError(name, [Problem("", "there is no signal level with a time", FORMS)])
    return sorted(found, key=lambda reading: reading.time_s)


_DROPPED = re.compile(r"^\s*(\d\d:\d\d:\d\d\.\d+)\s+\S+\s+Tx packet dropped:")


def read_drops(path: str | Path) -> list[float]:
    """Read when a card gave frames up, in seconds since 1970, from what `iwevent` has written."""
    lines = Path(path).read_text(encoding="utf-8", errors="replace").splitlines()
    found = (_DROPPED.match(line) for line in lines)
    return [at for each in found if each and (at := _time(each[1])) is not None]


def _csv_readings(source: str, lines: Iterable[str]) -> Iterator[Reading]:
    rows = csv.DictReader(line for line in lines if line.strip())
    rows.fieldnames = [name.strip() for name in rows.fieldnames or ()]
    for number, row in enumerate(rows, start=2):
        time_s = _time(row["time"] or "")
        signal = _level(row["signal_dbm"] or "")
        if time_s is None or signal is None:
            what = f"{row['time']}, {row['signal_dbm']} is not a time and a level"
            allowed = "seconds since 1970 or ISO 8601, and dBm"
            raise ScenarioError(source, [Problem(f"line {number}", what, allowed)])
        yield Reading(
            time_s, signal, _level(row.get("noise_dbm") or ""), row.get("station") or None
        )


# iw: "signal: -55 dBm", "signal: -55 [-57, -60] dBm"; iwconfig: "Signal level=-55 dBm", and with a
# colon in its older versions. /proc/net/wireless: status, then quality, level and noise.
_IW = re.compile(r"^\s*signal:\s*(-?\d+(?:\.\d+)?)\b.*dBm")
_IWCONFIG = re.compile(r"Signal level[=:]\s*(-?\d+) dBm(?:\s+Noise level[=:]\s*(-?\d+) dBm)?")
_PROC = re.compile(r"^\s*\w[\w.-]*:\s+[0-9a-fA-F]{4}\s+\d+\.?\s+(-?\d+)\.?\s+(-?\d+)\.?\s")
_STATION = re.compile(r"^Station ((?:[0-9a-f]{2}:){5}[0-9a-f]{2})\b")
_CLOCK = re.compile(r"(\d\d):(\d\d):(\d\d\.\d+)")
_DATED = re.compile(r"^\s*(\d[\dT:+.,Z-]{8,})(?:\s+(.*))?$")


def _polled_readings(source: str, lines: Iterable[str]) -> Iterator[Reading]:
    time_s: float | None = None
    station: str | None = None
    for number, line in enumerate(lines, start=1):
        dated = _DATED.match(line)
        if dated and (at := _time(dated[1])) is not None:
            time_s, line = at, dated[2] or ""
        if named := _STATION.match(line.strip()):
            station = named[1]
        level = _levels(line)
        if level is None:
            continue
        if time_s is None:
            what = "this signal level has no time before it"
            allowed = "a line of seconds since 1970 (date +%s.%N) or ISO 8601 before each reading"
            raise ScenarioError(source, [Problem(f"line {number}", what, allowed)])
        yield Reading(time_s, *level, station)


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


def _time(text: str) -> float | None:
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
