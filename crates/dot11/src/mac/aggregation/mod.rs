//! Aggregation under block acknowledgment (IEEE 802.11-2020, 10.12, 10.25): A-MSDUs, A-MPDUs, the
//! window of the originator and the order that the recipient restores.
//!
//! An agreement stands between any two stations from the start, with the window that its originator
//! asks for, or is negotiated: [`Agreements`] says which.

mod ahead;
mod block_ack;
mod consent;
mod exchange;
mod mpdu;
mod negotiation;
mod reorder;
mod sequence;
mod session;

#[cfg(test)]
mod exchange_tests;

use std::collections::VecDeque;

use phy::{LONGEST_PPDU, LONGEST_PSDU, Mode};
use serde::{Deserialize, Serialize};
use units::{Duration, Time};

use ahead::{AggregateSize, Ahead};
pub use block_ack::BlockAck;
pub use consent::Agreements;
pub use exchange::Decoded;
pub use mpdu::DataMpdu;
pub use negotiation::Negotiation;
use negotiation::Notice;
use reorder::ReorderBuffer;
use session::BlockAckSession;

use super::msdu::{Msdu, MsduDelivery, MsduOutcome};
use super::receivers::Agreement;
use crate::frame::{Address, Frame};
use crate::rate_control::TransmitTerms;

/// How much a station aggregates: what it may send, and what those it sends to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AggregationConfig {
    /// The longest A-MPDU; 0 for none, so that each MPDU goes alone.
    pub ampdu_bytes: u32,
    /// The longest A-MSDU; 0 for none, so that each MPDU has one MSDU.
    pub amsdu_bytes: u16,
    /// How many MPDUs the window of an agreement has, which is the most in an A-MPDU.
    pub window: u16,
    /// How far apart MPDUs in an A-MPDU begin at least (Minimum MPDU Start Spacing).
    pub spacing_ns: Duration,
    /// Longest time of an aggregate, of what the standard lets a PPDU last.
    pub lasts_ns: Duration,
    /// Longest time for which what has come waits for what was sent before it.
    pub patience_ns: Duration,
    /// Way in which it comes to agreements as their originator.
    pub agreements: Agreements,
    /// Number of MPDUs that it takes at once of an originator that asks it; 0 if it refuses.
    pub takes: u16,
    /// Time that an agreement lasts which is of no use; zero for ever.
    pub idle_ns: Duration,
}

impl AggregationConfig {
    /// None at all: an MSDU in each PPDU.
    pub(in crate::mac) const NONE: AggregationConfig = AggregationConfig {
        ampdu_bytes: 0,
        amsdu_bytes: 0,
        window: 1,
        spacing_ns: Duration::ZERO,
        lasts_ns: LONGEST_PPDU,
        patience_ns: Duration::ZERO,
        agreements: Agreements::Standing,
        takes: 0,
        idle_ns: Duration::ZERO,
    };

    /// Returns whether the standard knows such agreements.
    pub(in crate::mac) fn is_allowed(&self) -> bool {
        (1..=BlockAck::LONGEST).contains(&self.window)
            && self.ampdu_bytes <= LONGEST_PSDU
            && self.lasts_ns <= LONGEST_PPDU
            && self.takes <= BlockAck::LONGEST
    }

    /// Returns what is put together while so many MPDUs at most may be under way.
    fn within(self, window: u16) -> AggregationConfig {
        AggregationConfig { window, ..self }
    }

    /// Returns what is put together on the terms of a rate control.
    fn under(self, terms: TransmitTerms) -> AggregationConfig {
        AggregationConfig {
            amsdu_bytes: self.amsdu_bytes.min(terms.amsdu_bytes),
            window: if terms.is_alone { 1 } else { self.window },
            ..self
        }
    }

    /// Returns how many bytes apart MPDUs begin at the rate of a mode.
    fn bytes_apart(&self, mode: Mode) -> u32 {
        let bit_nanos = self.spacing_ns.as_nanos() * mode.rate().as_bps();
        bit_nanos.div_ceil(8 * 1_000_000_000) as u32
    }
}

