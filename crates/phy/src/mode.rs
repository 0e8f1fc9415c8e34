//! Modes: what gives a PPDU its rate.

use core::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use units::Rate;

use crate::format::{DSSS_RATES, Format, GuardInterval, OFDM_RATES, Width};
use crate::modulation::Modulation;

/// All of a PPDU that its rate depends on: format, modulation and coding, spatial streams, width of
/// the channel, guard interval.
///
/// Ordered by format, and in each from the slowest MCS to the fastest.
// Packed, as a mode goes with every frame, and most of them are asked of by format and MCS, which
// stand together: three bits and four, then streams less one in three, width and interval in two.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mode(u16);

const FORMAT_AT: u32 = 11;
const MCS_AT: u32 = 7;
const STREAMS_AT: u32 = 4;
const WIDTH_AT: u32 = 2;

/// Formats by their numbers; three bits have one more than there are.
const FORMATS: [Format; 8] = {
    let mut formats = [Format::He; 8];
    let mut at = 0;
    while at < Format::ALL.len() {
        formats[at] = Format::ALL[at];
        at += 1;
    }
    formats
};

/// More than any [`Mode::row`].
pub(crate) const ROWS: usize = 1 << (14 - MCS_AT);

/// Those of 802.11b (IEEE 802.11-2007 §15.4.6.4, §18.4.6.5), of 802.11g (§19.3.2) and of 802.11a
/// (Table 17-3).
impl Mode {
    /// 1 Mbit/s, DBPSK spread by the Barker code.
    pub const DSSS_1: Mode = Mode::legacy(Format::Dsss, 0);
    /// 2 Mbit/s, DQPSK spread by the Barker code.
    pub const DSSS_2: Mode = Mode::legacy(Format::Dsss, 1);
    /// 5.5 Mbit/s, CCK with four bits a symbol.
    pub const CCK_5_5: Mode = Mode::legacy(Format::Dsss, 2);
    /// 11 Mbit/s, CCK with eight bits a symbol.
    pub const CCK_11: Mode = Mode::legacy(Format::Dsss, 3);
    /// 6 Mbit/s at 2.4 GHz.
    pub const ERP_6: Mode = Mode::legacy(Format::ErpOfdm, 0);
    /// 9 Mbit/s at 2.4 GHz.
    pub const ERP_9: Mode = Mode::legacy(Format::ErpOfdm, 1);
    /// 12 Mbit/s at 2.4 GHz.
    pub const ERP_12: Mode = Mode::legacy(Format::ErpOfdm, 2);
    /// 18 Mbit/s at 2.4 GHz.
    pub const ERP_18: Mode = Mode::legacy(Format::ErpOfdm, 3);
    /// 24 Mbit/s at 2.4 GHz.
    pub const ERP_24: Mode = Mode::legacy(Format::ErpOfdm, 4);
    /// 36 Mbit/s at 2.4 GHz.
    pub const ERP_36: Mode = Mode::legacy(Format::ErpOfdm, 5);
    /// 48 Mbit/s at 2.4 GHz.
    pub const ERP_48: Mode = Mode::legacy(Format::ErpOfdm, 6);
    /// 54 Mbit/s at 2.4 GHz.
    pub const ERP_54: Mode = Mode::legacy(Format::ErpOfdm, 7);
    /// 6 Mbit/s at 5 GHz.
    pub const OFDM_6: Mode = Mode::legacy(Format::Ofdm, 0);
    /// 9 Mbit/s at 5 GHz.
    pub const OFDM_9: Mode = Mode::legacy(Format::Ofdm, 1);
    /// 12 Mbit/s at 5 GHz.
    pub const OFDM_12: Mode = Mode::legacy(Format::Ofdm, 2);
    /// 18 Mbit/s at 5 GHz.
    pub const OFDM_18: Mode = Mode::legacy(Format::Ofdm, 3);
    /// 24 Mbit/s at 5 GHz.
    pub const OFDM_24: Mode = Mode::legacy(Format::Ofdm, 4);
    /// 36 Mbit/s at 5 GHz.
    pub const OFDM_36: Mode = Mode::legacy(Format::Ofdm, 5);
    /// 48 Mbit/s at 5 GHz.
    pub const OFDM_48: Mode = Mode::legacy(Format::Ofdm, 6);
    /// 54 Mbit/s at 5 GHz.
    pub const OFDM_54: Mode = Mode::legacy(Format::Ofdm, 7);
}

