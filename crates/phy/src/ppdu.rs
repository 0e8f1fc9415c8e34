//! Duration of PPDUs: preamble and PHY header, the data behind them, and the silence at the end.

use units::Duration;

use crate::format::{Format, GuardInterval};
use crate::mode::{Mode, ROWS};
use crate::modulation::Coding;
use crate::tx_vector::{Preamble, TxVector};

/// Headers before the MPDU in DSSS and CCK (IEEE 802.11-2007 §18.2.2.1, §18.2.2.2): the SYNC and
/// SFD fields, always at 1 Mbit/s, and the PLCP header.
pub(crate) struct Plcp {
    pub preamble_bits: u64,
    pub header_mode: Mode,
}

pub(crate) const HEADER_BITS: u64 = 48;

const LONG: Plcp = Plcp {
    preamble_bits: 144,
    header_mode: Mode::DSSS_1,
};

const SHORT: Plcp = Plcp {
    preamble_bits: 72,
    header_mode: Mode::DSSS_2,
};

impl Plcp {
    pub const fn of(preamble: Preamble) -> Plcp {
        match preamble {
            Preamble::Long => LONG,
            Preamble::Short => SHORT,
        }
    }

    /// The preamble alone: a microsecond a bit.
    pub const fn preamble_nanos(&self) -> u64 {
        self.preamble_bits * 1_000
    }

    const fn nanos(&self) -> u64 {
        self.preamble_nanos() + HEADER_BITS * 2_000 / self.header_mode.half_mbps()
    }
}

/// OFDM: training symbols, then the SIGNAL symbol (IEEE 802.11-2007 Table 17-4). What came later
/// begins with the same.
pub(crate) const TRAINING_NANOS: u64 = 16_000;
pub(crate) const SYMBOL_NANOS: u64 = 4_000;

/// Signal fields of later formats behind those: HT-SIG, VHT-SIG-A (IEEE 802.11-2020, 19.3.2,
/// 21.3.4); RL-SIG and HE-SIG-A (IEEE 802.11ax-2021, 27.3.4).
pub(crate) const SIG_NANOS: u64 = 8_000;
pub(crate) const RL_SIG_NANOS: u64 = 4_000;

/// The short training field of later formats, and VHT-SIG-B behind the long ones.
const STF_NANOS: u64 = 4_000;
pub(crate) const SIG_B_NANOS: u64 = 4_000;

/// Long training fields by space-time streams, from none (IEEE 802.11-2020, Tables 19-13, 21-13;
/// IEEE 802.11ax-2021, 27.3.11.10). More than eight streams there are not.
const TRAINING_FIELDS: [u64; 9] = [0, 1, 2, 4, 4, 6, 6, 8, 8];

/// Bits around the PSDU in the DATA field: SERVICE before it and the tail of the convolutional
/// code behind it, for each encoder (IEEE 802.11-2007 §17.3.5.1, §17.3.5.2).
const SERVICE_BITS: u64 = 16;
const TAIL_BITS: u64 = 6;

/// Duration of the silence that belongs to frames of OFDM at 2.4 GHz, so that a SIFS of 10 µs
/// lets a decoder finish as the 16 µs of 5 GHz do (IEEE 802.11-2007 §19.3.2.3).
const EXTENSION_NANOS: u64 = 6_000;

/// The longest PPDU of 802.11n with a mixed preamble, of 802.11ac and of 802.11ax (aPPDUMaxTime of
/// IEEE 802.11-2020, Tables 19-25 and 21-28): as long as the LENGTH field of its L-SIG can say.
pub const LONGEST_PPDU: Duration = Duration::from_micros(5_484);

/// The longest PSDU of any format (aPSDUMaxLength of IEEE 802.11ax-2021, Table 27-54).
pub const LONGEST_PSDU: u32 = 6_500_631;

