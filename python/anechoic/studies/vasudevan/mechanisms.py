"""How the claims of V. Vasudevan and others are decided that no kind of check can say.

Those on traces have them as the paper had: captures of both ends and a log of the terminal's card,
all of the first replication of a cell and on one clock.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from math import exp
from statistics import fmean, median, quantiles

from anechoic.papers.comparisons import below, fit, in_band
from anechoic.papers.mechanisms import Context
from anechoic.papers.packet_rules import Row, rows_of, rule
from anechoic.papers.points import MissingPoint, Point
from anechoic.papers.segment_rules import Recovery, out_of_order_is_answered, recoveries
from anechoic.papers.verdict import Verdict, all_of, readings

MSS = 1460
SERVER, TERMINAL = "stack.server", "stack.terminal"

SETS = ("I", "II", "III")
CHAIN_S = (1.5, 3.0, 6.0, 12.0)
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


def a_single_loss_takes_a_round_trip(context: Context) -> Verdict:
    """vasudevan-reno-c: from the fast retransmission to the ACK of all that was in flight.

    Which round trip is meant the text does not say. In slow start the queue grows from one to the
    next: what was measured last is older than what the segment sent before the resent one takes,
    whose duplicate ACK is the last of those for what was in flight.
    """
    found = _only_recovery(context)
    rows = rows_of(context.analysis(SERVER).segments(1), "time_s", "kind", "rtt_ms")
    before = [row for row in rows if row["time_s"] < found.time_s]
    measured_s = [row["rtt_ms"] for row in before if row["rtt_ms"]][-1] / 1e3
    sent_s = [row["time_s"] for row in before if row["kind"] == "new"][-1]
    last_duplicate_s, _ = found.later[-1]
    if found.covered_s is None:
        raise MissingPoint("the capture ends before the loss is mended")
    took_s = found.covered_s - found.time_s
    trips = {
        "the round trip measured last": measured_s,
        "that of the segment sent before it": last_duplicate_s - sent_s,
    }
    return readings(
        {
            name: in_band(
                Point.exactly(f"time to mend the loss over {name}", took_s / trip_s), 0.8, 1.5
            )
            for name, trip_s in trips.items()
        }
    ).noting(f"it took {1e3 * took_s:.1f} ms")


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


# Traces of the three sets


@dataclass(frozen=True)
class Trace:
    """What the captures and the log of a trace tell."""

    losses: list[Row]
    sent_s: list[float]
    """When each segment with data left the server."""
    duration_s: float

    @property
    def first_copies(self) -> list[Row]:
        """The segments that were lost, each once."""
        return [row for row in self.losses if row["copy"] == 1]

    @property
    def single(self) -> list[Row]:
        """The segments that were lost once."""
        return [row for row in self.first_copies if row["multiplicity"] == 1]

    @property
    def multiple(self) -> list[Row]:
        """The segments that were lost more than once."""
        return [row for row in self.first_copies if row["multiplicity"] > 1]

    @property
    def intervals_s(self) -> list[float]:
        """The times between losses."""
        return [row["since_last_s"] for row in self.losses if row["since_last_s"] is not None]

    @property
    def idle_s(self) -> list[float]:
        """Times of more than a second, the shortest timeout, in which nothing was sent."""
        ends = [*self.sent_s, self.duration_s]
        return [later - earlier for earlier, later in pairwise(ends) if later - earlier > 1]


def _trace(context: Context, **where: str | float) -> Trace:
    analysis = context.analysis(SERVER, **where)
    losses = [row for row in analysis.losses().to_pylist() if row["sender"] == "client"]
    segments = rows_of(analysis.segments(1), "time_s", "sender", "payload")
    sent = [row["time_s"] for row in segments if row["sender"] == "client" and row["payload"]]
    return Trace(losses, sent, DURATION_S)


@dataclass(frozen=True)
class Levels:
    """What the terminal's card reports: its level over time, and when it gave frames up."""

    times_s: list[float]
    levels_dbm: list[float]
    drops_s: list[float]

    @property
    def low_dbm(self) -> float:
        """The level exceeded 95 % of the time."""
        return quantiles(self.levels_dbm, n=20)[0]

    @property
    def high_dbm(self) -> float:
        """The level exceeded 5 % of the time."""
        return quantiles(self.levels_dbm, n=20)[-1]

    @property
    def is_low(self) -> list[bool]:
        """Whether each level is in the lower half of the range."""
        middle = (self.low_dbm + self.high_dbm) / 2
        return [level < middle for level in self.levels_dbm]

    @property
    def fades_s(self) -> list[float]:
        """How long each whole fade lasted."""
        runs = self._runs()[1:-1]
        return [end - begin for begin, end, is_low in runs if is_low]

    @property
    def crossings_s(self) -> list[float]:
        """When the level crossed the middle of its range."""
        return [begin for begin, _, _ in self._runs()[1:]]

    def is_fading(self, at_s: float) -> bool:
        """Whether the level was low at a time."""
        place = min(bisect_left(self.times_s, at_s), len(self.times_s) - 1)
        return self.is_low[place]

    def _runs(self) -> list[tuple[float, float, bool]]:
        found = []
        for is_low, part in groupby(zip(self.times_s, self.is_low, strict=True), lambda at: at[1]):
            times = [time for time, _ in part]
            found.append((times[0], times[-1], is_low))
        ends = [begin for begin, _, _ in found[1:]] + [found[-1][1]]
        return [(begin, end, low) for (begin, _, low), end in zip(found, ends, strict=True)]


