//! Error rates of DSSS and CCK in white Gaussian noise.
//!
//! The formulas are those of G. Pei and T. Henderson, "Validation of ns-3 802.11b PHY model"
//! (2009), after M. Pursley and T. Royster, "Properties and performance of the IEEE 802.11b
//! complementary-code-key signal sets", IEEE Transactions on Communications 57(2), 2009. The SINR
//! is taken over 22 MHz; energy per bit over noise density is 22 MHz / bit rate times that.

use core::f64::consts::{FRAC_1_SQRT_2, PI, SQRT_2};

/// DBPSK at 1 Mbit/s.
pub(super) fn dbpsk_bit_error_rate(sinr: f64) -> f64 {
    0.5 * libm::exp(-22.0 * sinr)
}

/// DQPSK at 2 Mbit/s: the usual approximation of the Marcum function, which grows without bound
/// where there is hardly any signal; no receiver is worse than guessing.
pub(super) fn dqpsk_bit_error_rate(sinr: f64) -> f64 {
    let x = 11.0 * sinr;
    let scale = (SQRT_2 + 1.0) / libm::sqrt(8.0 * PI * SQRT_2);
    (scale / libm::sqrt(x) * libm::exp(-(2.0 - SQRT_2) * x)).min(0.5)
}

/// CCK at 5.5 Mbit/s: a symbol of four bits is one of 16 biorthogonal words.
///
/// 2 × (22 MHz / 1.375 Msymbol/s) / 4 times the SINR.
pub(super) fn cck_5_5_symbol_error_rate(sinr: f64) -> f64 {
    biorthogonal_16_error_rate(8.0 * sinr)
}

/// CCK at 11 Mbit/s: a symbol of eight bits is two such choices, each with half the energy.
///
/// 4 × (22 MHz / 1.375 Msymbol/s) / 8 times the SINR.
pub(super) fn cck_11_symbol_error_rate(sinr: f64) -> f64 {
    let half = biorthogonal_16_error_rate(8.0 * sinr / 2.0);
    half * (2.0 - half)
}

/// The probability that a receiver mistakes one of 16 biorthogonal words (eight orthogonal words
/// and their negatives) whose decision variable has mean √(2e) and unit variance:
///
/// P₁₆(e) = 1 − ∫ from −√(2e) to ∞ of [2Φ(t + √(2e)) − 1]⁷ φ(t) dt
///
/// With x = t + √(2e) and the complement taken under the integral, which keeps small
/// probabilities exact: P₁₆ = Φ(−√(2e)) + ∫ from 0 to ∞ of (1 − [1 − 2Q(x)]⁷) φ(x − √(2e)) dx.
/// Integrated by Simpson's rule over `INTERVALS` steps up to where φ has vanished. The integrand
/// is smooth; halving the step changes the result by less than a millionth.
fn biorthogonal_16_error_rate(e: f64) -> f64 {
    let mean = libm::sqrt(2.0 * e);
    // The union bound on the 14 wrong orthogonal words, with Q(x) <= exp(-x²/2) / 2.
    if 7.0 * libm::exp(-e / 2.0) + q(mean) < super::NEGLIGIBLE {
        return 0.0;
    }
    let step = (mean + FAR) / INTERVALS as f64;
    let mut sum = 0.0;
    for i in 0..=INTERVALS {
        let weight = match i {
            0 | INTERVALS => 1.0,
            _ if i % 2 == 1 => 4.0,
            _ => 2.0,
        };
        let x = step * i as f64;
        let mistaken = -libm::expm1(7.0 * libm::log1p(-2.0 * q(x)));
        sum += weight * mistaken * phi(x - mean);
    }
    q(mean) + sum * step / 3.0
}

/// Steps of the integration; even, as Simpson's rule wants.
const INTERVALS: usize = 256;

/// Number of standard deviations beyond the mean to which the normal density is integrated: what
/// lies farther out weighs 1e-19.
const FAR: f64 = 9.0;

/// The standard normal density.
fn phi(x: f64) -> f64 {
    libm::exp(-0.5 * x * x) / libm::sqrt(2.0 * PI)
}

/// The standard normal tail, 1 − Φ(x).
fn q(x: f64) -> f64 {
    0.5 * libm::erfc(x * FRAC_1_SQRT_2)
}