impl TxVector {
    /// Returns how long a PPDU with a PSDU of so many bytes occupies the air.
    ///
    /// In DSSS and CCK the PLCP LENGTH field counts the payload in whole microseconds, rounded up
    /// (IEEE 802.11-2007 §18.2.3.5), and that is how long the PPDU lasts (§18.3.4). OFDM sends whole
    /// symbols (§17.4.3, §19.8.3.1).
    #[inline]
    pub const fn duration(self, psdu_bytes: u32) -> Duration {
        match Timing::of_legacy(self.mode) {
            Some(timing) => {
                let around = timing.nanos_around[self.preamble as usize];
                Duration::from_nanos(around + timing.data_nanos(psdu_bytes))
            }
            None => self.later_duration(psdu_bytes),
        }
    }

    /// Returns how long its preamble and PHY header last.
    #[inline]
    pub const fn plcp_duration(self) -> Duration {
        match PLCP_NANOS[self.mode.row() % ROWS][self.preamble as usize] {
            0 => self.later_plcp_duration(),
            nanos => Duration::from_nanos(nanos as u64),
        }
    }

    /// Returns how long the PSDU lasts behind them.
    #[inline]
    pub const fn data_duration(self, psdu_bytes: u32) -> Duration {
        match Timing::of_legacy(self.mode) {
            Some(timing) => Duration::from_nanos(timing.data_nanos(psdu_bytes)),
            None => self.later_data_duration(psdu_bytes),
        }
    }

    /// Returns how long nothing is sent at its end while it still occupies the air.
    #[inline]
    pub const fn extension(self) -> Duration {
        Duration::from_nanos(if self.signal_extension {
            EXTENSION_NANOS
        } else {
            0
        })
    }

    /// The longest PSDU with which a PPDU of a format from 802.11n on lasts no longer than this; none
    /// if not even an empty one does.
    pub const fn longest_psdu(self, within: Duration) -> u32 {
        let around = self.later_plcp_duration().as_nanos() + self.extension().as_nanos();
        let Some(nanos) = within.as_nanos().checked_sub(around) else {
            return 0;
        };
        let besides = SERVICE_BITS + TAIL_BITS * self.encoders();
        let mut symbols = nanos / self.mode.symbol_nanos();
        while symbols > 0 {
            let bytes = (symbols * self.mode.data_bits()).saturating_sub(besides) / 8;
            // One that ends on whole symbols of 4 µs leaves less room.
            if self.later_duration(bytes as u32).as_nanos() <= within.as_nanos() {
                return bytes as u32;
            }
            symbols -= 1;
        }
        0
    }

    #[inline(never)]
    const fn later_duration(self, psdu_bytes: u32) -> Duration {
        let [plcp, data] = [
            self.later_plcp_duration(),
            self.later_data_duration(psdu_bytes),
        ];
        Duration::from_nanos(plcp.as_nanos() + data.as_nanos() + self.extension().as_nanos())
    }

    #[inline(never)]
    const fn later_plcp_duration(self) -> Duration {
        let signalled = TRAINING_NANOS + SYMBOL_NANOS + SIG_NANOS;
        let training = self.training_nanos();
        Duration::from_nanos(match self.mode.format() {
            Format::Dsss | Format::ErpOfdm | Format::Ofdm => unreachable!(),
            Format::HtMixed => signalled + STF_NANOS + training,
            // Its short training field is as long as the legacy one; the first long one is twice as
            // long as the others, and stands before HT-SIG.
            Format::HtGreenfield => TRAINING_NANOS + SIG_NANOS + training - SYMBOL_NANOS,
            Format::Vht => signalled + STF_NANOS + training + SIG_B_NANOS,
            Format::He => signalled + RL_SIG_NANOS + STF_NANOS + training,
        })
    }

    /// The long training fields of formats from 802.11n on. Those of 802.11ax are half as long as a
    /// symbol, or with the longest guard interval as long as one. [inferred: of the lengths that
    /// IEEE 802.11ax-2021, 27.3.11.10 knows, those that every device has]
    const fn training_nanos(self) -> u64 {
        let streams = self.space_time_streams() as usize;
        let most = TRAINING_FIELDS.len() - 1;
        let fields = TRAINING_FIELDS[if streams > most { most } else { streams }];
        let each = match (self.mode.format(), self.mode.guard_interval()) {
            (Format::He, GuardInterval::Ns3200) => 12_800 + 3_200,
            (Format::He, interval) => 6_400 + interval.nanos(),
            _ => SYMBOL_NANOS,
        };
        fields * each
    }

