//! The station as originator: RTS, data and fragment bursts, their success and failure
//! (IEEE 802.11-2007 §9.2.5.4 to §9.2.8).

use phy::{Mode, TxVector};
use units::{Duration, Time};

use super::fragmentation::{Fragment, MPDU_OVERHEAD};
use super::retry::{RetryClass, RetryCounters, widen};
use super::{
    DropCause, ExchangeStep, Mac, Msdu, MsduOutcome, OutcomeResult, Protection, duration_field,
};
use crate::contention::{Contention, Draw};
use crate::frame::{Address, Frame, FrameKind};
use crate::rate_control::{RateControl, TransmitTerms};

/// How far the MSDU at the head of the queue has come.
#[derive(Clone, Copy, Debug)]
pub(super) struct MsduService {
    pub(super) begun: bool,
    msdu: Msdu,
    sequence: u16,
    fragment: Fragment,
    /// Whether `fragment` has been on the air before.
    transmitted: bool,
    mode: Mode,
    /// The length of the MPDU that carries `fragment`, once it has been on the air.
    mpdu_bytes: u16,
    retries: RetryCounters,
    /// Data frames that were not acknowledged, over all fragments.
    failures: u8,
    attempts: u16,
    /// When it was first on the air.
    begun_at: Time,
}

impl MsduService {
    pub(super) const NONE: MsduService = {
        let nothing = Msdu::data(0, Address::UNSAID, 0);
        let nowhere = Fragment {
            number: 0,
            offset: 0,
            bytes: 0,
        };
        MsduService {
            begun: false,
            ..MsduService::of(nothing, 0, nowhere, Time::ZERO)
        }
    };

    const fn of(msdu: Msdu, sequence: u16, fragment: Fragment, begun_at: Time) -> MsduService {
        MsduService {
            begun: true,
            msdu,
            sequence,
            fragment,
            transmitted: false,
            mode: Mode::DSSS_1,
            mpdu_bytes: 0,
            retries: RetryCounters::NONE,
            failures: 0,
            attempts: 0,
            begun_at,
        }
    }
}

impl Mac {
    /// Returns what the data frame or RTS that the station has just begun is for: which of its
    /// MSDUs, from 1 on in the order of their first attempts, and the fragment number.
    pub fn serving(&self) -> (u64, u8) {
        let counters = &self.counters;
        let done_with = counters.acknowledged + counters.broadcasts + counters.given_up();
        (done_with + 1, self.service.fragment.number)
    }

    /// The first frame of an exchange for the MSDU at the head of the queue.
    pub(super) fn open_exchange(&mut self, now: Time) {
        if self.aggregation.is_some() && self.open_aggregate(now) {
            return;
        }
        self.begin_service(now);
        self.make_data_frame(now);
        let data = &self.frame;
        let announced_above = self.exchanges[data.mode()].announced_above;
        if data.receiver.is_broadcast() {
            self.count_on_air();
        } else if data.bytes > announced_above || self.is_announced() {
            self.announce(now);
        } else {
            self.count_on_air();
        }
    }

    /// The first frame of an exchange where a beacon or a management frame may go before data.
    #[cold]
    #[inline(never)]
    pub(super) fn open_before_data(&mut self, now: Time) {
        let beacon = self.beacon.take();
        self.goes_before_data = self.queue.iter().any(|msdu| msdu.kind.is_management());
        if let Some(body_bytes) = beacon {
            self.frame = self.beacon_frame(body_bytes);
            return;
        }
        self.begin_service(now);
        match self.service.msdu.kind.is_management() {
            true => self.frame = self.management_frame(),
            false => self.open_exchange(now),
        }
    }

    /// The management frame at the head of the queue: whole, in the clear, and at the rate of
    /// beacons, as most devices send it. [inferred: IEEE 802.11-2007 §9.6 asks for any rate that
    /// the receiver has]
    fn management_frame(&mut self) -> Frame {
        let vector = self.broadcast;
        let service = &mut self.service;
        let Msdu {
            id,
            destination,
            bytes,
            kind,
        } = service.msdu;
        let retry = std::mem::replace(&mut service.transmitted, true);
        (service.mode, service.mpdu_bytes) = (vector.mode, bytes + MPDU_OVERHEAD);
        service.attempts += 1;
        self.counters.management_attempts += 1;
        let is_answered = !destination.is_broadcast();
        Frame {
            msdu: id,
            sequence: service.sequence,
            bytes: service.mpdu_bytes,
            body_bytes: bytes,
            duration: if is_answered {
                self.exchanges[vector.mode].last_duration
            } else {
                0
            },
            retry,
            ..Frame::control(kind, self.address, destination, vector)
        }
    }

