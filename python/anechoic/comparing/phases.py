"""Tests whose parts follow each other, as a download before an upload."""

from collections.abc import Mapping


def named(phases: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Give what each part has by the names that windows of a scenario give; of one, plain as well.

    A scenario with a window ``download`` has ``goodput_mbps@download``, too.
    """
    found = {
        f"{name}@{phase}": value for phase, own in phases.items() for name, value in own.items()
    }
    if len(phases) == 1:
        (only,) = phases.values()
        found |= only
    return found