    #[inline(never)]
    const fn later_data_duration(self, psdu_bytes: u32) -> Duration {
        let tail = TAIL_BITS * self.encoders();
        let bits = SERVICE_BITS + 8 * psdu_bytes as u64 + tail;
        // Space-time block codes send two symbols at a time.
        let group = if self.stbc > 0 { 2 } else { 1 };
        let symbols = bits.div_ceil(group * self.mode.data_bits()) * group;
        let nanos = symbols * self.mode.symbol_nanos();
        let ends_on_whole = matches!(self.mode.format(), Format::HtMixed | Format::Vht);
        Duration::from_nanos(match ends_on_whole {
            // Stations before understand whole symbols of 4 µs (IEEE 802.11-2020, 19.4.3, 21.4.3).
            true => nanos.next_multiple_of(SYMBOL_NANOS),
            false => nanos,
        })
    }

    /// Returns how many encoders share the bits, each of which adds a tail: of 802.11n two above
    /// 300 Mbit/s (IEEE 802.11-2020, Table 19-27 and on), of 802.11ac one for each 540 Mbit/s, or
    /// 600 with the short guard interval (Table 21-30 and on), of 802.11ax one always. LDPC has no
    /// tail; the symbol that it adds at some lengths (19.3.11.7.5) is left out.
    const fn encoders(self) -> u64 {
        if matches!(self.coding, Coding::Ldpc) {
            return 0;
        }
        let mbps = 1_000_000;
        let rate = self.mode.rate().as_bps();
        match (self.mode.format(), self.mode.guard_interval()) {
            (Format::HtMixed | Format::HtGreenfield, _) => 1 + (rate > 300 * mbps) as u64,
            (Format::Vht, GuardInterval::Ns400) => rate.div_ceil(600 * mbps),
            (Format::Vht, _) => rate.div_ceil(540 * mbps),
            (Format::He | Format::Dsss | Format::ErpOfdm | Format::Ofdm, _) => 1,
        }
    }
}

/// Duration of a mode's frames. Asked for several times for every frame, so there is
/// neither a division nor a branch in it, and one is found by a shift.
#[repr(align(64))]
struct Timing {
    /// Preamble and PLCP header, by preamble.
    plcp: [Duration; 2],
    /// They and the signal extension.
    nanos_around: [u64; 2],
    /// Unit that the payload has a whole number of: a microsecond, or a symbol of OFDM.
    unit_nanos: u64,
    /// Number of half bits that fill a unit, as a reciprocal with `FRACTION_BITS` of fraction.
    /// Rounded up, it is exact up to [`LONGEST_PSDU`].
    units_per_half_bit: u64,
    /// Half bits around the PSDU, and those that make the division round up.
    half_bits_besides: u64,
}

const FRACTION_BITS: u32 = 36;

/// Rows of the formats before 802.11n, which come first.
const LEGACY_ROWS: usize = Mode::legacy(Format::HtMixed, 0).row();

static TIMINGS: [Timing; LEGACY_ROWS] = TIMINGS_OF_LEGACY;

const TIMINGS_OF_LEGACY: [Timing; LEGACY_ROWS] = {
    const LEGACY: [Format; 3] = [Format::Dsss, Format::ErpOfdm, Format::Ofdm];
    let mut timings = [const { Timing::of(Mode::DSSS_1) }; LEGACY_ROWS];
    let mut at = 0;
    while at < LEGACY.len() {
        let mut mcs = 0;
        while mcs < LEGACY[at].modulations().len() {
            let mode = Mode::legacy(LEGACY[at], mcs as u8);
            timings[mode.row()] = Timing::of(mode);
            mcs += 1;
        }
        at += 1;
    }
    timings
};