    /// Puts the frame that goes before it in the place of a data frame.
    #[cold]
    #[inline(never)]
    pub(super) fn announce(&mut self, now: Time) {
        let data = &self.frame;
        let threshold = self.config.rts_threshold;
        let asks = self.config.asks_before(data.psdu_bytes(), threshold);
        let protection = self.config.protection_of(data.mode());
        if !asks && protection == Protection::CtsToSelf {
            self.counters.cts_to_self_sent += 1;
            let cts = self.cts_to_self(data);
            // Nothing is awaited, so what follows it is known now.
            self.step = ExchangeStep::Continuing { acknowledged: None };
            self.wake_at = now + cts.airtime() + self.phy.sifs;
            self.frame = cts;
        } else {
            self.counters.rts_sent += 1;
            self.frame = self.rts(data);
        }
    }

    /// The next data frame of an exchange that is under way.
    #[inline(never)]
    pub(super) fn continue_exchange(&mut self, now: Time) {
        if self.serves().is_some() {
            return self.continue_aggregate();
        }
        self.make_data_frame(now);
        self.count_on_air();
    }

    fn beacon_frame(&mut self, body_bytes: u16) -> Frame {
        self.counters.beacons_sent += 1;
        let vector = self.broadcast;
        Frame {
            sequence: self.sequence(),
            bytes: body_bytes + MPDU_OVERHEAD,
            body_bytes,
            ..Frame::control(FrameKind::Beacon, self.address, Address::BROADCAST, vector)
        }
    }

    /// Starts the timer for a response to `frame`.
    pub(super) fn await_response(
        &mut self,
        now: Time,
        step: ExchangeStep,
        frame: &Frame,
        contention: &mut Contention,
    ) {
        self.step = step;
        self.wake_at = now + self.exchanges[frame.mode()].timeout;
        contention.set_awaits_response(true);
    }

    pub(super) fn cleared_to_send(&mut self, now: Time, contention: &mut Contention) {
        // Without meaning for an aggregate, whose MPDUs count their attempts.
        self.service.retries.succeed(RetryClass::Short);
        self.go_on(now, None, contention);
    }

    /// The ACK of our data frame has come.
    pub(super) fn acknowledged(
        &mut self,
        now: Time,
        contention: &mut Contention,
        draw: &mut (impl Draw + ?Sized),
    ) {
        let class = self.retry_class();
        self.service.retries.succeed(class);
        self.report_attempt(now, true);
        match self
            .fragmentation
            .next(self.service.fragment, self.service.msdu.bytes)
        {
            Some(fragment) => {
                self.service.fragment = fragment;
                self.service.transmitted = false;
                self.go_on(now, Some(now), contention);
            }
            None => {
                self.counters.acknowledged += 1;
                let attempts = self.service.attempts;
                self.cw = self.config.cw_min;
                self.finish(now, OutcomeResult::Delivered { attempts }, contention, draw);
            }
        }
    }

    pub(super) fn finish_broadcast(
        &mut self,
        now: Time,
        contention: &mut Contention,
        draw: &mut (impl Draw + ?Sized),
    ) {
        self.counters.broadcasts += 1;
        self.cw = self.config.cw_min;
        let attempts = self.service.attempts;
        self.finish(now, OutcomeResult::Delivered { attempts }, contention, draw);
    }

    /// The response that was awaited did not come.
    pub(super) fn fail(
        &mut self,
        now: Time,
        contention: &mut Contention,
        draw: &mut (impl Draw + ?Sized),
    ) {
        if self.serves().is_some() {
            return self.aggregate_failed(now, contention, draw);
        }
        let class = if self.step == ExchangeStep::AwaitingCts {
            self.counters.cts_failures += 1;
            RetryClass::Short
        } else {
            self.counters.ack_failures += 1;
            self.service.failures = self.service.failures.saturating_add(1);
            self.report_attempt(now, false);
            self.retry_class()
        };
        self.retry(now, class, contention, draw);
    }

    /// An attempt has failed: another one follows, unless they were enough.
    pub(super) fn retry(
        &mut self,
        now: Time,
        class: RetryClass,
        contention: &mut Contention,
        draw: &mut (impl Draw + ?Sized),
    ) {
        let limits = self.limits_of(self.service.msdu.destination);
        let lifetime = self.config.msdu_lifetime_ns;
        let is_over = lifetime.is_some_and(|lifetime| now - self.service.begun_at > lifetime);
        let cause = self.service.retries.fail(class, limits);
        match cause.or(is_over.then_some(DropCause::Lifetime)) {
            Some(cause) => self.give_up(now, cause, contention, draw),
            None => {
                self.cw = widen(self.cw, self.config.cw_max);
                self.rest(now, contention, draw);
            }
        }
    }

