"""Rules on the congestion window, for mechanisms of any study.

They compare what a capture of the machine that sends tells of losses with the sender's TCP_INFO,
of which there has to be a row for every millisecond or so.
"""

from collections.abc import Sequence

from anechoic.papers.packet_rules import Row, rule
from anechoic.papers.segment_rules import Recovery
from anechoic.papers.timer_rules import Expiry
from anechoic.papers.verdict import Verdict


def half_of_the_flight_is_left(
    losses: Sequence[Recovery | Expiry], tcp_info: Sequence[Row], mss: int, where: str
) -> Verdict:
    """Decide whether a loss sets ssthresh to half of what was in flight, and 2 segments at least.

    RFC 5681 (4). TCP_INFO tells whole segments.
    """
    wrong = []
    for each in losses:
        asked = max(each.flight // (2 * mss), 2)
        found = _after(each.time_s, tcp_info)["tcpi_snd_ssthresh"]
        if found != asked:
            wrong.append(f"{found} of {each.flight / mss:g} segments")
    return rule(f"losses that set ssthresh to half of the flight ({where})", len(losses), wrong)


def timers_leave_one_segment(
    expiries: Sequence[Expiry], tcp_info: Sequence[Row], where: str
) -> Verdict:
    """Decide whether an expiry of the timer leaves a window of one segment.

    Where an ACK comes between it and the next row of TCP_INFO, that row tells of the ACK instead.
    """
    sampled = [(each, _after(each.time_s, tcp_info)) for each in expiries]
    windows = [row["tcpi_snd_cwnd"] for each, row in sampled if row["time_s"] < each.answered_s]
    wrong = [f"{window} segments" for window in windows if window != 1]
    return rule(f"timers that left a window of one segment ({where})", len(windows), wrong)


def _after(time_s: float, tcp_info: Sequence[Row]) -> Row:
    return next(row for row in tcp_info if row["time_s"] >= time_s)