/// What a station with block acknowledgment has beside what others have.
#[derive(Clone, Debug)]
pub(super) struct Aggregation {
    /// Agreement with all recipients that are not treated apart.
    agreement: Agreement,
    /// By address, what it has for a recipient and of an originator.
    sessions: Vec<Option<Box<BlockAckSession>>>,
    recipients: Vec<Option<Box<ReorderBuffer>>>,
    /// Time at which something of an originator may have waited long enough, or an agreement been
    /// idle so, or before that.
    due_at: Time,
    /// Notices of agreements that are to be sent, the next first.
    notices: VecDeque<Notice>,
    /// Whose turn it is: the receiver of each MSDU that waits, in the order in which they came; for
    /// everybody, what is not aggregated.
    line: VecDeque<Address>,
    /// Receivers that have not acknowledged all that they got.
    again: VecDeque<Address>,
    /// Whether the last turn was one of those.
    was_again: bool,
    /// Aggregates made of them before their turn, where a driver does that.
    ahead: Option<Ahead>,
    /// MSDUs that are not done with.
    count: usize,
    /// Recipients that are to be told where the window begins.
    requests: usize,
    /// The receiver of the exchange under way, if it is one of block acknowledgment.
    serves: Option<Address>,
    /// The data frame of that, behind what announces it.
    data: Frame,
    said: BlockAck,
    outcomes: VecDeque<MsduOutcome>,
    deliveries: Vec<MsduDelivery>,
    /// MSDUs that have come with the last frame, handed up or not.
    accepted: Vec<u32>,
}

impl Aggregation {
    pub(super) fn new(agreement: Agreement, nothing: Frame) -> Aggregation {
        Aggregation {
            agreement,
            sessions: Vec::new(),
            recipients: Vec::new(),
            due_at: Time::NEVER,
            notices: VecDeque::new(),
            line: VecDeque::new(),
            again: VecDeque::new(),
            was_again: false,
            ahead: None,
            count: 0,
            requests: 0,
            serves: None,
            data: nothing,
            said: BlockAck::default(),
            outcomes: VecDeque::new(),
            deliveries: Vec::new(),
            accepted: Vec::new(),
        }
    }

    /// MSDUs that are not done with.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Returns whether there is anything to send.
    #[inline]
    pub(super) fn wants(&self) -> bool {
        self.count + self.requests + self.notices.len() > 0
    }

    pub(super) fn poll_outcome(&mut self) -> Option<MsduOutcome> {
        self.outcomes.pop_front()
    }

    /// Takes an MSDU for one station; one for all only has its turn in the same line.
    pub(super) fn take(&mut self, msdu: Msdu) -> bool {
        let to = msdu.destination;
        self.line.push_back(to);
        if to.is_broadcast() {
            return false;
        }
        self.count += 1;
        if self.ahead.is_none() {
            self.session(to).waiting.push_back(msdu);
            return true;
        }
        let bytes = self.session(to).longest;
        if let Some(ahead) = &mut self.ahead {
            ahead.add(msdu, AggregateSize::of(self.agreement, msdu.bytes, bytes));
        }
        true
    }

    /// Has so many aggregates at most made before their turn.
    pub(super) fn make_ahead(&mut self, most: u32) {
        self.ahead = Some(Ahead::new(most));
    }

    /// Returns whether another MSDU is wanted, so many for all waiting beside.
    pub(super) fn wants_more(&self, for_all: usize) -> bool {
        let others = for_all + usize::from(self.serves.is_some());
        (self.ahead.as_ref()).is_none_or(|ahead| ahead.wants_more(others))
    }

    /// What is being made is whole, so many for all waiting beside.
    pub(super) fn close(&mut self, for_all: usize) {
        let others = for_all + usize::from(self.serves.is_some());
        if let Some(ahead) = &mut self.ahead {
            ahead.close(others);
        }
    }

