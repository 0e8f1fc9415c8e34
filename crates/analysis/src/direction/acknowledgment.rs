//! The receiver's reports on a direction: acknowledgments, windows, SACK blocks.

use super::DirectionState;
use super::echo::Following;
use crate::cause::{DUPLICATE_THRESHOLD, InferredPhase};
use crate::holes::HoleLeaver;
use crate::outstanding::{AcknowledgedSegments, Reported, SegmentInFlight};
use crate::step::{AckKind, Fact, Note};
use dissect::{ControlBits, SackRange, TcpSegment};

impl DirectionState {
    /// The other end acknowledges `segment.ack`; `window` is what it has room for, and
    /// `is_same_window` says that its header says the same as before.
    #[inline]
    pub fn on_ack(
        &mut self,
        segment: &TcpSegment,
        window: u64,
        is_same_window: bool,
        note: &mut impl Note,
    ) {
        let Some(ack) = self.unwrap(segment.ack) else {
            self.trouble().counters.acks_strange += 1;
            note.note(Fact::Answers(AckKind::Strange));
            return;
        };
        let now = segment.time_ns;
        if segment.payload > 0 {
            self.signs.on_question();
        }
        let is_pure = segment.payload == 0
            && !segment
                .flags
                .has(ControlBits::SYN | ControlBits::FIN | ControlBits::RST);
        // In this order: an end that sends nothing has the one at hand, but not the other.
        let is_reported_on = ack > self.acked && self.has_reports;
        let reported_before = if is_reported_on { self.reported() } else { 0 };
        let sack = segment.options.sack();
        let reported = match sack {
            [] if segment.options.is_cut => self.miss_reports(),
            [] => Reported::default(),
            blocks => {
                if let Some(report) = segment.duplicate_report() {
                    self.take_duplicate_report(report, now, note);
                }
                self.take_blocks(ack, blocks)
            }
        };
        let has_news = reported.newest_ns > 0;
        let mut measured_ns = reported.first_sent_once.map(|sent| sent.last_ns);
        if has_news {
            self.trouble().counters.duplicate_acks_sack += 1;
            note.note(Fact::HasSackNews);
        }
        if ack > self.acked {
            self.signs.on_progress();
            let acked_before = self.acked;
            note.note(Fact::Answers(AckKind::Advance));
            note.note(Fact::AcknowledgesMore(ack - self.acked));
            let delivered = self.advance(ack, now, note);
            if reported_before > 0 {
                self.look_for_late(delivered.first, reported_before);
            }
            measured_ns = delivered
                .first
                .filter(|first| self.measures_from(first))
                .map(|first| first.last_ns)
                .or(measured_ns);
            if delivered.has_repair {
                measured_ns = measured_ns.or_else(|| self.echoed_ns(segment));
                self.look_for_needless(segment, acked_before, note);
            }
        } else if ack == self.acked {
            self.signs.on_repetition();
            // What is under way cannot be known of an end that was not captured.
            let is_awaited = self.next > self.acked || self.packets == 0;
            let is_duplicate = is_pure && is_same_window && is_awaited;
            if is_duplicate {
                self.trouble().counters.duplicate_acks += 1;
                note.note(Fact::Answers(AckKind::Duplicate));
            }
            if has_news || (is_duplicate && sack.is_empty()) {
                self.duplicates = self.duplicates.saturating_add(1);
                if u32::from(self.duplicates) == DUPLICATE_THRESHOLD {
                    self.note_third_duplicate(segment);
                }
            }
        } else if self.last_ack_ns == 0 && self.syns == 0 {
            // The capture began when what lies between was under way.
            self.acked = ack;
        } else {
            self.trouble().counters.acks_old += 1;
            note.note(Fact::Answers(AckKind::Old));
        }
        if let Some(sent_ns) = measured_ns {
            self.estimator.add(now.saturating_sub(sent_ns));
        }
        self.last_ack_ns = now;
        if self.following == Following::Next && self.segment_max > 0 {
            self.follow(segment);
        }
        self.take_window(ack, window);
    }

    /// Takes it that the receiver reported something that was cut off.
    #[cold]
    fn miss_reports(&mut self) -> Reported {
        self.trouble().reports_are_cut = true;
        Reported::default()
    }

    /// Gives what is newly acknowledged.
    #[inline]
    fn advance(&mut self, ack: u64, now: u64, note: &mut impl Note) -> AcknowledgedSegments {
        if ack > self.next {
            self.take_unseen(ack, now, note);
        }
        self.has_acked_little = ack - self.acked < 2 * u64::from(self.segment_max);
        self.acked = ack;
        self.is_first_window &= self.packets_data == 0;
        self.duplicates = 0;
        let delivered = self.outstanding.acknowledge(ack);
        self.newest_delivered_ns = self.newest_delivered_ns.max(delivered.newest_ns);
        if let Some(last) = delivered.last {
            // Karn, and his rule carried on: behind a repaired loss an acknowledgment was
            // held up by the repair, and behind a segment that came late by that.
            let held_up_ns = self.last_retransmission_ns.max(delivered.newest_ns);
            if last.end == ack && last.times == 1 && last.last_ns >= held_up_ns {
                let rtt_ns = now.saturating_sub(last.last_ns);
                self.rtt.add(rtt_ns);
                note.note(Fact::EndsRoundTrip(rtt_ns));
            }
        }
        if self.phase != InferredPhase::Open && self.ends_recovery(ack) {
            self.phase = InferredPhase::Open;
        }
        delivered
    }

