"""How an emulation went, in words and as metrics."""

from collections.abc import Mapping
from typing import Any

PREFIX = "emulation."


def metrics_of(outcome: Mapping[str, Any]) -> dict[str, float]:
    """Give the numbers of an outcome that a record holds."""
    ports = outcome["ports"]
    late = outcome["lateness_out"]
    return {
        f"{PREFIX}lateness_p50_us": late["p50_ns"] / 1e3,
        f"{PREFIX}lateness_p99_us": late["p99_ns"] / 1e3,
        f"{PREFIX}lateness_p999_us": late["p999_ns"] / 1e3,
        f"{PREFIX}lateness_max_us": late["max_ns"] / 1e3,
        f"{PREFIX}stalls": float(len(outcome["stalls"])),
        f"{PREFIX}changed_share": _changed(outcome),
        f"{PREFIX}starved_share": outcome["starved_share"],
        f"{PREFIX}frames_in": float(sum(each["frames_in"] for each in ports)),
        f"{PREFIX}frames_out": float(sum(each["frames_out"] for each in ports)),
        f"{PREFIX}frames_lost": float(
            sum(each["lost_in_ring"] + each["not_taken"] for each in ports)
        ),
        f"{PREFIX}valid": float(is_valid(outcome)),
    }


def _changed(outcome: Mapping[str, Any]) -> float:
    """Give the share of the frames by which flows differ without lateness."""
    found = outcome["consequences"]
    changed, frames = int(found["changed"]), int(found["frames"])
    return changed / max(frames, 1)


def is_valid(outcome: Mapping[str, Any]) -> bool:
    """Say whether the run kept to its limits."""
    return len(outcome["verdict"]["reasons"]) == 0


def failures(outcome: Mapping[str, Any]) -> list[str]:
    """Name the programs that ended by themselves, and with another status than 0."""
    return [
        f"{each['node']}: {each['command']} ended with status {each['status']}"
        for each in outcome["programs"]
        if each["status"]
    ]


def text_of(outcome: Mapping[str, Any]) -> str:
    """Say how an emulation went, in a few lines."""
    late, entering = outcome["lateness_out"], outcome["lateness_in"]
    ports = outcome["ports"]
    frames = sum(each["frames_in"] + each["frames_out"] for each in ports)
    lines = [
        f"{outcome['ran_ns'] / 1e9:.1f} s, {frames} frames between {len(ports)} real interfaces "
        "and the world",
        f"frames out late by {late['p50_ns'] / 1e3:.0f} µs (median), {late['p99_ns'] / 1e3:.0f} µs "
        f"(99 %), {late['p999_ns'] / 1e3:.0f} µs (99.9 %), {late['max_ns'] / 1e3:.0f} µs at most"
        + ("" if outcome["is_real_time"] else "; without real-time priority"),
    ]
    lines.append(
        f"frames in late by {entering['p50_ns'] / 1e3:.0f} µs (median), "
        f"{entering['p99_ns'] / 1e3:.0f} µs (99 %), {entering['max_ns'] / 1e3:.0f} µs at most"
    )
    lines.append(
        f"run again without lateness, flows differ by {outcome['consequences']['changed']} of "
        f"{outcome['consequences']['frames']} frames"
    )
    for name in outcome["ended_by_force"]:
        lines.append(f"did not end when asked to: {name}")
    lines += failures(outcome)
    if is_valid(outcome):
        lines.append("valid: the figures are the network's")
    else:
        first, *others = outcome["verdict"]["reasons"]
        lines.append(f"not valid: {first}")
        lines += [f"and {each}" for each in others]
    return "\n".join(lines)
