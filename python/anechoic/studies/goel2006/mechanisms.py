"""How the claims of the thesis are decided that no kind of check can say."""

from collections.abc import Mapping, Sequence
from statistics import fmean, median
from typing import Any

from anechoic.calc.tcp_download import BACKOFF_ALONE, BACKOFF_SHARED, Transfer
from anechoic.calc.timing import Radio
from anechoic.papers.access_rules import (
    answers_follow_sifs,
    backoffs_are_counted_down,
    difs_is_kept,
    given_up_at,
    idle_medium_is_taken_at_once,
    rates_step_down,
    retries_are_marked,
)
from anechoic.papers.comparisons import below, figures, in_band, same_order
from anechoic.papers.fragment_rules import (
    bursts_keep_sifs,
    delivered_when_whole,
    fragments_are_numbered,
    pending_fragments_contend_again,
    the_rest_is_discarded,
)
from anechoic.papers.frame_rules import nav_is_kept
from anechoic.papers.interpolation import errors_between
from anechoic.papers.mechanisms import Context
from anechoic.papers.medium import SIFS_NS, Frame, attempts, heard, msdus, own_data
from anechoic.papers.packet_rules import Row, rows_of, rule, since_first_segment
from anechoic.papers.points import MissingPoint, Point
from anechoic.papers.segment_rules import (
    Recovery,
    depths_of_reordering,
    late_segment_is_covered,
    out_of_order_is_answered,
    recoveries,
    resent,
)
from anechoic.papers.timer_rules import (
    Expiry,
    expiries,
    timers_wait_and_double,
    timers_wait_their_timeout,
)
from anechoic.papers.verdict import Status, Verdict, all_of
from anechoic.papers.window_rules import half_of_the_flight_is_left, timers_leave_one_segment
from anechoic.scenario.compile import compile_scenario
from anechoic.scenario.emissions import emissions
from anechoic.scenario.load import with_overrides
from anechoic.scenario.model import Scenario
from anechoic.scenario.quantities import decibels


def goodput_of_fragments_is_the_closed_form_s(context: Context) -> Verdict:
    """goel-2-c: goodput over that of whole frames, within 12 % of the closed form's ratio.

    Whichever way the backoff is counted; vendor A has the long preamble.
    """
    threshold = int(context.place["fragmentation_threshold"])
    ratios = [
        Transfer(Radio(fragmentation_threshold=threshold), backoff).goodput_mbps
        / Transfer(Radio(), backoff).goodput_mbps
        for backoff in (BACKOFF_ALONE, BACKOFF_SHARED)
    ]
    found = context.point("ratio(goodput_mbps, fragmentation_threshold = 1536)")
    return in_band(found, 0.88 * min(ratios), 1.12 * max(ratios))


# The least timeout of the server's profile.
SERVER_RTO_MIN_S = 0.3


def timers_expire_without_acks(context: Context) -> Verdict:
    """goel-11-f: as the server's machine sees its timers expire."""
    where = f"loss = {context.place['loss']}"
    return timers_wait_and_double(context.analysis("stack.server"), SERVER_RTO_MIN_S, where)


# Sections 2.2.2.2, 4.3.4 and 4.3.6.
SERVER_THRESHOLD = 3


def fast_retransmit_follows_duplicates(context: Context) -> Verdict:
    """goel-12-b: what the station answers, at once, and what the server waits for."""
    where = f"loss = {context.place['loss']}"
    answered = out_of_order_is_answered(context.analysis("stack.laptop"), 0.001, where)
    found = list(recoveries(context.analysis("stack.server")))
    hasty = [
        f"connection {each.connection} at {each.time_s:.3f} s after {each.reports}"
        for each in found
        if each.reports < SERVER_THRESHOLD
    ]
    what = f"fast retransmissions after {SERVER_THRESHOLD} reports or more ({where})"
    waited = rule(what, len(found), hasty)
    return all_of([answered, waited])


# Enough for the rarest: at 1 % a segment in 10,000 is lost twice, of 120,000 in a run.
REPLAYED = 3


