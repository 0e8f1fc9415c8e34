"""How the claims about RTS/CTS and about the step at 1536 bytes are decided."""

from collections.abc import Callable
from functools import partial

from anechoic.papers.checks import (
    all_of,
    below,
    equal_within,
    figures,
    in_band,
    readings,
    rises_by,
)
from anechoic.papers.claim import Campaigns, Verdict
from anechoic.papers.goel2006_model import SIFS_US
from anechoic.papers.goel2006_points import (
    ACCESS_POINT,
    CONNECTIONS,
    COUNTER_TOLERANCE,
    FULL_THRESHOLDS,
    GOEL_8_CONNECTIONS,
    RTS_OFF,
    RTS_ON,
    SEGMENT_BITS,
    STATION,
    THRESHOLDS,
    UNSTATED_CONNECTIONS,
    VENDORS,
    WHOLE_FRAME,
    At,
    Measure,
    counted,
    goodput,
    measured,
    place,
)
from anechoic.papers.goel2006_trends import same_shape
from anechoic.papers.points import Point, combined

RTS_BELOW = tuple(r for r in FULL_THRESHOLDS if r < WHOLE_FRAME)
RTS_FROM = tuple(r for r in FULL_THRESHOLDS if r >= WHOLE_FRAME)
RTS_DERIVED_RATIO = {256: (0.84, 0.96), 1536: (0.74, 0.88)}
"""Goodput with RTS over that without, derived for the long preamble: reported, not decisive."""
FRAGMENTS = counted("mac.fragments_per_msdu", "fragments per MSDU")
AP_RTS = counted(f"node.{ACCESS_POINT}.rts_frames", "RTS of the access point")
AP_ATTEMPTS = counted(f"node.{ACCESS_POINT}.attempts", "attempts of the access point")
STATION_RTS = counted(f"node.{STATION}.rts_frames", "RTS of the station")


def _rts_us(value: Callable[[str], float]) -> float:
    control = value("airtime.rts_cts_s") * 1e6 + value("mac.rts_frames") * 2 * SIFS_US
    return control * SEGMENT_BITS / (value("goodput_mbps") * 1e6 * value("measured_s"))


def _rts_per_burst(value: Callable[[str], float]) -> float:
    name = f"node.{ACCESS_POINT}."
    again = value(f"{name}retries")
    first = (value(f"{name}attempts") - again) / value(f"{name}fragments_per_msdu")
    return value(f"{name}rts_frames") / (first + again)


RTS_TIME = Measure("RTS, CTS and their SIFS per segment", _rts_us, "µs")
RTS_PER_BURST = Measure("RTS per burst begun", _rts_per_burst)
"""A burst begins at an MSDU's first attempt and at every later contention for it."""


def rts_costs_everywhere(campaigns: Campaigns) -> Verdict:
    """goel-4-c: surely less than goel-2 at every threshold and number of connections."""
    parts, ratios = [], []
    for t in THRESHOLDS:
        for n in CONNECTIONS:
            on, off = (goodput(campaigns, name, T=t, N=n) for name in ("goel-4", "goel-2"))
            parts.append(below(on, off, disjoint=True))
            if t in RTS_DERIVED_RATIO:
                ratio = on.over(off, f"goodput with RTS over without (T={t}, N={n})")
                ratios.append(in_band(ratio, *RTS_DERIVED_RATIO[t]))
    verdict = all_of(parts, "less with RTS/CTS at every point")
    shown = all_of(ratios).figures if ratios else ()
    return Verdict(verdict.status, (*verdict.figures, *shown), verdict.reason)


def control_frames_cost_it(campaigns: Campaigns) -> Verdict:
    """goel-4-d: one RTS exchange for every burst begun, and their time is what is lost."""
    tolerance = COUNTER_TOLERANCE
    parts = []
    for t in THRESHOLDS:
        for n in CONNECTIONS:
            off = goodput(campaigns, "goel-2", T=t, N=n)
            parts.append(_explained(campaigns, "goel-4", off, At(T=t, N=n)))
            bursts = measured(campaigns, "goel-4", RTS_PER_BURST, T=t, N=n)
            parts.append(in_band(bursts, 1 - tolerance, 1 + tolerance))
    return all_of(parts, "the exchanges of RTS and CTS take the time that is lost")


