//! Frame exchanges as one sniffer heard them: each frame with its response, the time between.

use super::account::{Fate, enter_arrived, enter_lost, silence};
use super::books::Books;
use super::clock::{Clock, Span, sifs_ns};
use super::heard::{Bitmap, Contents};
use super::ledger::{Ledger, Timing, Use};
use super::msdu::{End, Entered};
use super::originator::Noted;
use super::originators::{Originators, key};
use super::timeline::Timeline;
use crate::dissect::{Frame, kind};
use crate::packet::MacAddress;

/// A frame whose response is due.
#[derive(Clone, Copy, Debug)]
struct Held {
    frame: Frame,
    transmitter: MacAddress,
    /// When it was on the air.
    span: Option<Span>,
    is_duplicate: bool,
}

/// What one sniffer heard: an interface of the file.
#[derive(Debug, Default)]
pub(super) struct Channel {
    timeline: Timeline,
    pub ledger: Ledger,
    originators: Originators,
    held: Option<Held>,
    /// OFDM is in use, and the short slot.
    has_ofdm: bool,
    pub has_short_slot: bool,
    pub frames: u64,
    pub frames_untimed: u64,
}

/// Without durations a response is the next frame of the file, no later than this: the longest
/// frame at 1 Mbit/s and its acknowledgment take 19 ms. (Inferred.)
const UNTIMED_RESPONSE_NS: u64 = 20_000_000;

impl Channel {
    /// Takes a frame.
    #[inline]
    pub fn take(&mut self, frame: &Frame, contents: &Contents, books: &mut Books) {
        if self.is_learning() {
            if self.timeline.keep(frame, contents) {
                self.begin(books);
            }
            return;
        }
        self.follow(frame, contents, books);
    }

    /// Whether frames wait for the clock to be learned.
    pub fn is_learning(&self) -> bool {
        self.timeline.clock().is_none()
    }

    /// Learns the clock, and takes the frames that waited for it.
    fn begin(&mut self, books: &mut Books) {
        for (frame, contents) in self.timeline.learn() {
            self.follow(&frame, &contents, books);
        }
    }

    /// The file ends. Gives how its clock was read, and the channels that it listened to.
    pub fn finish(&mut self, books: &mut Books) -> (Option<Clock>, Vec<u16>) {
        self.begin(books);
        if let Some(held) = self.held.take() {
            self.release(&held);
        }
        for mut originator in self.originators.drain() {
            let transmitter = originator.transmitter();
            originator.finish(|msdu, end| books.on_end(transmitter, msdu, end));
        }
        let frequencies_mhz = std::mem::take(&mut self.timeline.frequencies_mhz);
        (self.timeline.clock().copied(), frequencies_mhz)
    }

    fn timing(&self, frame: &Frame) -> Timing {
        let sifs_ns = sifs_ns(frame);
        let is_5_ghz = frame.radio.frequency_mhz > 4000;
        Timing {
            sifs_ns,
            // aSlotTime and aCWmin: 16.3.4, 17.4.4, 18.4.5 of IEEE 802.11-2020.
            slot_ns: if is_5_ghz || self.has_short_slot {
                9_000
            } else {
                20_000
            },
            cw_min: if is_5_ghz || self.has_ofdm { 15 } else { 31 },
        }
    }

    fn follow(&mut self, frame: &Frame, contents: &Contents, books: &mut Books) {
        self.frames += 1;
        if !self.has_ofdm {
            let phy = frame.radio.phy;
            self.has_ofdm = !phy.is_dsss() && phy.rate_kbps().is_some();
        }
        if self.timeline.is_interrupted(frame) {
            self.ledger.interrupt();
        }
        let span = self.timeline.place(frame);
        self.frames_untimed += u64::from(span.is_none());
        let fate = (self.held.as_ref()).map(|held| self.fate(held, frame, span));
        if let (Some(held), Some(fate)) = (self.held.take(), fate) {
            let response_ns = span.map_or(0, |span| span.airtime_ns());
            self.settle(&held, fate, response_ns, books);
        }
        if let Some(span) = span {
            let timing = self.timing(frame);
            self.ledger
                .enter_silence(span.start, timing, silence(frame, fate));
        } else {
            self.ledger.interrupt();
        }
        self.enter(frame, contents, span, fate, books);
    }