    fn give_up(
        &mut self,
        now: Time,
        cause: DropCause,
        contention: &mut Contention,
        draw: &mut (impl Draw + ?Sized),
    ) {
        match cause {
            DropCause::ShortRetryLimit => self.counters.short_retry_drops += 1,
            DropCause::LongRetryLimit => self.counters.long_retry_drops += 1,
            DropCause::Lifetime => self.counters.lifetime_drops += 1,
        }
        let attempts = self.service.attempts;
        self.cw = self.config.cw_min;
        self.finish(
            now,
            OutcomeResult::Dropped { cause, attempts },
            contention,
            draw,
        );
    }

    // In line by order: it ends every exchange.
    #[inline(always)]
    fn finish(
        &mut self,
        now: Time,
        result: OutcomeResult,
        contention: &mut Contention,
        draw: &mut (impl Draw + ?Sized),
    ) {
        debug_assert!(self.outcome.is_none(), "the owner polls each outcome");
        let Msdu {
            id,
            destination,
            bytes,
            ..
        } = self.service.msdu;
        self.outcome = Some(MsduOutcome {
            msdu: id,
            destination,
            bytes,
            result,
        });
        let delivered = matches!(result, OutcomeResult::Delivered { .. });
        if delivered {
            contention.on_success(now);
        }
        if self.steady_mode.is_none() {
            self.report_end(now, destination, delivered);
        }
        self.queue.pop_front();
        self.service.begun = false;
        if self.txop_limit > Duration::ZERO && delivered && self.follows(now, contention) {
            return;
        }
        self.rest(now, contention, draw);
    }

    /// Goes on with the next MSDU, without another RTS, if its first fragment and the ACK of that
    /// still fit into the transmission opportunity (IEEE 802.11-2007 §9.9.1.4).
    #[cold]
    #[inline(never)]
    fn follows(&mut self, now: Time, contention: &mut Contention) -> bool {
        let next = self.queue.front().filter(|_| self.beacon.is_none());
        if next.is_none_or(|next| next.kind.is_management()) {
            return false;
        }
        self.begin_service(now);
        self.make_data_frame(now);
        let data = &self.frame;
        let begins_at = now + self.phy.sifs;
        let answered = match data.receiver.is_broadcast() {
            true => Duration::ZERO,
            false => self.exchanges[data.mode()].answer_time,
        };
        if begins_at + data.airtime() + answered > self.txop_ends_at {
            return false;
        }
        self.step = ExchangeStep::Following;
        self.wake_at = begins_at;
        contention.set_awaits_response(false);
        true
    }

    /// The next data frame of the exchange goes out a SIFS from now.
    fn go_on(&mut self, now: Time, acknowledged: Option<Time>, contention: &mut Contention) {
        self.step = ExchangeStep::Continuing { acknowledged };
        self.wake_at = now + self.phy.sifs;
        contention.set_awaits_response(false);
    }

    pub(super) fn begin_service(&mut self, now: Time) {
        if !self.service.begun {
            let msdu = self.queue[0];
            let fragment = if msdu.destination.is_broadcast() {
                Fragment {
                    number: 0,
                    offset: 0,
                    bytes: msdu.bytes,
                }
            } else {
                self.fragmentation.first(msdu.bytes)
            };
            let sequence = self.sequence();
            self.service = MsduService::of(msdu, sequence, fragment, now);
        }
    }

    // In line by order where exchanges begin, as nearly all of them have one data frame only.
    #[inline(always)]
    fn make_data_frame(&mut self, now: Time) {
        let service = self.service;
        let msdu = service.msdu;
        let broadcast = msdu.destination.is_broadcast();
        let mode = if broadcast {
            self.broadcast.mode
        } else {
            match self.steady_mode {
                Some(mode) => mode,
                None => self.choose_mode(now),
            }
        };
        self.service.mode = mode;
        let vector = self.config.vector(mode);
        let next = self.fragmentation.next(service.fragment, msdu.bytes);
        let mpdu_bytes = self.mpdu_bytes(service.fragment, next.is_none());
        self.service.mpdu_bytes = mpdu_bytes;
        let duration = if broadcast {
            0
        } else {
            self.data_duration(vector, next)
        };
        self.frame = Frame {
            msdu: msdu.id,
            transmitter: self.address,
            receiver: msdu.destination,
            duration,
            sequence: service.sequence,
            bytes: mpdu_bytes,
            ampdu_bytes: 0,
            body_bytes: service.fragment.bytes,
            body_offset: service.fragment.offset,
            fragment: service.fragment.number,
            kind: FrameKind::Data,
            vector,
            more_fragments: next.is_some(),
            retry: service.transmitted,
        };
    }