SMOOTHED = 5
"""Readings of a level whose median is taken, half a second: what is seen of a figure of 300 s."""


def _levels(context: Context, **where: str | float) -> Levels:
    readings_, drops = context.events("terminal", **where)
    levels = [reading.signal_dbm for reading in readings_]
    smooth = [median(levels[max(at - 2, 0) : at + 3]) for at in range(len(levels))]
    return Levels([reading.time_s for reading in readings_], smooth, drops)


DURATION_S = 300.0


def the_two_captures_lose_what_the_bench_has_lost(context: Context) -> Verdict:
    """Whether both captures tell as many losses as access point and air have counted."""
    found = []
    for name in SETS:
        pair = context.pair(SERVER, TERMINAL, set=name)
        lost = [row for row in pair.losses.to_pylist() if row["way"] == "forth"]
        counted = context.point(
            "node.airport.drops_queue + node.airport.drops_retry_limit", set=name
        ).summary.values[0]
        what = f"lost between the captures, over what was dropped (set = {name})"
        found.append(in_band(Point.exactly(what, len(lost) / max(counted, 1)), 0.98, 1.02))
    return all_of(found)


def runs_differ(context: Context) -> Verdict:
    """vasudevan-fig1a-g: the spread of runs of all sets, beyond and below the limiting rate."""
    spread = {}
    for source in (1, 2.5, 4.5, 6):
        runs = [
            value
            for name in SETS
            for value in context.point(
                "goodput_mbps", set=name, source=f"{source:g} Mbit/s"
            ).summary.values
        ]
        mean = fmean(runs)
        spread[source] = (fmean([(run - mean) ** 2 for run in runs]) ** 0.5) / mean
    low, high = max(spread[1], spread[2.5]), min(spread[4.5], spread[6])
    times = Point.exactly("least spread from 4.5 Mbit/s on, over the largest below", high / low)
    return in_band(times, 3, None)


def _runs(context: Context, sources: Sequence[float]) -> list[float]:
    return [
        value
        for name in SETS
        for source in sources
        for value in context.point(
            "goodput_mbps", set=name, source=f"{source:g} Mbit/s"
        ).summary.values
    ]


def limiting_runs_lie_between(context: Context) -> Verdict:
    """vasudevan-fig1a-d: the extremes of all runs from 4.5 Mbit/s on."""
    runs = _runs(context, (4.5, 6))
    least, most = Point.exactly("least", min(runs)), Point.exactly("most", max(runs))
    return all_of([in_band(least, 2.0, 3.5), in_band(most, 4.5, 5.8)])


