"""What the ports of a host answered, where they are many: what a scan of them found."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from anechoic.captures.text.counts import counted

Connection = Mapping[str, Any]

_MOST_RANGES = 12
"""Ranges of ports shown of an answer; a line of a terminal holds about as many."""
_OPEN, _CLOSED, _SILENT = "open (SYN+ACK)", "closed (RST)", "without an answer"
_ANSWERS = {"refused": _CLOSED, "unanswered": _SILENT}
"""What is said of ports by how connections to them ended; all others answered with SYN+ACK."""


def answers(host: str, connections: Sequence[Connection]) -> str:
    """Say which ports of a host were open, which closed, and which said nothing."""
    ports: dict[str, set[int]] = {answer: set() for answer in (_OPEN, _CLOSED, _SILENT)}
    for each in connections:
        ports[_ANSWERS.get(each["outcome"], _OPEN)].add(each["server"]["port"])
    # A port that was open once is open, also where an attempt was lost or came too late.
    ports[_CLOSED] -= ports[_OPEN]
    ports[_SILENT] -= ports[_OPEN] | ports[_CLOSED]
    told = [f"{len(found):,} {answer}{_named(found)}" for answer, found in ports.items() if found]
    return f"  ports of {host}: {', '.join(told)}"


def _named(ports: set[int]) -> str:
    """Name ports, those that follow each other as a range; many are left to their number."""
    ordered = sorted(ports)
    starts = [ordered[0], *(after for before, after in pairwise(ordered) if after > before + 1)]
    ends = [*(before for before, after in pairwise(ordered) if after > before + 1), ordered[-1]]
    ranges = [
        f"{first}" if first == last else f"{first}–{last}"
        for first, last in zip(starts, ends, strict=True)
    ]
    shown = ranges[:_MOST_RANGES]
    if len(ranges) > len(shown):
        shown.append(f"and {counted(len(ranges) - len(shown), 'more range')}")
    return f" ({', '.join(shown)})"
