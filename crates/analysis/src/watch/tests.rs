//! Watching of conversations, and its agreement with the counters.

use proptest::prelude::*;

use super::*;
use crate::property_tests::any_segment;
use crate::tests::{MS, MSS, Script};
use crate::window_tests::refused;
use crate::{Cause, DirectionCounters, Stall};
use dissect::ControlBits;

const LIMITS: TrackerLimits = TrackerLimits { connections: 2 };

fn watched(
    segments: &[TcpSegment],
    traced: Traced,
    room: WatchLimits,
) -> (Vec<Summary>, WatchResult) {
    let mut summaries = Vec::new();
    let mut watcher = Watcher::new(traced, room);
    let sink = |summary| summaries.push(summary);
    let mut tracker = Tracker::observed(LIMITS, sink, &mut watcher);
    tracker.take(segments);
    tracker.finish();
    (summaries, watcher.finish())
}

fn all(script: &Script) -> WatchResult {
    watched(&script.segments, Traced::All, WatchLimits::default()).1
}

/// The values of a column, -1 where there is none.
fn values(columns: &Columns, name: &str) -> Vec<i64> {
    let of = |bytes: &[u8]| -> Vec<i64> {
        let words = bytes.chunks_exact(8);
        words
            .map(|word| i64::from_le_bytes(word.try_into().unwrap()))
            .collect()
    };
    let (_, column) = columns
        .iter()
        .find(|(known, _)| *known == name)
        .expect(name);
    match column {
        ColumnValues::Whole(bytes) => of(bytes),
        ColumnValues::Codes(bytes) => bytes.iter().map(|&code| code.into()).collect(),
        ColumnValues::Optional(bytes, known) => {
            let known = known.iter().map(|&known| known == 1);
            of(bytes)
                .into_iter()
                .zip(known)
                .map(|(value, known)| if known { value } else { -1 })
                .collect()
        }
    }
}

/// Segments 0 to 4 of which segment 1 is lost and repaired after three duplicates.
fn one_loss() -> Script {
    let mut script = Script::open([u32::MAX - 500, 200]);
    script.at(1060).all(0..5);
    script.at(1110).ack(1, None);
    script
        .ack(1, Some(2..3))
        .ack(1, Some(2..4))
        .ack(1, Some(2..5));
    script.data(1);
    script.at(1160).ack(5, None);
    script
}

#[test]
fn a_trace_has_a_row_for_each_segment() {
    let watched = all(&one_loss());
    let columns = watched.traces[0].columns();
    let of = |name| values(&columns, name);
    assert_eq!(of("time_ns")[3..6], [1060 * MS as i64; 3]);
    assert_eq!(of("packet"), (1..=14).collect::<Vec<i64>>());
    assert_eq!(of("direction"), [0, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 1]);
    // The SYN is 0, although the numbers wrap behind the first segment.
    assert_eq!(of("seq")[3..8], [1, 1001, 2001, 3001, 4001]);
    assert_eq!((of("seq")[12], of("seq_end")[12]), (1001, 2001));
    let kinds = [
        SegmentKind::Syn,
        SegmentKind::Syn,
        SegmentKind::Bare,
        SegmentKind::New,
    ]
    .map(|kind| kind as i64);
    assert_eq!(of("kind")[..4], kinds);
    assert_eq!(of("kind")[12], SegmentKind::Retransmitted as i64);
    assert_eq!(of("cause")[12], Cause::Fast as i64 + 1);
    assert_eq!(
        of("begins_recovery").iter().sum::<i64>(),
        of("begins_recovery")[12]
    );
    assert_eq!(of("flight")[7], 5 * i64::from(MSS));
    let answers = [
        AckKind::Advance,
        AckKind::Duplicate,
        AckKind::Duplicate,
        AckKind::Duplicate,
    ];
    assert_eq!(of("answer")[8..12], answers.map(|answer| answer as i64));
    // The SYN and the first segment; the last acknowledgment was held up by the repair.
    assert_eq!(of("rtt_ns")[8], 50 * MS as i64);
    assert_eq!(of("rtt_ns").iter().filter(|&&ns| ns >= 0).count(), 2 + 1);
    assert_eq!(of("sack_blocks")[9..12], [1, 1, 1]);
    assert_eq!(
        (of("sack_start"), of("sack_end")),
        (vec![2001; 3], vec![3001, 4001, 5001])
    );
}