def runs_span(context: Context) -> Verdict:
    """vasudevan-fig1a-f: the same, with the tolerance of the four ranges that are printed."""
    runs = _runs(context, (4.5, 6))
    least, most = Point.exactly("least", min(runs)), Point.exactly("most", max(runs))
    times = Point.exactly("most over least", max(runs) / min(runs))
    return all_of([in_band(least, 1.8, 2.6), in_band(most, 4.5, 5.8), in_band(times, 2, None)])


def losses_of_runs_lie_between(context: Context) -> Verdict:
    """vasudevan-fig1b-a: six traces, two of each set, as the text has; from the captures."""
    shares = []
    for name in SETS:
        for replication in (0, 1):
            analysis = context.analysis(
                SERVER, replication=replication, set=name, source="6 Mbit/s"
            )
            losses = [row for row in analysis.losses().to_pylist() if row["sender"] == "client"]
            segments = rows_of(analysis.segments(1), "sender", "payload")
            sent = sum(row["sender"] == "client" and row["payload"] > 0 for row in segments)
            shares.append(100 * len(losses) / max(sent, 1))
    least, most = (
        Point.exactly("least, in %", min(shares)),
        Point.exactly("most, in %", max(shares)),
    )
    times = Point.exactly("most over least", max(shares) / max(min(shares), 1e-9))
    return all_of([in_band(least, 0.03, 0.8), in_band(most, 0.03, 0.8), in_band(times, 4, None)])


def segments_are_lost_two_to_four_times(context: Context) -> Verdict:
    """vasudevan-fig2-a: how often segments were lost, in the poor and the moderate set."""
    found = []
    for name in ("I", "II"):
        counts = [row["multiplicity"] for row in _trace(context, set=name).first_copies]
        usual = sorted(counts)[: max(1, round(0.99 * len(counts)))] if counts else [0]
        what = f"most losses of a segment, one in a hundred aside (set = {name})"
        found.append(in_band(Point.exactly(what, max(usual)), 2, 4))
    return all_of(found)


def single_losses_are_most_frequent(context: Context) -> Verdict:
    """vasudevan-fig2-b."""
    found = []
    for name in SETS:
        trace = _trace(context, set=name)
        single = Point.exactly(f"segments lost once (set = {name})", len(trace.single))
        counts = Counter(row["multiplicity"] for row in trace.multiple)
        other = Point.exactly(
            f"most of another number (set = {name})", max(counts.values(), default=0)
        )
        found += [in_band(single, 1, None), below(other, single)]
    return all_of(found)


def single_losses_are_spread_evenly(context: Context) -> Verdict:
    """vasudevan-fig2-c: Kolmogorov and Smirnov's test against uniform, and the level meanwhile."""
    from scipy.stats import kstest

    found = []
    for name in SETS:
        times = [row["lost_s"] / DURATION_S for row in _trace(context, set=name).single]
        if not times:
            raise MissingPoint(f"no segment was lost once (set = {name})")
        chance = float(kstest(times, "uniform").pvalue)
        found.append(
            in_band(Point.exactly(f"chance of such a spread (set = {name})", chance), 0.01, None)
        )
    levels = _levels(context, set="III")
    good = [not levels.is_fading(row["lost_ns"] / 1e9) for row in _trace(context, set="III").single]
    share = Point.exactly("share of single losses at a good level (set = III)", fmean(good))
    return all_of([*found, in_band(share, 0.5, None)])


def multiple_losses_are_most_frequent_in_the_poor_set(context: Context) -> Verdict:
    """vasudevan-fig2-d."""
    counts = {
        name: Point.exactly(
            f"segments lost more than once a second (set = {name})",
            len(_trace(context, set=name).multiple) / DURATION_S,
        )
        for name in SETS
    }
    return all_of([below(counts[name], counts["I"]) for name in ("II", "III")])


