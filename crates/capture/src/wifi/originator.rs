//! The sender's side of frame exchanges: each MSDU with its attempts, told by its sequence
//! number, until it is acknowledged, given up, or another takes its place.
//!
//! Without block acknowledgment a sender has one MSDU under way of each of its counts of
//! sequence numbers; with it up to 64.

use super::ledger::{Ledger, Use};
use super::tcp::Carried;
use crate::dissect::Frame;
use crate::packet::MacAddress;

/// Sequence numbers are 12 bits long (9.2.4.4.2).
const SEQUENCES: u16 = 4096;

/// MSDUs under way at once with block acknowledgment (10.25.2 of IEEE 802.11-2020).
const WINDOW: usize = 64;

/// The least time from one frame to the next, with which a gap in the sequence numbers is held
/// against the clock: preamble and SIFS of OFDM, twice. (Inferred.)
const LEAST_EXCHANGE_NS: u64 = 72_000;

/// Attempts after which a sender that goes on to the next MSDU has given up, and not merely
/// received an acknowledgment that the sniffer missed: dot11LongRetryLimit, the lower of the
/// standard's two limits (IEEE 802.11-2020, Annex C).
pub const GIVES_UP_AFTER: u16 = 4;

/// How the latest attempt stands in the ledger.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Entered {
    pub preamble_ns: u64,
    pub header_ns: u64,
    pub payload_ns: u64,
}

impl Entered {
    fn move_all(self, ledger: &mut Ledger, to_lost: bool) {
        let parts = [
            (self.preamble_ns, Use::Preamble),
            (self.header_ns, Use::Header),
            (self.payload_ns, Use::Payload),
        ];
        for (nanos, on) in parts {
            if to_lost {
                ledger.transfer(nanos, on, Use::CollisionOrError);
            } else {
                ledger.transfer(nanos, Use::CollisionOrError, on);
            }
        }
    }
}

/// What is known of the latest attempt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Attempt {
    /// Whether it was acknowledged is not known, or not yet.
    #[default]
    Open,
    /// No response came.
    Lost,
    /// It was acknowledged.
    Acknowledged,
    /// Nobody acknowledges frames to a group.
    Group,
}

/// An MSDU, or a management frame's body, under way.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Msdu {
    sequence: u16,
    is_used: bool,
    pub is_data: bool,
    fragment: u8,
    has_more: bool,
    latest: Attempt,
    /// Of the fragment under way.
    attempts: u16,
    /// The most of any fragment.
    pub attempts_max: u16,
    pub first_ns: u64,
    pub last_ns: u64,
    pub first_packet: u64,
    pub receiver: MacAddress,
    pub carried: Option<Carried>,
    /// Its place among the bursts.
    pub burst: Option<u32>,
    entered: Entered,
    /// The acknowledgment of the latest attempt, as it stands in the ledger.
    ack_ns: u64,
}

/// How an MSDU ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Acknowledged to the last fragment.
    Delivered,
    /// The sender went on after so few attempts that it must have been acknowledged.
    AckMissed,
    /// The sender went on without an acknowledgment.
    GivenUp,
    /// Sent to a group.
    Group,
}

impl Msdu {
    fn end(&self) -> End {
        match self.latest {
            Attempt::Group => End::Group,
            Attempt::Acknowledged => End::Delivered,
            Attempt::Lost | Attempt::Open if self.attempts >= GIVES_UP_AFTER => End::GivenUp,
            Attempt::Lost | Attempt::Open => End::AckMissed,
        }
    }

    /// Whether the latest attempt was acknowledged and nothing of the MSDU is left to send.
    pub fn is_delivered(&self) -> bool {
        self.latest == Attempt::Acknowledged && !self.has_more
    }

    /// Notes how the attempt that was sent last stands in the ledger.
    pub fn note_entered(&mut self, entered: Entered) {
        self.entered = entered;
    }