#[test]
fn a_loss_is_dated_by_the_copy_that_was_lost() {
    let losses = all(&one_loss()).losses.columns();
    let only = |name| values(&losses, name)[0];
    assert_eq!(values(&losses, "copy"), [1]);
    assert_eq!((only("seq"), only("seq_end")), (1001, 2001));
    assert_eq!(
        (only("lost_ns"), only("repaired_ns")),
        (1060 * MS as i64, 1110 * MS as i64)
    );
    assert_eq!((only("packet"), only("is_before_capture")), (13, 0));
}

#[test]
fn the_same_segment_may_be_lost_again() {
    let mut script = Script::open([100, 200]);
    script
        .at(1060)
        .data(0)
        .at(1400)
        .data(0)
        .at(2000)
        .data(0)
        .at(2050)
        .ack(1, None);
    let losses = all(&script).losses.columns();
    assert_eq!(values(&losses, "copy"), [1, 2]);
    assert_eq!(
        values(&losses, "lost_ns"),
        [1060, 1400].map(|ms| ms * MS as i64)
    );
    assert_eq!(values(&losses, "segments_sent"), [1, 2]);
    assert_eq!(values(&losses, "cause"), [Cause::Timeout as i64 + 1; 2]);
}

#[test]
fn parts_of_a_large_segment_are_lost_on_their_own() {
    let mut script = Script::open([100, 200]);
    // The card of the sender cuts it in two behind the point of capture.
    script.at(1060).push(0, ControlBits::ACK, 0, 0, 2 * MSS);
    script
        .at(1400)
        .data(0)
        .at(1450)
        .ack(1, None)
        .data(1)
        .at(1500)
        .ack(2, None);
    let losses = all(&script).losses.columns();
    assert_eq!(values(&losses, "copy"), [1, 1]);
    assert_eq!(values(&losses, "lost_ns"), [1060 * MS as i64; 2]);
}

#[test]
fn each_loss_of_a_window_knows_what_was_in_flight_when_it_was_sent() {
    let mut script = Script::open([100, 200]);
    script
        .at(1060)
        .data(0)
        .at(1061)
        .all(1..6)
        .at(1110)
        .ack(1, None);
    script
        .ack(1, Some(2..3))
        .ack(1, Some(4..5))
        .ack(1, Some(4..6));
    script
        .at(1111)
        .data(1)
        .at(1160)
        .ack(3, Some(4..6))
        .at(1161)
        .data(3);
    let losses = all(&script).losses.columns();
    assert_eq!(values(&losses, "segments_sent"), [2, 4]);
    assert_eq!(values(&losses, "flight"), [2000, 4000]);
    assert_eq!(values(&losses, "rtt_ns"), [50 * MS as i64; 2]);
}

#[test]
fn a_loss_has_the_round_trip_of_the_segment_before_it_and_its_rank() {
    let mut script = Script::open([100, 200]);
    script.at(1060).all(0..2).at(1080).ack(2, None).all(2..4);
    // The fourth segment and the fifth, which is lost, meet the same queue.
    script.at(1130).ack(4, None).all(4..6);
    script.at(1180).ack(4, Some(5..6)).at(1200).data(4);
    let losses = all(&script).losses.columns();
    assert_eq!(values(&losses, "lost_ns"), [1130 * MS as i64]);
    assert_eq!(values(&losses, "rtt_ns"), [50 * MS as i64]);
    // Two segments met 20 ms before, and one met the same.
    assert_eq!(values(&losses, "rtt_rank_ppm"), [1_000_000 * 5 / 6]);
}

#[test]
fn a_loss_that_was_none_is_said_to_be_so_when_the_receiver_reports_it() {
    let mut script = Script::open([100, 200]);
    script
        .at(1060)
        .all(0..2)
        .at(1400)
        .data(0)
        .at(1401)
        .ack(2, None)
        .at(1450)
        .ack(2, Some(0..1));
    let watched = all(&script);
    let causes = values(&watched.losses.columns(), "cause");
    assert_eq!(causes, [Cause::NeedlessTimeout as i64 + 1]);
    let traced = values(&watched.traces[0].columns(), "cause");
    assert_eq!(traced[5], Cause::NeedlessTimeout as i64 + 1);
}