def timeouts_double(context: Context) -> Verdict:
    """vasudevan-fig2-e: how long the sender waits for the timer, loss by loss of a segment."""
    chains = []
    for name in SETS:
        by_segment = groupby(
            sorted(_trace(context, set=name).losses, key=lambda row: (row["seq"], row["copy"])),
            lambda row: row["seq"],
        )
        for _, copies in by_segment:
            waits = [
                row["repaired_s"] - row["lost_s"]
                for row in copies
                if row["cause"] == "timeout" and row["repaired_s"] is not None
            ]
            if len(waits) > 1:
                chains.append(waits)
    steps = [later / earlier for waits in chains for earlier, later in pairwise(waits)]
    if not steps:
        raise MissingPoint("no segment was lost twice to the timer")
    waits_s = [wait for waits in chains for wait in waits]
    wrong = [f"{step:.2f} times the wait before" for step in steps if abs(step / 2 - 1) > 0.15]
    off = [f"{wait:.2f} s" for wait in waits_s if not _is_of_chain(wait)]
    return all_of(
        [
            rule("waits for the timer behind another, each twice as long", len(steps), wrong),
            rule("waits for the timer of 1.5, 3, 6 or 12 s", len(waits_s), off),
        ]
    )


def _is_of_chain(wait_s: float) -> bool:
    return any(abs(wait_s / each - 1) <= 0.15 for each in CHAIN_S)


def the_channel_is_idle_for_up_to_twelve_seconds(context: Context) -> Verdict:
    """vasudevan-fig2-f."""
    longest = max(_trace(context, set="I").idle_s, default=0.0)
    return in_band(
        Point.exactly(
            "longest time without data (set = I)",
            longest,
        ),
        6,
        14,
    )


def idle_times_cost_most_of_the_throughput(context: Context) -> Verdict:
    """vasudevan-fig2-g: the idle share over what the poor set has less than the good one."""
    idle = sum(_trace(context, set="I").idle_s) / DURATION_S
    poor, good = (context.point("goodput_mbps", set=name).mean for name in ("I", "III"))
    if poor >= good:
        raise MissingPoint("the poor set carries no less than the good one")
    explained = Point.exactly(
        "idle share over the share of throughput missing", idle / (1 - poor / good)
    )
    return in_band(explained, 0.5, None)


def the_level_varies_within_six_decibels(context: Context) -> Verdict:
    """vasudevan-fig3-a."""
    found = []
    for name in SETS:
        levels = _levels(context, set=name)
        what = f"5th to 95th percentile of the level, in dB (set = {name})"
        found.append(in_band(Point.exactly(what, levels.high_dbm - levels.low_dbm), 4, 8))
    return all_of(found)


def fades_last_one_to_four_seconds(context: Context) -> Verdict:
    """vasudevan-fig3-b."""
    found = []
    for name in SETS:
        fades = _levels(context, set=name).fades_s
        if not fades:
            raise MissingPoint(f"no fade is seen (set = {name})")
        share = fmean([0.5 <= each <= 5 for each in fades])
        found += [
            in_band(Point.exactly(f"median fade, in s (set = {name})", median(fades)), 1, 4),
            in_band(
                Point.exactly(f"share of fades of 0.5 to 5 s (set = {name})", share), 0.8, None
            ),
        ]
    return all_of(found)


def the_poor_sets_level_changes_fastest(context: Context) -> Verdict:
    """vasudevan-fig3-c."""
    return _most_in_the_poor_set(
        "crossings of the middle a second", lambda name: len(_levels(context, set=name).crossings_s)
    )


def the_poor_sets_mac_drops_most(context: Context) -> Verdict:
    """vasudevan-fig3-d."""
    return _most_in_the_poor_set(
        "frames given up by the terminal a second",
        lambda name: len(_levels(context, set=name).drops_s),
    )


def _most_in_the_poor_set(what: str, count: Callable[[str], int]) -> Verdict:
    rates = {
        name: Point.exactly(f"{what} (set = {name})", count(name) / DURATION_S) for name in SETS
    }
    return all_of([below(rates[name], rates["I"]) for name in ("II", "III")])


