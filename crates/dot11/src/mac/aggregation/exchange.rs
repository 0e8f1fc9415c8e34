//! Exchanges under block acknowledgment: data and its BlockAck, or its ACK where it is one MPDU; a
//! BlockAckReq and what answers it.

use phy::{Format, LONGEST_PPDU, Mode};
use units::{Duration, Time};

use super::Aggregation;
use super::block_ack::BlockAck;
use super::mpdu::DataMpdu;
use super::reorder::ReorderBuffer;
use super::session::AggregateBounds;
use crate::contention::{Contention, Draw};
use crate::frame::{Address, Frame, FrameKind};
use crate::mac::config::block_ack_bytes;
use crate::mac::exchange::Exchange;
use crate::mac::msdu::{DropCause, MsduDelivery, MsduOutcome, OutcomeResult};
use crate::mac::receivers::Agreement;
use crate::mac::retry::widen;
use crate::mac::{ExchangeStep, Mac, duration_field};
use crate::rate_control::{RateControl, TransmitTerms};

/// Which MPDUs of a PPDU a receiver has decoded, by their places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decoded([u64; BlockAck::LONGEST as usize / 64]);

impl Decoded {
    /// The most there are.
    pub const MOST: u16 = BlockAck::LONGEST;
    /// None of them.
    pub const NONE: Decoded = Decoded([0; 4]);
    /// All of them.
    pub const ALL: Decoded = Decoded([u64::MAX; 4]);

    /// Notes that one has been.
    pub fn add(&mut self, place: usize) {
        self.0[place / 64] |= 1 << (place % 64);
    }

    /// Returns whether one has been.
    pub fn has(&self, place: usize) -> bool {
        self.0[place / 64] >> (place % 64) & 1 == 1
    }

    /// Returns whether any has been.
    pub fn any(&self) -> bool {
        *self != Decoded::NONE
    }
}

impl Mac {
    /// Returns what the station has on the air, or had last, as MPDUs under block acknowledgment.
    pub fn mpdus(&self) -> &[DataMpdu] {
        (self.aggregation.as_deref()).map_or(&[], Aggregation::on_air)
    }

    /// Returns what the station's last BlockAck says.
    pub fn said(&self) -> BlockAck {
        (self.aggregation.as_deref()).map_or(BlockAck::default(), |own| own.said)
    }

