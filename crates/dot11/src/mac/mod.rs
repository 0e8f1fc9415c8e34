//! The frame exchange of one station: queue, sequences of frames, retries, responses.
//!
//! The machine is split as the standard splits it: what a station does as *originator* of
//! exchanges, what it does as *recipient*, and the small subjects both use.

mod aggregation;
mod airtimes;
mod config;
mod counters;
mod exchange;
mod first_modes;
mod fragmentation;
mod msdu;
mod originator;
mod peers;
mod receivers;
mod recipient;
mod retry;
mod settings;

#[cfg(test)]
mod broadcast_tests;
#[cfg(test)]
mod counter_tests;
#[cfg(test)]
mod edca_tests;
#[cfg(test)]
mod erp_tests;
#[cfg(test)]
mod exchange_tests;
#[cfg(test)]
mod failure_tests;
#[cfg(test)]
mod harness;
#[cfg(test)]
mod network_tests;
#[cfg(test)]
mod privacy_tests;

use std::collections::VecDeque;

use phy::{Characteristics, Mode, PerRate, TxVector};
use units::{Duration, Time};

use crate::contention::{Access, Contention, Draw};
use crate::frame::{Address, Frame, FrameKind};
use crate::rate_control::{KnownRates, RateControl, RateController};

use aggregation::Aggregation;
pub use aggregation::{AggregationConfig, Agreements, BlockAck, DataMpdu, Decoded, Negotiation};
pub use airtimes::ExchangePart;
pub use config::{AccessFunction, ConfigError, MacConfig, Privacy, Protection};
pub use counters::{GapStatistics, MacCounters};
use exchange::Exchange;
use first_modes::FirstModes;
use fragmentation::Fragmentation;
pub use msdu::{DropCause, Msdu, MsduDelivery, MsduOutcome, OutcomeResult};
use originator::MsduService;
use peers::Peers;
use receivers::Agreement;
pub use receivers::ReceiverConfig;
use receivers::ReceiverQueues;
use retry::{RetryClass, RetryLimits, widen};
pub use settings::Setting;

/// Where a station stands in a frame exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ExchangeStep {
    /// In none, though an access may be pending.
    Quiet,
    /// A CTS or ACK of ours is due a SIFS after what it answers.
    Responding,
    /// Our RTS, CTS to ourselves, data or beacon is on the air.
    Sending,
    /// Our RTS has ended.
    AwaitingCts,
    /// Our data frame has ended.
    AwaitingAck,
    /// A data frame of ours is due a SIFS after a CTS, be it our own, or after the ACK of the fragment before,
    /// which ended then.
    Continuing { acknowledged: Option<Time> },
    /// The next MSDU's frame is due a SIFS after the ACK of the one before.
    Following,
}

/// The MAC of one station.
///
/// See the [crate](crate#order-of-calls) for the order of calls. Whatever is to be transmitted is
/// returned by the call that finds it due; the owner transmits it at once.
#[derive(Clone, Debug)]
pub struct Mac {
    step: ExchangeStep,
    /// What is on the air of ours or was so last; a SIFS before a response, that already.
    frame: Frame,
    wake_at: Time,
    /// When the station's transmission opportunity is over.
    txop_ends_at: Time,
    txop_limit: Duration,
    access: Option<Access>,
    outcome: Option<MsduOutcome>,
    service: MsduService,
    queue: VecDeque<Msdu>,
    queue_packets: usize,
    /// MSDUs in service and behind that where there is always something to send.
    enough: usize,
    /// What there is of 802.11n and later, MSDUs of its own instead of the queue's.
    aggregation: Option<Box<Aggregation>>,
    beacon: Option<u16>,
    /// Whether a beacon or a management frame may wait.
    goes_before_data: bool,
    next_sequence: u16,
    cw: u16,
    address: Address,
    phy: &'static Characteristics,
    exchanges: PerRate<Exchange>,
    /// How broadcasts go on the air.
    broadcast: TxVector,
    fragmentation: Fragmentation,
    /// What an MPDU adds to its body, and what the last one of an MSDU adds besides.
    overhead: [u16; 2],
    /// The mode of unicast data, where it is always the same.
    steady_mode: Option<Mode>,
    controller: RateController,
    /// Those to whom it sends in another way than to all others.
    receivers: Option<Box<ReceiverQueues>>,
    peers: Peers,
    counters: MacCounters,
    config: MacConfig,
    first_modes: FirstModes,
}