    /// What has been made for a receiver waits for its number.
    fn hand_over(&mut self, receiver: Address) {
        if let Some(ahead) = &mut self.ahead {
            let place = place(&mut self.sessions, receiver).as_mut();
            let session = place.filter(|session| session.waiting.is_empty());
            if let Some(session) = session {
                session.waiting.extend(ahead.next_for(receiver));
            }
        }
    }

    /// Takes out what waits for a receiver, which has left, and has no number.
    pub(super) fn flush(&mut self, receiver: Address) -> Vec<Msdu> {
        let ahead = self.ahead.as_mut().map(|ahead| ahead.flush(receiver));
        let session = self.session(receiver);
        let mut flushed: Vec<Msdu> = session.waiting.drain(..).collect();
        flushed.extend(ahead.into_iter().flatten());
        session.turns_taken += flushed.len() as u32;
        self.count -= flushed.len();
        self.part_with(receiver);
        flushed
    }

    /// Whose turn it is: a receiver's, or with everybody's address that of what is not aggregated.
    /// Receivers that have to get something again and those whose packets are the next to go take
    /// turns, so that neither leave the others without. [inferred: as drivers go round their receivers]
    fn turn(&mut self) -> Option<Address> {
        self.was_again = !self.was_again;
        match self.was_again {
            true => self.turn_again().or_else(|| self.turn_in_line()),
            false => self.turn_in_line().or_else(|| self.turn_again()),
        }
    }

    /// A recipient need not be told any more where the window begins.
    fn end_request(&mut self, receiver: Address) {
        self.requests -= 1;
        let session = self.session(receiver);
        session.owes_request = false;
        session.requests_failed = 0;
    }

    /// A receiver waits for another turn if it has not got or been told all.
    fn put_back(&mut self, receiver: Address) {
        let session = self.session(receiver);
        if session.is_in_flight() || session.owes_request {
            self.again.push_back(receiver);
        }
    }

    fn turn_again(&mut self) -> Option<Address> {
        while let Some(receiver) = self.again.pop_front() {
            let session = self.session(receiver);
            if session.is_in_flight() || session.owes_request {
                return Some(receiver);
            }
        }
        None
    }

    fn turn_in_line(&mut self) -> Option<Address> {
        while let Some(&receiver) = self.line.front() {
            if receiver.is_broadcast() {
                return Some(receiver);
            }
            let session = self.session(receiver);
            if session.turns_taken == 0 {
                return Some(receiver);
            }
            session.turns_taken -= 1;
            self.line.pop_front();
        }
        None
    }

    fn session(&mut self, receiver: Address) -> &mut BlockAckSession {
        let place = place(&mut self.sessions, receiver);
        place.get_or_insert_with(|| Box::new(BlockAckSession::new()))
    }

    /// Returns what it has of an originator, whose window is that of the agreement.
    fn reorder(&mut self, from: Address, window: u16) -> &mut ReorderBuffer {
        let patience = self.agreement.aggregation.patience_ns;
        let place = place(&mut self.recipients, from);
        place.get_or_insert_with(|| Box::new(ReorderBuffer::new(from, window, patience)))
    }

    /// Hands up what has waited long enough.
    fn release(&mut self, now: Time) {
        self.due_at = Time::NEVER;
        for reorder in self.recipients.iter_mut().flatten() {
            reorder.release(now, &mut self.deliveries);
            self.due_at = self.due_at.min(reorder.release_at());
        }
    }

    /// Returns what is or was on the air last, if that was data.
    pub(super) fn on_air(&self) -> &[DataMpdu] {
        let session = self.serves.and_then(|receiver| {
            let place = self.sessions.get(usize::from(receiver.0))?;
            place.as_deref()
        });
        session.map_or(&[], BlockAckSession::on_air)
    }
}

/// The place of an address in a table that grows to it.
fn place<T>(table: &mut Vec<Option<T>>, of: Address) -> &mut Option<T> {
    let index = usize::from(of.0);
    if index >= table.len() {
        table.resize_with(index + 1, || None);
    }
    &mut table[index]
}