    /// How the frame that is held fared, by the frame behind it.
    fn fate(&self, held: &Held, frame: &Frame, span: Option<Span>) -> Fate {
        let asked = &held.frame;
        let ampdu = asked.radio.ampdu;
        if ampdu.is_some() && frame.radio.ampdu == ampdu {
            return Fate::Open;
        }
        let is_for_it = frame.is_legible() && frame.receiver == held.transmitter;
        let is_in_time = match (held.span, span, self.timeline.clock()) {
            (Some(asked_span), Some(span), Some(clock)) => {
                span.start
                    .abs_diff(asked_span.end.saturating_add(sifs_ns(asked)))
                    <= clock.tolerance_ns()
            }
            _ => frame.time_ns.saturating_sub(asked.time_ns) <= UNTIMED_RESPONSE_NS,
        };
        let responder = asked.receiver;
        match (frame.kind(), asked.kind()) {
            _ if !is_for_it || !is_in_time => Fate::Lost,
            (kind::CTS, kind::RTS) => Fate::Answered(responder),
            (_, kind::RTS) => Fate::Lost,
            (kind::ACK, _) => Fate::Answered(responder),
            (kind::BLOCK_ACK, _) => Fate::Open,
            _ => Fate::Lost,
        }
    }

    /// The fate of a frame is known; a response lasts `response_ns`.
    fn settle(&mut self, held: &Held, fate: Fate, response_ns: u64, books: &mut Books) {
        let frame = &held.frame;
        if fate == Fate::Open || matches!(frame.kind(), kind::PS_POLL | kind::BLOCK_ACK_REQUEST) {
            return self.release(held);
        }
        let is_lost = fate == Fate::Lost;
        if is_lost || frame.kind() == kind::RTS {
            let station = books.stations.enter(held.transmitter, frame.time_ns);
            station.on_response(frame, is_lost);
        }
        let entered = self.enter_held(held, is_lost);
        if let Some(msdu) = self.originators.msdu(frame) {
            msdu.note_entered(entered);
            if is_lost {
                msdu.lose();
            } else {
                msdu.acknowledge(response_ns);
                books.bursts.on_delivered(msdu);
            }
        }
    }

    /// Enters a frame whose fate is not known, or of no concern, as one that reached whom it was
    /// for.
    fn release(&mut self, held: &Held) {
        let Some(span) = held.span else {
            return;
        };
        let entered = enter_arrived(&mut self.ledger, &held.frame, span);
        if let Some(msdu) = self.originators.msdu(&held.frame) {
            msdu.note_entered(entered);
        }
    }

    /// Enters a frame whose fate is known into the ledger.
    fn enter_held(&mut self, held: &Held, is_lost: bool) -> Entered {
        let Some(span) = held.span else {
            return Entered::default();
        };
        let frame = &held.frame;
        if is_lost {
            let slot_ns = self.timing(frame).slot_ns;
            return enter_lost(&mut self.ledger, frame, span, slot_ns);
        }
        if held.is_duplicate {
            self.ledger.enter(span.end, Use::Duplicate);
            return Entered::default();
        }
        enter_arrived(&mut self.ledger, frame, span)
    }

