//! Frame exchanges as one sniffer heard them: each frame with its response, the time between.

use std::mem;

use super::books::Books;
use super::clock::{Clock, LEARNED_FROM, Span, sifs_ns};
use super::heard::{Bitmap, Contents};
use super::ledger::{Ledger, Silence, Timing, Use};
use super::originator::{self, End, Entered, Originators};
use crate::dissect::{Frame, kind};
use crate::packet::MacAddress;

/// How a frame fared at whom it was for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// Its response came, from this station.
    Answered(MacAddress),
    /// Its response did not come.
    Lost,
    /// A block acknowledgment tells.
    Open,
}

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
    /// The first frames, until the clock is learned from them.
    first: Vec<(Frame, Contents)>,
    clock: Option<Clock>,
    pub ledger: Ledger,
    originators: Originators,
    held: Option<Held>,
    last: Last,
    pub frequencies_mhz: Vec<u16>,
    /// OFDM is in use, and the short slot.
    has_ofdm: bool,
    pub has_short_slot: bool,
    pub frames: u64,
    pub frames_untimed: u64,
}

/// The frame before.
#[derive(Clone, Copy, Debug, Default)]
struct Last {
    frequency_mhz: u16,
    time_ns: u64,
    tsft_us: u64,
    ampdu: Option<u32>,
    end_ns: u64,
}

/// Channels listed of a sniffer that changes them.
const MOST_FREQUENCIES: usize = 64;

/// Radio timer and host's clock may drift apart by this from one frame to the next before one
/// of them is taken to have been set: a host's delay, and more. (Inferred.)
const CLOCK_JUMP_NS: u64 = 1_000_000_000;

/// Without durations a response is the next frame of the file, no later than this: the longest
/// frame at 1 Mbit/s and its acknowledgment take 19 ms. (Inferred.)
const UNTIMED_RESPONSE_NS: u64 = 20_000_000;

impl Channel {
    /// Takes a frame.
    #[inline]
    pub fn take(&mut self, frame: &Frame, contents: &Contents, books: &mut Books) {
        if self.clock.is_none() {
            self.first.push((*frame, *contents));
            if self.first.len() == LEARNED_FROM {
                self.begin(books);
            }
            return;
        }
        self.follow(frame, contents, books);
    }

    /// Whether frames wait for the clock to be learned.
    pub fn is_learning(&self) -> bool {
        self.clock.is_none()
    }

    /// Learns the clock, and takes the frames that waited for it.
    fn begin(&mut self, books: &mut Books) {
        let first = mem::take(&mut self.first);
        self.clock = Some(Clock::learn(first.iter().map(|(frame, _)| frame)));
        for (frame, contents) in &first {
            self.follow(frame, contents, books);
        }
    }

    /// The file ends.
    pub fn finish(&mut self, books: &mut Books) -> Option<Clock> {
        if self.clock.is_none() && !self.first.is_empty() {
            self.begin(books);
        }
        if let Some(held) = self.held.take() {
            self.release(&held);
        }
        for mut originator in self.originators.drain() {
            let transmitter = originator.transmitter();
            originator.finish(|msdu, end| books.on_end(transmitter, msdu, end));
        }
        self.clock
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
        self.note_radio(frame);
        let span = self.span(frame);
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
        self.last = Last {
            frequency_mhz: frame.radio.frequency_mhz,
            time_ns: frame.time_ns,
            tsft_us: frame.radio.tsft_us.unwrap_or(0),
            ampdu: frame.radio.ampdu,
            end_ns: span.map_or(0, |span| span.end),
        };
    }

    fn note_radio(&mut self, frame: &Frame) {
        let radio = &frame.radio;
        let frequency = radio.frequency_mhz;
        self.has_ofdm |= !radio.phy.is_dsss() && radio.phy.rate_kbps().is_some();
        if frequency != self.last.frequency_mhz || self.frames == 1 {
            self.ledger.interrupt();
            let is_listed = self.frequencies_mhz.contains(&frequency);
            if frequency != 0 && !is_listed && self.frequencies_mhz.len() < MOST_FREQUENCIES {
                self.frequencies_mhz.push(frequency);
            }
        }
        if let Some(tsft_us) = radio.tsft_us {
            let by_radio = tsft_us.wrapping_sub(self.last.tsft_us) as i64;
            let by_host = frame.time_ns.wrapping_sub(self.last.time_ns) as i64;
            let apart = by_radio.saturating_mul(1_000).saturating_sub(by_host);
            if apart.unsigned_abs() > CLOCK_JUMP_NS {
                self.ledger.interrupt();
            }
        }
    }

