//! Frames on the air: preamble, PLCP header and MPDU, and how long each lasts.

use units::{Db, Duration};

use crate::error_model::chunk_success;
use crate::mode::{Class, Mode, Preamble};

/// A stretch of a PPDU sent in one mode.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Section {
    /// How it is modulated.
    pub mode: Mode,
    /// When it ends, since the PPDU's first bit.
    pub until: Duration,
    /// How many bits it has.
    pub bits: f64,
}

/// What comes before the MPDU in DSSS and CCK (IEEE 802.11-2007 §18.2.2.1, §18.2.2.2): the SYNC and SFD fields,
/// always at 1 Mbit/s, and the PLCP header.
struct Plcp {
    preamble_bits: u64,
    header_mode: Mode,
}

const HEADER_BITS: u64 = 48;

const LONG: Plcp = Plcp {
    preamble_bits: 144,
    header_mode: Mode::Dsss1,
};

const SHORT: Plcp = Plcp {
    preamble_bits: 72,
    header_mode: Mode::Dsss2,
};

impl Plcp {
    const fn of(preamble: Preamble) -> Plcp {
        match preamble {
            Preamble::Long => LONG,
            Preamble::Short => SHORT,
        }
    }

    /// The preamble alone: a microsecond a bit.
    const fn preamble_micros(&self) -> u64 {
        self.preamble_bits
    }

    const fn micros(&self) -> u64 {
        self.preamble_micros() + HEADER_BITS * 2 / self.header_mode.half_mbps()
    }
}

/// How long a preamble and the PLCP header behind it last: 192 µs, or 96 µs for the short one.
#[inline]
pub(crate) const fn plcp_length(preamble: Preamble) -> Duration {
    match preamble {
        Preamble::Long => const { Duration::from_micros(LONG.micros()) },
        Preamble::Short => const { Duration::from_micros(SHORT.micros()) },
    }
}

/// OFDM: training symbols of 16 µs, then the SIGNAL symbol (IEEE 802.11-2007 Table 17-4).
const OFDM_TRAINING_MICROS: u64 = 16;
const OFDM_SYMBOL_MICROS: u64 = 4;
pub(crate) const OFDM_PLCP: Duration =
    Duration::from_micros(OFDM_TRAINING_MICROS + OFDM_SYMBOL_MICROS);

/// Bits of the SIGNAL symbol (IEEE 802.11-2007 §17.3.4).
const SIGNAL_BITS: u64 = 24;

/// Bits around the MPDU in the DATA field: SERVICE before it and the tail of the convolutional
/// code behind it (IEEE 802.11-2007 §17.3.5.1, §17.3.5.2).
const SERVICE_AND_TAIL_BITS: u64 = 16 + 6;

/// Silence that belongs to an ERP-OFDM frame, so that a SIFS of 10 µs lets a decoder finish as
/// the 16 µs of 5 GHz do (IEEE 802.11-2007 §19.3.2.3).
pub(crate) const SIGNAL_EXTENSION: Duration = Duration::from_micros(6);

/// How long the preamble and PLCP header of a frame last.
#[inline]
pub const fn plcp_duration(mode: Mode, preamble: Preamble) -> Duration {
    TIMINGS[mode as usize].plcp[preamble as usize]
}

/// How long nothing is sent at the end of a frame while it still occupies the air.
#[inline]
pub(crate) const fn extension(mode: Mode) -> Duration {
    match mode.class() {
        Class::ErpOfdm => SIGNAL_EXTENSION,
        Class::Dsss | Class::Ofdm => Duration::ZERO,
    }
}

/// How long a frame of `mpdu_bytes` (header and FCS included) occupies the air.
///
/// In DSSS and CCK the PLCP LENGTH field counts the payload in whole microseconds, rounded up
/// (IEEE 802.11-2007 §18.2.3.5), and that is how long the PPDU lasts (§18.3.4). OFDM sends whole
/// symbols (§17.4.3, §19.8.3.1).
#[inline]
pub const fn ppdu_duration(mode: Mode, preamble: Preamble, mpdu_bytes: u16) -> Duration {
    let timing = &TIMINGS[mode as usize];
    let half_bits = mpdu_bytes as u64 * 16 + timing.half_bits_besides;
    let units = (half_bits * timing.units_per_half_bit) >> FRACTION_BITS;
    Duration::from_nanos(timing.nanos_around[preamble as usize] + units * timing.unit_nanos)
}

/// How long the frames of a mode last. Asked for several times for every frame, so there is
/// neither a division nor a branch in it.
struct Timing {
    /// Preamble and PLCP header, by preamble.
    plcp: [Duration; 2],
    /// They and the signal extension.
    nanos_around: [u64; 2],
    /// What the payload has a whole number of: a microsecond, or a symbol of OFDM.
    unit_nanos: u64,
    /// How many half bits fill a unit, as a reciprocal with `FRACTION_BITS` of fraction. Rounded
    /// up, it is exact for whatever an MPDU of 65,535 bytes has.
    units_per_half_bit: u64,
    /// Half bits around the MPDU, and those that make the division round up.
    half_bits_besides: u64,
}

