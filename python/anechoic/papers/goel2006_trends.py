"""How the claims about fragmentation and the number of connections are decided."""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

from anechoic.papers.checks import (
    all_of,
    below,
    equal_within,
    in_band,
    non_decreasing,
    non_increasing,
    not_above,
    same_order,
    strictly_decreasing,
)
from anechoic.papers.claim import Campaigns, Status, Verdict
from anechoic.papers.goel2006_model import (
    BACKOFF_ALONE,
    BACKOFF_SHARED,
    Setting,
    fragment_count,
    goodput_mbps,
)
from anechoic.papers.goel2006_points import (
    CONNECTIONS,
    GOEL_8_CONNECTIONS,
    GOODPUT,
    PREAMBLE_US,
    SEGMENT_BITS,
    THRESHOLDS,
    VENDOR_OF,
    VENDORS,
    WHOLE_FRAME,
    At,
    Measure,
    goodput,
    measured,
)
from anechoic.papers.points import Point

OVERHEAD_PARTS = ("preamble", "header", "ack", "ifs")
"""What every further fragment costs, by the ledger's categories."""
COMPETITION_PARTS = ("tcp_ack", "tcp_duplicate_ack", "tcp_retransmission", "backoff")
"""What carries no new payload and can grow with the number of connections."""


def _competition_share(value: Callable[[str], float]) -> float:
    spent = sum(value(f"airtime.{part}_s") for part in COMPETITION_PARTS)
    return spent / value("measured_s")


def _overhead_us(value: Callable[[str], float]) -> float:
    delivered = value("goodput_mbps") * 1e6 * value("measured_s") / SEGMENT_BITS
    return sum(value(f"airtime.{part}_s") for part in OVERHEAD_PARTS) * 1e6 / delivered


OF_EACH = Measure(
    "goodput of each connection", lambda value: value("goodput_per_connection_mbps"), "Mbit/s"
)
OVERHEAD_SHARE = Measure("overhead's share of the airtime", _competition_share)
OVERHEAD_TIME = Measure("overhead per segment", _overhead_us, "µs")


def baseline_falls_with_connections(campaigns: Campaigns) -> Verdict:
    """goel-1-a: never up by more than 2 %, and surely down from first to last."""
    parts = []
    for vendor in VENDORS:
        line = [goodput(campaigns, "goel-1", ap=vendor, N=n) for n in CONNECTIONS]
        parts += [non_increasing(line), below(line[-1], line[0], disjoint=True)]
    verdict = all_of(parts, "falls for both vendors")
    routes = [_route(campaigns, vendor) for vendor in VENDORS]
    return replace(verdict, reason="; ".join([verdict.reason, *routes]))


ROUTE = (
    Measure("packets dropped at the queue", lambda value: value("mac.drops_queue")),
    Measure("segments resent", lambda value: value("tcp.retransmissions")),
    Measure("of them in vain", lambda value: value("tcp.retransmissions_spurious")),
    Measure("duplicate ACKs", lambda value: value("tcp.duplicate_acks")),
)
"""Where goodput can go as connections are added: an ideal channel has no such loss."""


def _route(campaigns: Campaigns, vendor: str) -> str:
    """Say what grew between the fewest and the most connections, each as a mean per run."""
    few, many = CONNECTIONS[0], CONNECTIONS[-1]

    def grew(measure: Measure) -> str:
        ends = [measured(campaigns, "goel-1", measure, ap=vendor, N=n) for n in (few, many)]
        return f"{measure.what} {ends[0].mean:.0f} to {ends[1].mean:.0f}"

    return f"{vendor} from N={few} to {many}: {', '.join(grew(each) for each in ROUTE)}"


def overhead_grows_with_connections(campaigns: Campaigns) -> Verdict:
    """goel-1-b: less for each connection, and no less airtime that carries no new payload."""
    parts = []
    for vendor in VENDORS:
        places = [At(ap=vendor, N=n) for n in CONNECTIONS]
        each = [measured(campaigns, "goel-1", OF_EACH, **at) for at in places]
        shares = [measured(campaigns, "goel-1", OVERHEAD_SHARE, **at) for at in places]
        parts += [strictly_decreasing(each), non_decreasing(shares)]
    return all_of(parts, "each connection gets less, and the overhead's share does not fall")


def baseline_is_best(campaigns: Campaigns) -> Verdict:
    """goel-1-c: no point of another experiment with as many connections is surely above."""
    others = [*VENDOR_OF, "goel-8"]
    compared = [name for name in others if name in campaigns]
    if not compared:
        return Verdict(Status.NOT_RUN, (), "no other experiment was run")
    parts = [part for name in compared for part in _against_baseline(campaigns, name)]
    missing = [*(name for name in others if name not in campaigns), "goel-9 to goel-18"]
    verdict = all_of(parts, f"no point of {', '.join(compared)} is above the baseline")
    reason = f"{verdict.reason}; not run: {', '.join(missing)}"
    return Verdict(verdict.status, verdict.figures, reason)