def losses_are_lost_again(context: Context) -> Verdict:
    """goel-12-c: segments sent three times or more, of which the most loss makes more than none."""
    points = [_thrice(context, float(loss)) for loss in context.values("loss")]
    return all_of([below(points[0], points[-1]), Verdict(Status.AGREES, figures(*points))])


def _thrice(context: Context, loss: float) -> Point:
    parts = [_part_sent_thrice(context, loss, each) for each in range(REPLAYED)]
    return Point.of(f"part sent three times or more at loss {loss:g}", parts)


def _part_sent_thrice(context: Context, loss: float, replication: int) -> float:
    """Count how often each segment of the server passes the wire, before the emulator."""
    import pyarrow.compute as pc

    analysis = context.analysis("wire.lan", replication=replication, loss=loss)
    numbers = range(1, analysis.connections().num_rows + 1)
    analysis.trace(numbers)
    sent, thrice = 0, 0
    for number in numbers:
        segments = analysis.segments(number)
        is_data = pc.and_(
            pc.equal(segments["sender"], "client"), pc.greater(segments["payload"], 0)
        )
        times = segments.filter(is_data).group_by("seq").aggregate([("seq", "count")])["seq_count"]
        sent += len(times)
        thrice += pc.sum(pc.greater_equal(times, 3)).as_py() or 0
    return thrice / sent


def nobody_speaks_in_a_nav(context: Context) -> Verdict:
    """goel-fig6-c: a station of either side begins no exchange while a NAV runs that it heard."""
    groups = context.place["groups"]
    return all_of(
        [
            nav_is_kept(context.analysis(f"sta.{name}").frames(), f"station {name} ({groups})")
            for name in ("left-1", "right-1")
        ]
    )


def emulator_refuses_more(context: Context) -> Verdict:
    """goel-13-d: a GEL2 that is asked for a longer delay."""
    asked = ("500.1 ms", "501 ms", "1 s")
    field = "wire.lan.impair.emulator.delay"
    done = [delay for delay in asked if not context.refuses({field: delay})]
    return rule("longer delays that the emulator refuses", len(asked), done)


# Of the same connection, as the analysts saw; one segment in a hundred may come from further.
DEEPEST = 4