def retries_go_with_changes_of_the_level(context: Context) -> Verdict:
    """vasudevan-fig3-e: by seconds, Spearman's rank correlation."""
    from scipy.stats import spearmanr

    frames = rows_of(
        context.analysis("ap.airport", set="I").frames(), "time_ns", "kind", "is_retry"
    )
    tried: Counter[int] = Counter()
    again: Counter[int] = Counter()
    for frame in frames:
        if frame["kind"] == "data":
            second = frame["time_ns"] // 10**9
            tried[second] += 1
            again[second] += bool(frame["is_retry"])
    crossings = Counter(int(at) for at in _levels(context, set="I").crossings_s)
    seconds = sorted(tried)
    shares = [again[second] / tried[second] for second in seconds]
    counts = [crossings[second] for second in seconds]
    found = float(spearmanr(shares, counts).statistic)
    return in_band(
        Point.exactly("rank correlation of retries with crossings (set = I)", found), 0.3, None
    )


def multiple_losses_begin_in_fades(context: Context) -> Verdict:
    """vasudevan-fig3-f."""
    begun = []
    for name in SETS:
        levels = _levels(context, set=name)
        multiple = _trace(context, set=name).multiple
        begun += [levels.is_fading(row["lost_ns"] / 1e9) for row in multiple]
    if not begun:
        raise MissingPoint("no segment was lost more than once")
    return in_band(Point.exactly("share of them that begin in a fade", fmean(begun)), 0.7, None)


def times_between_losses_fall(context: Context) -> Verdict:
    """vasudevan-fig4a-a."""
    means = {name: fmean(_intervals(context, name)) for name in SETS}
    found = [
        in_band(
            Point.exactly("mean time between losses, in s (set = III)", means["III"]), 3.15, 5.85
        ),
        in_band(Point.exactly("mean time between losses, in s (set = I)", means["I"]), 0.84, 1.56),
        in_band(
            Point.exactly("mean time between losses, in s (set = II)", means["II"]),
            min(means["I"], means["III"]),
            max(means["I"], means["III"]),
        ),
    ]
    return all_of(found)


def _intervals(context: Context, name: str) -> list[float]:
    found = _trace(context, set=name).intervals_s
    if not found:
        raise MissingPoint(f"there are no two losses (set = {name})")
    return found


def distributions_are_ordered(context: Context) -> Verdict:
    """vasudevan-fig4a-b: the share of times longer than 1, 2 and 4 s, within 0.05."""
    found = []
    for tau in (1, 2, 4):
        share = {name: fmean([each > tau for each in _intervals(context, name)]) for name in SETS}
        for worse, better in (("I", "II"), ("II", "III")):
            what = f"longer than {tau} s, {better} less {worse}"
            found.append(in_band(Point.exactly(what, share[better] - share[worse]), -0.05, None))
    return all_of(found)


def times_cluster_around_two_seconds(context: Context) -> Verdict:
    """vasudevan-fig4a-c: the fullest bin of 0.25 s, and how many lie near it."""
    times = _intervals(context, "III")
    (mode, _), *_ = Counter(int(each / 0.25) for each in times).most_common(1)
    share = fmean([1.5 <= each <= 2.5 for each in times])
    mean = fmean(times)
    by_chance = exp(-1.5 / mean) - exp(-2.5 / mean)
    return all_of(
        [
            in_band(
                Point.exactly("middle of the fullest bin, in s", 0.25 * (mode + 0.5)), 1.5, 2.5
            ),
            in_band(
                Point.exactly("share of 1.5 to 2.5 s, over that by chance", share / by_chance),
                2,
                None,
            ),
        ]
    )


def _overflows(context: Context, **where: str | float) -> list[Row]:
    """Losses by a full queue, of which the one before was, too."""
    losses = _trace(context, **where).losses
    both = pairwise(losses)
    return [row for before, row in both if row["regime"] == before["regime"] == "full_queue"]


def overflows_come_every_two_seconds(context: Context) -> Verdict:
    """vasudevan-fig4b-a: medians of the intervals that end with a full queue, in the good set."""
    rows = [
        row for row in _trace(context, set="III", buffer=35).losses if row["regime"] == "full_queue"
    ]
    rows = [row for row in rows if row["since_last_s"] is not None]
    if not rows:
        raise MissingPoint("no queue was full")
    time = median(row["since_last_s"] for row in rows)
    packets = median(row["segments_since_last"] for row in rows)
    return all_of(
        [
            in_band(Point.exactly("time to a loss by a full queue, in s", time), 1.5, 2.5),
            in_band(Point.exactly("segments to it", packets), 750, 1250),
        ]
    )


