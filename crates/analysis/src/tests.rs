//! Conversations, segment by segment, and what is told of them.

use super::*;
use dissect::{Checksum, ConnectionEnd, ControlBits, IpAddress, SackRange};

pub(super) const MS: u64 = 1_000_000;
pub(super) const MSS: u32 = 1000;

/// A connection as its capture at the client shows it: 50 ms to the server and back. Sequence
/// numbers are relative, the payload begins with 0.
#[derive(Clone)]
pub(super) struct Script {
    pub(super) segments: Vec<TcpSegment>,
    now_ms: u64,
    pub(super) isn: [u32; 2],
    ip_id: u16,
}

pub(super) fn endpoint(side: usize) -> ConnectionEnd {
    let address = IpAddress::from(std::net::Ipv4Addr::new(10, 0, 0, side as u8 + 1));
    ConnectionEnd {
        address,
        port: [40_000, 80][side],
    }
}

impl Script {
    pub(super) fn new(isn: [u32; 2]) -> Self {
        Script {
            segments: Vec::new(),
            now_ms: 1000,
            isn,
            ip_id: 0,
        }
    }

    /// The handshake, with SACK and without window scaling.
    pub(super) fn open(isn: [u32; 2]) -> Self {
        let mut script = Script::new(isn);
        script
            .push(0, ControlBits::SYN, u32::MAX, 0, 0)
            .options
            .sack_permitted = true;
        script
            .at(1050)
            .push(1, ControlBits::SYN | ControlBits::ACK, u32::MAX, 0, 0)
            .options
            .sack_permitted = true;
        script.push(0, ControlBits::ACK, 0, 0, 0);
        script
    }

    pub(super) fn at(&mut self, ms: u64) -> &mut Self {
        self.now_ms = ms;
        self
    }

    pub(super) fn push(
        &mut self,
        side: usize,
        flags: u8,
        seq: u32,
        ack: u32,
        payload: u32,
    ) -> &mut TcpSegment {
        self.ip_id += 1;
        self.segments.push(TcpSegment {
            time_ns: self.now_ms * MS,
            number: self.segments.len() as u64 + 1,
            source: endpoint(side),
            destination: endpoint(1 - side),
            seq: self.isn[side].wrapping_add(1).wrapping_add(seq),
            ack: self.isn[1 - side].wrapping_add(1).wrapping_add(ack),
            payload,
            window: 60_000,
            ip_id: Some(self.ip_id),
            ttl: 64,
            flags: ControlBits(flags),
            marks: dissect::CongestionMarks::default(),
            checksum: Checksum::Unknown,
            options: dissect::HeaderOptions::default(),
        });
        self.segments.last_mut().expect("just pushed")
    }

    /// The client sends the segment number `n`, all of the same size.
    pub(super) fn data(&mut self, n: u32) -> &mut Self {
        self.push(0, ControlBits::ACK, n * MSS, 0, MSS);
        self
    }

    pub(super) fn all(&mut self, numbers: core::ops::Range<u32>) -> &mut Self {
        numbers.fold(self, |script, n| script.data(n))
    }

    /// The server acknowledges everything before segment `n`, and reports `sacked`.
    pub(super) fn ack(&mut self, n: u32, sacked: Option<core::ops::Range<u32>>) -> &mut Self {
        let base = self.isn[0].wrapping_add(1);
        let segment = self.push(1, ControlBits::ACK, 0, n * MSS, 0);
        if let Some(range) = sacked {
            let [left, right] = [range.start, range.end].map(|n| base.wrapping_add(n * MSS));
            segment.options.push_sack(SackRange { left, right });
        }
        self
    }

    pub(super) fn summaries(&self) -> Vec<Summary> {
        let mut found = Vec::new();
        let mut tracker = Tracker::new(TrackerLimits::default(), |summary| found.push(summary));
        tracker.take(&self.segments);
        tracker.finish();
        found
    }

    #[track_caller]
    pub(super) fn only(&self) -> Summary {
        let mut found = self.summaries();
        assert_eq!(found.len(), 1, "{found:?}");
        found.remove(0)
    }
}

