"""Combinations of a stack's values: what contradicts itself, and what follows from what.

A stack that has SACK switched off simply has no DSACK either, as on a real host: such values
follow where nobody wrote them. Where somebody did, the combination is refused with its reason.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from anechoic.scenario.errors import Problem, shown

Values = Mapping[str, Any]

# RFC 7323 §2.2: what the window field holds without scaling.
UNSCALED_WINDOW = 65_535


@dataclass(frozen=True, slots=True)
class Dependence:
    """A value that works only together with another, and what becomes of it without."""

    dependent: str
    causes: tuple[str, ...]
    fails: Callable[[Values], bool]
    reason: str
    allowed: str
    instead: Callable[[Values], Any]


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Values that no stack can have at once, or a value that it cannot have at all."""

    fields: tuple[str, ...]
    holds: Callable[[Values], bool]
    reason: str
    allowed: str


DEPENDENCES = (
    Dependence(
        "recovery",
        ("sack",),
        lambda v: v["recovery"] == "sack" and not v["sack"],
        "SACK recovery reads SACK blocks (RFC 6675), and sack is false",
        'sack = true, or recovery = "newreno"',
        lambda _: "newreno",
    ),
    Dependence(
        "dsack",
        ("sack",),
        lambda v: v["dsack"] and not v["sack"],
        "DSACK reports travel in SACK options (RFC 2883 §4), and sack is false",
        "sack = true, or dsack = false",
        lambda _: False,
    ),
    Dependence(
        "hystart",
        ("congestion_control",),
        lambda v: v["hystart"] and v["congestion_control"] != "cubic",
        "HyStart is the slow start of Linux's CUBIC (Ha and Rhee 2011)",
        'congestion_control = "cubic", or hystart = false',
        lambda _: False,
    ),
    Dependence(
        "timestamp_undo",
        ("timestamps",),
        lambda v: v["timestamp_undo"] and not v["timestamps"],
        "the undo compares echoed timestamps (RFC 3522 §3.2), and timestamps is false",
        "timestamps = true, or timestamp_undo = false",
        lambda _: False,
    ),
    Dependence(
        "receive_window_bytes",
        ("window_scaling",),
        lambda v: v["receive_window_bytes"] > UNSCALED_WINDOW and not v["window_scaling"],
        "the window field has 16 bits (RFC 9293 §3.1), and window_scaling is false",
        f"at most {UNSCALED_WINDOW} bytes, or window_scaling = true",
        lambda _: UNSCALED_WINDOW,
    ),
    Dependence(
        "window_shift_min",
        ("window_scaling",),
        lambda v: v["window_shift_min"] > 0 and not v["window_scaling"],
        "a shift is offered by window scaling (RFC 7323 §2.2), and window_scaling is false",
        "0, or window_scaling = true",
        lambda _: 0,
    ),
    Dependence(
        "delayed_ack_min_ms",
        ("delayed_ack_ms",),
        lambda v: v["delayed_ack_min_ms"] > v["delayed_ack_ms"],
        "the least delay of an acknowledgement is longer than the longest, delayed_ack_ms",
        "at most delayed_ack_ms",
        lambda v: v["delayed_ack_ms"],
    ),
)

CONTRADICTIONS = (
    Contradiction(
        ("congestion_control", "recovery"),
        lambda v: v["recovery"] == "tahoe" and v["congestion_control"] != "reno",
        "Tahoe's recovery leaves one segment after every loss, so that the reduction that any "
        "other congestion control is made of never happens",
        'recovery "reno", "newreno" or "sack"; or congestion_control = "reno"',
    ),
    Contradiction(
        # Stacks with another family's sender have a recovery to choose.
        ("congestion_control", "recovery"),
        lambda v: v["congestion_control"] in ("bbr", "bbr3"),
        "BBR goes by the rate at which segments are delivered, which Linux's sender alone "
        "measures, as it alone paces",
        'the stack "linux-6" or "android", or another congestion_control',
    ),
    Contradiction(
        ("receive_buffer_bytes", "receive_buffer_max_bytes"),
        lambda v: v["receive_buffer_bytes"] > v["receive_buffer_max_bytes"],
        "the receive buffer begins larger than it may grow to",
        "receive_buffer_bytes at most receive_buffer_max_bytes",
    ),
    Contradiction(
        ("rto_min_ms", "rto_max_ms"),
        lambda v: v["rto_min_ms"] > v["rto_max_ms"],
        "the least retransmission timeout, rto_min_ms, is above the largest, rto_max_ms",
        "rto_min_ms at most rto_max_ms",
    ),
    Contradiction(
        ("rto_initial_ms", "rto_max_ms"),
        lambda v: v["rto_initial_ms"] > v["rto_max_ms"],
        "the initial retransmission timeout, rto_initial_ms, is above the largest, rto_max_ms",
        "rto_initial_ms at most rto_max_ms",
    ),
    Contradiction(
        ("delayed_ack_ms",),
        lambda v: v["delayed_ack_ms"] > 500,
        "no acknowledgement may be held back for longer than half a second (RFC 9293 §3.8.6.3)",
        "at most 500 ms",
    ),
    Contradiction(
        ("delayed_ack_segments",),
        lambda v: v["delayed_ack_segments"] < 1,
        "there is nothing to acknowledge before a segment has come",
        "at least 1",
    ),
    Contradiction(
        ("window_update_segments",),
        lambda v: v["window_update_segments"] < 1,
        "there is nothing to tell of before a segment's room",
        "at least 1",
    ),
    Contradiction(
        ("duplicate_ack_threshold",),
        lambda v: v["duplicate_ack_threshold"] < 1,
        "without a duplicate acknowledgement nothing speaks for a loss",
        "at least 1",
    ),
    Contradiction(
        ("window_shift_min",),
        lambda v: v["window_shift_min"] > 14,
        "the window can be shifted by 14 at most (RFC 7323 §2.3)",
        "at most 14",
    ),
)


def settle(values: dict[str, Any], written: Mapping[str, str]) -> list[Problem]:
    """Let follow what follows, in place; say what is contradictory.

    `written` holds the path of every value that is not its profile's, in the order in which
    they were laid over it.
    """
    problems = []
    for rule in DEPENDENCES:
        fields = (rule.dependent, *rule.causes)
        if not set(fields) <= values.keys() or not rule.fails(values):
            continue
        if rule.dependent in written:
            path = _last(written, fields)
            problems.append(_refused(path, values, rule.reason, rule.allowed))
        elif written.keys() & set(rule.causes):
            values[rule.dependent] = rule.instead(values)
    for each in CONTRADICTIONS:
        if set(each.fields) <= values.keys() and each.holds(values):
            path = _last(written, each.fields)
            problems.append(_refused(path, values, each.reason, each.allowed))
    return problems


def why(dependent: str) -> str:
    """Say why a value followed from another."""
    return next((rule.reason for rule in DEPENDENCES if rule.dependent == dependent), "")


def _last(written: Mapping[str, str], fields: tuple[str, ...]) -> str:
    """Give the path of the field that was written last: it made the others wrong."""
    return [path for field, path in written.items() if field in fields][-1]


def _refused(path: str, values: Values, reason: str, allowed: str) -> Problem:
    found = shown(values[path.rpartition(".")[2]])
    return Problem(path, f"{found} is refused: {reason}", allowed)