impl Mode {
    /// One of a format. `mcs` is the row of [`Format::modulations`]; in 802.11n, where an MCS says
    /// how many streams there are, what is left of it. Streams are 1 to 8.
    #[inline]
    pub const fn new(
        format: Format,
        mcs: u8,
        streams: u8,
        width: Width,
        guard_interval: GuardInterval,
    ) -> Mode {
        debug_assert!(mcs < 16 && streams >= 1 && streams <= 8);
        Mode(
            (format as u16) << FORMAT_AT
                | (mcs as u16) << MCS_AT
                | (streams as u16 - 1) << STREAMS_AT
                | (width as u16) << WIDTH_AT
                | guard_interval as u16,
        )
    }

    /// A rate of a format before 802.11n.
    pub(crate) const fn legacy(format: Format, mcs: u8) -> Mode {
        Mode::new(format, mcs, 1, Width::Mhz20, GuardInterval::Ns800)
    }

    /// The format.
    #[inline]
    pub const fn format(self) -> Format {
        FORMATS[(self.0 >> FORMAT_AT) as usize % FORMATS.len()]
    }

    /// The row of [`Format::modulations`].
    #[inline]
    pub const fn mcs(self) -> u8 {
        (self.0 >> MCS_AT & 0xF) as u8
    }

    /// Spatial streams.
    #[inline]
    pub const fn streams(self) -> u8 {
        (self.0 >> STREAMS_AT & 0x7) as u8 + 1
    }

    /// Returns how wide the channel is.
    #[inline]
    pub const fn width(self) -> Width {
        Width::ALL[(self.0 >> WIDTH_AT & 0x3) as usize]
    }

    /// The guard interval of OFDM.
    #[inline]
    pub const fn guard_interval(self) -> GuardInterval {
        GuardInterval::ALL[(self.0 & 0x3) as usize]
    }

    /// The same in another format.
    pub const fn in_format(self, format: Format) -> Mode {
        let rest = self.0 & ((1 << FORMAT_AT) - 1);
        Mode((format as u16) << FORMAT_AT | rest)
    }

    /// A number for format and MCS, of tables that depend on no more.
    #[inline]
    pub(crate) const fn row(self) -> usize {
        (self.0 >> MCS_AT) as usize
    }

    /// The rates of a format before 802.11n, from the slowest to the fastest.
    pub fn all_of(format: Format) -> impl Iterator<Item = Mode> {
        debug_assert!(format.is_legacy(), "later ones have streams and widths");
        (0..format.modulations().len()).map(move |mcs| Mode::legacy(format, mcs as u8))
    }

    /// The rates of all formats before 802.11n, in order.
    pub fn all_legacy() -> impl Iterator<Item = Mode> {
        let formats = [Format::Dsss, Format::ErpOfdm, Format::Ofdm];
        formats.into_iter().flat_map(Mode::all_of)
    }

    /// An MCS of 802.11n, which numbers streams, too: eight MCS for each (IEEE 802.11-2020,
    /// Table 19-27 and on).
    pub const fn ht(mcs: u8, width: Width, guard_interval: GuardInterval) -> Mode {
        Mode::new(Format::HtMixed, mcs % 8, mcs / 8 + 1, width, guard_interval)
    }

    /// Returns how it modulates.
    ///
    /// # Panics
    ///
    /// If its format has no such MCS.
    #[inline]
    pub const fn modulation(self) -> Modulation {
        self.format().modulations()[self.mcs() as usize]
    }

    /// Returns whether its frames are of OFDM, preamble included.
    #[inline]
    pub const fn is_ofdm(self) -> bool {
        self.0 >> FORMAT_AT != Format::Dsss as u16
    }

    /// Whether its format was there before 802.11n.
    #[inline]
    pub const fn is_legacy(self) -> bool {
        self.0 >> FORMAT_AT <= Format::Ofdm as u16
    }

    /// The rate of the payload.
    #[inline]
    pub const fn rate(self) -> Rate {
        match self.format().is_legacy() {
            true => Rate::from_bps(self.half_mbps() * 500_000),
            false => self.symbol_rate(),
        }
    }