impl Mac {
    /// A station with nothing to send.
    ///
    /// # Panics
    ///
    /// If [`MacConfig::check`] refuses the configuration, which the caller has to see to before.
    pub fn new(config: MacConfig, address: Address) -> Mac {
        if let Err(error) = config.check() {
            panic!("{error}");
        }
        let queue_packets = config.queue_packets as usize;
        let controller = RateController::new(&config.rate_control, config.ladder());
        let broadcast = config.vector(config.broadcast_mode());
        let nothing = Frame::control(FrameKind::Ack, address, address, broadcast);
        Mac {
            step: ExchangeStep::Quiet,
            frame: nothing,
            wake_at: Time::NEVER,
            txop_ends_at: Time::ZERO,
            txop_limit: (config.edca).map_or(Duration::ZERO, |function| function.txop_limit_ns),
            access: None,
            outcome: None,
            service: MsduService::NONE,
            queue: VecDeque::with_capacity(queue_packets.min(RESERVED_PACKETS)),
            queue_packets,
            enough: (2 * config.msdus_at_once()).min(queue_packets),
            aggregation: (config.aggregation)
                .map(|_| Box::new(Aggregation::new(Agreement::of(&config), nothing))),
            beacon: None,
            goes_before_data: false,
            next_sequence: 0,
            cw: config.cw_min,
            address,
            phy: config.phy(),
            exchanges: config.exchanges(),
            broadcast,
            fragmentation: Fragmentation::new(config.fragmentation_threshold),
            overhead: config.overhead(),
            steady_mode: controller.steady(),
            controller,
            receivers: None,
            peers: Peers::default(),
            counters: MacCounters::default(),
            config,
            first_modes: FirstModes::default(),
        }
    }

    /// Notes that a receiver is of 802.11b, so that nothing goes to it in OFDM. To a station
    /// without OFDM that is no news.
    pub fn note_dsss_only(&mut self, receiver: Address) {
        if !self.phy.has_ofdm() {
            return;
        }
        let config = &self.config;
        (self.receivers.get_or_insert_default()).add_dsss(receiver, config);
        self.steady_mode = None;
    }

    /// Gives a receiver a rate, a rate control and retry limits of its own, once it is known
    /// whether it is of 802.11b.
    pub fn treat_apart(&mut self, receiver: Address, own: &ReceiverConfig) {
        let config = &self.config;
        (self.receivers.get_or_insert_default()).add_own(receiver, own, config);
        self.steady_mode = None;
    }

    /// The rate control of what goes to a receiver.
    fn controller_of(&mut self, receiver: Address) -> &mut RateController {
        let own = self
            .receivers
            .as_mut()
            .and_then(|all| all.find_mut(receiver));
        own.map_or(&mut self.controller, |own| &mut own.controller)
    }

    /// Returns what the rate control knows of the rates to a receiver, if it keeps account of each.
    pub fn known_rates(&self, receiver: Address) -> Option<KnownRates> {
        let own = self.receivers.as_ref().and_then(|all| all.find(receiver));
        let control = own.map_or(&self.controller, |own| &own.controller);
        control.known_rates(receiver)
    }

    /// Returns how often what goes to a receiver is tried.
    fn limits_of(&self, receiver: Address) -> RetryLimits {
        let own = self.receivers.as_ref().and_then(|all| all.find(receiver));
        own.map_or(self.config.retry_limits(), |own| own.limits)
    }