    /// The length of the MPDU that carries a fragment.
    #[inline]
    fn mpdu_bytes(&self, fragment: Fragment, is_last: bool) -> u16 {
        let [each, last] = self.overhead;
        fragment.bytes + each + if is_last { last } else { 0 }
    }

    /// The NAV of a data frame: until its ACK has ended, or with a fragment to follow, until that
    /// fragment's ACK has (IEEE 802.11-2007 §7.2.2, §9.2.5.6).
    #[inline]
    fn data_duration(&self, vector: TxVector, next: Option<Fragment>) -> u16 {
        let exchange = &self.exchanges[vector.mode];
        match next {
            None => exchange.last_duration,
            Some(next) => {
                let ack = exchange.answer_time;
                let behind = self.fragmentation.next(next, self.service.msdu.bytes);
                let bytes = self.mpdu_bytes(next, behind.is_none());
                let fragment = vector.duration(u32::from(bytes));
                duration_field(ack + self.phy.sifs + fragment + ack)
            }
        }
    }

    /// The RTS in front of `data`: its NAV lasts until the ACK has ended.
    fn rts(&self, data: &Frame) -> Frame {
        let exchange = &self.exchanges[data.mode()];
        let cts = self.exchanges[exchange.request].answer_time;
        let rts = self.config.vector(exchange.request);
        let behind = self.phy.sifs + data.airtime() + self.time_behind(data);
        Frame {
            duration: duration_field(cts + behind),
            ..Frame::control(FrameKind::Rts, self.address, data.receiver, rts)
        }
    }

    /// The CTS that keeps stations which cannot read `data` silent until its ACK has ended
    /// (IEEE 802.11-2007 §9.2.11).
    fn cts_to_self(&self, data: &Frame) -> Frame {
        let exchange = &self.exchanges[data.mode()];
        let cts = self.config.vector(exchange.request);
        let behind = self.phy.sifs + data.airtime() + self.time_behind(data);
        Frame {
            duration: duration_field(behind),
            ..Frame::control(FrameKind::Cts, self.address, self.address, cts)
        }
    }

    #[inline]
    pub(super) fn count_on_air(&mut self) {
        let data = &self.frame;
        let is_first = self.service.attempts == 0;
        self.service.transmitted = true;
        self.service.attempts += 1;
        if data.receiver.is_broadcast() {
            return;
        }
        if is_first && self.first_modes.changes(data.receiver, data.mode()) {
            self.counters.rate_changes += 1;
        }
        self.counters.data_attempts[data.mode()] += 1;
        self.counters.retries += u64::from(data.retry);
        self.counters.fragments += u64::from(data.more_fragments || data.fragment > 0);
    }

    #[inline]
    fn report_attempt(&mut self, now: Time, acknowledged: bool) {
        if self.steady_mode.is_none() {
            self.tell_controller(now, acknowledged);
        }
    }

    // Out of line like all that a rate control is asked and told, as many a station has none.
    #[cold]
    #[inline(never)]
    fn tell_controller(&mut self, now: Time, acknowledged: bool) {
        let MsduService { msdu, mode, .. } = self.service;
        if msdu.kind.is_management() {
            return;
        }
        self.controller_of(msdu.destination)
            .on_attempt(now, msdu.destination, mode, acknowledged);
    }

    #[cold]
    #[inline(never)]
    fn choose_mode(&mut self, now: Time) -> Mode {
        let MsduService { msdu, failures, .. } = self.service;
        self.controller_of(msdu.destination)
            .mode(now, msdu.destination, failures)
    }

    /// Returns whether the rate control wants an RTS, whatever the length.
    #[inline]
    fn is_announced(&mut self) -> bool {
        self.steady_mode.is_none() && self.terms_of_control().is_announced
    }

    #[cold]
    #[inline(never)]
    fn terms_of_control(&mut self) -> TransmitTerms {
        let destination = self.service.msdu.destination;
        self.controller_of(destination).terms(destination)
    }

    #[cold]
    #[inline(never)]
    fn report_end(&mut self, now: Time, destination: Address, delivered: bool) {
        if destination.is_broadcast() || self.service.msdu.kind.is_management() {
            return;
        }
        self.controller_of(destination)
            .on_done(now, destination, delivered);
    }

    fn retry_class(&self) -> RetryClass {
        if self.service.mpdu_bytes > self.config.rts_threshold {
            RetryClass::Long
        } else {
            RetryClass::Short
        }
    }
}