def _against_baseline(campaigns: Campaigns, experiment: str) -> list[Verdict]:
    parts = []
    for cell in campaigns[experiment].combinations():
        vendor = str(cell.get("vendor", VENDOR_OF.get(experiment)))
        n = int(cell.get("connections", GOEL_8_CONNECTIONS))
        where = ", ".join(f"{name}={value}" for name, value in cell.items())
        label = f"{experiment} goodput ({where})"
        point = campaigns[experiment].derived(GOODPUT.formula, label, cell, GOODPUT.unit)
        parts.append(not_above(point, goodput(campaigns, "goel-1", ap=vendor, N=n)))
    return parts


def baseline_level(campaigns: Campaigns) -> Verdict:
    """goel-1-d: between 4.0 and 6.5 Mbit/s with 2 connections, all that the model allows."""
    points = [goodput(campaigns, "goel-1", ap=vendor, N=2) for vendor in VENDORS]
    return all_of([in_band(point, 4.0, 6.5) for point in points])


def rises_with_threshold(experiment: str, campaigns: Campaigns) -> Verdict:
    """goel-2-a and its like: up wherever the number of fragments falls, level elsewhere."""
    parts = []
    for n in CONNECTIONS:
        line = [goodput(campaigns, experiment, T=t, N=n) for t in THRESHOLDS]
        parts.append(non_decreasing(line))
        for (t, low), (u, high) in pairwise(zip(THRESHOLDS, line, strict=True)):
            fewer = fragment_count(u) < fragment_count(t)
            parts.append(below(low, high) if fewer else equal_within([low, high], 0.02))
    return all_of(parts, "rises with every fragment less, and is level where none is saved")


def falls_with_connections(experiment: str, campaigns: Campaigns) -> Verdict:
    """goel-2-b and its like: never up by more than 2 %, and down from first to last."""
    parts = []
    for t in THRESHOLDS:
        line = [goodput(campaigns, experiment, T=t, N=n) for n in CONNECTIONS]
        parts += [non_increasing(line), below(line[-1], line[0])]
    return all_of(parts, "falls at every threshold")


def each_fragment_costs(campaigns: Campaigns) -> Verdict:
    """goel-2-c: more overhead with every fragment, and goodput as the closed form has it."""
    parts = []
    for n in CONNECTIONS:
        spent = [measured(campaigns, "goel-2", OVERHEAD_TIME, T=t, N=n) for t in THRESHOLDS]
        for (t, more), (u, less) in pairwise(zip(THRESHOLDS, spent, strict=True)):
            if fragment_count(u) < fragment_count(t):
                parts.append(below(less, more))
        whole = goodput(campaigns, "goel-2", T=WHOLE_FRAME, N=n)
        for t in THRESHOLDS:
            ratio = goodput(campaigns, "goel-2", T=t, N=n).over(whole, f"ratio T={t}, N={n}")
            parts.append(in_band(ratio, *_model_band(t)))
    return all_of(parts, "overhead grows with every fragment; the ratios are the closed form's")


def _model_band(threshold: int) -> tuple[float, float]:
    """12 % around the closed form's ratio, whichever way the backoff is counted."""
    preamble = PREAMBLE_US[VENDOR_OF["goel-2"]]
    ratios = [
        goodput_mbps(Setting(threshold, preamble_us=preamble, mean_backoff_slots=backoff))
        / goodput_mbps(Setting(preamble_us=preamble, mean_backoff_slots=backoff))
        for backoff in (BACKOFF_ALONE, BACKOFF_SHARED)
    ]
    return 0.88 * min(ratios), 1.12 * max(ratios)


def whole_frames_are_best(campaigns: Campaigns) -> Verdict:
    """goel-2-d: no threshold that fragments is as good as one that does not."""
    parts = []
    for n in CONNECTIONS:
        best = goodput(campaigns, "goel-2", T=WHOLE_FRAME, N=n)
        smaller = [t for t in THRESHOLDS if t < WHOLE_FRAME]
        parts += [below(goodput(campaigns, "goel-2", T=t, N=n), best) for t in smaller]
    return all_of(parts, f"{WHOLE_FRAME} is the best threshold for every N")


def vendors_agree(campaigns: Campaigns) -> Verdict:
    """goel-3-c: vendor B ranks the points of threshold and connections as vendor A does."""
    return same_shape(campaigns, "goel-3", "goel-2")


def same_shape(campaigns: Campaigns, first: str, second: str) -> Verdict:
    """Compare the order of two experiments' points of threshold and connections."""
    return same_order(
        f"{first} and {second}", _matrix(campaigns, first), _matrix(campaigns, second)
    )


def _matrix(campaigns: Campaigns, experiment: str) -> list[Point]:
    return [goodput(campaigns, experiment, T=t, N=n) for t in THRESHOLDS for n in CONNECTIONS]
