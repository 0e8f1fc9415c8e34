"""How those claims of T. T. T. Nguyen and G. J. Armitage are decided that no check can say."""

from itertools import groupby

from anechoic.papers.frame_rules import exchanges, nav_is_kept
from anechoic.papers.mechanisms import Context
from anechoic.papers.packet_rules import rows_of, rule
from anechoic.papers.verdict import Verdict, all_of

# SIFS of DSSS and HR/DSSS (IEEE 802.11-2007 §15.3.3, §18.3.3); a sniffer's timer counts µs.
SIFS_US, TOLERANCE_US = 10, 1

# dot11ShortRetryLimit for frames up to the RTS threshold, dot11LongRetryLimit for those above it
# (IEEE 802.11-2007 §9.2.5.3, Annex D).
LIMITS = {"off": 7, "on": 4}


def an_exchange_keeps_sifs_and_others_the_nav(context: Context) -> Verdict:
    """nguyen-background-a: as the second station hears the exchanges of the first."""
    frames = context.analysis("sta.second").frames()
    heard, apart, elsewhere = 0, [], []
    for exchange in exchanges(frames):
        heard += 1
        apart += [f"{gap:.0f} µs" for gap in exchange.gaps_us if abs(gap - SIFS_US) > TOLERANCE_US]
        ends = exchange.nav_ends_us
        elsewhere += [f"{end:+.0f} µs" for end in ends if abs(end) > TOLERANCE_US]
    rate = context.place["rate2"]
    return all_of(
        [
            rule(f"exchanges with SIFS between all four frames (rate2 = {rate})", heard, apart),
            rule(f"exchanges whose NAVs end with the ACK (rate2 = {rate})", heard, elsewhere),
            nav_is_kept(frames, f"the second station (rate2 = {rate})"),
        ]
    )


def a_frame_without_ack_is_given_up_at_its_limit(context: Context) -> Verdict:
    """nguyen-background-b: as the station that is too far away tries."""
    rts = str(context.place["rts"])
    columns = ("kind", "signal_dbm", "sequence", "is_retry")
    rows = rows_of(context.analysis("sta.far").frames(), *columns)
    own = [row for row in rows if row["kind"] == "data" and row["signal_dbm"] is None]
    tries = [len(list(frame)) for _, frame in groupby(own, key=lambda row: row["sequence"])]
    wrong = [f"{count} times" for count in tries if count != LIMITS[rts]]
    return rule(f"frames given up after {LIMITS[rts]} attempts (rts = {rts})", len(tries), wrong)