pub(super) fn cause(summary: &Summary, cause: Cause) -> u64 {
    summary.client.counters.cause(cause)
}

#[test]
fn a_transfer_without_losses() {
    // The sequence numbers wrap on the way.
    let mut script = Script::open([u32::MAX - 1500, 7]);
    script.at(1060).all(0..4);
    script.at(1110).ack(2, None).ack(4, None);
    script.push(0, ControlBits::FIN | ControlBits::ACK, 4 * MSS, 0, 0);
    script
        .at(1160)
        .push(1, ControlBits::FIN | ControlBits::ACK, 0, 4 * MSS + 1, 0);
    script.push(0, ControlBits::ACK, 4 * MSS + 1, 1, 0);

    let summary = script.only();
    assert_eq!(
        (summary.outcome, summary.has_handshake),
        (ConnectionStage::Closed, true)
    );
    assert_eq!(summary.handshake_ms, Some(50.0));
    let sent = &summary.client.counters;
    assert_eq!((sent.packets, sent.packets_data, sent.acks_pure), (8, 4, 2));
    assert_eq!((sent.bytes, sent.bytes_unique), (4000, 4000));
    assert_eq!(
        (sent.flight_initial, sent.flight_max, sent.flight_min),
        (Some(4000), Some(4000), Some(1000))
    );
    // SYN, two acknowledgments of data, FIN.
    let rtt = summary.client.rtt.unwrap();
    assert_eq!((rtt.count, rtt.min_ms, rtt.max_ms), (4, 50.0, 50.0));
    assert_eq!(summary.client.transfer_ms, Some(60.0));
}

#[test]
fn a_lost_segment_is_repaired_after_three_duplicates() {
    let mut script = Script::open([100, 200]);
    script.at(1060).all(0..5);
    script
        .at(1110)
        .ack(1, None)
        .ack(1, Some(2..3))
        .ack(1, Some(2..4))
        .ack(1, Some(2..5));
    script.data(1);
    script.at(1160).ack(5, None);
    let summary = script.only();
    let sent = &summary.client.counters;
    assert_eq!(
        (sent.packets_retransmitted, sent.bytes_retransmitted),
        (1, 1000)
    );
    assert_eq!((sent.bytes, sent.bytes_unique), (6000, 5000));
    assert_eq!((cause(&summary, Cause::Fast), sent.recoveries), (1, 1));
    assert_eq!(
        (sent.duplicate_acks, sent.duplicate_acks_sack, sent.sacks),
        (3, 3, 3)
    );
    // SYN and the first segment: the last acknowledgment was held up by the repair.
    assert_eq!(summary.client.rtt.unwrap().count, 2);
}

#[test]
fn the_timer_repairs_when_nothing_comes_back() {
    let mut script = Script::open([100, 200]);
    script.at(1060).all(0..2);
    script.at(1400).data(0).at(1450).ack(1, None).data(1);
    script.at(1500).ack(2, None);
    let summary = script.only();
    let sent = &summary.client.counters;
    assert_eq!((cause(&summary, Cause::Timeout), sent.timeouts), (2, 1));
    assert_eq!(
        sent.stall(Stall::Timeout),
        Pauses {
            count: 1,
            total_ns: 340 * MS
        }
    );
}

#[test]
fn the_receiver_may_report_later_that_it_had_the_segment() {
    let mut script = Script::open([100, 200]);
    script.at(1060).all(0..2);
    script
        .at(1400)
        .data(0)
        .at(1401)
        .ack(2, None)
        .at(1450)
        .ack(2, Some(0..1));
    let summary = script.only();
    assert_eq!(cause(&summary, Cause::NeedlessTimeout), 1);
    assert_eq!(cause(&summary, Cause::Timeout), 0);
    assert_eq!(summary.client.counters.duplicates_reported, 1);
}

