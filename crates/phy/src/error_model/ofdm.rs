//! Error rates of OFDM in white Gaussian noise.
//!
//! The model of L. Miller, "Validation of 802.11a/UWB Coexistence Simulation" (NIST, 2003), in the
//! form of G. Pei and T. Henderson, "Validation of OFDM error rate model in ns-3" (2010): bit error
//! rates of the constellations with Gray coding, and the union bound on the events of the hard
//! deciding Viterbi decoder, each by its Chernoff bound. The distances are those of the code
//! (133, 171) of constraint length 7 and its punctured forms, after P. Frenger, P. Orten and
//! T. Ottosson, "Convolutional codes with optimum distance spectrum", IEEE Communications Letters
//! 3(11), 1999, and for the punctured ones D. Haccoun and G. Begin, "High-rate punctured
//! convolutional codes for Viterbi and sequential decoding", IEEE Transactions on Communications
//! 37(11), 1989. The SNR is taken over 20 MHz. The model knows neither soft decisions nor fading
//! within the band.

use crate::modulation::{CodeRate, Constellation};

/// Returns what is left of errors per bit behind the decoder.
pub(super) fn bit_error_rate(constellation: Constellation, code: CodeRate, snr: f64) -> f64 {
    let raw = raw_bit_error_rate(constellation, snr);
    // The bound grows without bound; no receiver is worse than guessing.
    union_bound(code, raw).min(0.5)
}

/// Bits of a carrier that are decided wrongly.
fn raw_bit_error_rate(constellation: Constellation, snr: f64) -> f64 {
    match constellation {
        Constellation::Bpsk => 0.5 * libm::erfc(libm::sqrt(snr)),
        Constellation::Qpsk => 0.5 * libm::erfc(libm::sqrt(snr / 2.0)),
        Constellation::Qam16 => square_qam(4.0, snr),
        Constellation::Qam64 => square_qam(8.0, snr),
        Constellation::Qam256 => square_qam(16.0, snr),
        Constellation::Qam1024 => square_qam(32.0, snr),
    }
}

/// Square quadrature amplitude modulation with `levels` amplitudes in each direction.
fn square_qam(levels: f64, snr: f64) -> f64 {
    let nearest = libm::sqrt(3.0 * snr / (2.0 * (levels * levels - 1.0)));
    (levels - 1.0) / (levels * libm::log2(levels)) * libm::erfc(nearest)
}

/// 1/(2k) times the sum over the distances d of c(d) D^d, with D = √(4p(1-p)) and k data bits in a
/// period of the puncturing.
fn union_bound(code: CodeRate, raw: f64) -> f64 {
    let spectrum = DistanceSpectrum::of(code);
    let factor = libm::sqrt(4.0 * raw * (1.0 - raw));
    let step = if spectrum.even_only {
        factor * factor
    } else {
        factor
    };
    let mut power = (0..spectrum.free_distance).fold(1.0, |power, _| power * factor);
    let mut sum = 0.0;
    for &bits in spectrum.bits {
        sum += bits * power;
        power *= step;
    }
    sum / (2.0 * spectrum.period_bits)
}

/// The bit errors on all paths of each distance that leave the right one in a period.
struct DistanceSpectrum {
    free_distance: i32,
    /// True if distances grow by two.
    even_only: bool,
    period_bits: f64,
    bits: &'static [f64],
}

impl DistanceSpectrum {
    const fn of(code: CodeRate) -> &'static DistanceSpectrum {
        match code {
            CodeRate::Half => &HALF,
            CodeRate::TwoThirds => &TWO_THIRDS,
            CodeRate::ThreeQuarters => &THREE_QUARTERS,
            CodeRate::FiveSixths => &FIVE_SIXTHS,
        }
    }
}

const HALF: DistanceSpectrum = DistanceSpectrum {
    free_distance: 10,
    even_only: true,
    period_bits: 1.0,
    bits: &[
        36.0,
        211.0,
        1_404.0,
        11_633.0,
        77_433.0,
        502_690.0,
        3_322_763.0,
        21_292_910.0,
        134_365_911.0,
    ],
};

const TWO_THIRDS: DistanceSpectrum = DistanceSpectrum {
    free_distance: 6,
    even_only: false,
    period_bits: 2.0,
    bits: &[
        3.0,
        70.0,
        285.0,
        1_276.0,
        6_160.0,
        27_128.0,
        117_019.0,
        498_860.0,
        2_103_891.0,
        8_784_123.0,
    ],
};

const THREE_QUARTERS: DistanceSpectrum = DistanceSpectrum {
    free_distance: 5,
    even_only: false,
    period_bits: 3.0,
    bits: &[
        42.0,
        201.0,
        1_492.0,
        10_469.0,
        62_935.0,
        379_644.0,
        2_253_373.0,
        13_073_811.0,
        75_152_755.0,
        428_005_675.0,
    ],
};

