"""Volumes, rates and times of what applications send."""


def rate_bps(payload_bytes: float, interval_s: float) -> float:
    """Give the rate of packets of one size at one interval."""
    return 8 * payload_bytes / interval_s


def rate_mbps(volume_bytes: float, seconds: float) -> float:
    """Give a volume over its time."""
    return 8 * volume_bytes / seconds / 1e6


def transfer_s(volume_bytes: float, mbps: float) -> float:
    """Give how long a volume takes at a rate."""
    return 8 * volume_bytes / (mbps * 1e6)


def files(mbps: float, seconds: float, file_bytes: int) -> float:
    """Give how many files of one size go through."""
    return mbps * 1e6 / 8 * seconds / file_bytes