const FRACTION_BITS: u32 = 36;

static TIMINGS: [Timing; Mode::COUNT] = {
    let mut timings = [const { Timing::of(Mode::Dsss1) }; Mode::COUNT];
    let mut index = 0;
    while index < Mode::COUNT {
        timings[index] = Timing::of(Mode::ALL[index]);
        index += 1;
    }
    timings
};

impl Timing {
    const fn of(mode: Mode) -> Timing {
        let (unit_micros, besides, plcp) = match mode.class() {
            Class::Dsss => {
                let long = plcp_length(mode.preamble(Preamble::Long));
                let short = plcp_length(mode.preamble(Preamble::Short));
                (1, 0, [long, short])
            }
            Class::ErpOfdm | Class::Ofdm => {
                let besides = 2 * SERVICE_AND_TAIL_BITS;
                (OFDM_SYMBOL_MICROS, besides, [OFDM_PLCP, OFDM_PLCP])
            }
        };
        let extension = extension(mode).as_nanos();
        let half_bits_per_unit = mode.half_mbps() * unit_micros;
        Timing {
            plcp,
            nanos_around: [
                plcp[0].as_nanos() + extension,
                plcp[1].as_nanos() + extension,
            ],
            unit_nanos: unit_micros * 1_000,
            units_per_half_bit: (1_u64 << FRACTION_BITS).div_ceil(half_bits_per_unit),
            half_bits_besides: besides + half_bits_per_unit - 1,
        }
    }
}

/// A PPDU by modulation: preamble, PLCP header, MPDU.
pub(crate) fn sections(mode: Mode, preamble: Preamble, mpdu_bytes: u16) -> [Section; 3] {
    match mode.class() {
        Class::Dsss => dsss_sections(mode, preamble, mpdu_bytes),
        Class::ErpOfdm => ofdm_sections(Mode::Erp6, mode, mpdu_bytes),
        Class::Ofdm => ofdm_sections(Mode::Ofdm6, mode, mpdu_bytes),
    }
}

/// The probability that a PPDU arrives whole at a ratio of signal to noise: preamble, PLCP header
/// and MPDU, each in its own modulation.
pub fn ppdu_success(mode: Mode, preamble: Preamble, mpdu_bytes: u16, snr: Db) -> f64 {
    let snr = libm::pow(10.0, snr.0 / 10.0);
    let parts = sections(mode, preamble, mpdu_bytes);
    let chances = parts
        .iter()
        .map(|part| chunk_success(part.mode, snr, part.bits));
    chances.product()
}

/// The training symbols carry no bits; SIGNAL is sent at 6 Mbit/s (IEEE 802.11-2007 §17.3.4).
fn ofdm_sections(header_mode: Mode, mode: Mode, mpdu_bytes: u16) -> [Section; 3] {
    let lasts = ppdu_duration(mode, Preamble::Long, mpdu_bytes);
    let sent = lasts.as_micros() - extension(mode).as_micros();
    [
        Section {
            mode: header_mode,
            until: Duration::from_micros(OFDM_TRAINING_MICROS),
            bits: 0.0,
        },
        Section {
            mode: header_mode,
            until: OFDM_PLCP,
            bits: SIGNAL_BITS as f64,
        },
        Section {
            mode,
            until: Duration::from_micros(sent),
            bits: f64::from(mpdu_bytes) * 8.0,
        },
    ]
}

