"""Values that no TCP stack has, though a number could say them."""

from collections.abc import Mapping
from typing import Any

from anechoic.scenario.errors import Problem, shown

# RFC 791 §3.1: every network passes on 68 bytes; less 20 each for the headers of IPv4 and TCP.
LEAST_MSS = 28
# An Ethernet frame holds 1500 bytes (RFC 894), less the same 40; nothing here fragments IP.
MOST_MSS = 1460
# RFC 7323 §2.3: the largest window that can be said, 65,535 shifted by 14.
MOST_WINDOW = 65_535 << 14


def implausible(values: Mapping[str, Any], written: Mapping[str, str]) -> list[Problem]:
    """Say what is wrong with the sizes of a stack whose single values are of the right kind.

    `written` holds the path of every value that is not its profile's.
    """
    mss = values.get("mss_bytes")
    if mss is not None and not LEAST_MSS <= mss <= MOST_MSS:
        return [_refused(written["mss_bytes"], mss, LEAST_MSS, f"{MOST_MSS} bytes")]
    window = values.get("receive_window_bytes")
    # Inferred: below one segment the peer could never send a whole one, and no stack does so.
    if mss is None or window is None or mss <= window <= MOST_WINDOW:
        return []
    most = f"{MOST_WINDOW} bytes, at least one segment (mss_bytes)"
    path = written.get("receive_window_bytes") or written["mss_bytes"]
    return [_refused(path, window, mss, most)]


def _refused(path: str, value: int, least: int, most: str) -> Problem:
    return Problem(path, f"{shown(value)} is out of range", f"{least} to {most}")
