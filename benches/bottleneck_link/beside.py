"""A measurement beside its simulation, as the columns of a table."""

from bottleneck_link import Outcome

HEAD = "goodput, kernel | simulated | apart | mean RTT, kernel | simulated | apart | "


def columns(real: Outcome, simulated: Outcome, goodput_apart: float, rtt_apart: float) -> list[str]:
    """Give goodput and mean RTT of both and how far apart they are, and whether that is too far."""
    goodput = simulated.goodput_mbps / real.goodput_mbps - 1
    rtt = simulated.rtt_ms / real.rtt_ms - 1
    agrees = abs(goodput) <= goodput_apart and abs(rtt) <= rtt_apart
    return [
        f"{real.goodput_mbps:.3f}",
        f"{simulated.goodput_mbps:.3f}",
        f"{goodput:+.1%}",
        f"{real.rtt_ms:.1f}",
        f"{simulated.rtt_ms:.1f}",
        f"{rtt:+.1%}",
        "" if agrees else "**apart**",
    ]