    /// The rate of a format before 802.11n in units of 500 kbit/s, as frames and radiotap headers
    /// give it; nothing of later ones.
    #[inline]
    pub const fn half_mbps(self) -> u64 {
        match self.format() {
            Format::Dsss => DSSS_RATES[self.mcs() as usize] as u64,
            Format::ErpOfdm | Format::Ofdm => OFDM_RATES[self.mcs() as usize] as u64,
            _ => 0,
        }
    }

    /// The rate of OFDM: the data bits of a symbol in its time.
    const fn symbol_rate(self) -> Rate {
        Rate::from_bps(self.data_bits() * 1_000_000_000 / self.symbol_nanos())
    }

    /// Data bits of an OFDM symbol (N_DBPS), rounded down where the code rate does not divide them.
    ///
    /// # Panics
    ///
    /// Of a mode of DSSS or CCK, which have no such symbols.
    pub const fn data_bits(self) -> u64 {
        let Modulation::Ofdm(constellation, code) = self.modulation() else {
            panic!("DSSS and CCK have bits of their own in a symbol");
        };
        let [data, coded] = code.fraction();
        let carriers = self.format().carriers(self.width()) * self.streams() as u64;
        carriers * constellation.bits() as u64 * data as u64 / coded as u64
    }

    /// Returns how long an OFDM symbol lasts.
    pub const fn symbol_nanos(self) -> u64 {
        self.format().symbol_nanos() + self.guard_interval().nanos()
    }

    /// Returns whether the standard has the combination of MCS, streams, width and guard interval. 802.11ac
    /// leaves out those whose symbols cannot be shared evenly among encoders (IEEE 802.11-2020,
    /// 21.5).
    pub const fn is_allowed(self) -> bool {
        let guard_is_of_he = !matches!(
            self.guard_interval(),
            GuardInterval::Ns400 | GuardInterval::Ns800
        );
        match (self.format(), self.guard_interval()) {
            (Format::He, GuardInterval::Ns400) => return false,
            (Format::He, _) => {}
            _ if guard_is_of_he => return false,
            _ => {}
        }
        match (self.format(), self.mcs(), self.width(), self.streams()) {
            (Format::HtMixed, _, Width::Mhz80 | Width::Mhz160, _) => false,
            (Format::HtMixed, _, _, streams) => streams <= 4,
            (Format::Vht, 9, Width::Mhz20, streams) => streams == 3 || streams == 6,
            (Format::Vht, 6, Width::Mhz80, streams) => streams != 3 && streams != 7,
            (Format::Vht, 9, Width::Mhz80, streams) => streams != 6,
            (Format::Vht, 9, Width::Mhz160, streams) => streams != 3,
            _ => true,
        }
    }

    /// The mode of a format from 802.11n on that is called so.
    fn later(name: &str) -> Option<Mode> {
        let (family, rest) = name.split_once("-mcs-")?;
        let (mcs, rest) = rest.split_once("-nss-")?;
        let (streams, guard) = rest.split_once("-gi-")?;
        let formats = [Format::HtMixed, Format::Vht, Format::He];
        let called = |format| Width::ALL.map(|width| (format, width));
        let (format, width) = (formats.into_iter().flat_map(called))
            .find(|(format, width)| *family == format!("{}{}", format.family(), width.mhz()))?;
        let (mcs, streams): (usize, u8) = (mcs.parse().ok()?, streams.parse().ok()?);
        let guard = (GuardInterval::ALL.into_iter()).find(|gi| gi.nanos().to_string() == guard)?;
        let exists = mcs < format.modulations().len() && (1..=8).contains(&streams);
        exists.then(|| Mode::new(format, mcs as u8, streams, width, guard))
    }

    /// Its name.
    pub const fn name(self) -> ModeName {
        ModeName(self)
    }
}

impl fmt::Debug for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.name(), f)
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.rate().fmt(f)
    }
}

/// The name of a mode, as plans have it: `cck-11`, `erp-ofdm-54`, `vht80-mcs-9-nss-2-gi-400`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModeName(Mode);

impl fmt::Display for ModeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ModeName(mode) = *self;
        let family = match mode.modulation() {
            Modulation::Cck4 | Modulation::Cck8 => "cck",
            _ => mode.format().family(),
        };
        if mode.format().is_legacy() {
            return write!(f, "{family}-{}", mode.rate().as_mbps());
        }
        let (width, guard) = (mode.width().mhz(), mode.guard_interval().nanos());
        let (mcs, streams) = (mode.mcs(), mode.streams());
        write!(f, "{family}{width}-mcs-{mcs}-nss-{streams}-gi-{guard}")
    }
}

