"""How the claims of V. Vasudevan and others are decided that no kind of check can say.

Those on traces have them as the paper had: captures of both ends and a log of the terminal's card,
on one clock. What is told of a trace is told of each replication, and averaged.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from math import comb, exp
from operator import mul
from statistics import fmean, median
from typing import Any

from anechoic.papers.comparisons import below, fit, in_band
from anechoic.papers.mechanisms import Context
from anechoic.papers.packet_rules import Row, rows_of, rule, since_first_segment
from anechoic.papers.points import MissingPoint, Point
from anechoic.papers.segment_rules import Recovery, out_of_order_is_answered, recoveries
from anechoic.papers.traces import Loss, Trace, trace_of
from anechoic.papers.verdict import Verdict, all_of, readings

MSS = 1460
SERVER, TERMINAL = "stack.server", "stack.terminal"

SETS = ("I", "II", "III")
DURATION_S = 300.0
TRACES = 6
"""Traces of one position that the text has (section 3)."""
QUEUED_S = 0.07
"""How long a segment waits in the access point's queue at most: 35 packets at 5.8 Mbit/s."""

WAITS_S = (1.5, 3.0, 6.0, 12.0)
"""The timeouts that the text and its figure 4(b) tell of."""


def the_windows_bound_what_is_in_flight(context: Context) -> Verdict:
    """vasudevan-reno-a: whenever a new segment is sent, both windows have room for it.

    Reno takes each duplicate ACK for a segment that has left the path. The congestion window is
    that of TCP_INFO, the larger of the samples before and after, as it may change between them.
    """
    losses = context.place["losses"]
    segments = context.analysis(SERVER).segments(1)
    columns = ("time_s", "sender", "seq_end", "kind", "ack", "answer", "window", "flight")
    info = _sender_info(context)
    times = [sample["time_s"] for sample in info]
    duplicates, allowed, sent, beyond = 0, 0, 0, []
    for row in rows_of(segments, *columns):
        if row["sender"] == "server":
            duplicates = duplicates + 1 if row["answer"] == "duplicate" else 0
            allowed = max(allowed, row["ack"] + row["window"])
        elif row["kind"] == "new":
            sent += 1
            place = bisect_right(times, row["time_s"])
            around = info[max(place - 1, 0) : place + 1]
            window = max(sample["tcpi_snd_cwnd"] for sample in around) * MSS
            if row["seq_end"] > allowed or row["flight"] - duplicates * MSS > window:
                beyond.append(f"at {row['time_s']:.4f} s")
    return rule(f"new segments within both windows (losses = {losses})", sent, beyond)