    /// The contention machine that belongs to this MAC; the owner keeps it.
    pub fn contention(&self) -> Contention {
        Contention::with_space(self.phy, self.config.space(), self.config.cw_min)
    }

    /// The station's address.
    pub fn address(&self) -> Address {
        self.address
    }

    /// Returns what the station was configured with.
    pub fn config(&self) -> &MacConfig {
        &self.config
    }

    /// Returns how many MSDUs the queue holds, the one in service included.
    pub fn queue_limit(&self) -> u32 {
        self.queue_packets as u32
    }

    /// MSDUs in the queue, the one in service included.
    pub fn queue_len(&self) -> usize {
        self.queue.len() + self.aggregation.as_ref().map_or(0, |own| own.len())
    }

    /// Returns whether it takes another MSDU from a queue in front of it: without aggregation once
    /// it has none, else while it has not got enough for the aggregate on the air and the one
    /// behind it, or the aggregates that its driver makes. [inferred: two, as ath9k keeps in its hardware]
    pub fn wants_more(&self) -> bool {
        let enough = match &self.aggregation {
            None => 1.min(self.queue_packets),
            Some(own) if !own.wants_more(self.queue.len()) => 0,
            Some(_) => self.enough,
        };
        self.queue_len() < enough
    }

    /// Has aggregates made before their turn, as many at once at most, of what the queue in front of it has
    /// ([`Mac::close_aggregate`]).
    pub fn make_ahead(&mut self, most: u32) {
        if let Some(own) = &mut self.aggregation {
            own.make_ahead(most);
        }
    }

    /// The queue in front of it has nothing more for the aggregate that is being made.
    pub fn close_aggregate(&mut self) {
        if let Some(own) = &mut self.aggregation {
            own.close(self.queue.len());
        }
    }

    /// Returns how many MSDUs it has that is never out of them: one in service and one behind it, or two
    /// aggregates, as far as its queue has room.
    #[inline]
    pub fn enough(&self) -> u32 {
        self.enough as u32
    }

    /// Returns what has been done so far.
    pub fn counters(&self) -> &MacCounters {
        &self.counters
    }

    /// The gaps between fragments since they were asked for last.
    pub fn take_fragment_gaps(&mut self) -> GapStatistics {
        core::mem::take(&mut self.counters.fragment_gaps)
    }

    /// The current contention window.
    pub fn cw(&self) -> u16 {
        self.cw
    }

    /// Returns when [`Mac::on_wake`] is due.
    #[inline]
    pub fn wake_at(&self) -> Time {
        self.wake_at
    }

    /// The end of an MSDU's service, if the last call brought one; others that it brought are had by
    /// [`Mac::poll_further_outcome`]. The owner looks after [`Mac::on_transmit_end`],
    /// [`Mac::on_receive`] and its like, [`Mac::on_garbled`], and [`Mac::on_wake`] where that has
    /// nothing transmitted.
    #[inline]
    pub fn poll_outcome(&mut self) -> Option<MsduOutcome> {
        self.outcome.take()
    }

    /// The same of another one that came with it, under block acknowledgment.
    #[inline]
    pub fn poll_further_outcome(&mut self) -> Option<MsduOutcome> {
        self.aggregation.as_mut()?.poll_outcome()
    }

    /// Takes an MSDU into the queue, or gives it back when the queue is full.
    #[inline]
    pub fn enqueue(
        &mut self,
        now: Time,
        msdu: Msdu,
        contention: &mut Contention,
        draw: &mut (impl Draw + ?Sized),
    ) -> Result<(), Msdu> {
        self.counters.offered += 1;
        let aggregated = self.aggregation.as_ref().map_or(0, |own| own.len());
        if self.queue.len() + aggregated >= self.queue_packets {
            self.counters.queue_drops += 1;
            return Err(msdu);
        }
        let own = self.aggregation.as_mut();
        if own.is_none_or(|own| !own.take(msdu)) {
            self.queue.push_back(msdu);
        }
        self.contend(now, contention, draw);
        Ok(())
    }

