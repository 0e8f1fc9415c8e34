"""Files of movements: what ns-2's setdest and BonnMotion write.

ns-2: ``$node_(0) set X_ 5.0`` where a node begins, and ``$ns_ at 10.0 "$node_(0) setdest 50.0 20.0
1.5"`` when it turns to a place, and how fast it goes there from then on (The ns Manual, §16.1.1).
BonnMotion: a line for each node, of times and places, ``0.0 5.0 5.0 10.0 50.0 20.0``, between which
it goes straight (BonnMotion 3.0, "The native format").
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import hypot
from pathlib import Path

from anechoic.files import read_file
from anechoic.scenario.errors import shown
from anechoic.scenario.quantities import number_of

TRACKS_ALLOWED = (
    "what ns-2's setdest or BonnMotion writes, times in seconds and places in metres, the earliest "
    "first"
)
LATEST_S = 10**9

Track = list[tuple[int, list[float]]]
"""Times in nanoseconds, and where it is then."""

_PLACE = re.compile(r"\$\w+\((\d+)\)\s+set\s+([XYZ])_\s+(\S+)")
_TURN = re.compile(r'\$\w+\s+at\s+(\S+)\s+"\$\w+\((\d+)\)\s+setdest\s+(\S+)\s+(\S+)\s+(\S+?)"?\s*$')
_TOLD_BY_GOD = re.compile(r"\$god_\s|\$\w+\s+at\s+\S+\s+\"\$god_\s")


def tracks_in(file: Path) -> dict[int, Track]:
    """Read a file of movements: each node's way by its number; ValueError with the reason."""
    try:
        lines = read_file(file).decode("utf-8", errors="replace").splitlines()
    except OSError as error:
        raise ValueError(f"cannot be read: {error.strerror or error}") from None
    filled = [(at, line.strip()) for at, line in enumerate(lines, start=1)]
    filled = [(at, line) for at, line in filled if line and not line.startswith("#")]
    if not filled:
        raise ValueError("the file is empty")
    is_ns2 = filled[0][1].startswith("$")
    return _of_ns2(filled) if is_ns2 else dict(enumerate(_of_bonnmotion(filled)))


def _of_bonnmotion(lines: Iterable[tuple[int, str]]) -> Iterator[Track]:
    for at, line in lines:
        numbers = [_number(at, word) for word in line.split()]
        if len(numbers) % 3:
            raise ValueError(f"line {at}: {len(numbers)} numbers are no triples of time, x and y")
        track: Track = []
        for place in range(0, len(numbers), 3):
            seconds, x, y = numbers[place : place + 3]
            _append(at, track, _nanoseconds(at, seconds), [x, y])
        yield track


@dataclass(slots=True)
class _Walker:
    """A node of ns-2 as its lines are read: its way so far."""

    track: Track = field(default_factory=list)
    start: dict[str, float] = field(default_factory=dict)
    last_turn: int = -1

    def turn(self, at: int, now: int, to: list[float], speed: float) -> None:
        """Leave for a place, from wherever it is by now."""
        if now < self.last_turn:
            raise ValueError(f"line {at}: its time is before that of a line above")
        self.last_turn = now
        here = self.place(now)
        while self.track and self.track[-1][0] >= now:
            self.track.pop()
        self.track.append((now, here))
        length = hypot(to[0] - here[0], to[1] - here[1])
        arrival = now + round(length / speed * 1e9)
        if arrival > now:
            self.track.append((arrival, to))

    def place(self, now: int) -> list[float]:
        """Give where it is at a time that is not before its last turn."""
        if not self.track:
            return [self.start["X"], self.start["Y"]]
        before = [fix for fix in self.track if fix[0] <= now]
        (begin, here), after = before[-1], self.track[len(before) :]
        if not after:
            return here
        end, there = after[0]
        part = (now - begin) / (end - begin)
        return [here[0] + (there[0] - here[0]) * part, here[1] + (there[1] - here[1]) * part]


def _of_ns2(lines: Iterable[tuple[int, str]]) -> dict[int, Track]:
    walkers: dict[int, _Walker] = {}
    for at, line in lines:
        if placed := _PLACE.match(line):
            walker = walkers.setdefault(int(placed[1]), _Walker())
            walker.start[placed[2]] = _number(at, placed[3])
        elif turned := _TURN.match(line):
            seconds, node, *to, speed = turned.groups()
            walker = walkers.setdefault(int(node), _Walker())
            if not {"X", "Y"} <= walker.start.keys():
                raise ValueError(f"line {at}: node {node} has no place to leave from")
            mps = _number(at, speed)
            if mps <= 0:
                raise ValueError(f"line {at}: a speed of {speed} leads nowhere")
            now = _nanoseconds(at, _number(at, seconds))
            walker.turn(at, now, [_number(at, each) for each in to], mps)
        elif not _TOLD_BY_GOD.match(line):
            raise ValueError(f"line {at}: {shown(line)} is neither a place nor a setdest")
    return {node: walker.track or [(0, walker.place(0))] for node, walker in walkers.items()}


def _append(at: int, track: Track, time: int, place: list[float]) -> None:
    if track and time <= track[-1][0]:
        raise ValueError(f"line {at}: a time is not after the one before")
    track.append((time, place))


def _nanoseconds(at: int, seconds: float) -> int:
    if not 0 <= seconds <= LATEST_S:
        raise ValueError(f"line {at}: a time of {seconds:g} s is out of range")
    return round(seconds * 1e9)


def _number(at: int, word: str) -> float:
    number = number_of(word)
    if number is None:
        raise ValueError(f"line {at}: {shown(word)} is not a number")
    return float(number)
