//! A channel's time, and who sends in it: what each frame does to the ledger, to the MSDU that it
//! is an attempt of, and to the books of the stations.

use super::account::{ResponseState, enter_arrived, enter_lost, silence};
use super::books::Books;
use super::clock::AirSpan;
use super::exchange::FrameAwaitingResponse;
use super::heard::{Bitmap, Contents};
use super::ledger::{ChannelTiming, ObservedUse, SnifferLedger};
use super::msdu::{Entered, MsduEnd, MsduUnderWay};
use super::originator::Noted;
use super::originators::{OriginatorSlot, Originators, key};
use dissect::{Dot11Frame, kind};
use units::MacAddress;

/// Knowledge of a channel's time, and of its senders.
#[derive(Debug, Default)]
pub(super) struct ChannelTime {
    pub ledger: SnifferLedger,
    originators: Originators,
    /// OFDM is in use, and the short slot.
    has_ofdm: bool,
    pub has_short_slot: bool,
}

/// Knowledge of a frame as an attempt to send an MSDU.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AttemptFacts {
    /// Where its originator is, if its sequence number is one of a count.
    originator: Option<OriginatorSlot>,
    /// It was sent and acknowledged before.
    is_duplicate: bool,
}

impl ChannelTime {
    /// Enters the silence before a frame, behind one of this fate.
    #[inline]
    pub fn enter_silence(
        &mut self,
        frame: &Dot11Frame,
        span: Option<AirSpan>,
        before: Option<ResponseState>,
    ) {
        if !self.has_ofdm {
            let phy = frame.radio.phy;
            self.has_ofdm = !phy.is_dsss() && phy.rate_kbps().is_some();
        }
        match span {
            Some(span) => {
                let timing = self.timing(frame, span);
                let known = silence(frame, before);
                self.ledger.enter_silence(span.start, timing, known);
            }
            None => self.ledger.interrupt(),
        }
    }

    #[inline]
    fn timing(&self, frame: &Dot11Frame, span: AirSpan) -> ChannelTiming {
        let is_5_ghz = frame.radio.frequency_mhz > 4000;
        ChannelTiming {
            sifs_ns: span.sifs_ns,
            // aSlotTime and aCWmin: 16.3.4, 17.4.4, 18.4.5 of IEEE 802.11-2020.
            slot_ns: if is_5_ghz || self.has_short_slot {
                9_000
            } else {
                20_000
            },
            cw_min: if is_5_ghz || self.has_ofdm { 15 } else { 31 },
        }
    }

    /// The fate of a frame is known; a response lasts `response_ns`.
    #[inline]
    pub fn settle(
        &mut self,
        held: &FrameAwaitingResponse,
        fate: ResponseState,
        response_ns: u64,
        books: &mut Books,
    ) {
        let frame = &held.frame;
        if fate == ResponseState::Open
            || matches!(frame.kind(), kind::PS_POLL | kind::BLOCK_ACK_REQUEST)
        {
            return self.release(frame, held.span, held.attempt);
        }
        let is_lost = fate == ResponseState::Lost;
        if is_lost || frame.kind() == kind::RTS {
            let station = books.stations.enter(held.transmitter, frame.time_ns);
            station.on_response(frame, is_lost);
        }
        let entered = self.enter_held(held, is_lost);
        if let Some(msdu) = self.msdu(frame, held.attempt.originator) {
            msdu.note_entered(entered);
            if is_lost {
                msdu.lose();
            } else {
                msdu.acknowledge(response_ns);
                books.bursts.on_delivered(msdu);
            }
        }
        if is_lost && frame.radio.ampdu.is_some() {
            self.lose_aggregate(held, books);
        }
    }

    /// The last frame of an A-MPDU was not answered, and so none was.
    #[cold]
    fn lose_aggregate(&mut self, held: &FrameAwaitingResponse, books: &mut Books) {
        let Some(slot) = held.attempt.originator else {
            return;
        };
        let originator = self.originators.at(slot);
        let lost = originator.lose_since(held.since_ns, &mut self.ledger);
        let station = books.stations.enter(held.transmitter, held.frame.time_ns);
        station.ack_failures += lost;
    }

    /// Enters a frame whose fate is not known, or of no concern, as one that reached whom it was
    /// for.
    pub fn release(&mut self, frame: &Dot11Frame, span: Option<AirSpan>, attempt: AttemptFacts) {
        let Some(span) = span else {
            return;
        };
        let entered = enter_arrived(&mut self.ledger, frame, span);
        if let Some(msdu) = self.msdu(frame, attempt.originator) {
            msdu.note_entered(entered);
        }
    }

    /// The MSDU that a frame is an attempt of.
    #[inline]
    fn msdu(
        &mut self,
        frame: &Dot11Frame,
        originator: Option<OriginatorSlot>,
    ) -> Option<&mut MsduUnderWay> {
        self.originators.at(originator?).find(frame.sequence)
    }