    /// When a frame was on the air. Frames of one A-MPDU have one preamble and follow each
    /// other without a gap.
    fn span(&self, frame: &Frame) -> Option<Span> {
        let span = self.clock.as_ref()?.span(frame)?;
        let is_next = frame.radio.ampdu.is_some() && frame.radio.ampdu == self.last.ampdu;
        if !is_next || self.last.end_ns == 0 {
            return Some(span);
        }
        let start = self.last.end_ns;
        Some(Span {
            start,
            first_bit: start,
            end: start.saturating_add(span.end - span.first_bit),
        })
    }

    /// How the frame that is held fared, by the frame behind it.
    fn fate(&self, held: &Held, frame: &Frame, span: Option<Span>) -> Fate {
        let asked = &held.frame;
        let ampdu = asked.radio.ampdu;
        if ampdu.is_some() && frame.radio.ampdu == ampdu {
            return Fate::Open;
        }
        let is_for_it = frame.is_legible() && frame.receiver == held.transmitter;
        let is_in_time = match (held.span, span, &self.clock) {
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
        let entered = enter_frame(&mut self.ledger, &held.frame, span);
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
            let entered = parts(frame, span);
            self.ledger.enter(span.end, Use::CollisionOrError);
            let slot = self.timing(frame).slot_ns;
            let response = frame.radio.preamble_ns().unwrap_or(0);
            // ACKTimeout (10.3.2.11): SIFS, a slot, and until a PHY header has been received.
            self.ledger
                .wait_in_vain(span.end.saturating_add(sifs_ns(frame) + slot + response));
            return entered;
        }
        if held.is_duplicate {
            self.ledger.enter(span.end, Use::Duplicate);
            return Entered::default();
        }
        enter_frame(&mut self.ledger, frame, span)
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
            return;
        };
        let noted = if frame.is_numbered() {
            self.note_attempt(frame, contents, transmitter, books)
        } else {
            originator::Noted::default()
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
    ) -> originator::Noted {
        let key = originator::key(transmitter, frame.receiver, frame.tid());
        let (originator, displaced) = self.originators.enter(key);
        if frame.kind() == kind::BEACON {
            originator.on_beacon(frame.sequence);
            return originator::Noted::default();
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
        let key = originator::key(frame.receiver, transmitter, Some(bitmap.tid));
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

/// What is known of the silence before a frame, behind one of this fate.
fn silence(frame: &Frame, before: Option<Fate>) -> Silence {
    let is_response = matches!(frame.kind(), kind::ACK | kind::BLOCK_ACK);
    match before {
        _ if !frame.is_legible() => Silence::Open,
        Some(Fate::Lost) | None if is_response => Silence::Hidden,
        _ if frame.is_retry() => Silence::Wanted,
        _ => Silence::Open,
    }
}

/// Enters a frame that reached whom it was for.
fn enter_frame(ledger: &mut Ledger, frame: &Frame, span: Span) -> Entered {
    let on = match frame.kind() {
        kind::BEACON => Use::Beacon,
        kind::RTS => Use::RtsCts,
        kind::BLOCK_ACK => Use::Ack,
        _ if frame.is_data() => {
            let parts = parts(frame, span);
            return Entered {
                preamble_ns: ledger.enter(span.first_bit, Use::Preamble),
                header_ns: ledger.enter(span.first_bit + parts.header_ns, Use::Header),
                payload_ns: ledger.enter(span.end, Use::Payload),
            };
        }
        _ if frame.is_management() => Use::Management,
        _ => Use::Control,
    };
    ledger.enter(span.end, on);
    Entered::default()
}

/// How a data frame's time divides into preamble, headers and an application's bytes.
fn parts(frame: &Frame, span: Span) -> Entered {
    if !frame.is_data() {
        return Entered::default();
    }
    let body = span.end - span.first_bit;
    let overhead = frame.bytes - frame.body_len() + frame.inner_headers;
    let header_ns = body * u64::from(overhead) / u64::from(frame.bytes.max(1));
    Entered {
        preamble_ns: span.first_bit - span.start,
        header_ns,
        payload_ns: body - header_ns,
    }
}