    /// Duplicates of the acknowledgment that is just complete may be of what was retransmitted
    /// needlessly, so that who is told nothing else recovers until more is acknowledged (RFC 6582
    /// §3.2; tcp_is_non_sack_preventing_reopen of Linux).
    #[cold]
    fn ends_recovery(&self, ack: u64) -> bool {
        ack > self.recovery_end || (ack == self.recovery_end && self.is_reported_on())
    }

    /// Returns whether a sender measures from the first segment that is newly acknowledged, so that
    /// a timeout leaves time for delayed acknowledgments (RFC 7323 §4.3; the same in
    /// tcp_clean_rtx_queue of Linux, which measures by what SACK tells if there is none).
    #[inline]
    fn measures_from(&self, first: &SegmentInFlight) -> bool {
        first.last_ns >= self.last_retransmission_ns || self.hears_reports
    }

    /// Returns when that was retransmitted whose timestamp an acknowledgment echoes: from it a
    /// sender measures where nothing else tells (RFC 7323 §4.1; as Linux does in
    /// tcp_ack_update_rtt, by its clock of milliseconds).
    #[cold]
    #[inline(never)]
    fn echoed_ns(&self, acknowledgment: &TcpSegment) -> Option<u64> {
        let (_, echo) = acknowledgment.options.timestamps?;
        let mut clocks = self.trouble.as_ref()?.clocks_again.iter();
        let &(_, sent_ns) = clocks.find(|&&(clock, _)| clock == echo)?;
        Some(sent_ns)
    }

    /// Something is acknowledged that was not captured.
    #[cold]
    fn take_unseen(&mut self, ack: u64, now: u64, note: &mut impl Note) {
        let next = self.next;
        let trouble = self.trouble();
        if ack == trouble.probe_end {
            self.bytes_not_unique = self.bytes_not_unique.wrapping_sub(ack - next);
        } else {
            trouble.holes.leave(next, ack, HoleLeaver::by_ack(now), ack);
            trouble.counters.acks_of_unseen += 1;
            note.note(Fact::Answers(AckKind::Unseen));
        }
        self.next = ack;
    }

    /// Behind the last sequence number that the receiver has reported.
    #[cold]
    fn reported(&self) -> u64 {
        self.trouble.as_ref().map_or(0, |trouble| trouble.reported)
    }

    /// Takes for late, and not for lost, what was sent once and fills a hole below what had been
    /// reported (as in tcp_clean_rtx_queue of Linux).
    #[cold]
    fn look_for_late(&mut self, first: Option<SegmentInFlight>, reported_before: u64) {
        let is_late = first.is_some_and(|first| first.start() < reported_before);
        self.trouble().counters.reorderings += u64::from(is_late);
        self.has_reports = self.acked < self.reported();
    }

    /// Puts SACK blocks on the scoreboard; gives what they tell that was not known.
    #[inline(never)]
    fn take_blocks(&mut self, ack: u64, blocks: &[SackRange]) -> Reported {
        self.hears_reports = true;
        self.trouble().counters.sacks += 1;
        let mut all = Reported::default();
        let before = self.trouble().reported;
        let mut reported = before;
        for block in blocks {
            let (Some(start), Some(end)) = (self.unwrap(block.left), self.unwrap(block.right))
            else {
                continue;
            };
            if end <= ack || start >= end || end > self.next {
                continue;
            }
            let known = self
                .trouble()
                .blocks
                .iter()
                .find(|known| known.left == block.left);
            let told = known.map_or(0, |known| u64::from(known.right.wrapping_sub(known.left)));
            // What the last segment told of the same range need not be gone through again.
            let from = (start + told).min(end);
            let news = self.outstanding.sack(start, end, from);
            all.take(news);
            reported = reported.max(end);
        }
        self.newest_delivered_ns = self.newest_delivered_ns.max(all.newest_ns);
        self.has_reports = reported > ack;
        let first = all.first_sent_once.as_ref();
        let is_late = first.is_some_and(|first| first.start() < before);
        let trouble = self.trouble();
        trouble.reported = reported;
        trouble.counters.reorderings += u64::from(is_late);
        trouble.blocks = [SackRange::default(); 4];
        trouble.blocks[..blocks.len()].copy_from_slice(blocks);
        all
    }
}
