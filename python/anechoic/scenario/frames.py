"""Traces of frames of video, as the TU Berlin's archive has them.

A line for each frame, in one of the archive's two verbose formats (F. H. P. Fitzek and
M. Reisslein, "MPEG-4 and H.263 Video Traces for Network Performance Evaluation", IEEE Network
15(6), 2001): of MPEG-4 its number, type, time in ms and bytes, of H.263 its time in ms, type and
bytes.
"""

from decimal import Decimal
from pathlib import Path

from anechoic.files import read_file
from anechoic.scenario.errors import shown
from anechoic.scenario.quantities import number_of

FRAMES_ALLOWED = (
    "in each line a frame: number, type, time in ms and bytes, or time in ms, type and bytes"
)
LARGEST_BYTES = 1_000_000
LATEST_MS = MOST_FRAMES = 10**9

_COLUMNS = {4: (2, 1, 3), 3: (0, 1, 2)}
"""Where time, type and bytes stand, by how many columns there are."""


def frames_in(file: Path) -> list[list[int]]:
    """Read a trace: of each frame when it leaves, in ns, and its bytes; ValueError with the reason.

    Frames leave in the order of the file, in which they were coded. Their times are those of their
    showing, which where B frames are have another order: the n-th to leave does so at the n-th of
    them.
    """
    try:
        lines = read_file(file).decode("utf-8-sig", errors="replace").splitlines()
    except OSError as error:
        raise ValueError(f"cannot be read: {error.strerror or error}") from None
    filled = [(at, line.split()) for at, line in enumerate(lines, start=1) if _is_frame(line)]
    if not filled:
        raise ValueError("there are no frames")
    columns = len(filled[0][1])
    frames = [_frame(at, words, columns) for at, words in filled]
    times = sorted(time for time, _ in frames)
    if len(frames) > 1 and times[0] == times[-1]:
        raise ValueError("all frames have the same time")
    return [[time - times[0], size] for time, (_, size) in zip(times, frames, strict=True)]


def _is_frame(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")


def _frame(at: int, words: list[str], columns: int) -> tuple[int, int]:
    if len(words) != columns or columns not in _COLUMNS:
        raise ValueError(f"line {at}: {shown(' '.join(words))} has {len(words)} columns")
    time, kind, size = (words[place] for place in _COLUMNS[columns])
    if not kind.isalpha():
        raise ValueError(f"line {at}: {shown(kind)} is no type of a frame")
    _number(at, words[0], MOST_FRAMES)
    milliseconds = _number(at, time, LATEST_MS)
    return int(milliseconds * 1_000_000), int(_number(at, size, LARGEST_BYTES))


def _number(at: int, written: str, most: int) -> Decimal:
    number = number_of(written)
    if number is None:
        raise ValueError(f"line {at}: {shown(written)} is not a number")
    if not 0 <= number <= most:
        raise ValueError(f"line {at}: {written} is {'negative' if number < 0 else 'too large'}")
    return number