impl Serialize for Mode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.name())
    }
}

impl<'de> Deserialize<'de> for Mode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Mode, D::Error> {
        let name = String::deserialize(deserializer)?;
        let mut legacy = Mode::all_legacy();
        let found = legacy.find(|mode| mode.name().to_string() == name);
        let found = found.or_else(|| Mode::later(&name));
        found.ok_or_else(|| de::Error::custom(format_args!("no mode is called {name:?}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A mode of 802.11ac or 802.11ax.
    fn wide(format: Format, mcs: u8, streams: u8, width: Width, gi: GuardInterval) -> Mode {
        Mode::new(format, mcs, streams, width, gi)
    }

    /// To a tenth of a megabit per second, as the standard's tables have it.
    fn tenths(mode: Mode) -> f64 {
        (mode.rate().as_mbps() * 10.0).round() / 10.0
    }

    #[test]
    fn ofdm_has_the_rate_that_its_carriers_and_its_code_give() {
        for mode in Mode::all_legacy().filter(|mode| mode.is_ofdm()) {
            assert_eq!(mode.symbol_rate(), mode.rate(), "{mode}");
        }
    }

    #[test]
    fn rates_of_802_11b_and_a_are_those_of_their_names() {
        let rates = |format| -> Vec<f64> {
            let modes = Mode::all_of(format);
            modes.map(|mode| mode.rate().as_mbps()).collect()
        };
        assert_eq!(rates(Format::Dsss), [1.0, 2.0, 5.5, 11.0]);
        let ofdm = [6.0, 9.0, 12.0, 18.0, 24.0, 36.0, 48.0, 54.0];
        assert_eq!(rates(Format::Ofdm), ofdm);
        assert_eq!(rates(Format::ErpOfdm), ofdm);
    }

    /// IEEE 802.11-2020, Tables 19-27, 19-33 and 21-38; IEEE 802.11ax-2021, 27.5: one stream, the
    /// guard interval of 0.8 µs. Where the bits of a symbol are rounded down, rates are too: in
    /// 802.11ax, MCS 11 in 80 MHz and MCS 9 in 160 MHz are printed a tenth higher.
    #[test]
    fn every_mcs_has_the_rate_of_the_standards_tables() {
        use Width::{Mhz20, Mhz40, Mhz80, Mhz160};
        let rates = |format: Format, width| -> Vec<f64> {
            let mcs = 0..format.modulations().len() as u8;
            mcs.map(|mcs| tenths(wide(format, mcs, 1, width, GuardInterval::Ns800)))
                .collect()
        };
        let ht_20 = [6.5, 13.0, 19.5, 26.0, 39.0, 52.0, 58.5, 65.0];
        assert_eq!(rates(Format::HtMixed, Mhz20), ht_20);
        let ht_40 = [13.5, 27.0, 40.5, 54.0, 81.0, 108.0, 121.5, 135.0];
        assert_eq!(rates(Format::HtMixed, Mhz40), ht_40);
        let vht_80 = [
            29.3, 58.5, 87.8, 117.0, 175.5, 234.0, 263.3, 292.5, 351.0, 390.0,
        ];
        assert_eq!(rates(Format::Vht, Mhz80), vht_80);
        let he = [
            (
                Mhz20,
                [
                    8.6, 17.2, 25.8, 34.4, 51.6, 68.8, 77.4, 86.0, 103.2, 114.7, 129.0, 143.4,
                ],
            ),
            (
                Mhz40,
                [
                    17.2, 34.4, 51.6, 68.8, 103.2, 137.6, 154.9, 172.1, 206.5, 229.4, 258.1, 286.8,
                ],
            ),
            (
                Mhz80,
                [
                    36.0, 72.1, 108.1, 144.1, 216.2, 288.2, 324.3, 360.3, 432.4, 480.4, 540.4,
                    600.4,
                ],
            ),
            (
                Mhz160,
                [
                    72.1, 144.1, 216.2, 288.2, 432.4, 576.5, 648.5, 720.6, 864.7, 960.7, 1080.9,
                    1201.0,
                ],
            ),
        ];
        for (width, expected) in he {
            assert_eq!(rates(Format::He, width), expected, "{width:?}");
        }
    }

    #[test]
    fn streams_and_guard_intervals_change_rates_as_vendors_print_them() {
        use GuardInterval::{Ns400, Ns800, Ns3200};
        use Width::{Mhz20, Mhz40, Mhz80, Mhz160};
        let printed = [
            (Mode::ht(7, Mhz20, Ns400), 72.2),
            (Mode::ht(15, Mhz20, Ns400), 144.4),
            (Mode::ht(0, Mhz20, Ns400), 7.2),
            (Mode::ht(15, Mhz40, Ns400), 300.0),
            (Mode::ht(31, Mhz40, Ns400), 600.0),
            (wide(Format::Vht, 9, 1, Mhz80, Ns400), 433.3),
            (wide(Format::Vht, 9, 2, Mhz80, Ns400), 866.7),
            (wide(Format::Vht, 9, 8, Mhz160, Ns400), 6933.3),
            (wide(Format::He, 0, 1, Mhz20, Ns3200), 7.3),
            (wide(Format::He, 11, 2, Mhz80, Ns800), 1201.0),
            (wide(Format::He, 11, 8, Mhz160, Ns800), 9607.8),
        ];
        for (mode, rate) in printed {
            assert_eq!(tenths(mode), rate, "{}", mode.name());
        }
    }

    #[test]
    fn data_bits_are_rounded_down_where_the_code_does_not_divide_them() {
        let bits = |format, mcs, streams, width| {
            wide(format, mcs, streams, width, GuardInterval::Ns800).data_bits()
        };
        assert_eq!(bits(Format::He, 9, 1, Width::Mhz80), 6533);
        assert_eq!(bits(Format::He, 11, 1, Width::Mhz80), 8166);
        assert_eq!(bits(Format::Vht, 9, 3, Width::Mhz20), 1040);
    }

    #[test]
    fn combinations_that_802_11ac_leaves_out_are_not_allowed() {
        let left_out = |mcs, width| -> Vec<u8> {
            let mode = |streams| wide(Format::Vht, mcs, streams, width, GuardInterval::Ns800);
            (1..=8)
                .filter(|&streams| !mode(streams).is_allowed())
                .collect()
        };
        assert_eq!(left_out(9, Width::Mhz20), [1, 2, 4, 5, 7, 8]);
        assert_eq!(left_out(6, Width::Mhz80), [3, 7]);
        assert_eq!(left_out(9, Width::Mhz80), [6]);
        assert_eq!(left_out(9, Width::Mhz160), [3]);
        assert!(left_out(8, Width::Mhz20).is_empty());
    }

    #[test]
    fn plans_name_modes_of_802_11b_g_and_a() {
        let names: Vec<String> = Mode::all_legacy()
            .map(|mode| mode.name().to_string())
            .collect();
        assert_eq!(
            names[..5],
            ["dsss-1", "dsss-2", "cck-5.5", "cck-11", "erp-ofdm-6"]
        );
        assert_eq!(names.last().map(String::as_str), Some("ofdm-54"));
        for mode in Mode::all_legacy() {
            let written = serde_json::to_string(&mode).unwrap();
            assert_eq!(serde_json::from_str::<Mode>(&written).unwrap(), mode);
        }
        let error = serde_json::from_str::<Mode>("\"cck-12\"").unwrap_err();
        assert_eq!(error.to_string(), "no mode is called \"cck-12\"");
    }

    #[test]
    fn a_later_mode_is_found_by_its_name() {
        let mode = wide(Format::Vht, 9, 2, Width::Mhz80, GuardInterval::Ns400);
        let read = |name: &str| serde_json::from_str::<Mode>(&format!("{name:?}"));
        assert_eq!(read("vht80-mcs-9-nss-2-gi-400").unwrap(), mode);
        for wrong in [
            "vht80-mcs-10-nss-2-gi-400",
            "ht30-mcs-1-nss-1-gi-400",
            "he20-mcs-1-nss-9-gi-800",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn later_modes_are_named_by_all_that_they_are() {
        let mode = wide(Format::Vht, 9, 2, Width::Mhz80, GuardInterval::Ns400);
        assert_eq!(mode.name().to_string(), "vht80-mcs-9-nss-2-gi-400");
        let mode = Mode::ht(15, Width::Mhz40, GuardInterval::Ns800);
        assert_eq!(mode.name().to_string(), "ht40-mcs-7-nss-2-gi-800");
        assert_eq!(format!("{mode:?}"), "ht40-mcs-7-nss-2-gi-800");
    }
}