    /// Enters a frame whose fate is known into the ledger.
    #[inline]
    fn enter_held(&mut self, held: &FrameAwaitingResponse, is_lost: bool) -> Entered {
        let Some(span) = held.span else {
            return Entered::default();
        };
        let frame = &held.frame;
        if is_lost {
            let slot_ns = self.timing(frame, span).slot_ns;
            return enter_lost(&mut self.ledger, frame, span, slot_ns);
        }
        if held.attempt.is_duplicate {
            self.ledger.enter(span.end, ObservedUse::Duplicate);
            return Entered::default();
        }
        enter_arrived(&mut self.ledger, frame, span)
    }

    /// Counts a frame that says who sent it.
    #[inline]
    pub fn enter_sent(
        &mut self,
        frame: &Dot11Frame,
        transmitter: MacAddress,
        contents: &Contents,
        span: Option<AirSpan>,
        books: &mut Books,
    ) -> AttemptFacts {
        let (mut noted, mut attempt) = (Noted::default(), AttemptFacts::default());
        if frame.is_numbered() {
            let originator = self.originator(frame, transmitter, books);
            noted = self.note_attempt(originator, frame, transmitter, contents, books);
            attempt.originator = Some(originator);
            attempt.is_duplicate = noted.is_duplicate;
        }
        let airtime_ns = span.map_or(0, |span| span.airtime_ns());
        books.count_sent(frame, transmitter, airtime_ns, &noted);
        attempt
    }

    /// Whose count of sequence numbers a frame belongs to.
    #[inline]
    fn originator(
        &mut self,
        frame: &Dot11Frame,
        transmitter: MacAddress,
        books: &mut Books,
    ) -> OriginatorSlot {
        let key = key(transmitter, frame.receiver, frame.tid());
        let (originator, displaced) = self.originators.enter(key);
        if let Some(mut displaced) = displaced {
            let transmitter = displaced.transmitter();
            displaced.finish(|msdu, end| books.on_end(transmitter, msdu, end));
        }
        originator
    }

    #[inline]
    fn note_attempt(
        &mut self,
        originator: OriginatorSlot,
        frame: &Dot11Frame,
        transmitter: MacAddress,
        contents: &Contents,
        books: &mut Books,
    ) -> Noted {
        let originator = self.originators.at(originator);
        if frame.kind() == kind::BEACON {
            originator.on_beacon(frame.sequence);
            return Noted::default();
        }
        let ended = |msdu: &MsduUnderWay, end, ledger: &mut SnifferLedger| {
            if end == MsduEnd::AckMissed {
                msdu.forgive(ledger);
            }
            books.on_end(transmitter, msdu, end);
        };
        let carried = contents.carried();
        let (msdu, noted) = originator.on_attempt(frame, carried, &mut self.ledger, ended);
        books.bursts.on_attempt(transmitter, msdu);
        if let (Some(carried), false) = (carried, noted.is_again) {
            books.bursts.on_segment(carried, frame, transmitter);
        }
        noted
    }

    /// Enters a frame that does not say who sent it: a response, the end of a contention-free
    /// period, or one that could not be decoded.
    #[inline]
    pub fn enter_nameless(
        &mut self,
        frame: &Dot11Frame,
        span: Option<AirSpan>,
        fate: Option<ResponseState>,
        books: &mut Books,
    ) {
        let is_response = matches!(frame.kind(), kind::ACK | kind::CTS);
        if frame.is_legible() && is_response {
            return self.enter_response(frame, span, fate, books);
        }
        match span {
            Some(span) if frame.is_legible() => {
                enter_arrived(&mut self.ledger, frame, span);
            }
            Some(span) => {
                self.ledger.enter(span.end, ObservedUse::Undecodable);
            }
            None => {}
        }
    }

    #[inline]
    fn enter_response(
        &mut self,
        frame: &Dot11Frame,
        span: Option<AirSpan>,
        fate: Option<ResponseState>,
        books: &mut Books,
    ) {
        let is_ack = frame.kind() == kind::ACK;
        let airtime_ns = span.map_or(0, |span| span.airtime_ns());
        if let Some(span) = span {
            self.ledger.enter(
                span.end,
                if is_ack {
                    ObservedUse::Ack
                } else {
                    ObservedUse::RtsCts
                },
            );
        }
        if let Some(ResponseState::Answered(responder)) = fate {
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

    /// Takes what a block acknowledgment tells.
    pub fn take_block_ack(
        &mut self,
        frame: &Dot11Frame,
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

    /// Ends all MSDUs that are under way.
    pub fn finish(&mut self, books: &mut Books) {
        for mut originator in self.originators.drain() {
            let transmitter = originator.transmitter();
            originator.finish(|msdu, end| books.on_end(transmitter, msdu, end));
        }
    }
}