def _explained(campaigns: Campaigns, experiment: str, off: Point, where: At) -> Verdict:
    """Compare what the RTS exchanges' airtime takes away with what is lost, read both ways.

    The check sets an airtime against a difference of goodput: either the airtime is turned
    into the goodput it takes away, or the difference into the time that each segment takes
    longer. Both are over one, because RTS also saves: a collision then costs an RTS instead
    of a long frame.
    """
    on = goodput(campaigns, experiment, **where)
    spent = measured(campaigns, experiment, RTS_TIME, **where)

    def of_goodput(off_mbps: float, on_mbps: float, rts_us: float) -> float:
        with_rts_alone = SEGMENT_BITS / (SEGMENT_BITS / off_mbps + rts_us)
        return (off_mbps - with_rts_alone) / (off_mbps - on_mbps)

    def of_time(off_mbps: float, on_mbps: float, rts_us: float) -> float:
        return rts_us / (SEGMENT_BITS / on_mbps - SEGMENT_BITS / off_mbps)

    def read(share: Callable[[float, float, float], float], what: str) -> Verdict:
        ratio = combined(f"{experiment} {what} ({place(where)})", share, off, on, spent)
        verdict = in_band(ratio, 0.85, 1.15)
        return Verdict(verdict.status, figures(ratio, spent, off, on), verdict.reason)

    return readings(
        {
            "goodput": read(of_goodput, "loss by RTS airtime over whole loss"),
            "time": read(of_time, "RTS airtime over the time a segment takes longer"),
        }
    )


def shape_is_that_without_rts(campaigns: Campaigns) -> Verdict:
    """goel-4-e: the text names figure 21, vendor B's; figure 20 must be meant. Both are read."""
    return readings(
        {
            "figure 20, vendor A": same_shape(campaigns, "goel-4", "goel-2"),
            "figure 21, vendor B": same_shape(campaigns, "goel-4", "goel-3"),
        }
    )


# goel-6 and goel-7: the text names no number of connections, so each is a reading.


def rts_costs_at_each_threshold(experiment: str, campaigns: Campaigns) -> Verdict:
    """goel-6-a, goel-7-a: surely less with RTS at every threshold."""

    def with_connections(n: int) -> Verdict:
        return all_of(
            [
                below(
                    goodput(campaigns, experiment, T=t, R=RTS_ON, N=n),
                    goodput(campaigns, experiment, T=t, R=RTS_OFF, N=n),
                    disjoint=True,
                )
                for t in FULL_THRESHOLDS
            ],
            "less with RTS/CTS at every threshold",
        )

    return _by_connections(with_connections)


def steps_up_at_whole_frame(experiment: str, campaigns: Campaigns) -> Verdict:
    """goel-6-b, goel-7-b: from 1535 to 1536 bytes by 10 %, with RTS by 8 %."""

    def with_connections(n: int) -> Verdict:
        at = partial(goodput, campaigns, experiment, N=n)
        return all_of(
            [
                rises_by(at(T=WHOLE_FRAME - 1, R=rts), at(T=WHOLE_FRAME, R=rts), step)
                for rts, step in ((RTS_OFF, 0.10), (RTS_ON, 0.08))
            ]
        )

    return _by_connections(with_connections)


