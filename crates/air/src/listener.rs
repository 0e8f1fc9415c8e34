//! One radio's receiver: what it is synchronised on, and how that goes.

use units::{Milliwatts, Time};

use crate::errors::{ErrorMemo, Section, sinr};
use crate::medium::TransmissionId;

/// The receiving side of one radio.
#[derive(Clone, Debug)]
pub struct Listener {
    /// Transmissions sensed now, the radio's own included.
    pub carriers: u16,
    pub transmitting: bool,
    /// Whether every reception is reported, whoever the frame is for.
    pub monitored: bool,
    /// Sum of all powers present, its own transmission aside.
    pub present: Milliwatts,
    pub lock: Option<Lock>,
}

/// A reception under way.
#[derive(Clone, Copy, Debug)]
pub struct Lock {
    pub on: TransmissionId,
    /// First bit of the frame.
    pub start: Time,
    pub signal: Milliwatts,
    pub interference: Milliwatts,
    /// Up to here, the bits are accounted for in `ln_success`.
    settled: Time,
    ln_success: f64,
}

impl Listener {
    pub const QUIET: Listener = Listener {
        carriers: 0,
        transmitting: false,
        monitored: false,
        present: Milliwatts::ZERO,
        lock: None,
    };
}

impl Lock {
    pub fn new(on: TransmissionId, now: Time, signal: Milliwatts, interference: Milliwatts) -> Self {
        Lock { on, start: now, signal, interference, settled: now, ln_success: 0.0 }
    }

    /// Accounts for the bits received up to `now` under the interference so far.
    pub fn settle(&mut self, now: Time, sections: &[Section; 3], noise: Milliwatts, memo: &mut ErrorMemo) {
        let mut from = self.start;
        for section in sections {
            let until = self.start + section.until;
            let overlap = now.min(until).saturating_since(from.max(self.settled));
            let length = until - from;
            from = until;
            if overlap.as_nanos() == 0 {
                continue;
            }
            let ratio = sinr(section.mode, self.signal, self.interference, noise);
            let share = overlap.as_nanos() as f64 / length.as_nanos() as f64;
            self.ln_success += section.bits * share * memo.ln_success_per_bit(section.mode, ratio);
        }
        self.settled = now;
    }

    /// The probability that every bit settled so far survived.
    pub fn success(&self) -> f64 {
        if self.ln_success == 0.0 { 1.0 } else { libm::exp(self.ln_success) }
    }
}