    /// The latest attempt was acknowledged, by a response that lasted `ack_ns`.
    pub fn acknowledge(&mut self, ack_ns: u64) {
        self.latest = Attempt::Acknowledged;
        self.ack_ns = ack_ns;
    }

    /// No response came to the latest attempt.
    pub fn lose(&mut self) {
        if self.latest == Attempt::Open {
            self.latest = Attempt::Lost;
        }
    }

    /// Another attempt begins: what was open was lost after all, and the acknowledgment of what
    /// was acknowledged did not reach the sender.
    fn begin_again(&mut self, ledger: &mut Ledger) -> Again {
        match self.latest {
            Attempt::Open => {
                self.entered.move_all(ledger, true);
                self.latest = Attempt::Lost;
                Again::AfterLoss
            }
            Attempt::Acknowledged => {
                ledger.transfer(self.ack_ns, Use::Ack, Use::CollisionOrError);
                self.ack_ns = 0;
                Again::AfterAck
            }
            Attempt::Lost | Attempt::Group => Again::AfterLoss,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Again {
    AfterLoss,
    AfterAck,
}

/// One count of sequence numbers of one transmitter.
#[derive(Debug, Default)]
pub(super) struct Originator {
    /// Transmitter, and with QoS receiver and traffic identifier.
    key: u128,
    newest: Option<u16>,
    newest_ns: u64,
    /// Beacons since the newest frame, which have numbers of the same count or not.
    beacons: u16,
    current: Msdu,
    window: Option<Box<[Msdu; WINDOW]>>,
}

/// What a block acknowledgment tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Told {
    /// MSDUs that were lost.
    pub lost: u64,
    /// MSDUs that seemed lost and were not.
    pub found: u64,
}

/// What an attempt tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Noted {
    /// Frames between this and the newest before it that were not captured: MSDUs, and
    /// fragments of this one and of the one before.
    pub missed: u16,
    /// A retry whose first attempt was not captured.
    pub is_orphan: bool,
    /// It was sent before, and captured.
    pub is_again: bool,
    /// It was sent and acknowledged before, so that this is a duplicate.
    pub is_duplicate: bool,
}

impl Originator {
    fn msdu(&mut self, sequence: u16) -> &mut Msdu {
        match &mut self.window {
            Some(window) => &mut window[usize::from(sequence) % WINDOW],
            None => &mut self.current,
        }
    }

    /// The MSDU with this number, if it is under way.
    pub fn find(&mut self, sequence: u16) -> Option<&mut Msdu> {
        let msdu = self.msdu(sequence);
        (msdu.is_used && msdu.sequence == sequence).then_some(msdu)
    }

    /// A beacon of the same transmitter. Some number them from a count of their own.
    pub fn on_beacon(&mut self, sequence: u16) {
        let ahead = self
            .newest
            .map(|newest| sequence.wrapping_sub(newest) % SEQUENCES);
        if ahead.is_some_and(|ahead| (1..=WINDOW as u16).contains(&ahead)) {
            self.beacons = self.beacons.saturating_add(1);
        }
    }

    /// More than one MSDU may be under way.
    fn open_window(&mut self) {
        if self.window.is_none() {
            let mut window = Box::new([Msdu::default(); WINDOW]);
            window[usize::from(self.current.sequence) % WINDOW] = self.current;
            self.window = Some(window);
        }
    }