    /// Takes an MMPDU, which goes before all data that wait and needs no room of theirs; answers
    /// how many go before it.
    pub fn enqueue_management(
        &mut self,
        now: Time,
        mmpdu: Msdu,
        contention: &mut Contention,
        draw: &mut (impl Draw + ?Sized),
    ) -> usize {
        self.counters.offered += 1;
        let ahead = |msdu: &&Msdu| msdu.kind.is_management();
        let first = usize::from(self.service.begun);
        let place = first + self.queue.iter().skip(first).take_while(ahead).count();
        self.queue.insert(place, mmpdu);
        self.goes_before_data = true;
        self.contend(now, contention, draw);
        place
    }

    /// Takes out the data that wait for a destination, and not what is in service; answers how
    /// many were before each.
    pub fn flush(
        &mut self,
        destination: Address,
        contention: &mut Contention,
    ) -> Vec<(usize, Msdu)> {
        let in_service = usize::from(self.service.begun);
        let waiting = self.queue.iter().copied().enumerate().skip(in_service);
        let (flushed, stay): (Vec<_>, Vec<_>) = waiting
            .partition(|(_, msdu)| msdu.destination == destination && !msdu.kind.is_management());
        self.queue.truncate(in_service);
        self.queue.extend(stay.into_iter().map(|(_, msdu)| msdu));
        let aggregated =
            (self.aggregation.as_mut()).map_or(Vec::new(), |own| own.flush(destination));
        let flushed: Vec<_> = (flushed.into_iter())
            .chain(aggregated.into_iter().map(|msdu| (in_service, msdu)))
            .collect();
        self.counters.flushed += flushed.len() as u64;
        if !self.wants() {
            contention.cancel();
        }
        flushed
    }

    /// Returns whether an exchange is under way that this station has begun or answers, or an MSDU
    /// is being tried again.
    pub fn is_engaged(&self) -> bool {
        self.step != ExchangeStep::Quiet || self.service.begun || self.serves().is_some()
    }

    /// Counts an MSDU that the owner had no room for, who keeps a queue of its own.
    pub fn count_refused(&mut self) {
        self.counters.offered += 1;
        self.counters.queue_drops += 1;
    }

    /// Asks for a beacon to be sent before any data still to come. A beacon that has not got the
    /// medium by the next one's time is replaced by it (IEEE 802.11-2007 §11.1.2.1 lets a beacon
    /// be late, not be sent twice).
    pub fn send_beacon(
        &mut self,
        now: Time,
        body_bytes: u16,
        contention: &mut Contention,
        draw: &mut (impl Draw + ?Sized),
    ) {
        self.beacon = Some(body_bytes);
        self.goes_before_data = true;
        self.contend(now, contention, draw);
    }

    /// Returns how the station's last frame came to have the medium: by the access it opened its
    /// exchange with; `None` where it followed another frame.
    #[inline]
    pub fn access(&self) -> Option<Access> {
        self.access
    }

    /// Returns what the last call had the station transmit, if it did.
    #[inline]
    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    /// The medium is the station's: what it transmits. Called at [`Contention::access_at`].
    pub fn on_access(&mut self, now: Time, contention: &mut Contention) -> &Frame {
        let access = contention.take_access(now);
        self.counters.nav_deferrals += u64::from(access.nav_deferrals);
        self.access = Some(access);
        self.step = ExchangeStep::Sending;
        self.wake_at = Time::NEVER;
        self.txop_ends_at = now + self.txop_limit;
        match self.goes_before_data {
            true => self.open_before_data(now),
            false => self.open_exchange(now),
        }
        &self.frame
    }

