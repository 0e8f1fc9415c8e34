"""Rates for people."""


def rate(mbps: float) -> str:
    """Write a throughput in the unit in which it reads well."""
    for unit, scale in (("Mbit/s", 1.0), ("kbit/s", 1e3)):
        if mbps * scale >= 0.1:
            return f"{mbps * scale:.4g} {unit}"
    return f"{mbps * 1e6:.4g} bit/s"