const FIVE_SIXTHS: DistanceSpectrum = DistanceSpectrum {
    free_distance: 4,
    even_only: false,
    period_bits: 5.0,
    bits: &[
        92.0,
        528.0,
        8_694.0,
        79_453.0,
        792_114.0,
        7_375_573.0,
        67_884_974.0,
        610_875_423.0,
        5_427_275_376.0,
        47_664_215_639.0,
    ],
};

#[cfg(test)]
mod tests {
    use crate::error_model::tests::never_hurts;
    use crate::error_model::{Curve, ErrorModel, chunk_success};
    use crate::format::Format;
    use crate::mode::Mode;
    use crate::modulation::{Coding, Modulation};

    fn nist(modulation: Modulation) -> Curve {
        Curve::of(modulation, Coding::Bcc, ErrorModel::Nist)
    }

    fn success(modulation: Modulation, snr_db: f64, bits: f64) -> f64 {
        chunk_success(nist(modulation), libm::pow(10.0, snr_db / 10.0), bits)
    }

    #[test]
    fn frame_success_agrees_with_the_published_table() {
        // 2000 bytes; success probability and half a unit of its last printed digit.
        let table = [
            (Mode::OFDM_6, 3.0, 0.0201, 5e-5),
            (Mode::OFDM_6, 4.0, 0.8852, 5e-5),
            (Mode::OFDM_6, 5.0, 0.9975, 5e-5),
            (Mode::OFDM_9, 6.0, 0.0969, 5e-5),
            (Mode::OFDM_9, 7.0, 0.9181, 5e-5),
            (Mode::OFDM_12, 6.0, 0.0174, 5e-5),
            (Mode::OFDM_12, 7.0, 0.8811, 5e-5),
            (Mode::OFDM_18, 9.5, 0.6234, 5e-5),
            (Mode::OFDM_24, 13.0, 0.4946, 5e-5),
            (Mode::OFDM_36, 15.5, 0.0120, 5e-5),
            (Mode::OFDM_36, 16.5, 0.8184, 5e-5),
            (Mode::OFDM_48, 20.0, 1.3e-4, 5e-6),
            (Mode::OFDM_48, 21.0, 0.6493, 5e-5),
            (Mode::OFDM_54, 22.0, 0.4105, 5e-5),
            (Mode::OFDM_54, 23.0, 0.9582, 5e-5),
        ];
        for (mode, snr_db, published, half_digit) in table {
            let found = success(mode.modulation(), snr_db, 16_000.0);
            assert!(
                (found - published).abs() < half_digit + 1e-4 * published,
                "{mode}, {snr_db} dB: {found} for {published}"
            );
        }
    }

    #[test]
    fn a_full_frame_is_lost_once_in_ten_at_the_published_snr() {
        for (mode, snr_db) in [
            (Mode::OFDM_6, 3.96),
            (Mode::OFDM_9, 6.85),
            (Mode::OFDM_12, 6.97),
            (Mode::OFDM_18, 9.86),
            (Mode::OFDM_24, 13.51),
            (Mode::OFDM_36, 16.61),
            (Mode::OFDM_48, 21.36),
            (Mode::OFDM_54, 22.62),
        ] {
            // The SNR is printed to 0.01 dB.
            let lost = |db: f64| 1.0 - success(mode.modulation(), db, 12_000.0);
            assert!(
                lost(snr_db - 0.01) > 0.1 && lost(snr_db + 0.01) < 0.1,
                "{mode}: {}",
                lost(snr_db)
            );
        }
    }

    #[test]
    fn an_ideal_receiver_betters_the_sensitivity_that_the_standard_asks_for() {
        // 1000 bytes, a tenth lost (IEEE 802.11-2007 Table 17-13), over noise of 7 dB in 20 MHz.
        const NOISE_DBM: f64 = -93.97;
        let asked = [-82.0, -81.0, -79.0, -77.0, -74.0, -70.0, -66.0, -65.0];
        for (mode, received) in Mode::all_of(Format::Ofdm).zip(asked) {
            assert!(
                success(mode.modulation(), received - NOISE_DBM - 5.0, 8_000.0) > 0.9,
                "{mode}"
            );
        }
    }

    /// SNR in dB at which 1500 octets are lost once in ten, of MCS 7 to 11 in the same model.
    #[test]
    fn modulations_of_later_formats_lose_a_full_frame_where_the_model_says() {
        let published = [23.79, 28.49, 29.70, 34.34, 35.59];
        for (&modulation, snr_db) in Format::He.modulations()[7..].iter().zip(published) {
            let lost = |db: f64| 1.0 - success(modulation, db, 12_000.0);
            assert!(
                lost(snr_db - 0.01) > 0.1 && lost(snr_db + 0.01) < 0.1,
                "{modulation:?}: {}",
                lost(snr_db)
            );
        }
    }

    #[test]
    fn no_signal_is_guessing_and_more_signal_never_hurts() {
        for &modulation in Format::Ofdm
            .modulations()
            .iter()
            .chain(Format::He.modulations())
        {
            never_hurts(nist(modulation));
        }
    }
}