    /// A data or management frame is sent; `ended` is given the MSDU whose place it takes.
    pub fn on_attempt(
        &mut self,
        frame: &Frame,
        carried: Option<Carried>,
        ledger: &mut Ledger,
        ended: impl FnOnce(&Msdu, End, &mut Ledger),
    ) -> Noted {
        if frame.radio.ampdu.is_some() || (!frame.wants_ack() && !frame.is_to_group()) {
            self.open_window();
        }
        let mut noted = self.note_sequence(frame);
        let sequence = frame.sequence;
        match self.find(sequence) {
            Some(msdu) if frame.is_retry() || frame.fragment != msdu.fragment => {
                if frame.fragment == msdu.fragment {
                    let again = msdu.begin_again(ledger);
                    noted.is_again = true;
                    noted.is_orphan = false;
                    noted.is_duplicate = again == Again::AfterAck;
                } else {
                    let ahead = frame.fragment.saturating_sub(msdu.fragment);
                    noted.missed = u16::from(ahead.saturating_sub(1));
                    noted.is_orphan = frame.is_retry();
                    msdu.attempts = 0;
                }
                msdu.send(frame);
            }
            _ => {
                let place = self.msdu(sequence);
                noted.missed += u16::from(frame.fragment);
                if place.is_used {
                    let is_unfinished = place.has_more && place.end() != End::GivenUp;
                    noted.missed += u16::from(is_unfinished);
                    ended(place, place.end(), ledger);
                }
                *place = Msdu {
                    sequence,
                    is_used: true,
                    is_data: frame.has_data(),
                    first_ns: frame.time_ns,
                    first_packet: frame.number,
                    receiver: frame.receiver,
                    carried,
                    ..Msdu::default()
                };
                place.send(frame);
            }
        }
        noted
    }

    /// Tells what the sequence number says of frames that were not captured.
    fn note_sequence(&mut self, frame: &Frame) -> Noted {
        let sequence = frame.sequence;
        let orphan = Noted {
            is_orphan: frame.is_retry(),
            ..Noted::default()
        };
        let Some(newest) = self.newest else {
            self.restart(frame);
            return Noted::default();
        };
        let ahead = sequence.wrapping_sub(newest) % SEQUENCES;
        if ahead == 0 {
            return Noted::default();
        }
        let is_behind = ahead >= SEQUENCES / 2;
        if is_behind && frame.is_retry() && self.window.is_some() {
            return Noted::default();
        }
        let elapsed = frame.time_ns.saturating_sub(self.newest_ns);
        let between = ahead - 1;
        let is_plausible = !is_behind && u64::from(between) <= elapsed / LEAST_EXCHANGE_NS;
        // A beacon gets its number when it is due, which may be before an MSDU that has its
        // number already is sent.
        let beacons = self.beacons.min(between);
        let due = (self.beacons - beacons).min(1);
        self.restart(frame);
        if !is_plausible {
            return orphan;
        }
        self.beacons = due;
        Noted {
            missed: between - beacons,
            ..orphan
        }
    }

    fn restart(&mut self, frame: &Frame) {
        self.newest = Some(frame.sequence);
        self.newest_ns = frame.time_ns;
        self.beacons = 0;
    }

    /// A block acknowledgment from sequence number `start` on, a bit for each; `delivered` is
    /// given each MSDU that it acknowledges.
    pub fn on_block_ack(
        &mut self,
        start: u16,
        bitmap: &[u8],
        ledger: &mut Ledger,
        mut delivered: impl FnMut(&Msdu),
    ) -> Told {
        self.open_window();
        let mut told = Told::default();
        let window = self.window.iter_mut().flat_map(|window| window.iter_mut());
        for msdu in window.filter(|msdu| msdu.is_used) {
            let place = usize::from(msdu.sequence.wrapping_sub(start) % SEQUENCES);
            let Some(byte) = bitmap.get(place / 8) else {
                continue;
            };
            let is_acknowledged = byte >> (place % 8) & 1 != 0;
            match (is_acknowledged, msdu.latest) {
                (true, Attempt::Open | Attempt::Lost) => {
                    if msdu.latest == Attempt::Lost {
                        told.found += 1;
                        msdu.entered.move_all(ledger, false);
                    }
                    msdu.acknowledge(0);
                    delivered(msdu);
                }
                (false, Attempt::Open) => {
                    msdu.entered.move_all(ledger, true);
                    msdu.lose();
                    told.lost += 1;
                }
                _ => {}
            }
        }
        told
    }

