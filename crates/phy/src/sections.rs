//! PPDUs by modulation: which bits are sent when and how.

use units::{Db, Duration};

use crate::error_model::{Curve, ErrorModel, chunk_success};
use crate::format::Format;
use crate::mode::Mode;
use crate::modulation::CodeRate::Half;
use crate::modulation::Constellation::Bpsk;
use crate::modulation::{Coding, Modulation};
use crate::ppdu::{
    HEADER_BITS, Plcp, RL_SIG_NANOS, SIG_B_NANOS, SIG_NANOS, SYMBOL_NANOS, TRAINING_NANOS,
};
use crate::tx_vector::TxVector;

/// A stretch of a PPDU sent in one modulation and code.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Section {
    /// Curve by which it errs.
    pub curve: Curve,
    /// Time when it begins, since the PPDU's first bit.
    pub from: Duration,
    /// Time when it ends.
    pub until: Duration,
    /// Number of its bits.
    pub bits: f64,
}

/// Bits of the SIGNAL symbol, and of the signal fields of later formats (IEEE 802.11-2007 §17.3.4;
/// IEEE 802.11-2020, 19.3.9.4.3, 21.3.8.3.3; IEEE 802.11ax-2021, 27.3.11.7).
const SIGNAL_BITS: u64 = 24;
const SIG_BITS: u64 = 48;
const HE_SIG_BITS: u64 = 52;

/// Bits of VHT-SIG-B by the width of the channel (IEEE 802.11-2020, 21.3.8.3.6).
const SIG_B_BITS: [u64; 4] = [26, 27, 29, 29];

/// Signal fields are sent as at 6 Mbit/s (IEEE 802.11-2007 §17.3.4).
const fn signal(model: ErrorModel) -> Curve {
    Curve::of(Modulation::Ofdm(Bpsk, Half), Coding::Bcc, model)
}

const fn section(curve: Curve, [from, until]: [u64; 2], bits: u64) -> Section {
    Section {
        curve,
        from: Duration::from_nanos(from),
        until: Duration::from_nanos(until),
        bits: bits as f64,
    }
}

impl TxVector {
    /// Preamble, PHY header and PSDU of so many bytes. Training symbols carry no bits.
    pub fn sections(self, psdu_bytes: u32, model: ErrorModel) -> [Section; 3] {
        let signalled = |nanos, bits| signalled(signal(model), nanos, bits);
        let header_ends = self.plcp_duration().as_nanos();
        let ends = header_ends + self.data_duration(psdu_bytes).as_nanos();
        let [first, header] = match self.mode.format() {
            Format::Dsss => self.dsss_header(header_ends),
            Format::ErpOfdm | Format::Ofdm => signalled(SYMBOL_NANOS, SIGNAL_BITS),
            Format::HtMixed => signalled(SYMBOL_NANOS + SIG_NANOS, SIGNAL_BITS + SIG_BITS),
            Format::HtGreenfield => signalled(SIG_NANOS, SIG_BITS),
            Format::Vht => self.vht_header(header_ends, model),
            Format::He => {
                let nanos = SYMBOL_NANOS + RL_SIG_NANOS + SIG_NANOS;
                signalled(nanos, 2 * SIGNAL_BITS + HE_SIG_BITS)
            }
        };
        let bits = 8 * u64::from(psdu_bytes);
        let data = section(self.curve(model), [header_ends, ends], bits);
        [first, header, data]
    }

    /// The probability that a PPDU arrives whole at a ratio of signal to noise, each section in its
    /// own modulation.
    pub fn success(self, psdu_bytes: u32, snr: Db, model: ErrorModel) -> f64 {
        let snr = libm::pow(10.0, snr.0 / 10.0);
        let sections = self.sections(psdu_bytes, model);
        let each = sections.iter();
        each.map(|section| chunk_success(section.curve, snr, section.bits))
            .product()
    }

    fn dsss_header(self, ends: u64) -> [Section; 2] {
        let plcp = Plcp::of(self.preamble);
        let turn = plcp.preamble_nanos();
        let [slow, header] =
            [Mode::DSSS_1, plcp.header_mode].map(|mode| Curve::of_dsss(mode.modulation()));
        [
            section(slow, [0, turn], plcp.preamble_bits),
            section(header, [turn, ends], HEADER_BITS),
        ]
    }

