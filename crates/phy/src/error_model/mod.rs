//! Error models: the probability that a stretch of a frame arrives intact.
//!
//! A frame is judged in *chunks*, stretches during which modulation and interference do not change. A
//! chunk's success probability is the per-bit one to the power of its length, so the per-bit
//! logarithm ([`ln_success_per_bit`]) is what is worth remembering: it depends on a [`Curve`] and
//! SINR only and serves every length. All transcendental functions are `libm`'s, so that records agree
//! between machines.

mod curve;
mod dsss;
mod ofdm;
mod simulated;
mod simulated_curves;

pub use curve::{Curve, ErrorModel};
pub use simulated::{Fitted, TERMS, fitted};

use curve::CurveOrigin;

use crate::modulation::{Constellation, Modulation};

/// Below this probability of losing a symbol the loss counts as none: the longest frame is then
/// lost once in 10¹¹ times, far below anything a run can show, and the caller can skip the draw.
const NEGLIGIBLE: f64 = 1e-15;

/// From this signal to interference and noise ratio on, 30 dB, no modulation up to 64-QAM loses
/// anything worth counting: [`ln_success_per_bit`] is exactly zero.
pub const CERTAIN_SINR: f64 = 1e3;

/// The same for one modulation: beyond 64-QAM it is 43 dB.
pub const fn certain_sinr(modulation: Modulation) -> f64 {
    match modulation {
        Modulation::Ofdm(Constellation::Qam256 | Constellation::Qam1024, _) => 2e4,
        _ => CERTAIN_SINR,
    }
}

/// The natural logarithm of the probability that one bit arrives intact at the linear signal to
/// interference and noise ratio `sinr`, taken over 22 MHz of DSSS and CCK, and of OFDM over the width
/// of its channel. Exactly zero where the loss is negligible.
pub fn ln_success_per_bit(curve: Curve, sinr: f64) -> f64 {
    let (bits, symbol_error_rate) = match curve.source() {
        CurveOrigin::Dsss(Modulation::Dbpsk) => (1.0, dsss::dbpsk_bit_error_rate(sinr)),
        CurveOrigin::Dsss(Modulation::Dqpsk) => (1.0, dsss::dqpsk_bit_error_rate(sinr)),
        CurveOrigin::Dsss(Modulation::Cck4) => (4.0, dsss::cck_5_5_symbol_error_rate(sinr)),
        CurveOrigin::Dsss(_) => (8.0, dsss::cck_11_symbol_error_rate(sinr)),
        CurveOrigin::Nist(constellation, code) => {
            (1.0, ofdm::bit_error_rate(constellation, code, sinr))
        }
        CurveOrigin::Simulated(coding, constellation, code) => {
            let events = fitted(coding, constellation, code).events_per_bit(sinr);
            let is_certain = events < NEGLIGIBLE || sinr >= curve.certain_sinr();
            return if is_certain { 0.0 } else { -events };
        }
    };
    if symbol_error_rate < NEGLIGIBLE {
        0.0
    } else {
        libm::log1p(-symbol_error_rate) / bits
    }
}

/// The probability that `bits` bits in a row arrive intact. Exactly one where the loss is
/// negligible.
pub fn chunk_success(curve: Curve, sinr: f64, bits: f64) -> f64 {
    libm::exp(bits * ln_success_per_bit(curve, sinr))
}

/// The bit error rate; for CCK the one that would lose symbols as often, were bits independent.
pub fn bit_error_rate(curve: Curve, sinr: f64) -> f64 {
    -libm::expm1(ln_success_per_bit(curve, sinr))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::format::Format;
    use crate::mode::Mode;
    use crate::modulation::Coding;

    /// Without a signal every other bit is lost, and the more there is, the fewer.
    pub fn never_hurts(curve: Curve) {
        assert!((bit_error_rate(curve, 0.0) - 0.5).abs() < 1e-6, "{curve:?}");
        let mut last = f64::NEG_INFINITY;
        for tenth_of_db in -300..450 {
            let sinr = libm::pow(10.0, f64::from(tenth_of_db) / 100.0);
            let ln = ln_success_per_bit(curve, sinr);
            assert!(ln >= last && ln <= 0.0, "{curve:?} at {tenth_of_db}");
            last = ln;
        }
    }

    #[test]
    fn a_clearly_good_signal_is_certain() {
        for modulation in Mode::all_legacy().map(Mode::modulation) {
            for model in ErrorModel::ALL {
                let curve = Curve::of(modulation, Coding::Bcc, model);
                assert_eq!(ln_success_per_bit(curve, CERTAIN_SINR), 0.0);
                assert_eq!(chunk_success(curve, CERTAIN_SINR, 1e6), 1.0);
            }
        }
        for &modulation in Format::He.modulations() {
            for model in ErrorModel::ALL {
                for coding in [Coding::Bcc, Coding::Ldpc] {
                    let curve = Curve::of(modulation, coding, model);
                    let certain = certain_sinr(modulation);
                    assert_eq!(ln_success_per_bit(curve, certain), 0.0, "{curve:?}");
                }
            }
        }
    }
}