/// Preamble and PLCP header by format and MCS, and by preamble; nothing from 802.11n on, where they
/// depend on more. Asked for more often than the rest.
static PLCP_NANOS: [[u32; 2]; ROWS] = {
    let mut nanos = [[0; 2]; ROWS];
    let mut at = 0;
    while at < LEGACY_ROWS {
        let [long, short] = TIMINGS_OF_LEGACY[at].plcp;
        nanos[at] = [long.as_nanos() as u32, short.as_nanos() as u32];
        at += 1;
    }
    nanos
};

impl Timing {
    /// That of a format before 802.11n.
    #[inline]
    const fn of_legacy(mode: Mode) -> Option<&'static Timing> {
        let row = mode.row();
        if row < LEGACY_ROWS {
            Some(&TIMINGS[row])
        } else {
            None
        }
    }

    const fn of(mode: Mode) -> Timing {
        let vector = TxVector::of(mode, Preamble::Short);
        let (unit_nanos, besides, plcp) = match mode.is_ofdm() {
            false => {
                let short = Plcp::of(vector.preamble).nanos();
                (1_000, 0, [LONG.nanos(), short])
            }
            true => {
                let besides = 2 * (SERVICE_BITS + TAIL_BITS);
                let plcp = TRAINING_NANOS + SYMBOL_NANOS;
                (SYMBOL_NANOS, besides, [plcp, plcp])
            }
        };
        let extension = vector.extension().as_nanos();
        let half_bits_per_unit = mode.half_mbps() * unit_nanos / 1_000;
        Timing {
            plcp: [Duration::from_nanos(plcp[0]), Duration::from_nanos(plcp[1])],
            nanos_around: [plcp[0] + extension, plcp[1] + extension],
            unit_nanos,
            units_per_half_bit: (1_u64 << FRACTION_BITS).div_ceil(half_bits_per_unit),
            half_bits_besides: besides + half_bits_per_unit - 1,
        }
    }

    #[inline]
    const fn data_nanos(&self, psdu_bytes: u32) -> u64 {
        let half_bits = psdu_bytes as u64 * 16 + self.half_bits_besides;
        ((half_bits * self.units_per_half_bit) >> FRACTION_BITS) * self.unit_nanos
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::characteristics::DSSS_MODES;
    use crate::format::Width;

    fn micros(mode: Mode, preamble: Preamble, bytes: u32) -> u64 {
        let duration = TxVector::of(mode, preamble).duration(bytes);
        assert_eq!(
            duration.as_nanos() % 1000,
            0,
            "PPDUs last whole microseconds"
        );
        duration.as_micros()
    }

    /// What L-SIG says of a PPDU that lasts so long: bytes at 6 Mbit/s of symbols of 4 µs, 22 bits of
    /// which are none (IEEE 802.11-2020, equation 19-90 and 21.3.8.2.4).
    fn l_sig_length(lasts: Duration) -> u64 {
        3 * (lasts.as_micros() - 20).div_ceil(4) - 3
    }

    #[test]
    fn the_longest_ppdu_is_the_longest_that_l_sig_can_announce() {
        assert_eq!(l_sig_length(LONGEST_PPDU), 4095);
        assert!(l_sig_length(LONGEST_PPDU + Duration::from_micros(4)) > 4095);
    }

    #[test]
    fn the_longest_psdu_just_fits() {
        use Format::{He, HtMixed, Vht};
        use GuardInterval::{Ns400, Ns800};
        use Width::{Mhz20, Mhz40, Mhz80};
        for (format, mcs, width, interval) in [
            (HtMixed, 7, Mhz20, Ns400),
            (HtMixed, 0, Mhz40, Ns800),
            (Vht, 9, Mhz80, Ns400),
            (He, 11, Mhz80, Ns800),
        ] {
            let mode = Mode::new(format, mcs, 1, width, interval);
            let vector = TxVector::of(mode, Preamble::Long);
            let bytes = vector.longest_psdu(LONGEST_PPDU);
            assert!(vector.duration(bytes) <= LONGEST_PPDU, "{}", mode.name());
            assert!(vector.duration(bytes + 1) > LONGEST_PPDU, "{}", mode.name());
        }
        let slow = TxVector::of(Mode::ht(0, Mhz20, Ns800), Preamble::Long);
        assert_eq!(slow.longest_psdu(Duration::from_micros(36)), 0);
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
                let plcp = if mode == Mode::DSSS_1 { 192 } else { 96 };
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
        assert_eq!(lasts(Mode::DSSS_1), [12480, 800, 304]);
        assert_eq!(lasts(Mode::CCK_11), [1310, 248, 203]);
        assert_eq!(lasts(Mode::OFDM_54), [248, 32, 24]);
        assert_eq!(
            lasts(Mode::ERP_54),
            [254, 38, 30],
            "with the signal extension"
        );
    }

    #[test]
    fn ofdm_frames_last_whole_symbols() {
        // A full segment and the ACK that answers it, at 6, 12 and 24 Mbit/s.
        let table = [
            (Mode::ERP_6, 2078, Mode::ERP_6, 50),
            (Mode::ERP_12, 1054, Mode::ERP_12, 38),
            (Mode::ERP_24, 542, Mode::ERP_24, 34),
            (Mode::ERP_36, 370, Mode::ERP_24, 34),
            (Mode::ERP_48, 286, Mode::ERP_24, 34),
            (Mode::ERP_54, 254, Mode::ERP_24, 34),
        ];
        for (data, data_lasts, ack, ack_lasts) in table {
            assert_eq!(micros(data, Preamble::Long, 1536), data_lasts, "{data}");
            assert_eq!(micros(ack, Preamble::Long, 14), ack_lasts, "{ack}");
        }
    }

    #[test]
    fn every_length_lasts_what_a_division_gives() {
        for mode in Mode::all_legacy() {
            let vector = TxVector::of(mode, Preamble::Long);
            let (unit, besides) = match mode.format() {
                Format::Dsss => (1, 0),
                _ => (4, 44),
            };
            let around = vector.plcp_duration() + vector.extension();
            for bytes in (0..=65_535).chain(6_500_000..=6_500_631) {
                let half_bits = u64::from(bytes) * 16 + besides;
                let units = half_bits.div_ceil(mode.half_mbps() * unit);
                let expected = around + Duration::from_micros(units * unit);
                assert_eq!(vector.duration(bytes), expected, "{mode}, {bytes}");
            }
        }
    }

    use GuardInterval::{Ns400, Ns800, Ns1600, Ns3200};
    use Width::{Mhz20, Mhz40, Mhz80};

    /// A vector of 802.11n or later.
    fn later(format: Format, mcs: u8, streams: u8, width: Width, gi: GuardInterval) -> TxVector {
        let mode = Mode::new(format, mcs, streams, width, gi);
        TxVector::of(mode, Preamble::Long)
    }

    /// IEEE 802.11-2020, 19.3.2 and 21.3.4; IEEE 802.11ax-2021, 27.3.4.
    #[test]
    fn preambles_grow_with_the_streams() {
        let micros = |format, interval| {
            let lasts = |streams| later(format, 0, streams, Mhz20, interval).plcp_duration();
            [1, 2, 3, 4, 5, 6, 7, 8].map(|streams| lasts(streams).as_nanos() as f64 / 1e3)
        };
        let ht = [36.0, 40.0, 48.0, 48.0];
        assert_eq!(micros(Format::HtMixed, Ns800)[..4], ht);
        let greenfield = [24.0, 28.0, 36.0, 36.0];
        assert_eq!(micros(Format::HtGreenfield, Ns800)[..4], greenfield);
        let vht = [40.0, 44.0, 52.0, 52.0, 60.0, 60.0, 68.0, 68.0];
        assert_eq!(micros(Format::Vht, Ns800), vht);
        assert_eq!(micros(Format::He, Ns800)[..3], [43.2, 50.4, 64.8]);
        assert_eq!(micros(Format::He, Ns1600)[..3], [44.0, 52.0, 68.0]);
        assert_eq!(micros(Format::He, Ns3200)[..3], [52.0, 68.0, 100.0]);
    }

    /// 1500 octets of IP behind LLC and a header of QoS data. Of the second: 12,326 bits in symbols
    /// of 260 are 48, of 3.6 µs each, hence 176 µs in whole ones of 4 µs, behind 36. Of the last but
    /// one: 12,320 bits in symbols of 8166 are two, of 13.6 µs each, behind 43.2.
    #[test]
    fn an_mpdu_of_1538_octets_lasts_as_the_standards_sums_say() {
        let lasts = [
            (later(Format::HtMixed, 0, 1, Mhz20, Ns800), 1936.0),
            (later(Format::HtMixed, 7, 1, Mhz20, Ns400), 212.0),
            (later(Format::HtMixed, 7, 1, Mhz20, Ns800), 228.0),
            (later(Format::HtMixed, 7, 2, Mhz20, Ns800), 136.0),
            (later(Format::HtMixed, 7, 2, Mhz40, Ns400), 84.0),
            (later(Format::Vht, 8, 1, Mhz20, Ns800), 200.0),
            (later(Format::Vht, 9, 1, Mhz80, Ns800), 72.0),
            (later(Format::Vht, 9, 2, Mhz80, Ns400), 60.0),
            (later(Format::He, 0, 1, Mhz20, Ns800), 1484.8),
            (later(Format::He, 0, 1, Mhz20, Ns3200), 1748.0),
            (later(Format::He, 7, 1, Mhz20, Ns800), 192.8),
            (later(Format::He, 11, 1, Mhz20, Ns800), 138.4),
            (later(Format::He, 11, 1, Mhz80, Ns800), 70.4),
            (later(Format::He, 11, 2, Mhz80, Ns800), 64.0),
        ];
        for (vector, micros) in lasts {
            let nanos = |vector: TxVector| vector.duration(1538).as_nanos() as f64;
            assert_eq!(nanos(vector) / 1e3, micros, "{vector}");
            let at_2_4_ghz = nanos(vector.at_2_4_ghz()) / 1e3;
            assert_eq!(at_2_4_ghz, micros + 6.0, "{vector}, with the extension");
        }
    }

    /// What 5484 µs, the longest that L-SIG can announce, has room for: MPDUs of 1538 octets with a
    /// delimiter each and no padding behind the last.
    #[test]
    fn the_largest_aggregates_last_as_long_as_an_l_sig_can_tell() {
        let aggregate = |mpdus: u32| mpdus * 1544 - 2;
        let lasts = [
            (later(Format::HtMixed, 0, 1, Mhz20, Ns800), 2, 3840.0),
            (later(Format::HtMixed, 7, 1, Mhz20, Ns800), 28, 5360.0),
            (later(Format::HtMixed, 7, 2, Mhz20, Ns400), 42, 3636.0),
            (later(Format::HtMixed, 7, 2, Mhz40, Ns400), 42, 1772.0),
            (later(Format::Vht, 8, 1, Mhz20, Ns800), 34, 5428.0),
            (later(Format::Vht, 9, 1, Mhz80, Ns800), 64, 2068.0),
            (later(Format::He, 7, 1, Mhz20, Ns800), 37, 5360.8),
            (later(Format::He, 11, 1, Mhz80, Ns800), 64, 1362.4),
            (later(Format::He, 11, 2, Mhz80, Ns800), 256, 2688.8),
        ];
        for (vector, mpdus, micros) in lasts {
            let duration = vector.duration(aggregate(mpdus)).as_nanos() as f64;
            assert_eq!(duration / 1e3, micros, "{vector}");
        }
        // Whatever else fits in would be one MPDU more.
        for (vector, mpdus, _) in [lasts[1], lasts[4], lasts[6]] {
            assert!(vector.duration(aggregate(mpdus + 1)).as_micros() > 5484);
        }
    }

    #[test]
    fn a_space_time_code_sends_symbols_in_pairs() {
        let plain = later(Format::HtMixed, 7, 1, Mhz20, Ns800);
        let coded = TxVector { stbc: 1, ..plain };
        // An ACK of 134 bits in a symbol of 260; the second stream has a training field, too.
        assert_eq!(plain.duration(14).as_micros(), 36 + 4);
        assert_eq!(coded.duration(14).as_micros(), 40 + 8);
    }
}