    /// Returns what the last call handed up, if that came under block acknowledgment.
    pub fn take_deliveries(&mut self) -> impl DoubleEndedIterator<Item = MsduDelivery> + use<'_> {
        let own = self.aggregation.as_deref_mut();
        own.into_iter().flat_map(|own| own.deliveries.drain(..))
    }

    /// The MSDUs that came with the last call, whether they are handed up or wait for others. Their owner
    /// keeps them until they are handed up.
    pub fn take_accepted(&mut self) -> impl Iterator<Item = u32> + use<'_> {
        let own = self.aggregation.as_deref_mut();
        own.into_iter().flat_map(|own| own.accepted.drain(..))
    }

    /// Returns when [`Mac::look_at_agreements`] is due, or before that.
    #[inline]
    pub fn agreements_due_at(&self) -> Time {
        (self.aggregation.as_deref()).map_or(Time::NEVER, |own| own.due_at)
    }

    /// Hands up what has waited long enough for what was sent before it, for
    /// [`Mac::take_deliveries`], and ends agreements that were of no use for long enough.
    pub fn look_at_agreements(
        &mut self,
        now: Time,
        contention: &mut Contention,
        draw: &mut (impl Draw + ?Sized),
    ) {
        if let Some(own) = self.aggregation.as_deref_mut() {
            own.release(now);
            let released = own.deliveries.len() as u64;
            self.counters.delivered += released;
            self.counters.released += released;
        }
        self.end_idle(now, contention, draw);
    }

    /// Opens the exchange of whoever's turn it is under block acknowledgment; false if the turn is
    /// another's.
    pub(in crate::mac) fn open_aggregate(&mut self, now: Time) -> bool {
        if self.open_negotiation() {
            return true;
        }
        let Some(own) = &mut self.aggregation else {
            return false;
        };
        let Some(receiver) = own.turn().filter(|turn| !turn.is_broadcast()) else {
            own.line.pop_front();
            return false;
        };
        own.serves = Some(receiver);
        if self.asks(now, receiver) && self.open_negotiation() {
            self.keep_turn(receiver);
            return true;
        }
        let Some(own) = &mut self.aggregation else {
            return false;
        };
        if own.session(receiver).owes_request {
            self.frame = self.block_ack_request(receiver);
            self.counters.block_ack_requests += 1;
            return true;
        }
        let limit = match self.txop_limit {
            Duration::ZERO => LONGEST_PPDU,
            limit => limit,
        };
        let terms = self
            .assemble(now, receiver, limit)
            .unwrap_or(TransmitTerms::USUAL);
        let psdu_bytes = self.frame.psdu_bytes();
        let threshold = self.exchanges[self.frame.mode()].announced_above;
        if terms.is_announced || self.config.asks_before(psdu_bytes, threshold) {
            self.announce(now);
        } else {
            self.count_aggregate();
        }
        true
    }

    /// Puts together what goes to a receiver, its PPDU and the answer within a time; answers whether
    /// how it goes, if there is anything. A first MPDU goes, however long it lasts.
    fn assemble(
        &mut self,
        now: Time,
        receiver: Address,
        within: Duration,
    ) -> Option<TransmitTerms> {
        let (mode, terms) = match self.steady_mode {
            Some(mode) => (mode, TransmitTerms::USUAL),
            None => self.mode_of_aggregate(now, receiver),
        };
        let vector = self.config.vector(mode);
        let exchange = *self.exchange_with(receiver, mode);
        let agreement = self.agreement_with(receiver)?;
        let window = self.window_to(receiver);
        let block_ack_time = self.block_ack_time(receiver, mode);
        let own = self.aggregation.as_deref_mut()?;
        let config = agreement.aggregation.within(window).under(terms);
        let bounds = AggregateBounds {
            vector,
            lasts: (within.saturating_sub(block_ack_time)).min(config.lasts_ns),
            overhead: agreement.overhead,
        };
        own.hand_over(receiver);
        let session = own.session(receiver);
        let psdu_bytes = session.assemble_any(now, &config, &bounds);
        let first = session.on_air().first()?;
        let is_aggregate = session.on_air().len() > 1;
        // From 802.11ac on, a single MPDU is in the format of an A-MPDU (IEEE 802.11-2020, 10.12.7).
        let has_delimiter = is_aggregate || mode.format() > Format::HtGreenfield;
        let frame = Frame {
            msdu: first.first().id,
            duration: match is_aggregate {
                true => duration_field(block_ack_time),
                false => exchange.last_duration,
            },
            sequence: first.sequence,
            bytes: first.bytes,
            body_bytes: first.body_bytes,
            retry: first.attempts > 0,
            ampdu_bytes: if has_delimiter { psdu_bytes } else { 0 },
            ..Frame::control(FrameKind::Data, self.address, receiver, vector)
        };
        own.data = frame;
        self.frame = frame;
        Some(terms)
    }

    /// Returns what goes around a frame to a receiver.
    fn exchange_with(&self, receiver: Address, mode: Mode) -> &Exchange {
        let own = self.receivers.as_ref().and_then(|all| all.find(receiver));
        own.map_or(&self.exchanges[mode], |own| &own.exchanges[mode])
    }

    /// Returns how long behind a frame to a receiver its BlockAck has ended: a shorter one, where
    /// that has agreed to fewer MPDUs than it was asked for.
    pub(in crate::mac) fn block_ack_time(&self, receiver: Address, mode: Mode) -> Duration {
        let usual = self.agreement_with(receiver).map(|own| own.block_ack_bytes);
        let bytes = block_ack_bytes(self.window_to(receiver));
        match usual.is_some_and(|usual| bytes < usual) {
            true => self.config.answer_time(mode, bytes),
            false => self.exchange_with(receiver, mode).block_ack_time,
        }
    }

    /// Returns how much goes to a receiver, under block acknowledgment.
    pub(super) fn agreement_with(&self, receiver: Address) -> Option<Agreement> {
        let own = self.receivers.as_ref().and_then(|all| all.find(receiver));
        let usual = self.aggregation.as_ref().map(|usual| usual.agreement);
        own.map(|own| own.agreement).or(usual)
    }

    #[cold]
    fn mode_of_aggregate(&mut self, now: Time, receiver: Address) -> (Mode, TransmitTerms) {
        let own = self.aggregation.as_deref_mut();
        let failures = own.map_or(0, |own| own.session(receiver).failures);
        let control = self.controller_of(receiver);
        let mode = control.mode(now, receiver, failures);
        (mode, control.terms(receiver))
    }

    fn count_aggregate(&mut self) {
        let mode = self.frame.mode();
        let receiver = self.serves();
        let Some((own, receiver)) = self.aggregation.as_deref_mut().zip(receiver) else {
            return;
        };
        let session = own.session(receiver);
        let mpdus = session.on_air().len() as u64;
        self.counters.retries += session.count_attempt();
        self.counters.later_attempts += mpdus;
        self.counters.later_rates_bps += mode.rate().as_bps() * mpdus;
        self.counters.aggregates += u64::from(mpdus > 1);
        self.counters.aggregated += if mpdus > 1 { mpdus } else { 0 };
        if self.first_modes.changes(receiver, mode) {
            self.counters.rate_changes += 1;
        }
    }

    /// The receiver of the exchange under way, if it is one of block acknowledgment.
    #[inline]
    pub(in crate::mac) fn serves(&self) -> Option<Address> {
        self.aggregation.as_deref()?.serves
    }

    /// The data follow what announced them.
    pub(in crate::mac) fn continue_aggregate(&mut self) {
        if let Some(own) = &self.aggregation {
            self.frame = own.data;
        }
        self.count_aggregate();
    }

    /// Asks a recipient what has come, and tells it what will not.
    fn block_ack_request(&mut self, receiver: Address) -> Frame {
        let data = self.config.vector(self.config.rate);
        let request = self.config.vector(self.exchanges[data.mode].request);
        let duration = duration_field(self.block_ack_time(receiver, request.mode));
        let start =
            (self.aggregation.as_deref_mut()).map_or(0, |own| own.session(receiver).start());
        Frame {
            sequence: start,
            duration,
            body_bytes: BlockAck::REQUEST_BODY_BYTES,
            ..Frame::control(FrameKind::BlockAckRequest, self.address, receiver, request)
        }
    }

    /// A BlockAck has come, or the ACK of a single MPDU.
    pub(in crate::mac) fn aggregate_answered(
        &mut self,
        now: Time,
        said: &BlockAck,
        contention: &mut Contention,
        draw: &mut (impl Draw + ?Sized),
    ) {
        let Some(receiver) = self.serves() else {
            return;
        };
        self.cw = self.config.cw_min;
        contention.on_success(now);
        match self.frame.kind {
            FrameKind::Action => {
                self.settle_negotiation(receiver, true);
                return self.end_aggregate(now, contention, draw);
            }
            FrameKind::BlockAckRequest => {
                if let Some(own) = self.aggregation.as_deref_mut() {
                    own.end_request(receiver);
                }
            }
            _ => {}
        }
        self.settle_aggregate(now, receiver, Some(said));
        if self.txop_limit > Duration::ZERO && self.aggregate_follows(now, contention) {
            return;
        }
        self.end_aggregate(now, contention, draw);
    }

    /// The ACK of a single MPDU has come.
    pub(in crate::mac) fn single_answered(
        &mut self,
        now: Time,
        contention: &mut Contention,
        draw: &mut (impl Draw + ?Sized),
    ) {
        let said = BlockAck::new(self.frame.sequence, 1, |_| true);
        self.aggregate_answered(now, &said, contention, draw);
    }

    /// Nothing has come, or not what was awaited.
    pub(in crate::mac) fn aggregate_failed(
        &mut self,
        now: Time,
        contention: &mut Contention,
        draw: &mut (impl Draw + ?Sized),
    ) {
        let Some(receiver) = self.serves() else {
            return;
        };
        match self.step {
            ExchangeStep::AwaitingCts => {
                self.counters.cts_failures += 1;
                self.count_attempt_at_request(receiver);
                self.settle_aggregate(now, receiver, None);
            }
            _ if self.frame.kind == FrameKind::Action => self.settle_negotiation(receiver, false),
            _ => {
                self.counters.block_acks_missed += 1;
                self.count_failed_request(receiver);
                self.settle_aggregate(now, receiver, None);
            }
        }
        self.cw = widen(self.cw, self.config.cw_max);
        self.end_aggregate(now, contention, draw);
    }

    /// An RTS in vain is an attempt of what it announced, though nothing was on the air: else a
    /// receiver that has gone would be asked for ever.
    fn count_attempt_at_request(&mut self, receiver: Address) {
        if let Some(own) = self.aggregation.as_deref_mut() {
            own.session(receiver).count_attempt();
        }
    }

    /// A recipient that is told often enough in vain is told no more: it gives up what it waits for when
    /// the window has gone far enough.
    fn count_failed_request(&mut self, receiver: Address) {
        let limit = self.limits_of(receiver).short;
        let is_request = self.frame.kind == FrameKind::BlockAckRequest;
        if let Some(own) = self.aggregation.as_deref_mut().filter(|_| is_request) {
            let session = own.session(receiver);
            session.requests_failed += 1;
            if session.requests_failed >= limit {
                own.end_request(receiver);
            }
        }
    }

    fn settle_aggregate(&mut self, now: Time, receiver: Address, said: Option<&BlockAck>) {
        let limit = self.limits_of(receiver).short;
        let lifetime = self.config.msdu_lifetime_ns;
        let ends = |mpdu: &DataMpdu| {
            let is_over = lifetime.is_some_and(|lifetime| now - mpdu.begun_at > lifetime);
            match mpdu.attempts >= limit {
                true => Some(DropCause::ShortRetryLimit),
                false => is_over.then_some(DropCause::Lifetime),
            }
        };
        let Some(own) = self.aggregation.as_deref_mut() else {
            return;
        };
        let counters = &mut self.counters;
        let (outcomes, count) = (&mut own.outcomes, &mut own.count);
        let Some(session) = own.sessions[usize::from(receiver.0)].as_deref_mut() else {
            return;
        };
        let on_air = session.on_air().len() as u64;
        // A failed RTS says nothing about the rate of the data.
        if said.is_none() && on_air > 0 && self.step != ExchangeStep::AwaitingCts {
            session.failures = session.failures.saturating_add(1);
        }
        session.consent.used_at = now;
        let owed = session.owes_request;
        let mut acknowledged = 0;
        session.settle(said, ends, |mpdu, cause| {
            let attempts = u16::from(mpdu.attempts);
            let result = match cause {
                None => OutcomeResult::Delivered { attempts },
                Some(cause) => OutcomeResult::Dropped { cause, attempts },
            };
            acknowledged += u64::from(cause.is_none());
            for msdu in mpdu.msdus() {
                *count -= 1;
                match cause {
                    None => counters.acknowledged += 1,
                    Some(DropCause::Lifetime) => counters.lifetime_drops += 1,
                    Some(_) => counters.short_retry_drops += 1,
                }
                outcomes.push_back(MsduOutcome {
                    msdu: msdu.id,
                    destination: receiver,
                    bytes: msdu.bytes,
                    result,
                });
            }
        });
        if self.step != ExchangeStep::AwaitingCts {
            counters.ack_failures += on_air - acknowledged;
        }
        own.requests += usize::from(session.owes_request && !owed);
        own.put_back(receiver);
        self.outcome = own.outcomes.pop_front();
        if self.steady_mode.is_none() && on_air > 0 {
            let counts = [acknowledged, on_air - acknowledged].map(|count| count as u32);
            self.tell_of_aggregate(now, receiver, counts);
        }
    }

    /// Tells the rate control how an aggregate fared.
    #[cold]
    fn tell_of_aggregate(&mut self, now: Time, receiver: Address, [came, lost]: [u32; 2]) {
        if self.step == ExchangeStep::AwaitingCts {
            return;
        }
        let mode = self.frame.mode();
        let control = self.controller_of(receiver);
        control.on_aggregate(now, receiver, mode, came, lost);
    }

    /// Goes on in the transmission opportunity with whoever's turn it is, if that fits.
    fn aggregate_follows(&mut self, now: Time, contention: &mut Contention) -> bool {
        let begins_at = now + self.phy.sifs;
        let left = self.txop_ends_at.saturating_since(begins_at);
        let turn = self.aggregation.as_deref_mut().and_then(Aggregation::turn);
        let Some(receiver) = turn.filter(|turn| !turn.is_broadcast() && self.beacon.is_none())
        else {
            return false;
        };
        let own = self.aggregation.as_deref_mut();
        let owes_request = own.is_some_and(|own| own.session(receiver).owes_request);
        let fits = !owes_request && self.assemble(now, receiver, left).is_some() && {
            let answered = self.block_ack_time(receiver, self.frame.mode());
            self.frame.airtime() + answered <= left
        };
        if let Some(own) = self.aggregation.as_deref_mut() {
            match fits {
                true => own.serves = Some(receiver),
                false => own.put_back(receiver),
            }
        }
        if !fits {
            return false;
        }
        self.step = ExchangeStep::Following;
        self.wake_at = begins_at;
        contention.set_awaits_response(false);
        true
    }

    /// A receiver whose turn it was has another one.
    fn keep_turn(&mut self, receiver: Address) {
        if let Some(own) = self.aggregation.as_deref_mut() {
            own.put_back(receiver);
        }
    }

    fn end_aggregate(
        &mut self,
        now: Time,
        contention: &mut Contention,
        draw: &mut (impl Draw + ?Sized),
    ) {
        if let Some(own) = self.aggregation.as_deref_mut() {
            own.serves = None;
        }
        self.rest(now, contention, draw);
    }

    /// A frame under block acknowledgment has come from a station: of its data `decoded` says which
    /// MPDUs. What is handed up is for [`Mac::take_deliveries`].
    pub fn on_receive_from(
        &mut self,
        now: Time,
        frame: &Frame,
        (sender, decoded): (&Mac, &Decoded),
        contention: &mut Contention,
        draw: &mut (impl Draw + ?Sized),
    ) {
        contention.on_received_ok(now);
        let said = sender.said();
        match (frame.kind, self.step, self.serves()) {
            (FrameKind::BlockAck, ExchangeStep::AwaitingAck, Some(_)) => {
                return self.aggregate_answered(now, &said, contention, draw);
            }
            (_, ExchangeStep::AwaitingAck | ExchangeStep::AwaitingCts, _) => {
                self.fail(now, contention, draw);
            }
            _ => {}
        }
        match frame.kind {
            FrameKind::Data => {
                self.take_in_mpdus(now, frame, sender, decoded);
                if frame.is_aggregate() {
                    self.respond_block_ack(now, frame, sender);
                } else {
                    self.respond(now, FrameKind::Ack, frame);
                    self.counters.acks_sent += 1;
                }
            }
            FrameKind::BlockAckRequest => {
                self.change_order(frame, sender, |reorder, deliveries| {
                    reorder.move_to(frame.sequence, deliveries);
                });
                self.respond_block_ack(now, frame, sender);
            }
            FrameKind::Action => {
                self.respond(now, FrameKind::Ack, frame);
                self.counters.acks_sent += 1;
                self.hear_negotiation(now, frame, sender, contention, draw);
            }
            _ => {}
        }
    }

    fn take_in_mpdus(&mut self, now: Time, frame: &Frame, sender: &Mac, decoded: &Decoded) {
        let mut duplicates = 0;
        let mut accepted = Vec::new();
        self.change_order(frame, sender, |reorder, deliveries| {
            let placed = sender.mpdus().iter().enumerate();
            for (_, mpdu) in placed.filter(|&(place, _)| decoded.has(place)) {
                match reorder.take(now, mpdu, deliveries) {
                    true => duplicates += 1,
                    false => accepted.extend(mpdu.msdus().map(|msdu| msdu.id)),
                }
            }
        });
        self.counters.duplicates += duplicates;
        if let Some(own) = self.aggregation.as_deref_mut() {
            own.accepted = accepted;
        }
    }

    /// Lets what has come change what is known of its sender, and notes what a BlockAck would say.
    pub(super) fn change_order(
        &mut self,
        frame: &Frame,
        sender: &Mac,
        change: impl FnOnce(&mut ReorderBuffer, &mut Vec<MsduDelivery>),
    ) {
        let Some(own) = self.aggregation.as_deref_mut() else {
            return;
        };
        let mut deliveries = core::mem::take(&mut own.deliveries);
        let before = deliveries.len();
        let agreement = sender.agreement_with(frame.receiver);
        let window = agreement.map_or(1, |asked| asked.aggregation.window);
        let reorder = own.reorder(frame.transmitter, window);
        change(reorder, &mut deliveries);
        let (said, release_at) = (reorder.block_ack(frame.sequence), reorder.release_at());
        own.said = said;
        own.due_at = own.due_at.min(release_at);
        self.counters.delivered += (deliveries.len() - before) as u64;
        own.deliveries = deliveries;
    }

    /// A BlockAck a SIFS from now, in what an ACK would be.
    fn respond_block_ack(&mut self, now: Time, frame: &Frame, originator: &Mac) {
        self.respond(now, FrameKind::BlockAck, frame);
        let bytes = block_ack_bytes(originator.window_to(self.address));
        self.frame.body_bytes = bytes - BlockAck::AROUND_BODY_BYTES;
        self.frame.bytes = bytes;
        self.counters.block_acks_sent += 1;
    }
}
