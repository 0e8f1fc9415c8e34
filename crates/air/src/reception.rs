//! How much of a frame arrives intact, when its interference changes under way.

use phy::{Curve, Section};
use units::{Duration, Milliwatts, Time};

use crate::errors::{is_certain, ln_success_per_bit, sinr};
use crate::stations::ReceptionRandom;

/// What a receiver has made of a frame at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReceptionOutcome {
    /// Energy.
    Noise,
    /// Its PLCP header: the MAC was told of a frame, and then that it was damaged.
    Header,
    /// All of it.
    Frame,
}

impl ReceptionOutcome {
    /// How many there are: the length of a table with an entry for each.
    pub const COUNT: usize = 3;
}

/// A stretch of time with what radiates meanwhile, frames aside that is noise.
#[derive(Clone, Copy, Debug)]
pub struct Stretch {
    pub until: Time,
    pub interference: Milliwatts,
    pub noise: Milliwatts,
}

impl Stretch {
    pub fn new(until: Time, interference: Milliwatts, noise: Milliwatts) -> Stretch {
        Stretch {
            until,
            interference,
            noise,
        }
    }
}

/// The logarithm of 2⁻⁵³: draws are multiples of it, so what is less likely never happens.
const LN_SMALLEST_DRAW: f64 = -36.7;

/// The logarithms of the probabilities that the preamble and header of a frame survive, and its
/// MPDU, at a receiver; the latter is worked out when it is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Chances {
    pub ln_header: f64,
    ln_mpdu: Option<f64>,
}

impl Chances {
    /// Nothing errs.
    pub const CERTAIN: Chances = Chances {
        ln_header: 0.0,
        ln_mpdu: Some(0.0),
    };

    /// Those of a frame as a receiver has it.
    pub fn new(received: &ReceivedFrame<'_>) -> Chances {
        Chances {
            ln_header: received.ln_success(true),
            ln_mpdu: None,
        }
    }

    /// Returns whether nothing errs.
    pub fn is_certain(&self) -> bool {
        self.ln_header == 0.0 && self.ln_mpdu == Some(0.0)
    }

    /// Returns whether preamble and header have been heard.
    pub fn header_survives(&self, random: &mut impl ReceptionRandom) -> bool {
        survives(self.ln_header, random)
    }

    /// Returns what has been heard. A draw is taken only where chance decides.
    #[inline]
    pub fn heard(
        &mut self,
        received: impl Fn() -> f64,
        random: &mut impl ReceptionRandom,
    ) -> ReceptionOutcome {
        if !survives(self.ln_header, random) {
            return ReceptionOutcome::Noise;
        }
        let ln_mpdu = *self.ln_mpdu.get_or_insert_with(received);
        if survives(ln_mpdu, random) {
            ReceptionOutcome::Frame
        } else {
            ReceptionOutcome::Header
        }
    }
}

/// A frame of `sections`, the last one its MPDU, that began at `start`, as a receiver has it
/// through `stretches`.
#[derive(Clone, Copy, Debug)]
pub struct ReceivedFrame<'a> {
    pub sections: &'a [Section],
    pub start: Time,
    pub signal: Milliwatts,
    pub stretches: &'a [Stretch],
}

impl ReceivedFrame<'_> {
    /// The logarithm of the probability that preamble and header survive, or else the MPDU; of one
    /// that never happens, how seldom that is does not matter.
    pub fn ln_success(&self, of_header: bool) -> f64 {
        let mut ln_success = 0.0;
        let mpdu = self.sections.len() - 1;
        for (index, section) in self.sections.iter().enumerate() {
            if (index < mpdu) == of_header {
                ln_success += self.ln_success_of(section);
            }
        }
        ln_success
    }

    /// The same of a part of it.
    pub fn ln_success_of(&self, section: &Section) -> f64 {
        if let [stretch] = self.stretches {
            // It lasts as long as the frame.
            return section.bits * self.ln_success_per_bit(section.curve, stretch);
        }
        let [begin, end] = [section.from, section.until].map(|at| self.start + at);
        let mut ln_success = 0.0;
        let mut since = self.start;
        for stretch in self.stretches {
            if since >= end || ln_success < LN_SMALLEST_DRAW {
                break;
            }
            let overlap = stretch.until.min(end).saturating_since(since.max(begin));
            since = stretch.until;
            if overlap != Duration::ZERO {
                let bits = section.bits * share(overlap, end - begin);
                ln_success += bits * self.ln_success_per_bit(section.curve, stretch);
            }
        }
        ln_success
    }

    #[inline]
    fn ln_success_per_bit(&self, curve: Curve, stretch: &Stretch) -> f64 {
        let (interference, noise) = (stretch.interference, stretch.noise);
        if interference == Milliwatts::ZERO && is_certain(self.signal, noise) {
            return 0.0;
        }
        let ratio = sinr(curve, self.signal, interference, noise);
        ln_success_per_bit(curve, ratio)
    }
}

/// A part of a whole span.
#[inline]
pub fn share(part: Duration, whole: Duration) -> f64 {
    part.as_nanos() as f64 / whole.as_nanos() as f64
}

/// More than what is worked out in two ways differs by, and than the table of the error model
/// deviates over the longest frame.
const SAFE: f64 = 0.1;

/// Returns whether something of this probability or less surely never happens.
#[inline]
pub fn is_hopeless(ln_success: f64) -> bool {
    ln_success < LN_SMALLEST_DRAW - SAFE
}

/// Returns whether something of this probability may never happen.
#[inline]
pub fn may_be_hopeless(ln_success: f64) -> bool {
    ln_success < LN_SMALLEST_DRAW + SAFE
}

/// Returns whether something happens whose probability is less than one and lies between two, if
/// one draw can tell: within the least it is lucky, and beyond the greatest it is not.
#[inline]
pub fn by_a_draw(
    least: f64,
    most: impl FnOnce() -> f64,
    random: &mut impl ReceptionRandom,
) -> Option<bool> {
    if may_be_hopeless(least) {
        return None;
    }
    let draw = random.unit();
    match () {
        () if is_lucky(draw, least) => Some(true),
        () if !is_lucky(draw, most()) => Some(false),
        () => None,
    }
}

/// Returns whether something of this probability happens. A draw is taken only where chance
/// decides.
#[inline]
pub fn survives(ln_success: f64, random: &mut impl ReceptionRandom) -> bool {
    if ln_success == 0.0 {
        return true;
    }
    if ln_success < LN_SMALLEST_DRAW {
        return false;
    }
    is_lucky(random.unit(), ln_success)
}

/// Returns whether a draw is less than a probability.
#[inline]
fn is_lucky(draw: f64, ln_success: f64) -> bool {
    // Most are decided by a bound: 1 / exp(x) >= 1 + x + x²/2 for x >= 0.
    let x = -ln_success;
    draw * (1.0 + x + 0.5 * x * x) < 1.0 && draw < libm::exp(ln_success)
}