#[test]
fn what_the_receiver_had_no_room_for_is_no_loss_but_what_is_sent_then_may_be_one() {
    let mut script = refused(4);
    script.at(2750).data(5).at(3250).data(5);
    script.at(3300).ack(6, None);
    let losses = all(&script).losses.columns();
    assert_eq!(values(&losses, "lost_ns"), [2750 * MS as i64]);
}

/// The answer takes the SYN alone (RFC 7413 §4.2.2).
#[test]
fn what_a_syns_answer_does_not_take_is_no_loss() {
    let losses_of = |syns: &[u64]| {
        let mut script = Script::new([100, 200]);
        for &ms in syns {
            script.at(ms).push(0, ControlBits::SYN, u32::MAX, 0, 420);
        }
        script.at(2050);
        script.push(1, ControlBits::SYN | ControlBits::ACK, u32::MAX, 0, 0);
        script.push(0, ControlBits::ACK, 0, 0, 420);
        script.at(2100).push(1, ControlBits::ACK, 0, 420, 0);
        values(&all(&script).losses.columns(), "lost_ns").len()
    };
    assert_eq!(losses_of(&[2000]), 0);
    assert_eq!(
        losses_of(&[1000, 2000]),
        2,
        "the first SYN was lost for certain"
    );
}

#[test]
fn a_loss_before_the_capture_is_dated_by_its_gap() {
    let mut script = Script::open([100, 200]);
    script.at(1060).data(0).at(1061).all(2..5).ack(1, None);
    script
        .ack(1, Some(2..3))
        .ack(1, Some(2..4))
        .ack(1, Some(2..5));
    script.at(1112).data(1).ack(5, None);
    let losses = all(&script).losses.columns();
    assert_eq!(values(&losses, "is_before_capture"), [1]);
    assert_eq!(values(&losses, "lost_ns"), [1061 * MS as i64]);
}

#[test]
fn a_transfer_ends_where_the_sender_falls_idle() {
    let mut script = Script::open([100, 200]);
    script.at(1060).all(0..2).at(1110).ack(2, None);
    script.at(5000).push(1, ControlBits::ACK, 0, 2 * MSS, 10);
    script.at(5010).all(2..5).at(5060).ack(5, None);
    let transfers = all(&script).transfers.columns();
    let of = |name| values(&transfers, name);
    // The server's ten bytes are one too.
    assert_eq!(of("sender"), [0, 0, 1]);
    assert_eq!(of("is_after_idle"), [0, 1, 0]);
    assert_eq!(of("bytes"), [2000, 3000, 10]);
    // From the SYN, and from the request.
    assert_eq!(of("start_ns")[..2], [1000, 5000].map(|ms| ms * MS as i64));
    assert_eq!(of("end_ns")[..2], [1060, 5010].map(|ms| ms * MS as i64));
    assert_eq!(of("rtt_mean_ns")[..2], [50 * MS as i64; 2]);
}

#[test]
fn what_is_beyond_the_room_is_counted() {
    let room = WatchLimits {
        segments: 5,
        losses: 0,
        transfers: 0,
    };
    let (_, watched) = watched(&one_loss().segments, Traced::All, room);
    assert_eq!((watched.traces[0].len(), watched.segments_unlisted), (5, 9));
    assert_eq!(
        (watched.losses.unlisted, watched.transfers.unlisted),
        (1, 1)
    );
}

#[test]
fn only_what_was_asked_for_is_traced() {
    let (_, watched) = watched(
        &one_loss().segments,
        Traced::Chosen(vec![7]),
        WatchLimits::default(),
    );
    assert_eq!((watched.traces.len(), watched.connections.len()), (0, 1));
}

/// Totals of a trace's direction.
struct Totals<'a> {
    columns: &'a Columns,
    side: i64,
}

