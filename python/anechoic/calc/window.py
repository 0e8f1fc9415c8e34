"""Windows, round trips and the queue between them.

A window of W bytes is sent once in a round trip, so that throughput is W over RTT. Where that is
more than the capacity, what is too much waits in a queue, and the round trip is as long as the
window takes at capacity.
"""

from collections.abc import Callable, Sequence


def throughput_mbps(window_bytes: float, rtt_s: float) -> float:
    """Give a window over a round trip."""
    return 8 * window_bytes / rtt_s / 1e6


def loaded_rtt_s(base_s: float, window_bytes: float, capacity_mbps: float) -> float:
    """Give the round trip under load: that of the empty path, or the window at capacity."""
    return max(base_s, 8 * window_bytes / (capacity_mbps * 1e6))


def filling_bytes(capacity_mbps: float, rtt_s: float) -> float:
    """Give the window that just fills a path: capacity times round trip."""
    return capacity_mbps * 1e6 * rtt_s / 8


def filling_packets(capacity_mbps: float, rtt_s: float, packet_bytes: int) -> float:
    """Give the same in packets: the usual rule for the length of a queue."""
    return filling_bytes(capacity_mbps, rtt_s) / packet_bytes


def shares(windows: Sequence[float]) -> list[float]:
    """Give each connection's part of a capacity behind one queue: as its window to all windows."""
    return [window / sum(windows) for window in windows]


def slower_over_faster(slower: float, faster: float) -> float:
    """Give the ratio of two clients' mean rates, windows in one queue, volumes equal.

    While both run they share as their windows do; then the slower has all, and ends when both
    volumes are through: its mean is half the capacity.
    """
    return 0.5 / shares([faster, slower])[0]


def confirmed_mbps(pairs: int, file_bytes: int, round_trips: float, rtt_s: float) -> float:
    """Give what pairs bring through that need so many round trips for each file."""
    return pairs * 8 * file_bytes / (round_trips * rtt_s) / 1e6


def wait(rate: Callable[[float], float], capacity: float, longest: float) -> float:
    """Give the wait before a bottleneck at which a rate that falls with it is the capacity.

    Nothing if less is wanted; ``longest`` is a wait that is long enough.
    """
    if rate(0.0) <= capacity:
        return 0.0
    low, high = 0.0, longest
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if rate(middle) > capacity else (low, middle)
    return high


_HALVINGS = 50
"""Of the wait, to the last digit of a number."""


def queueing_s(
    windows_bytes: Sequence[float], bases_s: Sequence[float], capacity_mbps: float
) -> float:
    """Give the wait in a common queue at which windows over round trips make up the capacity."""
    flows = list(zip(windows_bytes, bases_s, strict=True))
    capacity = capacity_mbps * 1e6 / 8
    return wait(
        lambda wait_s: sum(window / (base + wait_s) for window, base in flows),
        capacity,
        sum(windows_bytes) / capacity,
    )
