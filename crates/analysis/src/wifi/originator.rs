//! The sender's side of frame exchanges: the MSDUs under way of one count of sequence numbers, and
//! the gaps in it.
//!
//! Without block acknowledgment a sender has one MSDU under way of each of its counts of
//! sequence numbers; with it up to 64, and in 802.11ax up to 256.

use super::ledger::SnifferLedger;
use super::msdu::{MsduAcknowledgment, MsduEnd, MsduUnderWay, RetryCause};
use super::tcp::MsduSegment;
use dissect::Dot11Frame;
use units::MacAddress;

/// Sequence numbers are 12 bits long (9.2.4.4.2).
const SEQUENCES: u16 = 4096;

/// MSDUs under way at once with block acknowledgment (10.25.2 of IEEE 802.11-2020), and in 802.11ax
/// (26.4.3 of IEEE 802.11ax-2021).
const WINDOW: usize = 64;
const WINDOW_OF_AX: usize = 256;

/// The least time from one frame to the next, with which a gap in the sequence numbers is held
/// against the clock: preamble and SIFS of OFDM, twice. (Inferred.)
const LEAST_EXCHANGE_NS: u64 = 72_000;

/// One count of sequence numbers of one transmitter.
#[derive(Debug, Default)]
pub(super) struct Originator {
    /// Transmitter, and with QoS receiver and traffic identifier.
    key: u128,
    newest: Option<u16>,
    newest_ns: u64,
    /// Beacons since the newest frame, which have numbers of the same count or not.
    beacons: u16,
    current: MsduUnderWay,
    /// As many places as there may be under way.
    window: Box<[MsduUnderWay]>,
}

/// News of a block acknowledgment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct BlockAckReport {
    /// MSDUs that were lost.
    pub lost: u64,
    /// MSDUs that seemed lost and were not.
    pub found: u64,
}

/// News of an attempt.
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
    /// Nothing is known of it yet.
    pub fn new(key: u128) -> Originator {
        Originator {
            key,
            ..Originator::default()
        }
    }

    /// Whose count it is.
    #[inline]
    pub fn key(&self) -> u128 {
        self.key
    }

    /// Who transmits.
    #[inline]
    pub fn transmitter(&self) -> MacAddress {
        let [_, _, a, b, c, d, e, f] = (self.key as u64).to_be_bytes();
        MacAddress([a, b, c, d, e, f])
    }

    /// Where the MSDU with this number is while it is under way.
    #[inline]
    fn place(&mut self, sequence: u16) -> &mut MsduUnderWay {
        match self.window.len() {
            0 => &mut self.current,
            places => &mut self.window[usize::from(sequence) % places],
        }
    }

    /// The MSDU with this number, if it is under way.
    #[inline]
    pub fn find(&mut self, sequence: u16) -> Option<&mut MsduUnderWay> {
        let msdu = self.place(sequence);
        (msdu.sequence() == Some(sequence)).then_some(msdu)
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

    /// So many MSDUs may be under way.
    fn open_window(&mut self, places: usize) {
        if self.window.len() >= places {
            return;
        }
        let mut window = vec![MsduUnderWay::default(); places].into_boxed_slice();
        let before = std::mem::take(&mut self.window);
        for msdu in before.iter().chain([&self.current]) {
            if let Some(sequence) = msdu.sequence() {
                window[usize::from(sequence) % places] = *msdu;
            }
        }
        self.current.free();
        self.window = window;
    }

    /// A data or management frame is sent: gives the MSDU that it is an attempt of, and what it
    /// tells. `ended` is given the MSDU whose place it takes.
    #[inline]
    pub fn on_attempt(
        &mut self,
        frame: &Dot11Frame,
        carried: Option<&MsduSegment>,
        ledger: &mut SnifferLedger,
        ended: impl FnOnce(&MsduUnderWay, MsduEnd, &mut SnifferLedger),
    ) -> (&mut MsduUnderWay, Noted) {
        if frame.radio.ampdu.is_some() || (!frame.wants_ack() && !frame.is_to_group()) {
            self.open_window(places(frame));
        }
        let mut noted = self.note_sequence(frame);
        let msdu = self.place(frame.sequence);
        let is_under_way = msdu.sequence() == Some(frame.sequence);
        if is_under_way && frame.fragment != msdu.fragment {
            noted.missed = msdu.send_next(frame);
            noted.is_orphan = frame.is_retry();
        } else if is_under_way && frame.is_retry() {
            noted.is_again = true;
            noted.is_orphan = false;
            noted.is_duplicate = msdu.retransmit(frame, ledger) == RetryCause::AfterAck;
        } else {
            noted.missed += u16::from(frame.fragment);
            if msdu.sequence().is_some() {
                noted.missed += u16::from(msdu.is_unfinished());
                ended(msdu, msdu.end(), ledger);
            }
            *msdu = MsduUnderWay::begin(frame, carried);
        }
        (msdu, noted)
    }

    /// Tells what the sequence number says of frames that were not captured.
    #[inline]
    fn note_sequence(&mut self, frame: &Dot11Frame) -> Noted {
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
        if is_behind && frame.is_retry() && !self.window.is_empty() {
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

    #[inline]
    fn restart(&mut self, frame: &Dot11Frame) {
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
        ledger: &mut SnifferLedger,
        mut delivered: impl FnMut(&MsduUnderWay),
    ) -> BlockAckReport {
        self.open_window(WINDOW);
        let mut told = BlockAckReport::default();
        for msdu in &mut self.window {
            let Some(sequence) = msdu.sequence() else {
                continue;
            };
            let place = usize::from(sequence.wrapping_sub(start) % SEQUENCES);
            let Some(byte) = bitmap.get(place / 8) else {
                continue;
            };
            let news = msdu.hear(byte >> (place % 8) & 1 != 0, ledger);
            told.lost += u64::from(news == Some(MsduAcknowledgment::Lost));
            told.found += u64::from(news == Some(MsduAcknowledgment::ArrivedAfterAll));
            if matches!(
                news,
                Some(MsduAcknowledgment::Arrived | MsduAcknowledgment::ArrivedAfterAll)
            ) {
                delivered(msdu);
            }
        }
        told
    }

    /// The block acknowledgment of what has been sent since a time did not come: all of it was lost, as
    /// far as anybody knows. Gives how many MSDUs that are.
    pub fn lose_since(&mut self, time_ns: u64, ledger: &mut SnifferLedger) -> u64 {
        let sent = self.window.iter_mut();
        sent.filter(|msdu| msdu.sequence().is_some() && msdu.last_ns >= time_ns)
            .map(|msdu| u64::from(msdu.miss(ledger)))
            .sum()
    }

    /// Ends all that is under way.
    pub fn finish(&mut self, mut ended: impl FnMut(&MsduUnderWay, MsduEnd)) {
        let all = self.window.iter_mut().chain([&mut self.current]);
        for msdu in all.filter(|msdu| msdu.sequence().is_some()) {
            ended(msdu, msdu.end());
            msdu.free();
        }
    }
}

/// Returns how many MSDUs may be under way of those that go as this one does.
fn places(frame: &Dot11Frame) -> usize {
    match frame.radio.phy.is_he() {
        true => WINDOW_OF_AX,
        false => WINDOW,
    }
}
