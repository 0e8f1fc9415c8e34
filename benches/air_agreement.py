"""Compare what Anechoic and tshark count of the 802.11 frames in capture files.

`python benches/air_agreement.py FILE…` prints, for each station, the figures in which they differ:
ours, then tshark's. docs/differences.md explains the differences that are known.
"""

import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator

import anechoic as an

Counts = dict[str, Counter[str]]

FIELDS = {
    "station": "wlan.ta",
    "kind": "wlan.fc.type_subtype",
    "is_retry": "wlan.fc.retry",
    "has_more": "wlan.fc.frag",
    "fragment": "wlan.frag",
    "rate": "wlan_radio.data_rate",
    "signal": "radiotap.dbm_antsignal",
    "other_signal": "wlan_radio.signal_dbm",
    "duration": "wlan_radio.duration",
}
"""What tshark is asked of each frame."""

BEACON = 0x08
CONTROL = range(0x10, 0x20)
RTS = 0x1B
DATA = range(0x20, 0x30)
NO_DATA = 0x04
"""Types and subtypes, as tshark numbers them; the bit of those data frames that carry none."""

SILENCE = ("ifs", "backoff", "timeout", "missed", "idle")
"""The lines of the ledger in which no frame was heard."""
EVERYONE = "everyone together"
LEAST_SHARE = 0.01
"""Airtimes that differ by less than this share are taken to agree."""


def ours(file: str) -> Counts:
    """Count with Anechoic."""
    counts: Counts = defaultdict(Counter)
    wifi = an.analyse(file).document["wifi"]
    if wifi is None:
        return counts
    spent_ns = sum(
        nanos
        for channel in wifi["channels"]
        for line, nanos in channel["ledger"].items()
        if line.removesuffix("_ns") not in SILENCE
    )
    counts[EVERYONE]["airtime_us"] = spent_ns // 1_000
    for station in wifi["stations"]:
        signal = station["signal"] or {"min_dbm": 0, "max_dbm": 0}
        found = counts[station["address"]]
        found.update({name: station[name] for name in ("retries", "fragments", "beacons", "rts")})
        found["data"] = station["data_frames"]
        found["management"] = station["management_frames"]
        # What answers names no sender to tshark.
        if station["acks"] + station["cts"] == 0:
            found.update(weakest=signal["min_dbm"], strongest=signal["max_dbm"])
        for rate in station["rates"]:
            if rate["rate_kbps"]:
                found[f"at {rate['rate_kbps'] / 1e3:.1f} Mbit/s"] = rate["frames"]
    return counts


def tshark(file: str) -> Counts:
    """Count with tshark, by who transmits."""
    command = ["tshark", "-n", "-2", "-r", file, "-Y", "wlan", "-T", "fields"]
    command += ["-E", "occurrence=f", *(part for each in FIELDS.values() for part in ("-e", each))]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    counts: Counts = defaultdict(Counter)
    for line in lines.splitlines():
        frame = dict(zip(FIELDS, line.split("\t"), strict=True))
        counts[EVERYONE]["airtime_us"] += int(frame["duration"] or 0)
        if frame["station"]:
            _count(counts[frame["station"]], frame)
    return counts


def _count(found: Counter[str], frame: dict[str, str]) -> None:
    kind = int(frame["kind"], 0)
    is_data = kind in DATA and not kind & NO_DATA
    found["data"] += is_data
    found["retries"] += is_data and frame["is_retry"] in ("1", "True")
    is_fragment = frame["has_more"] in ("1", "True") or frame["fragment"] not in ("", "0")
    found["fragments"] += is_data and is_fragment
    found["beacons"] += kind == BEACON
    found["management"] += kind < CONTROL.start and kind != BEACON
    found["rts"] += kind == RTS
    if is_data and frame["rate"]:
        found[f"at {float(frame['rate']):.1f} Mbit/s"] += 1
    if signal := frame["signal"] or frame["other_signal"]:
        power = int(signal)
        found["weakest"] = min(found["weakest"], power)
        found["strongest"] = max(found["strongest"] or power, power)


def differences(mine: Counts, theirs: Counts) -> Iterator[str]:
    """Write a line for each station that is counted otherwise."""
    for station in sorted({*mine, *theirs}):
        one, other = (counts.get(station, Counter()) for counts in (mine, theirs))
        found = [
            f"{figure} {one[figure]:,} / {other[figure]:,}"
            for figure in sorted({*one, *other})
            if _differ(figure, one, other)
        ]
        if found:
            yield f"  {station}: {', '.join(found)}"


def _differ(figure: str, one: Counter[str], other: Counter[str]) -> bool:
    apart = abs(one[figure] - other[figure])
    if figure == "airtime_us":
        return apart > LEAST_SHARE * max(one[figure], other[figure])
    # Of a station that answered, the powers are also those of its answers.
    return apart > 0 and (figure not in ("weakest", "strongest") or figure in one)


def main() -> None:
    """Compare the files that are named."""
    if len(sys.argv) < 2:
        raise SystemExit("usage: air_agreement.py FILE…")
    for file in sys.argv[1:]:
        mine, theirs = ours(file), tshark(file)
        print(f"{file}: {counted(mine)} data frames of {len(mine)} stations")
        for line in differences(mine, theirs):
            print(line)


def counted(counts: Counts) -> str:
    """Give the number of data frames of all stations."""
    return f"{sum(each['data'] for each in counts.values()):,}"


if __name__ == "__main__":
    main()