    /// VHT-SIG-B stands behind the training fields, right before the data.
    fn vht_header(self, ends: u64, model: ErrorModel) -> [Section; 2] {
        let curve = signal(model);
        let [_, before] = signalled(curve, SYMBOL_NANOS + SIG_NANOS, SIGNAL_BITS + SIG_BITS);
        let bits = SIG_B_BITS[self.mode.width() as usize];
        [before, section(curve, [ends - SIG_B_NANOS, ends], bits)]
    }
}

/// The training symbols that all OFDM begins with, and signal fields that last so long.
const fn signalled(curve: Curve, nanos: u64, bits: u64) -> [Section; 2] {
    [
        section(curve, [0, TRAINING_NANOS], 0),
        section(curve, [TRAINING_NANOS, TRAINING_NANOS + nanos], bits),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{GuardInterval, Width};
    use crate::tx_vector::Preamble;

    #[test]
    fn a_frame_of_1500_bytes_is_lost_at_the_published_ratios() {
        // SNR in dB for losses of 50, 10 and 1 %, after Pei and Henderson.
        for (mode, db, lost) in [
            (Mode::DSSS_2, 0.70, 0.5),
            (Mode::CCK_5_5, 4.14, 0.1),
            (Mode::CCK_11, 6.31, 0.5),
            (Mode::CCK_11, 8.01, 0.01),
        ] {
            let success =
                TxVector::of(mode, Preamble::Long).success(1500, Db(db), ErrorModel::Nist);
            assert!(
                (1.0 - success - lost).abs() < 0.02 * lost + 1e-3,
                "{mode} {success}"
            );
        }
    }

    /// Where each section ends, in microseconds, with its modulation and bits.
    fn parts(vector: TxVector, bytes: u32) -> [(Modulation, u64, f64); 3] {
        let sections = vector.sections(bytes, ErrorModel::Nist);
        sections.map(|part| (part.curve.modulation(), part.until.as_micros(), part.bits))
    }

    #[test]
    fn nothing_is_sent_in_the_signal_extension() {
        let expected = [
            (Mode::ERP_6.modulation(), 16, 0.0),
            (Mode::ERP_6.modulation(), 20, 24.0),
            (Mode::ERP_54.modulation(), 248, 12_288.0),
        ];
        assert_eq!(
            parts(TxVector::of(Mode::ERP_54, Preamble::Short), 1536),
            expected
        );
    }

    #[test]
    fn a_short_preamble_takes_its_header_at_2_mbit_s() {
        let of = |mode, preamble| parts(TxVector::of(mode, preamble), 14);
        let [slow, fast] = [Mode::DSSS_1, Mode::DSSS_2].map(Mode::modulation);
        let long = [(slow, 144, 144.0), (slow, 192, 48.0), (fast, 248, 112.0)];
        assert_eq!(of(Mode::DSSS_2, Preamble::Long), long);
        let short = [(slow, 72, 72.0), (fast, 96, 48.0), (fast, 152, 112.0)];
        assert_eq!(of(Mode::DSSS_2, Preamble::Short), short);
        assert_eq!(
            of(Mode::DSSS_1, Preamble::Short)[1],
            (slow, 192, 48.0),
            "1 Mbit/s has the long one only"
        );
    }

    #[test]
    fn signal_fields_stand_before_the_training_of_later_formats_and_sig_b_behind() {
        let vector = |format| {
            let mode = Mode::new(format, 7, 2, Width::Mhz40, GuardInterval::Ns800);
            TxVector::of(mode, Preamble::Long)
        };
        let micros = |format| {
            let sections = vector(format).sections(1538, ErrorModel::Nist);
            let span = |part: Section| [part.from, part.until].map(Duration::as_micros);
            sections.map(|part| (span(part), part.bits))
        };
        let ht = [([0, 16], 0.0), ([16, 28], 72.0), ([40, 88], 12_304.0)];
        assert_eq!(micros(Format::HtMixed), ht);
        let vht = [([16, 28], 72.0), ([40, 44], 27.0), ([44, 92], 12_304.0)];
        assert_eq!(micros(Format::Vht), vht);
    }
}