    /// Another access function of the same station has the medium that was to be this one's at
    /// [`Contention::access_at`]: the attempt has failed as if another station had collided with
    /// it (IEEE 802.11-2007 §9.9.1.5).
    pub fn on_internal_collision(
        &mut self,
        now: Time,
        contention: &mut Contention,
        draw: &mut (impl Draw + ?Sized),
    ) {
        let access = contention.take_access(now);
        self.counters.nav_deferrals += u64::from(access.nav_deferrals);
        self.counters.internal_collisions += 1;
        if self.beacon.is_some() {
            // It is sent once and not acknowledged, so there are no retries to count.
            return self.rest(now, contention, draw);
        }
        if self.aggregation.is_some() && !self.service.begun {
            // Nothing of an aggregate was on the air.
            self.cw = widen(self.cw, self.config.cw_max);
            return self.rest(now, contention, draw);
        }
        self.begin_service(now);
        // What begins an exchange is short, or else an RTS.
        self.retry(now, RetryClass::Short, contention, draw);
    }

    /// Called at [`Mac::wake_at`]: a response or the next frame of an exchange is due, or the
    /// time for a response is up. `receiving` says whether the station's receiver is locked onto
    /// a frame; then the timeout waits for that frame's end, which the owner has to report by
    /// [`Mac::on_receive`] or [`Mac::on_garbled`].
    pub fn on_wake(
        &mut self,
        now: Time,
        receiving: bool,
        contention: &mut Contention,
        draw: &mut (impl Draw + ?Sized),
    ) -> Option<&Frame> {
        if now < self.wake_at {
            return None;
        }
        self.wake_at = Time::NEVER;
        self.access = None;
        match self.step {
            ExchangeStep::Responding => self.step = ExchangeStep::Quiet,
            ExchangeStep::Continuing { acknowledged } => {
                self.step = ExchangeStep::Sending;
                if let Some(ended_at) = acknowledged {
                    self.counters.fragment_gaps.add(now - ended_at);
                }
                self.continue_exchange(now);
            }
            ExchangeStep::Following => {
                self.step = ExchangeStep::Sending;
                match self.serves() {
                    Some(_) => self.continue_aggregate(),
                    None => self.count_on_air(),
                }
            }
            ExchangeStep::AwaitingCts | ExchangeStep::AwaitingAck => {
                if !receiving {
                    self.fail(now, contention, draw);
                }
                return None;
            }
            ExchangeStep::Quiet | ExchangeStep::Sending => return None,
        }
        Some(&self.frame)
    }

    /// A frame of this station has left the air.
    #[inline(always)]
    pub fn on_transmit_end(
        &mut self,
        now: Time,
        frame: &Frame,
        contention: &mut Contention,
        draw: &mut (impl Draw + ?Sized),
    ) {
        match frame.kind {
            FrameKind::Rts => {
                self.await_response(now, ExchangeStep::AwaitingCts, frame, contention);
            }
            FrameKind::Beacon => self.rest(now, contention, draw),
            FrameKind::Ack | FrameKind::Cts | FrameKind::BlockAck => {}
            _ if frame.receiver.is_broadcast() => self.finish_broadcast(now, contention, draw),
            _ => self.await_response(now, ExchangeStep::AwaitingAck, frame, contention),
        }
    }

    /// A correct frame for this station, or for everybody, has ended.
    pub fn on_receive(
        &mut self,
        now: Time,
        frame: &Frame,
        contention: &mut Contention,
        draw: &mut (impl Draw + ?Sized),
    ) -> Option<MsduDelivery> {
        contention.on_received_ok(now);
        match (frame.kind, self.step) {
            (FrameKind::Ack, ExchangeStep::AwaitingAck) => {
                match self.serves() {
                    Some(_) => self.single_answered(now, contention, draw),
                    None => self.acknowledged(now, contention, draw),
                }
                return None;
            }
            (FrameKind::Cts, ExchangeStep::AwaitingCts) => {
                self.cleared_to_send(now, contention);
                return None;
            }
            // Anything else than the response means that it will not come
            // (IEEE 802.11-2007 §9.2.8).
            (_, ExchangeStep::AwaitingAck | ExchangeStep::AwaitingCts) => {
                self.fail(now, contention, draw);
            }
            _ => {}
        }
        self.answer(now, frame, contention)
    }