/// No duplicate acknowledgment comes before the copy: a timer sent it, and the pause before it is
/// one for a timer, as well where the receiver is near and had acknowledged the segment.
#[test]
fn a_probe_of_what_the_receiver_had_is_no_fast_retransmission() {
    let mut beside_sender = Script::open([100, 200]);
    beside_sender.at(1060).all(0..2).at(1110).ack(2, None);
    let mut beside_receiver = Script::open([100, 200]);
    beside_receiver.at(1060).all(0..2).at(1061).ack(2, None);
    beside_sender.at(1200).data(2).at(1380).data(2);
    beside_sender.at(1381).ack(3, None);
    beside_receiver.at(1200).data(2).at(1201).ack(3, None);
    beside_receiver.at(1380).data(2);
    for script in [&mut beside_sender, &mut beside_receiver] {
        let summary = script.at(1430).ack(3, Some(2..3)).only();
        assert_eq!(cause(&summary, Cause::NeedlessProbe), 1);
        assert_eq!(summary.client.counters.stall(Stall::Timeout).count, 1);
    }
}

/// Beside the receiver: segment 1 is lost before, its repair is doubled on the way, and the report
/// is of that.
#[test]
fn a_report_of_what_the_network_doubled_makes_no_repair_needless() {
    let mut script = Script::open([100, 200]);
    script.at(1060).data(0).all(2..5).ack(1, None);
    script.ack(1, Some(2..3)).ack(1, Some(2..4));
    script.ack(1, Some(2..5)).at(1112).data(1).ack(5, None);
    let repair = script.segments[script.segments.len() - 2];
    let doubled = script.at(1114).data(1).segments.last_mut().unwrap();
    doubled.ip_id = repair.ip_id;
    script.ack(5, Some(1..2));
    let causes = |script: &Script| {
        [Cause::Fast, Cause::NeedlessFast, Cause::NetworkDuplicate]
            .map(|why| cause(&script.only(), why))
    };
    assert_eq!(causes(&script), [1, 0, 1]);
    // A second report is of the repair: the first transmission came, too.
    script.ack(5, Some(1..2));
    assert_eq!(causes(&script), [0, 1, 1]);
}

#[test]
fn a_sender_learns_of_reordering_when_what_it_sent_once_fills_a_hole() {
    let mut script = Script::open([100, 200]);
    script.at(1060).all(0..4);
    script.at(1100).ack(0, Some(1..2)).ack(2, None);
    script.at(1120).ack(2, Some(3..4)).ack(4, None);
    assert_eq!(script.only().client.counters.reorderings, 2);
}

#[test]
fn a_sender_learns_of_reordering_from_a_block_below_an_earlier_one() {
    let mut script = Script::open([100, 200]);
    script.at(1060).all(0..4);
    script.at(1100).ack(0, Some(3..4)).ack(0, Some(1..2));
    assert_eq!(script.only().client.counters.reorderings, 1);
}

#[test]
fn a_repaired_hole_shows_no_reordering() {
    let mut script = Script::open([100, 200]);
    script.at(1060).all(0..4);
    script.at(1100).ack(0, Some(1..2)).ack(0, Some(1..3));
    script.at(1101).data(0).at(1150).ack(3, None).ack(4, None);
    assert_eq!(script.only().client.counters.reorderings, 0);
}

#[test]
fn a_segment_that_was_overtaken_is_not_retransmitted() {
    let mut script = Script::open([100, 200]);
    script.at(1060).data(0).data(2).at(1061).data(1);
    script.at(1110).ack(3, None);
    let summary = script.only();
    let sent = &summary.client.counters;
    assert_eq!(
        (sent.packets_out_of_order, sent.packets_retransmitted),
        (1, 0)
    );
    assert_eq!(cause(&summary, Cause::Reordering), 1);
    assert_eq!(summary.client.bytes_missed, 0);
}

#[test]
fn a_loss_before_the_point_of_capture_fills_its_gap_late() {
    let mut script = Script::open([100, 200]);
    script
        .at(1060)
        .data(0)
        .all(2..5)
        .ack(1, None)
        .ack(1, Some(2..3))
        .ack(1, Some(2..4))
        .ack(1, Some(2..5));
    script.at(1112).data(1).ack(5, None);
    let summary = script.only();
    assert_eq!(summary.client.counters.packets_out_of_order, 1);
    assert_eq!(cause(&summary, Cause::Fast), 1);
}

