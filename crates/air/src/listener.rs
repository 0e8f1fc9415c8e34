//! One radio's receiver: what it is synchronised on, and how that goes.

use dot11::Frame;
use dot11::error_model::CERTAIN_SINR;
use units::{Duration, Milliwatts, Time};

use crate::errors::{ErrorMemo, sections, sinr};
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

impl Listener {
    /// Whether the receiver turns to a signal that begins now.
    ///
    /// A receiver that is free does. One that has just begun to synchronise, within
    /// the time of a clear channel assessment, takes the stronger of the two: the
    /// correlator locks on the higher peak. Later on it stays with what it has.
    #[inline]
    pub fn may_lock(&self, now: Time, signal: Milliwatts, window: Duration) -> bool {
        let weaker = |lock: &Lock| now - lock.start <= window && signal.0 > lock.signal.0;
        !self.transmitting && self.lock.as_ref().is_none_or(weaker)
    }
}

impl Lock {
    pub fn new(
        on: TransmissionId,
        now: Time,
        signal: Milliwatts,
        interference: Milliwatts,
    ) -> Self {
        Lock {
            on,
            start: now,
            signal,
            interference,
            settled: now,
            ln_success: 0.0,
        }
    }

    /// Accounts for the bits received up to `now` under the interference so far.
    #[inline]
    pub fn settle(&mut self, now: Time, frame: &Frame, noise: Milliwatts, memo: &mut ErrorMemo) {
        let since = std::mem::replace(&mut self.settled, now);
        if since != now && !self.is_certain(noise) && !self.is_hopeless() {
            self.account(since, now, frame, noise, memo);
        }
    }

    /// Sections are visited from the payload backwards: what is lost there is lost.
    fn account(
        &mut self,
        since: Time,
        now: Time,
        frame: &Frame,
        noise: Milliwatts,
        memo: &mut ErrorMemo,
    ) {
        let sections = sections(frame);
        for (index, section) in sections.iter().enumerate().rev() {
            let begin = if index == 0 {
                Duration::ZERO
            } else {
                sections[index - 1].until
            };
            let overlap = now
                .min(self.start + section.until)
                .saturating_since(since.max(self.start + begin));
            if overlap == Duration::ZERO {
                continue;
            }
            let ratio = sinr(section.mode, self.signal, self.interference, noise);
            let share = overlap.as_nanos() as f64 / (section.until - begin).as_nanos() as f64;
            self.ln_success += section.bits * share * memo.ln_success_per_bit(section.mode, ratio);
            if self.is_hopeless() {
                return;
            }
        }
    }

    /// Nothing interferes and the signal is so far above the noise that no mode errs.
    #[inline]
    fn is_certain(&self, noise: Milliwatts) -> bool {
        self.interference == Milliwatts::ZERO && self.signal.0 >= CERTAIN_SINR * noise.0
    }

    /// Success is less likely than the smallest draw.
    #[inline]
    fn is_hopeless(&self) -> bool {
        const LN_SMALLEST_DRAW: f64 = -37.0; // draws are multiples of 2⁻⁵³
        self.ln_success < LN_SMALLEST_DRAW
    }

    /// The probability that every bit settled so far survived.
    pub fn success(&self) -> f64 {
        if self.ln_success == 0.0 {
            1.0
        } else if self.is_hopeless() {
            0.0
        } else {
            libm::exp(self.ln_success)
        }
    }
}