    /// A reception has ended that brought this station nothing: garbled, or for another one.
    /// It matters while a CTS or ACK is awaited, that is when [`Contention::awaits_response`]:
    /// then the attempt has failed (IEEE 802.11-2007 §9.2.8).
    pub fn on_garbled(
        &mut self,
        now: Time,
        contention: &mut Contention,
        draw: &mut (impl Draw + ?Sized),
    ) {
        if matches!(
            self.step,
            ExchangeStep::AwaitingAck | ExchangeStep::AwaitingCts
        ) {
            self.fail(now, contention, draw);
        }
    }

    /// Asks for the medium if there is anything to send and no exchange of ours under way.
    #[inline]
    fn contend(&mut self, now: Time, contention: &mut Contention, draw: &mut (impl Draw + ?Sized)) {
        let originating = !matches!(self.step, ExchangeStep::Quiet | ExchangeStep::Responding);
        if !originating && self.wants() {
            contention.request_access(now, draw);
        }
    }

    /// Returns whether there is anything to send.
    #[inline]
    fn wants(&self) -> bool {
        !self.queue.is_empty()
            || self.beacon.is_some()
            || self.aggregation.as_ref().is_some_and(|own| own.wants())
    }

    /// Ends an exchange: a backoff in the current window, whether or not anything is left to
    /// send (IEEE 802.11-2007 §9.2.5.2), and the next frame's request.
    fn rest(&mut self, now: Time, contention: &mut Contention, draw: &mut (impl Draw + ?Sized)) {
        self.step = ExchangeStep::Quiet;
        self.wake_at = Time::NEVER;
        contention.set_awaits_response(false);
        contention.start_backoff(now, self.cw, draw);
        self.contend(now, contention, draw);
    }

    fn sequence(&mut self) -> u16 {
        let sequence = self.next_sequence;
        self.next_sequence = (sequence + 1) % SEQUENCE_NUMBERS;
        sequence
    }
}

/// Room made in a queue from the start; a longer queue grows to its length once, if it ever does.
const RESERVED_PACKETS: usize = 1024;

/// Sequence numbers count modulo 4096 (IEEE 802.11-2007 §7.1.3.4.1).
const SEQUENCE_NUMBERS: u16 = 4096;

/// A duration as the Duration field gives it, rounded up to a microsecond
/// (IEEE 802.11-2007 §7.1.3.2); at most 32767.
#[inline]
fn duration_field(duration: Duration) -> u16 {
    duration.as_nanos().div_ceil(1_000).min(32_767) as u16
}

#[cfg(test)]
pub(crate) mod tests {

    use phy::{Preamble, Standard};

    use super::*;
    use crate::rate_control::{RateControlConfig, fixed};

    /// A station of the thesis's time: long preamble, 11 Mbit/s, answers at 2 Mbit/s.
    pub(crate) fn config() -> MacConfig {
        MacConfig {
            standard: Standard::Dot11b,
            band: None,
            aggregation: None,
            coding: None,
            short_slot: false,
            protection: Protection::None,
            preamble: Preamble::Long,
            basic_rates: vec![Mode::DSSS_1, Mode::DSSS_2],
            rate: Mode::CCK_11,
            rate_control: RateControlConfig::Fixed(fixed::Config {}),
            rts_threshold: 2347,
            fragmentation_threshold: 2346,
            short_retry_limit: 7,
            long_retry_limit: 4,
            msdu_lifetime_ns: None,
            privacy: Privacy::None,
            queue_packets: 50,
            cw_min: 31,
            cw_max: 1023,
            edca: None,
        }
    }
}
