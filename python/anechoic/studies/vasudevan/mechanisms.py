"""How the claims of V. Vasudevan and others are decided that no kind of check can say."""

from bisect import bisect_right

from anechoic.papers.comparisons import in_band
from anechoic.papers.mechanisms import Context
from anechoic.papers.packet_rules import Row, rows_of, rule
from anechoic.papers.points import MissingPoint, Point
from anechoic.papers.segment_rules import Recovery, out_of_order_is_answered, recoveries
from anechoic.papers.verdict import Verdict, all_of, readings

MSS = 1460
SERVER, TERMINAL = "stack.server", "stack.terminal"


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


def _only_recovery(context: Context) -> Recovery:
    [found] = recoveries(context.analysis(SERVER))
    return found


def _sender_info(context: Context) -> list[Row]:
    columns = ("time_s", "end", "tcpi_snd_cwnd", "tcpi_rto")
    rows = rows_of(context.tcp_info(), *columns)
    return [row for row in rows if row["end"] == "sender"]
