//! A reception under way: what a receiver is synchronised on, and how that goes.

use dot11::Frame;
use units::{Duration, Milliwatts, Time};

use crate::errors::{ErrorMemo, is_certain, sinr};
use crate::stations::Chance;

/// A reception under way.
///
/// A receiver stays with its frame to the end, even if it could not read the header: what
/// begins meanwhile is interference to it.
#[derive(Clone, Copy, Debug)]
pub struct Lock {
    /// The radio that sends the frame.
    pub on: usize,
    /// First bit of the frame.
    pub start: Time,
    /// Last bit of its PLCP header.
    pub header_at: Time,
    pub signal: Milliwatts,
    pub interference: Milliwatts,
    /// What emitters add to the receiver's noise.
    pub emitted: Milliwatts,
    /// Up to here, the bits are accounted for.
    settled: Time,
    /// Logarithms of the probabilities that preamble and header, and the MPDU, survive.
    ln_header: f64,
    ln_mpdu: f64,
}

/// What a receiver has made of a frame at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    /// All of it.
    Frame,
    /// Its PLCP header: the MAC was told of a frame, and then that it was damaged.
    Header,
    /// Energy.
    Noise,
}

/// The index of the MPDU among a frame's sections; what precedes it is preamble and header.
const MPDU: usize = 2;

/// The logarithm of 2⁻⁵³: draws are multiples of it, so what is less likely never happens.
const LN_SMALLEST_DRAW: f64 = -36.7;

impl Lock {
    /// A receiver turns to `frame`, which begins at `start`.
    #[inline]
    pub fn new(
        on: usize,
        frame: &Frame,
        start: Time,
        signal: Milliwatts,
        interference: Milliwatts,
    ) -> Self {
        Lock {
            on,
            start,
            header_at: start + frame.plcp_time(),
            signal,
            interference,
            emitted: Milliwatts::ZERO,
            settled: start,
            ln_header: 0.0,
            ln_mpdu: 0.0,
        }
    }

    /// The same under the power that emitters radiate into the receiver.
    #[inline]
    pub fn under(self, emitted: Milliwatts) -> Self {
        Lock { emitted, ..self }
    }

    /// Whether the receiver turns to a signal that begins now.
    ///
    /// One that has just begun to synchronise, within the time of a clear channel
    /// assessment, takes the stronger of the two: the correlator locks on the higher
    /// peak. Later on it stays with what it has.
    #[inline]
    pub fn yields_to(&self, now: Time, signal: Milliwatts, window: Duration) -> bool {
        now - self.start <= window && signal.0 > self.signal.0
    }

    /// Accounts for the bits received up to `now` under the interference so far.
    #[inline]
    pub fn settle(&mut self, now: Time, frame: &Frame, noise: Milliwatts, memo: &mut ErrorMemo) {
        let noise = noise + self.emitted;
        let since = std::mem::replace(&mut self.settled, now);
        if since != now && !self.is_certain(noise) {
            self.account(since, now, frame, noise, memo);
        }
    }

    fn account(
        &mut self,
        since: Time,
        now: Time,
        frame: &Frame,
        noise: Milliwatts,
        memo: &mut ErrorMemo,
    ) {
        let mut begin = self.start;
        for (index, section) in frame.sections().iter().enumerate() {
            let end = self.start + section.until;
            let overlap = now.min(end).saturating_since(since.max(begin));
            let ln_success = if index < MPDU {
                &mut self.ln_header
            } else {
                &mut self.ln_mpdu
            };
            if overlap != Duration::ZERO && *ln_success >= LN_SMALLEST_DRAW {
                let ratio = sinr(section.mode, self.signal, self.interference, noise);
                let share = overlap.as_nanos() as f64 / (end - begin).as_nanos() as f64;
                let bits = section.bits * share;
                *ln_success += bits * memo.ln_success_per_bit(section.mode, ratio);
            }
            begin = end;
        }
    }

    #[inline]
    fn is_certain(&self, noise: Milliwatts) -> bool {
        self.interference == Milliwatts::ZERO && is_certain(self.signal, noise)
    }

    /// What has been heard of the frame at its end, when all of it is accounted for. A draw
    /// is taken only where chance decides.
    #[inline]
    pub fn heard(&self, luck: &mut impl Chance) -> Heard {
        if !survives(self.ln_header, luck) {
            Heard::Noise
        } else if survives(self.ln_mpdu, luck) {
            Heard::Frame
        } else {
            Heard::Header
        }
    }
}

#[inline]
fn survives(ln_success: f64, luck: &mut impl Chance) -> bool {
    ln_success == 0.0 || (ln_success >= LN_SMALLEST_DRAW && luck.unit() < libm::exp(ln_success))
}
