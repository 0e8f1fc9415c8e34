//! Error rates of OFDM as a simulation of our own has them: soft decisions, an ideal estimate of the
//! channel, white Gaussian noise.
//!
//! The simulation is the crate `link`; [`super::simulated_curves`] holds what it says. Events that
//! damage a frame come independently of each other along it, so that one curve serves every length:
//! that is as good as exact for the convolutional code, and for LDPC it holds for frames of a codeword
//! and more. A frame that is shorter than a codeword of LDPC, and alone in its PPDU, errs more often
//! than the curve says, as it has a shorter code.
//!
//! The ratio of signal to noise is that of a carrier, and the same on all of them, so that no width
//! differs from another; it is taken to be that of the channel, although noise between the carriers
//! and around them does no harm, and an estimate of the channel has noise of its own.

use super::simulated_curves::{BCC, LDPC};
use crate::modulation::{CodeRate, Coding, Constellation};

/// Terms of the polynomial of a curve.
pub const TERMS: usize = 4;

/// A curve through what has been counted: by the ratio of signal to noise in decibels the logarithm
/// of how many events damage a bit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fitted {
    /// The lowest ratio at which has been counted.
    pub from_db: f64,
    /// The highest one.
    pub until_db: f64,
    /// Coefficients of powers of the ratio, which goes from −1 to 1 between these.
    pub terms: [f64; TERMS],
}

/// So many events damage a bit of noise alone, every other bit of which is wrong.
const GUESSING: f64 = core::f64::consts::LN_2;

impl Fitted {
    /// The logarithm of the number of events in a bit. Beyond where it has been counted it goes on
    /// straight: below, nearly every frame is lost anyway, and above, the true curve only falls more
    /// steeply.
    pub fn ln_events_per_bit(&self, snr_db: f64) -> f64 {
        let at = self.place(snr_db);
        let within = at.clamp(-1.0, 1.0);
        let (mut value, mut slope) = (0.0, 0.0);
        for term in self.terms.iter().rev() {
            slope = slope * within + value;
            value = value * within + term;
        }
        match at == within {
            true => value,
            false => value + slope * (at - within),
        }
    }

    /// Returns what each term is multiplied by, where has been counted.
    pub fn powers(&self, snr_db: f64) -> [f64; TERMS] {
        let at = self.place(snr_db);
        let mut power = 1.0;
        core::array::from_fn(|_| {
            let this = power;
            power *= at;
            this
        })
    }

    fn place(&self, snr_db: f64) -> f64 {
        (2.0 * snr_db - self.from_db - self.until_db) / (self.until_db - self.from_db)
    }

    /// Events in a bit at a linear ratio of signal to noise.
    pub(super) fn events_per_bit(&self, snr: f64) -> f64 {
        let ln = self.ln_events_per_bit(10.0 * libm::log10(snr));
        libm::exp(ln).min(GUESSING)
    }
}