    /// Enters a frame: counts it, and holds it if a response is due.
    fn enter(
        &mut self,
        frame: &Frame,
        contents: &Contents,
        span: Option<Span>,
        fate: Option<Fate>,
        books: &mut Books,
    ) {
        let airtime_ns = span.map_or(0, |span| span.airtime_ns());
        if !frame.is_legible() {
            if let Some(span) = span {
                self.ledger.enter(span.end, Use::Undecodable);
            }
            return;
        }
        if matches!(frame.kind(), kind::ACK | kind::CTS) {
            self.enter_response(frame, span, fate, books);
            return;
        }
        let Some(transmitter) = frame.transmitter else {
            if let Some(span) = span {
                enter_arrived(&mut self.ledger, frame, span);
            }
            return;
        };
        let noted = if frame.is_numbered() {
            self.note_attempt(frame, contents, transmitter, books)
        } else {
            Noted::default()
        };
        books.count_sent(frame, transmitter, airtime_ns, &noted);
        let held = Held {
            frame: *frame,
            transmitter,
            span,
            is_duplicate: noted.is_duplicate,
        };
        let is_request = matches!(
            frame.kind(),
            kind::RTS | kind::PS_POLL | kind::BLOCK_ACK_REQUEST
        );
        if frame.wants_ack() || is_request {
            self.held = Some(held);
            return;
        }
        self.release(&held);
        if let (kind::BLOCK_ACK, Some(bitmap)) = (frame.kind(), &contents.bitmap) {
            self.take_block_ack(frame, transmitter, bitmap, books);
        }
    }

    fn note_attempt(
        &mut self,
        frame: &Frame,
        contents: &Contents,
        transmitter: MacAddress,
        books: &mut Books,
    ) -> Noted {
        let key = key(transmitter, frame.receiver, frame.tid());
        let (originator, displaced) = self.originators.enter(key);
        if frame.kind() == kind::BEACON {
            originator.on_beacon(frame.sequence);
            return Noted::default();
        }
        let mut over = None;
        let noted = originator.on_attempt(
            frame,
            contents.carried,
            &mut self.ledger,
            |msdu, end, ledger| {
                if end == End::AckMissed {
                    msdu.forgive(ledger);
                }
                over = Some((*msdu, end));
            },
        );
        if let Some(msdu) = originator.find(frame.sequence) {
            books.bursts.on_attempt(transmitter, msdu);
        }
        if let (Some(carried), false) = (&contents.carried, noted.is_again) {
            books.bursts.on_segment(carried, frame, transmitter);
        }
        if let Some((msdu, end)) = over {
            books.on_end(transmitter, &msdu, end);
        }
        if let Some(mut displaced) = displaced {
            let transmitter = displaced.transmitter();
            displaced.finish(|msdu, end| books.on_end(transmitter, msdu, end));
        }
        noted
    }

    fn enter_response(
        &mut self,
        frame: &Frame,
        span: Option<Span>,
        fate: Option<Fate>,
        books: &mut Books,
    ) {
        let is_ack = frame.kind() == kind::ACK;
        let airtime_ns = span.map_or(0, |span| span.airtime_ns());
        if let Some(span) = span {
            self.ledger
                .enter(span.end, if is_ack { Use::Ack } else { Use::RtsCts });
        }
        if let Some(Fate::Answered(responder)) = fate {
            books.count_response(frame, responder, airtime_ns);
        } else {
            let station = books.stations.enter(frame.receiver, frame.time_ns);
            if is_ack {
                station.on_orphan_ack();
            } else {
                station.cts_to_self += 1;
            }
        }
    }

    fn take_block_ack(
        &mut self,
        frame: &Frame,
        transmitter: MacAddress,
        bitmap: &Bitmap,
        books: &mut Books,
    ) {
        let key = key(frame.receiver, transmitter, Some(bitmap.tid));
        let Some(originator) = self.originators.get(key) else {
            return;
        };
        let bits = &bitmap.bits[..bitmap.len];
        let told = originator.on_block_ack(bitmap.start, bits, &mut self.ledger, |msdu| {
            books.bursts.on_delivered(msdu);
        });
        let station = books.stations.enter(frame.receiver, frame.time_ns);
        station.ack_failures += told.lost;
        station.ack_failures = station.ack_failures.saturating_sub(told.found);
    }
}