def _cluster(context: Context) -> list[Row]:
    rows = _trace(context, set="III", buffer=35).losses
    return [
        row
        for row in rows
        if row["since_last_s"] is not None
        and 1.5 <= row["since_last_s"] <= 2.5
        and 750 <= row["segments_since_last"] <= 1250
    ]


def the_cluster_is_of_overflows(context: Context) -> Verdict:
    """vasudevan-fig4b-b: by round trips, the access point's count and the congestion window."""
    rows = _cluster(context)
    wrong = [
        f"at {row['lost_s']:.2f} s: {row['regime']}"
        for row in rows
        if row["regime"] != "full_queue"
    ]
    info = [
        row
        for row in rows_of(context.tcp_info(set="III", buffer=35), "time_s", "end", "tcpi_snd_cwnd")
        if row["end"] == "sender"
    ]
    start_s = _trace(context, set="III", buffer=35).sent_s[0]
    small = []
    for row in rows:
        # TCP_INFO counts from the start of the run, which is when the connection opens.
        window = [
            each["tcpi_snd_cwnd"]
            for each in info
            if row["lost_s"] - row["since_last_s"] < each["time_s"] <= row["lost_s"] + start_s + 0.2
        ]
        at_loss = [each for each in info if each["time_s"] <= row["lost_s"] + 0.2][-1][
            "tcpi_snd_cwnd"
        ]
        if window and at_loss < 0.9 * max(window):
            small.append(f"at {row['lost_s']:.2f} s: {at_loss} of {max(window)}")
    drops = context.point("node.airport.drops_queue", set="III", buffer=35).summary.values[0]
    return all_of(
        [
            rule("losses of the cluster where the queue was full", len(rows), wrong),
            rule("losses of the cluster with the window at its largest", len(rows), small),
            in_band(
                Point.exactly(
                    "packets that the access point had no room for, over them",
                    drops / max(len(rows), 1),
                ),
                1,
                None,
            ),
        ]
    )


def the_cluster_uses_the_whole_channel(context: Context) -> Verdict:
    """vasudevan-fig4b-c: of 1448 bytes of payload, as the catalogue of the paper counts."""
    rows = _cluster(context)
    if not rows:
        raise MissingPoint("there is no cluster")
    rate = fmean(row["segments_since_last"] * MSS * 8 / row["since_last_s"] / 1e6 for row in rows)
    capacity = context.point("goodput_mbps", of="vasudevan-clean", preamble="short").mean
    return all_of(
        [
            in_band(
                Point.exactly("throughput between losses of the cluster, in Mbit/s", rate),
                5.22,
                6.38,
            ),
            in_band(
                Point.exactly("the same over that of a clean channel", rate / capacity), 0.95, None
            ),
        ]
    )


def the_cluster_is_visited_again_and_again(context: Context) -> Verdict:
    """vasudevan-fig4b-d: in each half minute, and in the autocorrelation of the losses."""
    rows = _cluster(context)
    parts = int(DURATION_S / 30)
    seen = {int(row["lost_s"] / 30) for row in rows}
    missing = [f"from {30 * part} s on" for part in range(parts) if part not in seen]
    bins = Counter(
        int(row["lost_s"] / 0.25) for row in _trace(context, set="III", buffer=35).losses
    )
    count = int(DURATION_S / 0.25)

    def together(lag: int) -> float:
        return sum(bins[at] * bins[at + lag] for at in range(count - lag))

    peak = max(range(2, 17), key=together)
    return all_of(
        [
            rule("half minutes with losses of the cluster", parts, missing),
            in_band(
                Point.exactly(
                    "lag of the largest autocorrelation from 0.5 to 4 s, in s", 0.25 * peak
                ),
                1.5,
                2.5,
            ),
        ]
    )