impl Totals<'_> {
    /// Values of a column over the rows that this end, or the other, sent.
    fn of(&self, name: &str, is_own: bool) -> Vec<i64> {
        let senders = values(self.columns, "direction");
        let values = values(self.columns, name).into_iter().zip(senders);
        values
            .filter(|(_, from)| (*from == self.side) == is_own)
            .map(|(value, _)| value)
            .collect()
    }

    fn count(&self, name: &str, code: i64, is_own: bool) -> u64 {
        self.of(name, is_own)
            .iter()
            .filter(|&&value| value == code)
            .count() as u64
    }

    fn sum(&self, name: &str, is_own: bool) -> u64 {
        self.of(name, is_own)
            .iter()
            .map(|&value| value as u64)
            .sum()
    }

    fn agree_with(
        &self,
        counters: &DirectionCounters,
        round_trips: u64,
    ) -> Result<(), TestCaseError> {
        let kind = |kind: SegmentKind| self.count("kind", kind as i64, true);
        let answer = |answer: AckKind| self.count("answer", answer as i64, false);
        prop_assert_eq!(self.of("kind", true).len() as u64, counters.packets);
        prop_assert_eq!(
            kind(SegmentKind::Retransmitted),
            counters.packets_retransmitted
        );
        prop_assert_eq!(kind(SegmentKind::OutOfOrder), counters.packets_out_of_order);
        prop_assert_eq!(kind(SegmentKind::KeepAlive), counters.keep_alives);
        prop_assert_eq!(kind(SegmentKind::Strange), counters.segments_strange);
        prop_assert_eq!(
            self.sum("bytes_retransmitted", true),
            counters.bytes_retransmitted
        );
        for cause in Cause::ALL {
            let count = self.count("cause", cause as i64 + 1, true);
            prop_assert_eq!(count, counters.cause(cause), "{:?}", cause);
        }
        for stall in Stall::ALL {
            let count = self.count("stall", stall as i64 + 1, true);
            prop_assert_eq!(count, counters.stall(stall).count, "{:?}", stall);
        }
        prop_assert_eq!(self.sum("timer_expired", true), counters.timeouts);
        prop_assert_eq!(self.sum("begins_recovery", true), counters.recoveries);
        prop_assert_eq!(answer(AckKind::Duplicate), counters.duplicate_acks);
        prop_assert_eq!(answer(AckKind::Unseen), counters.acks_of_unseen);
        prop_assert_eq!(answer(AckKind::Old), counters.acks_old);
        prop_assert_eq!(answer(AckKind::Strange), counters.acks_strange);
        prop_assert_eq!(
            self.sum("has_sack_news", false),
            counters.duplicate_acks_sack
        );
        prop_assert_eq!(
            self.sum("reports_duplicate", false),
            counters.duplicates_reported
        );
        let samples = self
            .of("rtt_ns", false)
            .into_iter()
            .filter(|&ns| ns != -1)
            .count() as u64;
        prop_assert_eq!(samples, round_trips);
        Ok(())
    }
}

proptest! {
    /// Whatever comes, the steps add up to the counters, direction by direction.
    #[test]
    fn a_trace_adds_up_to_the_counters(segments in proptest::collection::vec(any_segment(), 0..300)) {
        let number = |(at, segment)| TcpSegment { number: at as u64 + 1, ..segment };
        let segments: Vec<TcpSegment> = segments.into_iter().enumerate().map(number).collect();
        let (mut summaries, watched) = watched(&segments, Traced::All, WatchLimits::default());
        summaries.sort_by_key(|summary| (summary.client.port, summary.first_packet));
        let mut traces: Vec<&ConnectionTrace> = watched.traces.iter().collect();
        traces.sort_by_key(|trace| (trace.of.client.port, trace.of.first_packet));
        prop_assert_eq!(summaries.len(), traces.len());
        for (summary, trace) in summaries.iter().zip(traces) {
            let columns = trace.columns();
            for (side, direction) in [(0, &summary.client), (1, &summary.server)] {
                let totals = Totals { columns: &columns, side };
                let round_trips = direction.rtt.map_or(0, |rtt| rtt.count);
                totals.agree_with(&direction.counters, round_trips)?;
            }
        }
    }
}
