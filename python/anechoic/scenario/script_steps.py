"""What the steps of a script have to be together."""

from collections.abc import Iterator, Mapping

from anechoic.scenario.base import Part
from anechoic.scenario.errors import Problem
from anechoic.scenario.kinds import Script
from anechoic.scenario.traffic import Flow

COUNTING = ("start-timer", "transaction", "end-timer")
"""Steps that take no time."""


def script_problems(path: str, traffic: Flow) -> Iterator[Problem]:
    """Give what is wrong with the steps of a script together, if it is one."""
    if isinstance(traffic, Script):
        verbs = {name: _verb(step) for name, step in traffic.steps.items()}
        yield from _loops(f"{path}.steps", verbs)
        yield from _connections(f"{path}.steps", verbs)
        yield from _timers(f"{path}.steps", verbs)


def _verb(step: Part) -> str:
    return str(step.do)  # type: ignore[attr-defined]


def _loops(path: str, verbs: Mapping[str, str]) -> Iterator[Problem]:
    """Give loops that do not end, ends of none, and loops in which nothing takes time."""
    begun: list[tuple[str, bool]] = []
    for name, verb in verbs.items():
        if verb == "loop":
            begun.append((name, False))
        elif verb == "end-loop" and not begun:
            yield Problem(f"{path}.{name}", "no loop has begun", "a step before it that loops")
        elif verb == "end-loop":
            loop, takes_time = begun.pop()
            if not takes_time:
                what = "nothing takes time in this loop"
                yield Problem(f"{path}.{loop}", what, "send, receive, confirm, sleep or connect")
        elif verb not in COUNTING:
            begun = [(loop, True) for loop, _ in begun]
    for loop, _ in begun:
        yield Problem(f"{path}.{loop}", "this loop does not end", "an end-loop behind it")


def _connections(path: str, verbs: Mapping[str, str]) -> Iterator[Problem]:
    """Give the first step that has no connection or one too many, also in a loop's next turn."""
    if "connect" not in verbs.values():
        yield Problem(path, "there is no connection", "a step that connects, before all transfers")
        return
    is_open = False
    begun: list[bool] = []
    for name, verb in verbs.items():
        if verb in ("send", "receive", "confirm", "disconnect") and not is_open:
            yield Problem(f"{path}.{name}", "there is no connection", "a connect before it")
            return
        if verb == "connect" and is_open:
            what = "there is a connection already"
            yield Problem(f"{path}.{name}", what, "a disconnect before it")
            return
        if verb == "loop":
            begun.append(is_open)
        is_open = verb == "connect" or (is_open and verb != "disconnect")
        if verb == "end-loop" and begun and begun.pop() != is_open:
            what = "the loop does not leave the connection as it found it"
            yield Problem(f"{path}.{name}", what, "connect and disconnect both in it, or neither")
            return


def _timers(path: str, verbs: Mapping[str, str]) -> Iterator[Problem]:
    """Give an end of a timing record that none has begun before."""
    has_begun = False
    for name, verb in verbs.items():
        has_begun |= verb == "start-timer"
        if verb == "end-timer" and not has_begun:
            yield Problem(f"{path}.{name}", "no timer has started", "a start-timer before it")
            return