def short_intervals_are_those_of_the_timer(context: Context) -> Verdict:
    """vasudevan-fig4b-e: those with few segments, losses of one window being one."""
    times = [
        row["since_last_s"]
        for name in SETS
        for row in _trace(context, set=name, buffer=35).losses
        if row["since_last_s"] is not None
        and row["segments_since_last"] < 100
        and row["regime"] != "same_window"
    ]
    if not times:
        raise MissingPoint("no interval has so few segments")
    share = fmean([_is_of_chain(each) for each in times])
    return in_band(
        Point.exactly(f"share of {len(times)} intervals at 1.5, 3, 6 or 12 s", share), 0.6, None
    )


def segments_grow_with_time(context: Context) -> Verdict:
    """vasudevan-fig4b-f: a line through the origin, of the good set."""
    rows = [
        row
        for row in _trace(context, set="III", buffer=35).losses
        if row["since_last_s"] is not None
    ]
    found = fit(
        [row["since_last_s"] for row in rows],
        [row["segments_since_last"] for row in rows],
        through_origin=True,
    )
    return all_of(
        [
            in_band(Point.exactly("R²", found["r2"]), 0.9, None),
            in_band(Point.exactly("segments a second", found["slope"]), 400, 520),
        ]
    )


def slow_intervals_touch_fades(context: Context) -> Verdict:
    """vasudevan-fig4b-g: those of fewer than 200 segments a second begin or end in a fade."""
    touching = []
    for name in SETS:
        levels = _levels(context, set=name, buffer=35)
        for row in _trace(context, set=name, buffer=35).losses:
            since = row["since_last_s"]
            if since and row["segments_since_last"] / since < 200:
                end = row["lost_ns"] / 1e9
                touching.append(levels.is_fading(end) or levels.is_fading(end - since))
    if not touching:
        raise MissingPoint("no interval is so slow")
    return in_band(
        Point.exactly(f"share of {len(touching)} slow intervals", fmean(touching)), 0.7, None
    )


def a_larger_buffer_ends_the_period_and_a_smaller_shortens_it(context: Context) -> Verdict:
    """vasudevan-fig4b-h: the period goes with the square of buffer and pipe, some two segments."""
    large = [
        row for row in _trace(context, set="III", buffer=80).losses if row["regime"] == "full_queue"
    ]
    none = in_band(Point.exactly("losses by a full queue with 80 packets", len(large)), None, 0)
    periods = {}
    for buffer in (17, 35):
        rows = _overflows(context, set="III", buffer=buffer)
        if not rows:
            raise MissingPoint(f"no queue of {buffer} packets was full twice in a row")
        periods[buffer] = median(row["since_last_s"] for row in rows)
    expected = ((17 + 1) / (35 + 1)) ** 2
    times = periods[17] / periods[35] / expected
    what = "period with 17 packets over that with 35, over the squares of the window"
    return all_of([none, in_band(Point.exactly(what, times), 0.7, 1.3)])


def channel_and_buffer_both_limit(context: Context) -> Verdict:
    """vasudevan-fig4b-i: without fades no back-off, with a large buffer no overflows; both gain."""
    still = _trace(context, set="none", buffer=35)
    chains = Point.exactly("segments lost more than once where nothing fades", len(still.multiple))
    rows = _trace(context, set="none", buffer=80).losses
    full = Point.exactly("losses with a large buffer where nothing fades", len(rows))
    base, steady, large = (
        context.point("goodput_mbps", set=name, buffer=buffer)
        for name, buffer in (("I", 35), ("none", 35), ("none", 80))
    )
    return all_of(
        [
            in_band(chains, None, 0),
            in_band(full, None, 0),
            below(base, steady),
            below(steady, large),
        ]
    )


def _only_recovery(context: Context) -> Recovery:
    [found] = recoveries(context.analysis(SERVER))
    return found


def _sender_info(context: Context) -> list[Row]:
    columns = ("time_s", "end", "tcpi_snd_cwnd", "tcpi_rto")
    rows = rows_of(context.tcp_info(), *columns)
    return [row for row in rows if row["end"] == "sender"]