    /// Ends all that is under way.
    pub fn finish(&mut self, mut ended: impl FnMut(&Msdu, End)) {
        let all = match &mut self.window {
            Some(window) => &mut window[..],
            None => std::slice::from_mut(&mut self.current),
        };
        for msdu in all.iter_mut().filter(|msdu| msdu.is_used) {
            ended(msdu, msdu.end());
            msdu.is_used = false;
        }
    }
}

impl Msdu {
    fn send(&mut self, frame: &Frame) {
        self.fragment = frame.fragment;
        self.has_more = frame.has_more_fragments();
        self.attempts = self.attempts.saturating_add(1);
        self.attempts_max = self.attempts_max.max(self.attempts);
        self.last_ns = frame.time_ns;
        self.latest = if frame.is_to_group() {
            Attempt::Group
        } else {
            Attempt::Open
        };
    }

    /// The acknowledgment of the last attempt was not captured, but the sender went on: it was
    /// no loss.
    pub fn forgive(&self, ledger: &mut Ledger) {
        if self.latest == Attempt::Lost {
            self.entered.move_all(ledger, false);
        }
    }
}

/// Originators told apart at a time, a power of two; another at the same place displaces one.
const ORIGINATORS: usize = 4096;

/// All originators.
#[derive(Debug, Default)]
pub(super) struct Originators {
    places: Vec<Originator>,
}

/// Which count the sequence number of a frame is of: each transmitter has one for each receiver
/// and traffic identifier of QoS data, and one for everything else (10.3.2.14.2).
pub(super) fn key(transmitter: MacAddress, receiver: MacAddress, tid: Option<u8>) -> u128 {
    let transmitter = u128::from(transmitter.to_bits());
    match tid {
        Some(tid) if receiver.0[0] & 1 == 0 => {
            let receiver = u128::from(receiver.to_bits());
            transmitter | receiver << 48 | u128::from(tid + 1) << 96
        }
        _ => transmitter,
    }
}

impl Originators {
    /// The MSDU that a frame is an attempt of.
    pub fn msdu(&mut self, frame: &Frame) -> Option<&mut Msdu> {
        if !frame.is_numbered() {
            return None;
        }
        let key = key(frame.transmitter?, frame.receiver, frame.tid());
        self.get(key)?.find(frame.sequence)
    }

    /// The originator with this key, if it is remembered.
    pub fn get(&mut self, key: u128) -> Option<&mut Originator> {
        let originator = self.places.get_mut(place(key))?;
        (originator.key == key).then_some(originator)
    }

    /// The originator with this key, and the one whose place it takes.
    pub fn enter(&mut self, key: u128) -> (&mut Originator, Option<Originator>) {
        if self.places.is_empty() {
            self.places.resize_with(ORIGINATORS, Originator::default);
        }
        let originator = &mut self.places[place(key)];
        let mut displaced = None;
        if originator.key != key {
            let fresh = Originator {
                key,
                ..Originator::default()
            };
            displaced = Some(std::mem::replace(originator, fresh));
        }
        (originator, displaced)
    }

    /// Gives all of them.
    pub fn drain(&mut self) -> impl Iterator<Item = Originator> {
        self.places.drain(..)
    }
}

impl Originator {
    /// Who transmits.
    pub fn transmitter(&self) -> MacAddress {
        let [_, _, a, b, c, d, e, f] = (self.key as u64).to_be_bytes();
        MacAddress([a, b, c, d, e, f])
    }
}

/// The multiplier is 2⁶⁴ over the golden ratio (Knuth, vol. 3, 6.4).
fn place(key: u128) -> usize {
    const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;
    let mixed = (key as u64 ^ ((key >> 64) as u64).rotate_left(23)).wrapping_mul(GOLDEN);
    (mixed >> 52) as usize % ORIGINATORS
}