#[cfg(test)]
mod tests {
    use units::Dbm;

    use crate::error_model::tests::never_hurts;
    use crate::error_model::{Curve, chunk_success};
    use crate::format::Format;
    use crate::mode::Mode;

    /// kT at 290 K in 22 MHz and a noise figure of 7 dB, with the Boltzmann constant that the
    /// published table was computed with (1.3803e-23 J/K); today's would be 0.001 dB higher.
    const NOISE: Dbm = Dbm(-93.55206);

    /// A 1024-byte payload with TCP/IP and MAC headers.
    const FRAME_BITS: f64 = (1024.0 + 40.0 + 14.0) * 8.0;

    fn frame_success(mode: Mode, received: f64) -> f64 {
        let sinr = Dbm(received).to_milliwatts().0 / NOISE.to_milliwatts().0;
        chunk_success(Curve::of_dsss(mode.modulation()), sinr, FRAME_BITS)
    }

    #[test]
    fn frame_success_agrees_with_the_published_table() {
        // Received power in dBm, success probability, half a unit of its last printed digit.
        let table = [
            (Mode::DSSS_1, -100.0, 1.46e-13, 5e-16),
            (Mode::DSSS_1, -99.0, 2.973e-4, 5e-8),
            (Mode::DSSS_1, -98.0, 0.20215, 5e-6),
            (Mode::DSSS_1, -97.0, 0.81324, 5e-6),
            (Mode::DSSS_1, -96.0, 0.98438, 5e-6),
            (Mode::DSSS_2, -95.0, 4.53e-6, 5e-9),
            (Mode::DSSS_2, -94.0, 0.03627, 5e-6),
            (Mode::DSSS_2, -93.0, 0.51880, 5e-6),
            (Mode::DSSS_2, -92.0, 0.91581, 5e-6),
            (Mode::DSSS_2, -91.0, 0.993, 5e-4),
            (Mode::CCK_5_5, -92.0, 1.006e-4, 5e-8),
            (Mode::CCK_5_5, -91.0, 0.13245, 5e-6),
            (Mode::CCK_5_5, -90.0, 0.74361, 5e-6),
            (Mode::CCK_5_5, -89.0, 0.97409, 5e-6),
            (Mode::CCK_5_5, -88.0, 0.999, 5e-4),
            (Mode::CCK_11, -89.0, 8.852e-5, 5e-9),
            (Mode::CCK_11, -88.0, 0.12780, 5e-6),
            (Mode::CCK_11, -87.0, 0.73869, 5e-6),
            (Mode::CCK_11, -86.0, 0.97336, 5e-6),
            (Mode::CCK_11, -85.0, 0.999, 5e-4),
        ];
        for (mode, received, published, half_digit) in table {
            let success = frame_success(mode, received);
            let tolerance = half_digit + 1e-4 * published;
            assert!(
                (success - published).abs() < tolerance,
                "{mode}, {received} dBm: {success}"
            );
        }
    }

    #[test]
    fn a_full_frame_is_lost_once_in_ten_at_the_published_snr() {
        for (mode, snr_db, loss) in [
            (Mode::DSSS_1, -3.85, 0.5),
            (Mode::DSSS_1, -2.19, 0.01),
            (Mode::DSSS_2, 1.62, 0.1),
            (Mode::CCK_5_5, 4.14, 0.1),
            (Mode::CCK_11, 7.15, 0.1),
            (Mode::CCK_11, 8.01, 0.01),
        ] {
            let lost = |db: f64| {
                let sinr = libm::pow(10.0, db / 10.0);
                1.0 - chunk_success(Curve::of_dsss(mode.modulation()), sinr, 12_000.0)
            };
            // The SNR is printed to 0.01 dB.
            assert!(
                lost(snr_db - 0.01) > loss && lost(snr_db + 0.01) < loss,
                "{mode} {}",
                lost(snr_db)
            );
        }
    }

    #[test]
    fn no_signal_is_guessing_and_more_signal_never_hurts() {
        for modulation in Mode::all_of(Format::Dsss).map(Mode::modulation) {
            never_hurts(Curve::of_dsss(modulation));
        }
    }
}