fn dsss_sections(mode: Mode, preamble: Preamble, mpdu_bytes: u16) -> [Section; 3] {
    let preamble = mode.preamble(preamble);
    let plcp = Plcp::of(preamble);
    [
        Section {
            mode: Mode::Dsss1,
            until: Duration::from_micros(plcp.preamble_micros()),
            bits: plcp.preamble_bits as f64,
        },
        Section {
            mode: plcp.header_mode,
            until: plcp_length(preamble),
            bits: HEADER_BITS as f64,
        },
        Section {
            mode,
            until: ppdu_duration(mode, preamble, mpdu_bytes),
            bits: f64::from(mpdu_bytes) * 8.0,
        },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mode::DSSS_MODES;

    #[test]
    fn a_frame_of_1500_bytes_is_lost_at_the_published_ratios() {
        // SNR in dB for losses of 50, 10 and 1 %, after Pei and Henderson.
        for (mode, db, lost) in [
            (Mode::Dsss2, 0.70, 0.5),
            (Mode::Cck5_5, 4.14, 0.1),
            (Mode::Cck11, 6.31, 0.5),
            (Mode::Cck11, 8.01, 0.01),
        ] {
            let success = ppdu_success(mode, Preamble::Long, 1500, Db(db));
            assert!(
                (1.0 - success - lost).abs() < 0.02 * lost + 1e-3,
                "{mode} {success}"
            );
        }
    }

    fn micros(mode: Mode, preamble: Preamble, bytes: u16) -> u64 {
        let duration = ppdu_duration(mode, preamble, bytes);
        assert_eq!(
            duration.as_nanos() % 1000,
            0,
            "PPDUs last whole microseconds"
        );
        duration.as_micros()
    }

    #[test]
    fn payloads_last_as_the_standards_table_says() {
        // IEEE 802.11-2007 Table 18-2, extended to the other rates.
        let table = [
            (1023, [8184, 4092, 1488, 744]),
            (1024, [8192, 4096, 1490, 745]),
            (1025, [8200, 4100, 1491, 746]),
            (1026, [8208, 4104, 1493, 747]),
        ];
        for (bytes, payloads) in table {
            for (&mode, payload) in DSSS_MODES.iter().zip(payloads) {
                assert_eq!(
                    micros(mode, Preamble::Long, bytes),
                    192 + payload,
                    "{mode} {bytes}"
                );
                let plcp = if mode == Mode::Dsss1 { 192 } else { 96 };
                assert_eq!(
                    micros(mode, Preamble::Short, bytes),
                    plcp + payload,
                    "{mode} {bytes}"
                );
            }
        }
    }

    #[test]
    fn the_frames_of_a_tcp_transfer_last_as_gast_computed() {
        // A full segment, a TCP ACK and a MAC ACK.
        let lasts = |mode| [1536, 76, 14].map(|bytes| micros(mode, Preamble::Long, bytes));
        assert_eq!(lasts(Mode::Dsss1), [12480, 800, 304]);
        assert_eq!(lasts(Mode::Cck11), [1310, 248, 203]);
        assert_eq!(lasts(Mode::Ofdm54), [248, 32, 24]);
        assert_eq!(
            lasts(Mode::Erp54),
            [254, 38, 30],
            "with the signal extension"
        );
    }

    #[test]
    fn ofdm_frames_last_whole_symbols() {
        // A full segment and the ACK that answers it, at 6, 12 and 24 Mbit/s.
        let table = [
            (Mode::Erp6, 2078, Mode::Erp6, 50),
            (Mode::Erp12, 1054, Mode::Erp12, 38),
            (Mode::Erp24, 542, Mode::Erp24, 34),
            (Mode::Erp36, 370, Mode::Erp24, 34),
            (Mode::Erp48, 286, Mode::Erp24, 34),
            (Mode::Erp54, 254, Mode::Erp24, 34),
        ];
        for (data, data_lasts, ack, ack_lasts) in table {
            assert_eq!(micros(data, Preamble::Long, 1536), data_lasts, "{data}");
            assert_eq!(micros(ack, Preamble::Long, 14), ack_lasts, "{ack}");
        }
    }

    #[test]
    fn every_length_lasts_what_a_division_gives() {
        for mode in Mode::ALL {
            let (unit, besides) = match mode.class() {
                Class::Dsss => (1, 0),
                Class::ErpOfdm | Class::Ofdm => (4, 44),
            };
            let around = plcp_duration(mode, Preamble::Long) + extension(mode);
            for bytes in 0..=u16::MAX {
                let half_bits = u64::from(bytes) * 16 + besides;
                let units = half_bits.div_ceil(mode.half_mbps() * unit);
                let expected = around + Duration::from_micros(units * unit);
                assert_eq!(
                    ppdu_duration(mode, Preamble::Long, bytes),
                    expected,
                    "{mode}, {bytes}"
                );
            }
        }
    }

    #[test]
    fn nothing_is_sent_in_the_signal_extension() {
        let parts = sections(Mode::Erp54, Preamble::Short, 1536);
        let ends = parts.map(|part| (part.mode, part.until.as_micros(), part.bits));
        let expected = [
            (Mode::Erp6, 16, 0.0),
            (Mode::Erp6, 20, 24.0),
            (Mode::Erp54, 248, 12_288.0),
        ];
        assert_eq!(ends, expected);
    }

    #[test]
    fn a_short_preamble_takes_its_header_at_2_mbit_s() {
        let parts = |mode, preamble| {
            sections(mode, preamble, 14).map(|part| (part.mode, part.until.as_micros(), part.bits))
        };
        let long = [
            (Mode::Dsss1, 144, 144.0),
            (Mode::Dsss1, 192, 48.0),
            (Mode::Dsss2, 248, 112.0),
        ];
        assert_eq!(parts(Mode::Dsss2, Preamble::Long), long);
        let short = [
            (Mode::Dsss1, 72, 72.0),
            (Mode::Dsss2, 96, 48.0),
            (Mode::Dsss2, 152, 112.0),
        ];
        assert_eq!(parts(Mode::Dsss2, Preamble::Short), short);
        assert_eq!(
            parts(Mode::Dsss1, Preamble::Short)[1],
            (Mode::Dsss1, 192, 48.0),
            "1 Mbit/s has the long one only"
        );
    }
}