#[test]
fn what_the_capture_missed_is_known_by_its_acknowledgment() {
    let mut script = Script::open([100, 200]);
    script
        .at(1060)
        .data(0)
        .at(1110)
        .ack(3, None)
        .data(3)
        .at(1160)
        .ack(4, None);
    let summary = script.only();
    assert_eq!(summary.client.bytes_missed, 2000);
    assert_eq!(summary.client.counters.acks_of_unseen, 1);
    assert_eq!(summary.client.counters.acks_early, 0);
    assert_eq!(summary.client.counters.packets_retransmitted, 0);
}

#[test]
fn an_acknowledgment_before_its_data_is_early_by_the_time_between_them() {
    let mut script = Script::open([100, 200]);
    for n in 0..3 {
        let at_ms = 1060 + 50 * u64::from(n);
        script.at(at_ms).ack(n + 1, None).at(at_ms + 4).data(n);
    }
    let counters = script.only().client.counters;
    assert_eq!((counters.acks_of_unseen, counters.acks_early), (3, 3));
    assert_eq!(counters.acks_early_ns, 12_000_000);
}

#[test]
fn segments_that_stand_behind_later_ones_are_counted() {
    let mut script = Script::open([100, 200]);
    script.at(1060).all(0..4);
    script
        .at(1055)
        .ack(1, None)
        .ack(2, None)
        .at(1070)
        .ack(4, None);
    let summary = script.only();
    assert_eq!(summary.back_in_time, 2);
    assert_eq!(summary.last_ns, 1070 * MS);
}

#[test]
fn a_syn_soon_behind_its_answer_was_answered_early() {
    for (syn_ms, early) in [(1007, 1), (2000, 0)] {
        let mut script = Script::new([100, 200]);
        script.push(1, ControlBits::SYN | ControlBits::ACK, u32::MAX, 0, 0);
        script.at(syn_ms).push(0, ControlBits::SYN, u32::MAX, 0, 0);
        script.push(0, ControlBits::ACK, 0, 0, 0);
        let counters = script.only().client.counters;
        assert_eq!(counters.acks_early, early);
        assert_eq!(counters.acks_early_ns, early * 7 * MS);
    }
}

#[test]
fn the_log_has_a_value_for_every_column_of_its_header() {
    let mut script = Script::open([100, 200]);
    script.at(1060).all(0..3).at(1110).ack(3, None);
    let line = tstat::line(&script.only()).expect("a whole handshake");
    let header = tstat::header();
    assert_eq!(header.split(' ').count(), line.split(' ').count());
    assert!(header.starts_with("#c_ip:1 c_port:2 c_pkts_all:3 "));
    assert!(header.contains(" first:29 last:30 durat:31 "));
    assert!(header.contains(" c_rtt_avg:45 ") && header.contains(" s_rtt_avg:52 "));
    let at = |name: &str| {
        let place = header
            .split(' ')
            .position(|column| column.starts_with(name));
        line.split(' ')
            .nth(place.expect(name))
            .expect("as many as columns")
    };
    assert_eq!(
        (at("c_bytes_uniq:"), at("c_mss_max:"), at("s_ip:")),
        ("3000", "1000", "10.0.0.2")
    );
    assert_eq!(at("durat:"), "110.000000");
}

#[test]
fn a_clock_that_goes_back_loses_nothing() {
    let mut script = Script::open([1, 1]);
    script.at(1060).all(0..2);
    script.at(900).ack(2, None).all(2..4);
    script.at(950).ack(4, None);
    let summary = script.only();
    assert_eq!(summary.client.counters.bytes_unique, 4 * u64::from(MSS));
    assert_eq!(summary.client.counters.packets_retransmitted, 0);
    assert_eq!(summary.last_ns, 1060 * MS);
}