def reordering_within_connections_is_small(context: Context) -> Verdict:
    """goel-reorder-a: as the station's machine gets the data, but for what the server resent."""
    server, laptop = (context.analysis(f"stack.{each}") for each in ("server", "laptop"))
    numbers = range(1, laptop.connections().num_rows + 1)
    for each in (server, laptop):
        each.trace(numbers)
    depths = sorted(
        depth
        for number in numbers
        for depth in depths_of_reordering(laptop, number, resent(server, number))
    )
    percentile = depths[len(depths) * 99 // 100]
    where = _where(context)
    return in_band(Point.exactly(f"99th percentile of the depth ({where})", percentile), 1, DEEPEST)


# goel-dcf: the laptop sends every 200 ms, and without a pause from 2 s on.
INTERVAL_NS, SATURATED_NS = 200_000_000, 2_000_000_000
LIMITS = {"off": 7, "on": 4}


def medium_is_idle_for_difs(context: Context) -> Verdict:
    """goel-dcf-a: before every exchange, and where it is idle a packet is sent as it comes."""
    frames, where = _at("sta.laptop", context)
    at_once = idle_medium_is_taken_at_once(frames, INTERVAL_NS, SATURATED_NS, where)
    return all_of([difs_is_kept(frames, where), at_once])


def backoff_pauses_and_resumes(context: Context) -> Verdict:
    """goel-dcf-b: as the silences between the laptop's frames tell."""
    frames, where = _at("sta.laptop", context)
    return backoffs_are_counted_down(frames, SATURATED_NS, where)


def unicast_is_acknowledged_after_sifs(context: Context) -> Verdict:
    """goel-dcf-c: what the access point decodes of both stations."""
    return answers_follow_sifs(*_at("ap.office", context))


def frames_are_given_up_at_the_limit(context: Context) -> Verdict:
    """goel-dcf-d: those that are lost at every attempt."""
    frames, where = _at("sta.laptop", context)
    return given_up_at(LIMITS[str(context.place["rts"])], frames, where)


# The first rate of a frame of the profile.
FASTEST_KBPS = 11_000


def retries_step_down(context: Context) -> Verdict:
    """goel-dcf-e: from 11 Mbit/s."""
    frames, where = _at("sta.laptop", context)
    return rates_step_down(frames, FASTEST_KBPS, where)


def fragments_follow_sifs(context: Context) -> Verdict:
    """goel-fig5-a: in the access point's bursts."""
    return bursts_keep_sifs(*_at("ap.office", context))


def fragments_have_the_number_of_their_msdu(context: Context) -> Verdict:
    """goel-fig5-b: as the access point sends them."""
    return fragments_are_numbered(*_at("ap.office", context))


def packets_are_received_when_whole(context: Context) -> Verdict:
    """goel-fig5-b and d: the fragments that the laptop hears, and what its application gets."""
    frames, where = _at("sta.laptop", context)
    results = context.results[context.experiment]
    datagrams = results.datagrams(results.select(context.place))
    return delivered_when_whole(frames, datagrams["received_s"].to_pylist(), where)


def only_pending_fragments_come_again(context: Context) -> Verdict:
    """goel-fig5-c: as the access point sends them."""
    return pending_fragments_contend_again(*_at("ap.office", context))


def a_failed_fragment_ends_its_msdu(context: Context) -> Verdict:
    """goel-fig5-d: a frame of up to the RTS threshold is tried seven times."""
    return the_rest_is_discarded(LIMITS["off"], *_at("ap.office", context))


def out_of_order_segments_are_answered(context: Context) -> Verdict:
    """goel-fig9-15-a: each by its own duplicate ACK, before any time has passed."""
    return out_of_order_is_answered(context.analysis("stack.laptop"), 0.001, _where(context))


def one_ack_covers_all(context: Context) -> Verdict:
    """goel-fig9-15-c: as the server's machine gets it; it may send more at once, or not."""
    segments = int(str(context.place["displacement"])) + 1
    return late_segment_is_covered(context.analysis("stack.server"), segments, 0, _where(context))


def a_lost_segment_is_resent_once(context: Context) -> Verdict:
    """goel-fig10-14-a: after as many reports of what came behind it as the server waits for."""
    found = list(recoveries(context.analysis("stack.server")))
    wrong = [
        f"{each.again} times after {each.reports} reports"
        for each in found
        if each.reports < SERVER_THRESHOLD or each.again != 1
    ]
    what = f"lost segments resent once, after {SERVER_THRESHOLD} reports or more"
    return rule(f"{what} ({_where(context)})", len(found), wrong)


def the_timer_waits_its_timeout(context: Context) -> Verdict:
    """goel-fig10-14-c: where no ACK comes any more."""
    server = context.analysis("stack.server")
    return timers_wait_their_timeout(server, _sender_info(context), _where(context))


# A full segment of Ethernet.
MSS = 1460


def a_loss_halves_the_window(context: Context) -> Verdict:
    """goel-fig10-14-d: whether duplicates told of it or the timer."""
    server = context.analysis("stack.server")
    losses: list[Recovery | Expiry] = [*recoveries(server), *expiries(server)]
    return half_of_the_flight_is_left(losses, _sender_info(context), MSS, _where(context))


def retries_are_marked_and_slower(context: Context) -> Verdict:
    """goel-fig7-8-a: as the access point sends them."""
    frames, where = _at("ap.office", context)
    marked = retries_are_marked(LIMITS["off"], frames, where)
    return all_of([marked, rates_step_down(frames, FASTEST_KBPS, where)])


def segments_are_given_up_at_the_limit(context: Context) -> Verdict:
    """goel-fig7-8-a: those of which all attempts fail, as the access point sees it."""
    return given_up_at(LIMITS["off"], *_at("ap.office", context))


def repeats_are_delivered_once(context: Context) -> Verdict:
    """goel-fig7-8-b: frames that the laptop's radio hears, and segments that its TCP gets."""
    frames, where = _at("sta.laptop", context)
    came = [each for each in frames if each.kind == "data" and not each.is_own]
    numbers = [each.row["sequence"] for each in came]
    repeats = [each for at, each in enumerate(came) if numbers[at] in numbers[:at]]
    unmarked = ["one without retry bit" for each in repeats if not each.row["is_retry"]]
    columns = ("sender", "seq", "payload", "kind")
    rows = rows_of(context.analysis("stack.laptop").segments(1), *columns)
    taken = [row for row in rows if row["sender"] == "client"]
    twice = [f"segment {row['seq']} again" for row in taken if row["kind"] == "retransmitted"]
    return all_of(
        [
            rule(f"frames that came again, with the retry bit ({where})", len(repeats), unmarked),
            rule(f"segments delivered once ({where})", len(taken), twice),
        ]
    )


def tcp_resends_what_takes_the_mac_too_long(context: Context) -> Verdict:
    """goel-fig7-8-c: if the access point is done with a segment later than the server's timer."""
    runs = range(len(context.point("tcp.timeouts").summary.values))
    wrong = [found for each in runs if (found := _resent_otherwise(context, each))]
    return rule(f"segments resent if the MAC takes longer ({_where(context)})", len(runs), wrong)


def _resent_otherwise(context: Context, replication: int) -> str:
    """Say of a run whose MAC is done before the timeout and resends, or later and does not."""
    tried = max(
        msdus(heard(context.analysis("ap.office", replication=replication).frames())), key=len
    )
    server = context.analysis("stack.server", replication=replication).segments(1)
    rows = rows_of(server, "time_s", "time_ns", "sender", "seq", "payload", "kind")
    sent = [row for row in rows if row["sender"] == "client" and row["payload"]]
    segment = [row for row in sent if row["time_ns"] <= tried[0].start][-1]
    info = _sender_info(context, replication)
    timeout_ms = [row for row in info if row["time_s"] < segment["time_s"]][-1]["tcpi_rto"] / 1e3
    took_ms = (tried[-1].end - segment["time_ns"]) / 1e6
    times = sum(row["seq"] == segment["seq"] for row in sent)
    if (took_ms > timeout_ms) == (times > 1):
        return ""
    return f"sent {times} times with {took_ms:.1f} ms for a timeout of {timeout_ms:g} ms"


def a_needless_timeout_leaves_one_segment(context: Context) -> Verdict:
    """goel-fig7-8-d: as the server's TCP_INFO tells."""
    found = list(expiries(context.analysis("stack.server")))
    return timers_leave_one_segment(found, _sender_info(context), _where(context))


def segments_keep_their_order(context: Context) -> Verdict:
    """goel-fig7-8-e: what the laptop gets is what came to the access point, less what was lost."""
    arrived = iter(_data_of_server(context, "wire.lan"))
    delivered = _data_of_server(context, "stack.laptop")
    wrong = [f"segment {seq}" for seq in delivered if seq not in arrived]
    return rule(f"segments delivered in their order ({_where(context)})", len(delivered), wrong)


def _data_of_server(context: Context, tap: str) -> list[int]:
    rows = rows_of(context.analysis(tap).segments(1), "sender", "seq", "payload")
    return [row["seq"] for row in rows if row["sender"] == "client" and row["payload"]]


def _sender_info(context: Context, replication: int = 0) -> list[Row]:
    columns = ("time_s", "end", "tcpi_rto", "tcpi_snd_cwnd", "tcpi_snd_ssthresh")
    rows = rows_of(context.tcp_info(replication=replication), *columns)
    sent = [row for row in rows if row["end"] == "sender"]
    server = context.analysis("stack.server", replication=replication)
    return since_first_segment(sent, server)


def _at(antenna: str, context: Context) -> tuple[list[Frame], str]:
    return heard(context.analysis(antenna).frames()), _where(context)


def _where(context: Context) -> str:
    return ", ".join(f"{axis} = {value}" for axis, value in context.place.items())


# goel-15: rates in kbit/s, and how near the strongest or weakest signal a second of it lies.
FAST_KBPS, SLOW_KBPS, NEAR_DB = 11_000, 2_000, 1.5


def the_rate_follows_the_signal(context: Context) -> Verdict:
    """goel-15-b: the mean rate of a second's data frames, beside the signal of its ACKs."""
    frames, where = _at("ap.office", context)
    rates: dict[int, list[int]] = {}
    signals: dict[int, list[float]] = {}
    for each in frames:
        second = each.start // 1_000_000_000
        if not each.is_own:
            signals.setdefault(second, []).append(each.row["signal_dbm"])
        elif each.kind == "data":
            rates.setdefault(second, []).append(each.row["rate_kbps"])
    seconds = sorted(rates.keys() & signals.keys())
    means = [Point.exactly(f"rate in second {at}", fmean(rates[at])) for at in seconds]
    levels = [Point.exactly(f"signal in second {at}", fmean(signals[at])) for at in seconds]
    strongest, weakest = max(each.mean for each in levels), min(each.mean for each in levels)

    def typical(what: str, level: float) -> Point:
        pairs = zip(seconds, levels, strict=True)
        near = [at for at, each in pairs if abs(each.mean - level) <= NEAR_DB]
        return Point.exactly(f"median rate at {what}, kbit/s ({where})", _median(rates, near))

    return all_of(
        [
            same_order(means, levels, 0.6, None),
            in_band(typical("the strongest signal", strongest), FAST_KBPS, FAST_KBPS),
            in_band(typical("the weakest signal", weakest), None, SLOW_KBPS),
        ]
    )


def _median(rates: Mapping[int, Sequence[int]], seconds: Sequence[int]) -> float:
    return median(rate for at in seconds for rate in rates[at])


def retries_go_at_1(context: Context) -> Verdict:
    """goel-16-e: three of ten or more."""
    return in_band(_part_of_retries(context, 1_000), 0.3, None)


def retries_go_at_1_or_2_at_once(context: Context) -> Verdict:
    """goel-18-d: half of them or more, and with the third attempt at a fragment if not before.

    Of the fragments that come to it; a packet's later fragments begin where one has come to.
    """
    frames, where = _at("ap.office", context)
    at_slow = [
        next((at for at, each in enumerate(tries, 1) if each.row["rate_kbps"] <= SLOW_KBPS), None)
        for tries in attempts(frames)
    ]
    reached = [at for at in at_slow if at is not None]
    if not reached:
        raise MissingPoint(f"no frame at 2 Mbit/s or less ({where})")
    taken = median(reached)
    what = f"attempts until 2 Mbit/s or less, median ({where})"
    part = _part_of_retries(context, SLOW_KBPS)
    return all_of([in_band(part, 0.5, None), in_band(Point.exactly(what, taken), None, 3)])


def _part_of_retries(context: Context, kbps: int) -> Point:
    frames, where = _at("ap.office", context)
    again = [each for each in own_data(frames) if each.row["is_retry"]]
    part = sum(each.row["rate_kbps"] <= kbps for each in again) / len(again)
    return Point.exactly(f"part of the retries at {kbps} kbit/s or less ({where})", part)


def a_burst_takes_30_us(context: Context) -> Verdict:
    """goel-16-j: 16 + 4 + 4 + 6 µs, in the last of which nothing radiates."""
    plan = compile_scenario(_scenario(context))
    [emitter], [radiated] = plan["air"]["emitters"], emissions(plan)
    assert radiated.burst_us is not None
    return all_of(
        [
            in_band(Point.exactly("a burst, µs", emitter["burst"] / 1e3), 30, 30),
            in_band(Point.exactly("of which it radiates, µs", radiated.burst_us), 24, 24),
        ]
    )


def the_next_channel_gets_less_of_the_noise(context: Context) -> Verdict:
    """goel-17-c: what the mask takes off at the station, of noise 5 MHz away and of none."""
    taken_off = {
        mhz: _taken_off_db(context, {"noise.generator.frequency": mhz}) for mhz in (2437, 2432)
    }
    points = [Point.exactly(f"dB taken off at {mhz} MHz", each) for mhz, each in taken_off.items()]
    return below(*points)


def _taken_off_db(context: Context, values: Mapping[str, Any]) -> float:
    scenario = with_overrides(context.results[context.experiment].scenario, values)
    [radiated] = emissions(compile_scenario(scenario))
    found = radiated.taken_in["laptop"].taken_off_db
    assert found is not None
    return found


def fragments_arrive_long_after_the_one_before(context: Context) -> Verdict:
    """goel-18-e: from an ACK to the attempt at the next fragment that is acknowledged, in µs.

    Ten times SIFS or more under the longest noise, and SIFS, to 1 %, without any.
    """
    sifs_us = SIFS_NS / 1e3
    gaps = {burst: _gap_us(context, burst) for burst in ("none", "500 us")}
    return all_of(
        [
            in_band(gaps["none"], 0.99 * sifs_us, 1.01 * sifs_us),
            in_band(gaps["500 us"], 10 * sifs_us, None),
        ]
    )


def _gap_us(context: Context, burst: str) -> Point:
    frames = heard(context.analysis("ap.office", burst=burst).frames())
    gaps: list[float] = []
    sequence, acknowledged = None, 0
    for each in own_data(frames):
        if not each.is_acknowledged:
            continue
        if each.fragment > 0 and each.row["sequence"] == sequence:
            gaps.append((each.start - acknowledged) / 1e3)
        assert each.after is not None
        ack = each.after["end_ns"] - each.after["start_ns"]
        sequence, acknowledged = each.row["sequence"], each.after["time_ns"] + ack
    return Point.exactly(f"from an ACK to the next fragment, µs (burst {burst})", fmean(gaps))


def the_chassis_has_no_less(context: Context) -> Verdict:
    """goel-att-a: attenuations below its least are refused."""
    asked = ("47.9 dB", "40 dB", "0 dB")
    done = [loss for loss in asked if not context.refuses({"air.loss": loss})]
    return rule("lower attenuations that the chassis refuses", len(asked), done)


def the_signal_falls_with_the_attenuation(context: Context) -> Verdict:
    """goel-att-b: what the station hears of the access point, decibel by decibel."""
    sums = []
    for attenuation in context.values("attenuation"):
        frames = heard(context.analysis("sta.laptop", attenuation=attenuation).frames())
        level = fmean(each.row["signal_dbm"] for each in frames if not each.is_own)
        loss_db = decibels(str(attenuation))
        sums.append(Point.exactly(f"signal at {attenuation} and that, dBm", level + loss_db))
    return all_of([in_band(each, sums[0].mean - 0.5, sums[0].mean + 0.5) for each in sums])


# Held out and predicted, half of the numbers lie within 15 %.
PREDICTED_WITHIN = 0.15


def tables_predict_what_lies_between(context: Context) -> Verdict:
    """goel-summary-c: goodput, from its neighbours on every axis of numbers, by straight lines."""
    tables = context.results.values()
    errors = [error for results in tables for error in errors_between(results, "goodput_mbps")]
    what = f"median error of {len(errors):,} goodputs from their neighbours'"
    return in_band(Point.exactly(what, median(errors)), None, PREDICTED_WITHIN)


def _scenario(context: Context) -> Scenario:
    return context.results[context.experiment].scenario


def timeouts_are_as_long_on_either_hop(context: Context) -> Verdict:
    """goel-first-hop-b: the senders' retransmission timeouts, once a second, all connections."""
    replications = (
        context.results[context.experiment].select({**context.place, "hop": "first"}).replications
    )
    first, last = (
        [_timeout_ms(context, hop, replication) for replication in range(replications)]
        for hop in ("first", "last")
    )
    ratios = [one / other for one, other in zip(first, last, strict=True)]
    return all_of(
        [
            in_band(Point.of("timeout at the first hop over that at the last", ratios), 0.9, 1.1),
            in_band(Point.of("timeout at the first hop, ms", first), 0, None),
        ]
    )


def _timeout_ms(context: Context, hop: str, replication: int) -> float:
    columns = ("time_s", "end", "tcpi_rto")
    rows = rows_of(context.tcp_info(hop=hop, replication=replication), *columns)
    warmup_s = 10
    found = [row["tcpi_rto"] for row in rows if row["end"] == "sender" and row["time_s"] > warmup_s]
    return fmean(found) / 1000