def the_third_duplicate_resends_and_more_inflate(context: Context) -> Verdict:
    """vasudevan-reno-b: RFC 5681 §3.2, with half of what is in flight for the threshold."""
    answered = out_of_order_is_answered(context.analysis(TERMINAL), 0.001, "losses = one")
    found = _only_recovery(context)
    third = Point.exactly("duplicate ACKs before the fast retransmission", found.reports)
    again = Point.exactly("segments resent until all was acknowledged", found.again)
    threshold = max(found.flight // MSS // 2, 2)
    # The third makes it as large as the threshold and three; what is sent is in flight as well.
    wrong, in_flight = [], found.flight // MSS
    for number, (at_s, sent) in enumerate(found.later, start=4):
        room = threshold + number - in_flight
        if sent != max(0, min(room, 1)):
            wrong.append(f"duplicate {number} at {at_s:.4f} s lets out {sent}")
        in_flight += sent
    inflating = rule(
        "further duplicates that let out what they make room for", len(found.later), wrong
    )
    released = sum(sent for _, sent in found.later)
    return all_of([answered, in_band(third, 3, 3), in_band(again, 1, 1), inflating]).noting(
        f"{released} of {len(found.later)} further duplicates let out a segment: those that lift "
        f"the window, begun at half of the {found.flight // MSS} in flight, above what is in flight"
    )


def a_single_loss_is_mended_within_a_round_trip(context: Context) -> Verdict:
    """vasudevan-reno-c: from the fast retransmission to the ACK of all that was in flight.

    The text has "typically", so that most are asked. Which round trip is meant it does not say. In
    slow start the queue grows from one to the next: what was measured last is older than what the
    segment sent before the resent one takes, whose duplicate ACK is the last of those for what was
    in flight.
    """
    cell = context.results[context.experiment].select(context.place)
    took = [_trips_to_mend(context, replication) for replication in range(cell.replications)]
    measured, sent = zip(*took, strict=True)
    return readings(
        {
            "the round trip measured last": _mostly_within_one(measured),
            "that of the segment sent before": _mostly_within_one(sent),
        }
    )


def _trips_to_mend(context: Context, replication: int) -> tuple[float, float]:
    """Give the time to mend the loss in round trips: of the last measured, of the last segment."""
    found = _only_recovery(context, replication)
    analysis = context.analysis(SERVER, replication=replication)
    rows = rows_of(analysis.segments(1), "time_s", "kind", "rtt_ms")
    before = [row for row in rows if row["time_s"] < found.time_s]
    measured_s = [row["rtt_ms"] for row in before if row["rtt_ms"]][-1] / 1e3
    sent_s = [row["time_s"] for row in before if row["kind"] == "new"][-1]
    last_duplicate_s, _ = found.later[-1]
    if found.covered_s is None:
        raise MissingPoint("the capture ends before the loss is mended")
    took_s = found.covered_s - found.time_s
    return took_s / measured_s, took_s / (last_duplicate_s - sent_s)


def _mostly_within_one(trips: Sequence[float]) -> Verdict:
    share = Point.of("share of losses mended within a round trip", [trip <= 1 for trip in trips])
    return in_band(share, 0.5, None).noting(f"they take {min(trips):.2f} to {max(trips):.2f}")


def a_second_loss_is_left_to_the_timer(context: Context) -> Verdict:
    """vasudevan-reno-d: the resent segment is lost, the timer resends it and doubles."""
    rows = rows_of(context.analysis(SERVER).segments(1), "time_s", "kind", "seq", "cause")
    resent = [row for row in rows if row["kind"] == "retransmitted"]
    causes = [row["cause"] for row in resent if row["seq"] == resent[0]["seq"]]
    first_s, second_s = resent[0]["time_s"], resent[1]["time_s"]
    wrong = [] if causes == ["fast", "timeout"] else [f"it is resent by {', '.join(causes)}"]
    order = rule("segments lost twice, resent by duplicates first and then by the timer", 1, wrong)
    info = _sender_info(context)
    before = [each["tcpi_rto"] for each in info if each["time_s"] < second_s][-1]
    after = next(each["tcpi_rto"] for each in info if each["time_s"] >= second_s)
    doubled = Point.exactly("timeout after it expired, over that before", after / before)
    # The coarse timer counts ticks of 500 ms, the first of which may be nearly over.
    waited = Point.exactly("the wait for it, over the timeout", (second_s - first_s) / before * 1e6)
    tick = 500_000 / before
    return all_of([order, in_band(doubled, 2, 2), in_band(waited, 1 - tick, 1)]).noting(
        f"the timeout was {before / 1e6:.1f} s and then {after / 1e6:.1f} s"
    )


# Throughput and loss of runs


def limiting_runs_lie_between(context: Context) -> Verdict:
    """vasudevan-fig1a-d: the extremes of six runs from 4.5 Mbit/s on, as many as the paper had."""
    least, most = _extremes_of_six(_runs(context, 4.5, 6), "throughput in Mbit/s")
    return all_of([in_band(least, 2.0, 3.5, 3), in_band(most, 4.5, 5.8, 5)])


def runs_span(context: Context) -> Verdict:
    """vasudevan-fig1a-f: the same, with the tolerance of the four ranges that are printed."""
    least, most = _extremes_of_six(_runs(context, 4.5, 6), "throughput in Mbit/s")
    times = Point.exactly("most over least", most.mean / least.mean)
    return all_of(
        [in_band(least, 1.8, 2.6, 2), in_band(most, 4.5, 5.8, 5.5), in_band(times, 2, None)]
    )


def _extremes_of_six(runs: list[float], what: str) -> tuple[Point, Point]:
    """Give the least and the most of six runs, in the mean over all choices of six.

    The more runs, the farther apart their extremes lie, and the paper has six traces.
    """
    n, ascending = len(runs), sorted(runs)
    if n < TRACES:
        raise MissingPoint(f"{n} runs are fewer than the paper's {TRACES} traces")
    # The k-th of n is the least of those chosen if the five others lie behind it.
    least = [comb(n - k, TRACES - 1) / comb(n, TRACES) for k in range(1, n + 1)]
    return (
        Point.exactly(f"least {what} of six runs", sum(map(mul, least, ascending))),
        Point.exactly(f"most {what} of six runs", sum(map(mul, least, ascending[::-1]))),
    )


def runs_differ(context: Context) -> Verdict:
    """vasudevan-fig1a-g: the spread of runs of all sets, beyond and below the limiting rate."""
    spread = {}
    for source in (1, 2.5, 4.5, 6):
        runs = _runs(context, source)
        mean = fmean(runs)
        spread[source] = fmean((run - mean) ** 2 for run in runs) ** 0.5 / mean
    low, high = max(spread[1], spread[2.5]), min(spread[4.5], spread[6])
    what = "least coefficient of variation from 4.5 Mbit/s on, over the largest below"
    return in_band(Point.exactly(what, high / low), 3, None)


def losses_of_runs_lie_between(context: Context) -> Verdict:
    """vasudevan-fig1b-a: the part of a trace's segments that was lost, at the extremes of six."""
    shares = [
        100 * len(trace.losses) / trace.sent
        for name in SETS
        for trace in _traces(context, set=name, source="6 Mbit/s")
    ]
    least, most = _extremes_of_six(shares, "loss in %")
    times = Point.exactly("most over least", most.mean / max(least.mean, 1e-9))
    return all_of(
        [in_band(least, 0.03, 0.8, 0.05), in_band(most, 0.03, 0.8, 0.6), in_band(times, 4, None)]
    )


def _runs(context: Context, *sources: float) -> list[float]:
    cells = [(name, f"{source:g} Mbit/s") for name in SETS for source in sources]
    runs = (_connected(context, set=name, source=source) for name, source in cells)
    return [goodput for each in runs for goodput in each.values()]


def _connected(context: Context, **where: Any) -> dict[int, float]:
    """Give the goodput of a cell's replications whose connection came about.

    Where the first frames of a fade are lost already, at times no SYN gets through. Whoever
    measures begins anew then.
    """
    goodputs = context.point("goodput_mbps", **where).summary.values
    return {replication: value for replication, value in enumerate(goodputs) if value > 0}


# Losses of the traces


def segments_are_lost_two_to_four_times(context: Context) -> Verdict:
    """vasudevan-fig2-a: of segments lost more than once, in the poor and the moderate set."""
    found = []
    for name in ("I", "II"):
        counts = [n for trace in _traces(context, set=name) for n in trace.multiplicities if n > 1]
        where = f"(set = {name})"
        if not counts:
            raise MissingPoint(f"no segment was lost more than once {where}")
        more = fmean(count > 4 for count in counts)
        what = f"share of {len(counts)} segments lost more than four times {where}"
        most = Point.exactly(f"most losses of a segment {where}", max(counts))
        found += [in_band(Point.exactly(what, more), None, 0.01), in_band(most, 2, 5)]
    return all_of(found)


def single_losses_are_most_frequent(context: Context) -> Verdict:
    """vasudevan-fig2-b."""
    found = []
    for name in SETS:
        counts = Counter(n for trace in _traces(context, set=name) for n in trace.multiplicities)
        single = Point.exactly(f"segments lost once (set = {name})", counts.pop(1, 0))
        most = max(counts.values(), default=0)
        other = Point.exactly(f"most of another number (set = {name})", most)
        found += [in_band(single, 1, None), below(other, single)]
    return all_of(found)


def single_losses_are_spread_evenly(context: Context) -> Verdict:
    """vasudevan-fig2-c: Kolmogorov and Smirnov's test against uniform, and the level meanwhile."""
    from scipy.stats import kstest

    def is_even(trace: Trace) -> float | None:
        times = [each.time_s / DURATION_S for each in trace.single]
        return float(kstest(times, "uniform").pvalue > 0.01) if times else None

    def good(trace: Trace) -> float | None:
        return _share(not trace.level.is_fading(each.time_s) for each in trace.single)

    even = [
        in_band(_told(context, "share of traces with p > 0.01", is_even, name), 0.5, None)
        for name in SETS
    ]
    share = _told(context, "share of single losses at a good level", good, "III")
    return all_of([*even, in_band(share, 0.5, None)])


def multiple_losses_are_most_frequent_in_the_poor_set(context: Context) -> Verdict:
    """vasudevan-fig2-d."""
    what = "segments lost more than once a second"
    return _most_in_the_poor_set(context, what, lambda trace: len(trace.multiple) / DURATION_S)


def timeouts_double(context: Context) -> Verdict:
    """vasudevan-fig2-e: waits of the timer behind one another, with nothing heard between."""
    waits = [
        (before, wait)
        for name in SETS
        for trace in _traces(context, set=name)
        for before, wait in trace.timeouts_s
        if before is not None
    ]
    # The first wait counts from the last ACK on, the coarse timer from a tick: up to half a
    # second of it, and of every wait the last tick, is none of the timeout's. Beyond the waits
    # that are printed the timer comes to its limit.
    least, most = WAITS_S[1] * 0.85, WAITS_S[-1] * 1.15
    again = [(before, wait) for before, wait in waits if least < before < most]
    wrong = [
        f"{wait:.2f} s after {before:.2f} s"
        for before, wait in again
        if not _is_double(before, wait)
    ]
    if not waits:
        raise MissingPoint("no wait of the timer stands behind another")
    # A round trip that has varied makes the first timeout 2 or 2.5 s, and its multiples with it.
    share = fmean(_is_of_the_chain(wait) for _, wait in waits)
    usual = Point.exactly(f"share of 1.5, 3, 6 and 12 s in {len(waits)} waits", share)
    doubling = rule("waits behind one of 3 s or more, each twice as long", len(again), wrong)
    return all_of([doubling, in_band(usual, 0.5, None)])


def _is_double(before: float, wait: float) -> bool:
    return abs(wait / before / 2 - 1) <= 0.15


def _is_of_the_chain(wait_s: float) -> bool:
    return any(abs(wait_s / each - 1) <= 0.15 for each in WAITS_S)


def the_channel_is_idle_for_up_to_twelve_seconds(context: Context) -> Verdict:
    """vasudevan-fig2-f."""
    what = "longest time without data, in s"
    longest = _told(context, what, lambda trace: max(trace.idle_s, default=0.0), "I")
    return in_band(longest, 6, 14, 12)


def idle_times_cost_most_of_the_throughput(context: Context) -> Verdict:
    """vasudevan-fig2-g: the idle share over what the poor set has less than the good one."""
    poor, good = (context.point("goodput_mbps", set=name).mean for name in ("I", "III"))
    if poor >= good:
        raise MissingPoint("the poor set carries no less than the good one")
    what = "idle share over the share of throughput missing"
    missing = 1 - poor / good
    return in_band(
        _told(context, what, lambda trace: sum(trace.idle_s) / DURATION_S / missing, "I"), 0.5, None
    )


# The level, and what the terminal's MAC gave up


def the_level_varies_within_six_decibels(context: Context) -> Verdict:
    """vasudevan-fig3-a."""
    what = "5th to 95th percentile of the level, in dB"
    parts = [_told(context, what, lambda trace: trace.level.range_db, name) for name in SETS]
    return all_of([in_band(each, 4, 8) for each in parts])


def fades_last_one_to_four_seconds(context: Context) -> Verdict:
    """vasudevan-fig3-b."""
    found = []
    for name in SETS:
        fades = [fade for trace in _traces(context, set=name) for fade in trace.level.fades_s]
        where = f"of {len(fades)} fades (set = {name})"
        if not fades:
            raise MissingPoint(f"no fade is seen (set = {name})")
        usual = Point.exactly(f"share of 0.5 to 5 s {where}", fmean(0.5 <= t <= 5 for t in fades))
        found += [
            in_band(Point.exactly(f"median in s {where}", median(fades)), 1, 4),
            in_band(usual, 0.8, None),
        ]
    return all_of(found)


def the_poor_sets_level_changes_fastest(context: Context) -> Verdict:
    """vasudevan-fig3-c."""
    what = "crossings of the middle level a second"
    return _most_in_the_poor_set(
        context, what, lambda trace: len(trace.level.crossings_s) / DURATION_S
    )


def the_poor_sets_mac_drops_most(context: Context) -> Verdict:
    """vasudevan-fig3-d."""
    what = "packets given up by the terminal's MAC a second"
    return _most_in_the_poor_set(context, what, lambda trace: len(trace.drops_s) / DURATION_S)


def retries_go_with_changes_of_the_level(context: Context) -> Verdict:
    """vasudevan-fig3-e: by seconds, Spearman's rank correlation."""
    from scipy.stats import spearmanr

    found = []
    # A capture of all frames is large: four traces tell it.
    for replication, trace in islice(_traced(context, set="I"), 4):
        frames = context.analysis("ap.airport", set="I", replication=replication).frames()
        tried, again = Counter[int](), Counter[int]()
        for frame in rows_of(frames, "time_ns", "kind", "is_retry"):
            if frame["kind"] == "data":
                second = frame["time_ns"] // 10**9
                tried[second] += 1
                again[second] += bool(frame["is_retry"])
        crossings = Counter(int(at) for at in trace.level.crossings_s)
        shares = [again[second] / tried[second] for second in sorted(tried)]
        counts = [crossings[second] for second in sorted(tried)]
        found.append(float(spearmanr(shares, counts).statistic))
    point = Point.of("rank correlation of retries with crossings (set = I)", found)
    return in_band(point, 0.3, None)


def multiple_losses_begin_in_fades(context: Context) -> Verdict:
    """vasudevan-fig3-f.

    A loss has the time at which the server sent it; a fade takes it from the access point's queue.
    """
    begun = [
        any(trace.level.is_fading(loss.time_s + late) for late in (0, QUEUED_S))
        for name in SETS
        for trace in _traces(context, set=name)
        for loss in trace.multiple
    ]
    if not begun:
        raise MissingPoint("no segment was lost more than once")
    what = f"share of {len(begun)} multiple losses that begin in a fade"
    return in_band(Point.exactly(what, fmean(begun)), 0.7, None)


# Times between losses


def times_between_losses_fall(context: Context) -> Verdict:
    """vasudevan-fig4a-a."""
    return _by_kind_of_loss(_times_fall, context)


def distributions_are_ordered(context: Context) -> Verdict:
    """vasudevan-fig4a-b: the share of times longer than 1, 2 and 4 s, within 0.05."""
    return _by_kind_of_loss(_are_ordered, context)


def times_cluster_around_two_seconds(context: Context) -> Verdict:
    """vasudevan-fig4a-c: the fullest bin of 0.25 s, and how many lie near it."""
    return _by_kind_of_loss(_cluster_around_two_seconds, context)


Times = Callable[[Trace], Sequence[float]]


def _by_kind_of_loss(
    decide: Callable[[dict[str, list[float]]], Verdict], context: Context
) -> Verdict:
    """Decide with the times between all losses, and with those of a window taken for one.

    The text speaks of losses and does not say whether those of one window are several.
    """
    kinds: dict[str, Times] = {
        "each loss": lambda trace: trace.intervals_s,
        "each window with losses": lambda trace: trace.episodes_s,
    }
    return readings(
        {
            kind: decide({name: _all(context, times, name) for name in SETS})
            for kind, times in kinds.items()
        }
    )


def _times_fall(times: dict[str, list[float]]) -> Verdict:
    means = {name: fmean(times[name]) for name in SETS}
    bands = {
        "III": (3.15, 5.85, 4.5),
        "I": (0.84, 1.56, 1.2),
        "II": (*sorted((means["I"], means["III"])),),
    }
    return all_of(
        [
            in_band(
                Point.exactly(f"mean time between them, in s (set = {name})", means[name]), *band
            )
            for name, band in bands.items()
        ]
    )


def _are_ordered(times: dict[str, list[float]]) -> Verdict:
    found = []
    for tau in (1, 2, 4):
        share = {name: fmean(each > tau for each in times[name]) for name in SETS}
        for worse, better in (("I", "II"), ("II", "III")):
            what = f"share longer than {tau} s, {better} less {worse}"
            found.append(in_band(Point.exactly(what, share[better] - share[worse]), -0.05, None))
    return all_of(found)


def _cluster_around_two_seconds(times: dict[str, list[float]]) -> Verdict:
    good = times["III"]
    [(mode, _)] = Counter(int(each / 0.25) for each in good).most_common(1)
    share = fmean(1.5 <= each <= 2.5 for each in good)
    mean = fmean(good)
    by_chance = exp(-1.5 / mean) - exp(-2.5 / mean)
    middle = Point.exactly("middle of the fullest bin, in s", 0.25 * (mode + 0.5))
    times_more = Point.exactly("share of 1.5 to 2.5 s, over that by chance", share / by_chance)
    return all_of([in_band(middle, 1.5, 2.5, 2), in_band(times_more, 2, None)])


# Segments between losses


def overflows_come_every_two_seconds(context: Context) -> Verdict:
    """vasudevan-fig4b-a: medians of the intervals that end with a full queue, in the good set."""
    full = _overflows(context, set="III")
    if not full:
        raise MissingPoint("no queue was full")
    time = median(loss.since_s or 0 for loss in full)
    packets = median(loss.sent_since for loss in full)
    return all_of(
        [
            in_band(Point.exactly("time to a loss by a full queue, in s", time), 1.5, 2.5, 2),
            in_band(Point.exactly("segments to it", packets), 750, 1250, 1000),
        ]
    )


def the_cluster_is_of_overflows(context: Context) -> Verdict:
    """vasudevan-fig4b-b: by round trips, the access point's count and the congestion window."""
    cases, overflown, largest = 0, 0, 0
    for replication, trace in _traced(context, set="III"):
        info = _sender_info(context, replication=replication, set="III")
        for loss in _cluster(trace):
            cases += 1
            overflown += loss.regime == "full_queue"
            # A sample every 100 ms, and the loss halves the window within a round trip.
            begin_s, end_s = loss.time_s - (loss.since_s or 0), loss.time_s + 0.2
            windows = [row["tcpi_snd_cwnd"] for row in info if begin_s < row["time_s"] <= end_s]
            near = [row["tcpi_snd_cwnd"] for row in info if abs(row["time_s"] - loss.time_s) < 0.2]
            largest += max(near) >= 0.9 * max(windows)
    if not cases:
        raise MissingPoint("no loss is of the cluster")
    dropped = sum(context.point("node.airport.drops_queue", set="III").summary.values)
    return all_of(
        [
            in_band(
                Point.exactly(f"share of {cases} with a full queue", overflown / cases), 0.9, None
            ),
            in_band(Point.exactly("share at the largest window", largest / cases), 0.9, None),
            in_band(Point.exactly("packets without room, over them", dropped / cases), 1, None),
        ]
    )


def the_cluster_uses_the_whole_channel(context: Context) -> Verdict:
    """vasudevan-fig4b-c: of payload, as the catalogue of the paper counts."""
    clusters = [loss for trace in _traces(context, set="III") for loss in _cluster(trace)]
    if not clusters:
        raise MissingPoint("there is no cluster")
    rate = fmean(loss.sent_since * MSS * 8 / 1e6 / (loss.since_s or 1) for loss in clusters)
    capacity = context.point("goodput_mbps", of="vasudevan-clean", preamble="short").mean
    what = "throughput between losses of the cluster, in Mbit/s"
    whole = Point.exactly("the same over that of a clean channel", rate / capacity)
    return all_of([in_band(Point.exactly(what, rate), 5.22, 6.38, 5.8), in_band(whole, 0.95, None)])


def the_cluster_is_visited_again_and_again(context: Context) -> Verdict:
    """vasudevan-fig4b-d: in each half minute, and in the autocorrelation of the losses."""
    parts = int(DURATION_S / 30)
    traces = _traces(context, set="III")
    missing = [
        f"from {30 * part} s on in replication {replication}"
        for replication, trace in enumerate(traces)
        for part in sorted(set(range(parts)) - {int(each.time_s / 30) for each in _cluster(trace)})
    ]
    trains = [Counter(int(loss.time_s / 0.25) for loss in trace.losses) for trace in traces]

    def together(lag: int) -> int:
        return sum(count * bins[at + lag] for bins in trains for at, count in list(bins.items()))

    peak = 0.25 * max(range(2, 17), key=together)
    what = "lag of the largest autocorrelation from 0.5 to 4 s, in s"
    return all_of(
        [
            rule("half minutes with losses of the cluster", parts * len(traces), missing),
            in_band(Point.exactly(what, peak), 1.5, 2.5),
        ]
    )


def short_intervals_are_those_of_the_timer(context: Context) -> Verdict:
    """vasudevan-fig4b-e: those with few segments, losses of one window being one."""
    times = [
        loss.since_s
        for name in SETS
        for loss in _later(_traces(context, set=name))
        if loss.since_s and loss.sent_since < 100 and not loss.is_of_the_same_window
    ]
    if not times:
        raise MissingPoint("no interval has so few segments")
    what = f"share of {len(times)} intervals at 1.5, 3, 6 or 12 s"
    return in_band(Point.exactly(what, fmean(_is_of_the_chain(each) for each in times)), 0.6, None)


def segments_grow_with_time(context: Context) -> Verdict:
    """vasudevan-fig4b-f: a line through the origin, of the good set."""
    losses = list(_later(_traces(context, set="III")))
    times = [loss.since_s or 0 for loss in losses]
    found = fit(times, [loss.sent_since for loss in losses], through_origin=True)
    return all_of(
        [
            in_band(Point.exactly("R²", found["r2"]), 0.9, None),
            in_band(Point.exactly("segments a second", found["slope"]), 400, 520),
        ]
    )


def slow_intervals_touch_fades(context: Context) -> Verdict:
    """vasudevan-fig4b-g: those of fewer than 200 segments a second begin or end in a fade."""
    touching = [
        trace.level.is_fading(loss.time_s) or trace.level.is_fading(loss.time_s - loss.since_s)
        for name in SETS
        for trace in _traces(context, set=name)
        for loss in trace.losses
        if loss.since_s and loss.sent_since / loss.since_s < 200
    ]
    if not touching:
        raise MissingPoint("no interval is so slow")
    what = f"share of {len(touching)} slow intervals"
    return in_band(Point.exactly(what, fmean(touching)), 0.7, None)


def a_larger_buffer_ends_the_period_and_a_smaller_shortens_it(context: Context) -> Verdict:
    """vasudevan-fig4b-h: the period goes with the square of buffer and pipe, some two segments.

    With a buffer beyond the window no queue is full, and intervals of the period, which may be a
    quarter longer or shorter, are few.
    """
    periods = {}
    for buffer in (17, 35):
        full = _overflows(context, set="III", buffer=buffer)
        if not full:
            raise MissingPoint(f"no queue of {buffer} packets was full twice in a row")
        periods[buffer] = median(loss.since_s or 0 for loss in full)
    least, most = 0.75 * periods[35], 1.25 * periods[35]
    usual, left = (
        sum(least <= (loss.since_s or 0) <= most for loss in _later(traces))
        for traces in (_traces(context, set="III", buffer=buffer) for buffer in (35, 80))
    )
    expected = ((17 + 1) / (35 + 1)) ** 2
    what = "period with 17 packets over that with 35, over the squares of the window"
    shorter = Point.exactly(what, periods[17] / periods[35] / expected)
    mode = Point.exactly(
        "intervals of the period with 80 packets, over those with 35", left / usual
    )
    return all_of([in_band(mode, None, 0.05), in_band(shorter, 0.7, 1.3)])


def channel_and_buffer_both_limit(context: Context) -> Verdict:
    """vasudevan-fig4b-i: without fades no back-off, with a large buffer no overflows; both gain."""
    still = sum(len(trace.multiple) for trace in _traces(context, set="none", buffer=35))
    lost = sum(len(trace.losses) for trace in _traces(context, set="none", buffer=80))
    base, steady, large = (
        context.point("goodput_mbps", set=name, buffer=buffer)
        for name, buffer in (("I", 35), ("none", 35), ("none", 80))
    )
    return all_of(
        [
            in_band(Point.exactly("segments lost again where nothing fades", still), None, 0),
            in_band(Point.exactly("losses with a large buffer as well", lost), None, 0),
            below(base, steady),
            below(steady, large),
        ]
    )


# What is known inside


def the_captures_and_the_log_equal_inside_knowledge(context: Context) -> Verdict:
    """vasudevan-fig2-traces: up to the last sample of TCP_INFO, both ends' counts of segments."""
    wrong, cases = [], 0
    for name in SETS:
        given_up = context.point("node.terminal.drops_retry_limit", set=name).summary.values
        for replication, trace in _traced(context, set=name):
            cases += 3
            samples = rows_of(
                context.tcp_info(set=name, replication=replication),
                *("end", "tcpi_data_segs_out", "tcpi_data_segs_in"),
            )
            last = {row["end"]: row for row in samples}
            sent = last["sender"]["tcpi_data_segs_out"]
            came = last["receiver"]["tcpi_data_segs_in"]
            seen = {
                "sent": (trace.sent, sent),
                "received": (trace.received, came),
                "given up by the card": (len(trace.drops_s), given_up[replication]),
            }
            wrong += [
                f"{what} in replication {replication} of set {name}: {told:g}, {known:g} known"
                for what, (told, known) in seen.items()
                if told != known
            ]
    return rule("counts of the captures and the log that equal inside knowledge", cases, wrong)


def _traces(context: Context, **where: Any) -> list[Trace]:
    """Give the trace of each connection of a cell."""
    return [trace for _, trace in _traced(context, **where)]


def _traced(context: Context, **where: Any) -> Iterator[tuple[int, Trace]]:
    """Give the trace of each connection of a cell, after the number of its replication."""
    taps = (SERVER, TERMINAL, "events.terminal")
    for each in _connected(context, **where):
        yield each, context.made(trace_of, *taps, replication=each, **where)


def _told(context: Context, what: str, tell: Callable[[Trace], float | None], name: str) -> Point:
    """Average what is told of each trace of a set, where there is something."""
    values = [tell(trace) for trace in _traces(context, set=name)]
    return Point.of(f"{what} (set = {name})", [each for each in values if each is not None])


def _all(context: Context, times: Times, name: str) -> list[float]:
    found = list(chain.from_iterable(times(trace) for trace in _traces(context, set=name)))
    if not found:
        raise MissingPoint(f"there are no two losses (set = {name})")
    return found


def _most_in_the_poor_set(context: Context, what: str, tell: Callable[[Trace], float]) -> Verdict:
    rates = {name: _told(context, what, tell, name) for name in SETS}
    return all_of([below(rates[name], rates["I"]) for name in ("II", "III")])


def _share(cases: Iterable[bool]) -> float | None:
    found = list(cases)
    return fmean(found) if found else None


def _later(traces: Iterable[Trace]) -> Iterable[Loss]:
    """Give the losses that are not the first of their trace."""
    return (loss for trace in traces for loss in trace.losses if loss.since_s is not None)


def _overflows(context: Context, **where: Any) -> list[Loss]:
    """Give the losses by a full queue."""
    return [loss for loss in _later(_traces(context, **where)) if loss.regime == "full_queue"]


def _cluster(trace: Trace) -> list[Loss]:
    """Give the losses of the dense cluster of figure 4(b)."""
    return [
        loss
        for loss in trace.losses
        if loss.since_s and 1.5 <= loss.since_s <= 2.5 and 750 <= loss.sent_since <= 1250
    ]


def _only_recovery(context: Context, replication: int = 0) -> Recovery:
    found = list(recoveries(context.analysis(SERVER, replication=replication)))
    if len(found) != 1:
        raise MissingPoint(f"{len(found)} losses, and not the scripted one alone")
    return found[0]


def _sender_info(context: Context, **where: Any) -> list[Row]:
    columns = ("time_s", "end", "tcpi_snd_cwnd", "tcpi_rto")
    rows = rows_of(context.tcp_info(**where), *columns)
    sent = [row for row in rows if row["end"] == "sender"]
    return since_first_segment(sent, context.analysis(SERVER, **where))