def level_beyond_whole_frame(experiment: str, campaigns: Campaigns) -> Verdict:
    """goel-6-c, goel-7-c: within 2 % from 1536 on, where nothing is fragmented."""

    def with_connections(n: int) -> Verdict:
        parts = []
        for rts in (RTS_OFF, RTS_ON):
            places = [At(T=t, R=rts, N=n) for t in RTS_FROM]
            parts.append(
                equal_within([goodput(campaigns, experiment, **at) for at in places], 0.02)
            )
            counts = [measured(campaigns, experiment, FRAGMENTS, **at) for at in places]
            # An MSDU under way when the window opens or closes is counted at one end only.
            parts += [in_band(count, 0.99, 1.01) for count in counts]
        return all_of(parts, "level from 1536 on, and nothing is fragmented")

    return _by_connections(with_connections)


def control_frames_cost_it_at_each_threshold(experiment: str, campaigns: Campaigns) -> Verdict:
    """goel-6-d, goel-7-d: the RTS exchanges take the time that is lost, within 15 %."""

    def with_connections(n: int) -> Verdict:
        parts = []
        for t in FULL_THRESHOLDS:
            off = goodput(campaigns, experiment, T=t, R=RTS_OFF, N=n)
            parts.append(_explained(campaigns, experiment, off, At(T=t, R=RTS_ON, N=n)))
        return all_of(parts, "the exchanges of RTS and CTS take the time that is lost")

    return _by_connections(with_connections)


# goel-8: the text names no vendor, so each is a reading.


def level_below_whole_frame(campaigns: Campaigns) -> Verdict:
    """goel-8-a: within 2 % for every RTS threshold below 1536."""

    def with_vendor(vendor: str) -> Verdict:
        points = [goodput(campaigns, "goel-8", ap=vendor, R=r) for r in RTS_BELOW]
        return all_of([equal_within(points, 0.02)], f"level for {vendor}")

    return _by_vendor(with_vendor)


def rts_stops_at_whole_frame(campaigns: Campaigns) -> Verdict:
    """goel-8-b: up by 10 % from an RTS threshold of 1535 to 1536."""
    return _by_vendor(
        lambda vendor: rises_by(
            goodput(campaigns, "goel-8", ap=vendor, R=WHOLE_FRAME - 1),
            goodput(campaigns, "goel-8", ap=vendor, R=WHOLE_FRAME),
            0.10,
        )
    )


def level_and_baseline_beyond(campaigns: Campaigns) -> Verdict:
    """goel-8-c: within 2 % from 1536 on, and within 3 % of the baseline."""

    def with_vendor(vendor: str) -> Verdict:
        points = [goodput(campaigns, "goel-8", ap=vendor, R=r) for r in RTS_FROM]
        baseline = goodput(campaigns, "goel-1", ap=vendor, N=GOEL_8_CONNECTIONS)
        parts = [equal_within([point, baseline], 0.03) for point in points]
        return all_of([equal_within(points, 0.02), *parts], "level, and the baseline's")

    return _by_vendor(with_vendor)


def rts_only_above_threshold(campaigns: Campaigns) -> Verdict:
    """goel-8-d: no RTS from 1536 on or from the station, one for every attempt below."""

    def with_vendor(vendor: str) -> Verdict:
        at = partial(measured, campaigns, "goel-8", ap=vendor)
        silent = [at(AP_RTS, R=r) for r in RTS_FROM]
        silent += [at(STATION_RTS, R=r) for r in FULL_THRESHOLDS]
        each = [
            at(AP_RTS, R=r).over(at(AP_ATTEMPTS, R=r), f"RTS per attempt (ap={vendor}, R={r})")
            for r in RTS_BELOW
        ]
        tolerance = COUNTER_TOLERANCE
        return all_of(
            [
                *(in_band(point, 0.0, 0.0) for point in silent),
                *(in_band(point, 1 - tolerance, 1 + tolerance) for point in each),
            ],
            "RTS before every long frame below the threshold's reach, and none beyond",
        )

    return _by_vendor(with_vendor)


def _by_connections(decide: Callable[[int], Verdict]) -> Verdict:
    return readings({f"{n} connections": decide(n) for n in UNSTATED_CONNECTIONS})


def _by_vendor(decide: Callable[[str], Verdict]) -> Verdict:
    return readings({vendor: decide(vendor) for vendor in VENDORS})