/// The curve of a code and a modulation.
///
/// # Panics
///
/// If no format has the two together.
pub fn fitted(coding: Coding, constellation: Constellation, code: CodeRate) -> &'static Fitted {
    use CodeRate::{FiveSixths, Half, ThreeQuarters, TwoThirds};
    use Constellation::{Bpsk, Qam16, Qam64, Qam256, Qam1024, Qpsk};
    let mcs = match (constellation, code) {
        (Bpsk, Half) => 0,
        (Qpsk, Half) => 1,
        (Qpsk, ThreeQuarters) => 2,
        (Qam16, Half) => 3,
        (Qam16, ThreeQuarters) => 4,
        (Qam64, TwoThirds) => 5,
        (Qam64, ThreeQuarters) => 6,
        (Qam64, FiveSixths) => 7,
        (Qam256, ThreeQuarters) => 8,
        (Qam256, FiveSixths) => 9,
        (Qam1024, ThreeQuarters) => 10,
        (Qam1024, FiveSixths) => 11,
        // 9 Mbit/s of 802.11a and g.
        (Bpsk, ThreeQuarters) => 12,
        _ => panic!("no format has {constellation:?} at {code:?}"),
    };
    match coding {
        Coding::Bcc => &BCC[mcs],
        Coding::Ldpc => &LDPC[mcs],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error_model::tests::never_hurts;
    use crate::error_model::{Curve, ErrorModel, chunk_success};
    use crate::format::Format;
    use crate::modulation::Modulation;

    fn curve(modulation: Modulation, coding: Coding) -> Curve {
        Curve::of(modulation, coding, ErrorModel::LinkSimulation)
    }

    /// The ratio in decibels at which a part of frames of so many bits is lost.
    fn snr_db(curve: Curve, bits: f64, lost: f64) -> f64 {
        let [mut low, mut high] = [-10.0, 50.0];
        for _ in 0..50 {
            let middle = (low + high) / 2.0;
            let sinr = libm::pow(10.0, middle / 10.0);
            match 1.0 - chunk_success(curve, sinr, bits) > lost {
                true => low = middle,
                false => high = middle,
            }
        }
        low
    }

    /// An independent simulation of the same links (convolutional code, interleaver of 20 MHz, max-log
    /// soft bits, Viterbi's decoder), 1458 octets and 1200 frames a point: MCS 0 to 9.
    #[test]
    fn a_frame_is_lost_once_in_ten_where_another_simulation_says() {
        let hundredths = [69, 371, 628, 912, 1263, 1680, 1812, 1951, 2341, 2501];
        let other = hundredths.map(|hundredths| f64::from(hundredths) / 100.0);
        for (&modulation, other) in Format::Vht.modulations().iter().zip(other) {
            let found = snr_db(curve(modulation, Coding::Bcc), 11_664.0, 0.1);
            assert!(
                (found - other).abs() < 0.3,
                "{modulation:?}: {found} for {other}"
            );
        }
    }

    /// Curves of ns-3 (from another simulation of the convolutional code and of LDPC, whose receiver
    /// estimates the channel), 1500 octets.
    #[test]
    fn a_frame_is_lost_once_in_ten_near_where_ns_3_says() {
        const BCC: &[f64] = &[
            0.94, 3.95, 6.43, 9.71, 12.82, 17.05, 18.38, 19.64, 23.73, 25.16,
        ];
        const LDPC: &[f64] = &[
            -0.61, 2.40, 4.87, 7.92, 10.93, 15.13, 16.48, 17.99, 21.68, 23.48, 26.80, 28.89,
        ];
        let of = |coding, theirs: &'static [f64]| {
            let modulations = Format::He.modulations().iter().zip(theirs);
            modulations.map(move |(&modulation, &theirs)| (modulation, coding, theirs))
        };
        for (modulation, coding, theirs) in of(Coding::Bcc, BCC).chain(of(Coding::Ldpc, LDPC)) {
            let found = snr_db(curve(modulation, coding), 12_000.0, 0.1);
            let difference = found - theirs;
            assert!(
                (-0.8..0.2).contains(&difference),
                "{modulation:?} {coding:?}: {found} for {theirs}"
            );
        }
    }

    /// A tenth of 4096 octets lost, over the noise of 20 MHz and 7 dB (IEEE 802.11-2020, Tables 19-23
    /// and 21-25; IEEE 802.11ax-2021, Table 27-51). Wider channels have as much more of either.
    #[test]
    fn the_sensitivity_is_better_than_the_least_that_the_standard_asks_for() {
        const NOISE_DBM: f64 = -93.97;
        let asked = [
            -82.0, -79.0, -77.0, -74.0, -70.0, -66.0, -65.0, -64.0, -59.0, -57.0, -54.0, -52.0,
        ];
        for coding in [Coding::Bcc, Coding::Ldpc] {
            for (&modulation, asked) in Format::He.modulations().iter().zip(asked) {
                let sensitivity = NOISE_DBM + snr_db(curve(modulation, coding), 32_768.0, 0.1);
                let margin = asked - sensitivity;
                assert!(
                    (5.0..14.0).contains(&margin),
                    "{modulation:?} {coding:?}: {margin} dB"
                );
            }
        }
    }

    #[test]
    fn a_low_density_code_is_better_and_steeper() {
        for &modulation in Format::He.modulations() {
            let [bcc, ldpc] = [Coding::Bcc, Coding::Ldpc].map(|coding| {
                [0.5, 0.01].map(|lost| snr_db(curve(modulation, coding), 12_000.0, lost))
            });
            assert!(ldpc[0] < bcc[0] - 0.5, "{modulation:?}: {ldpc:?} {bcc:?}");
            assert!(
                ldpc[1] - ldpc[0] < 0.75 * (bcc[1] - bcc[0]),
                "{modulation:?}: {ldpc:?} {bcc:?}"
            );
        }
    }

    #[test]
    fn no_signal_is_guessing_and_more_signal_never_hurts() {
        for &modulation in Format::He
            .modulations()
            .iter()
            .chain(Format::Ofdm.modulations())
        {
            never_hurts(curve(modulation, Coding::Bcc));
        }
        for &modulation in Format::He.modulations() {
            never_hurts(curve(modulation, Coding::Ldpc));
        }
    }
}
