//! What a station's MAC is configured with.

use core::fmt;

use phy::{Band, Characteristics, Coding, Format, Mode, Preamble, Standard, TxVector, response};
use serde::{Deserialize, Serialize};
use units::Duration;

use super::aggregation::AggregationConfig;
use super::fragmentation::MPDU_OVERHEAD;
use super::retry::RetryLimits;
use crate::category::Category;
use crate::frame::{ACK_BYTES, BLOCK_ACK_BYTES, CTS_BYTES};
use crate::rate_control::{Ladder, RateControlConfig};

/// The MAC of one station, as the plan gives it: every field required, no unit left to guess.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MacConfig {
    /// The amendment, which fixes rates, slot and interframe spaces.
    pub standard: Standard,
    /// The band, where the amendment has a choice.
    pub band: Option<Band>,
    /// How much it aggregates; for amendments from 802.11n on, and for no others.
    pub aggregation: Option<AggregationConfig>,
    /// Code that protects the bits of its data, where the amendment has a choice.
    pub coding: Option<Coding>,
    /// Whether the BSS has short slots, where the amendment knows short and long ones: it has
    /// while every station of it can have them (IEEE 802.11-2007 §7.3.1.4).
    pub short_slot: bool,
    /// How frames of OFDM at 2.4 GHz are announced to stations that cannot read them; of no meaning
    /// at 5 GHz.
    pub protection: Protection,
    /// The preamble of every frame that can have it.
    pub preamble: Preamble,
    /// The BSS basic rate set, in which control responses and broadcasts go.
    pub basic_rates: Vec<Mode>,
    /// The mode of data frames, the highest that the rate control may choose.
    pub rate: Mode,
    /// How data rates are chosen.
    pub rate_control: RateControlConfig,
    /// dot11RTSThreshold: MPDUs longer than this many bytes are announced by an RTS. 2347 and
    /// above switch RTS off (IEEE 802.11-2007 Annex D).
    pub rts_threshold: u16,
    /// dot11FragmentationThreshold: MPDUs longer than this many bytes, header and FCS included,
    /// are fragmented; 256 to 2346 (IEEE 802.11-2007 Annex D).
    pub fragmentation_threshold: u16,
    /// dot11ShortRetryLimit: attempts of a frame not longer than the RTS threshold.
    pub short_retry_limit: u8,
    /// dot11LongRetryLimit: attempts of a frame longer than the RTS threshold.
    pub long_retry_limit: u8,
    /// dot11MaxTransmitMSDULifetime: how long after its first transmission an MSDU may be tried
    /// again; without it, as long as the retry limits let it (IEEE 802.11-2007 §9.2.5.3).
    pub msdu_lifetime_ns: Option<Duration>,
    /// What encrypts data frames.
    pub privacy: Privacy,
    /// How many MSDUs the interface queue holds, the one in service included; drop tail.
    pub queue_packets: u32,
    /// CWmin.
    pub cw_min: u16,
    /// CWmax.
    pub cw_max: u16,
    /// What makes it an access function of EDCA; without, it is the DCF.
    pub edca: Option<AccessFunction>,
}

/// One of the access functions of a station with QoS (IEEE 802.11-2007 §9.9.1). Its contention
/// window is that of the MAC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AccessFunction {
    /// Whose frames it contends for.
    pub category: Category,
    /// AIFSN: how many slots behind a SIFS the medium must be idle.
    pub aifsn: u8,
    /// How long it may go on once it has the medium; zero for one MSDU.
    pub txop_limit_ns: Duration,
}

/// From this threshold on RTS are off (IEEE 802.11-2007 Annex D).
const RTS_OFF: u16 = 2347;

/// The QoS Control field of a data frame (IEEE 802.11-2007 §7.1.3.5).
const QOS_CONTROL: u16 = 2;

/// How a frame that stations of 802.11b cannot read is announced to them
/// (IEEE 802.11-2007 §9.13).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protection {
    /// Not at all.
    None,
    /// By a CTS that the station sends to itself.
    CtsToSelf,
    /// By an RTS that the addressee answers.
    RtsCts,
}

/// What encrypts data frames. Keys and ciphers are not simulated, only their bytes on the air.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Privacy {
    /// Nothing.
    None,
    /// WEP.
    Wep,
    /// TKIP, of WPA.
    Tkip,
    /// CCMP, of WPA2.
    Ccmp,
}

impl Privacy {
    /// Returns what it adds to each MPDU: initialization vector and integrity check value of WEP,
    /// the same with an extended vector of TKIP, header and message integrity code of CCMP (IEEE
    /// 802.11-2007 §8.2.1.2, §8.3.2.2, §8.3.3.2).
    pub(super) const fn mpdu_bytes(self) -> u16 {
        match self {
            Privacy::None => 0,
            Privacy::Wep => 4 + 4,
            Privacy::Tkip => 4 + 4 + 4,
            Privacy::Ccmp => 8 + 8,
        }
    }

    /// Returns what it adds to each MSDU: the message integrity code of TKIP (IEEE 802.11-2007
    /// §8.3.2.3), which is taken to go with the last fragment.
    pub(super) const fn msdu_bytes(self) -> u16 {
        match self {
            Privacy::Tkip => 8,
            Privacy::None | Privacy::Wep | Privacy::Ccmp => 0,
        }
    }
}

/// Why a [`MacConfig`] cannot be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConfigError {
    /// The fragmentation threshold lies outside 256 to 2346 bytes.
    FragmentationThreshold(u16),
    /// A retry limit of zero would forbid the first attempt.
    RetryLimit,
    /// CWmin exceeds CWmax.
    ContentionWindow,
    /// No basic rate.
    BasicRates,
    /// A rate that the amendment lacks.
    Rate(Mode),
    /// A queue of zero packets.
    Queue,
    /// A value of the rate control is out of range.
    RateControl(String),
    /// An interframe space below that of the point coordination function.
    Aifsn,
    /// Aggregation where the amendment has none, none where it has, or one that it does not know.
    Aggregation,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConfigError::FragmentationThreshold(bytes) => {
                write!(
                    f,
                    "fragmentation_threshold of {bytes} bytes is not in 256 to 2346"
                )
            }
            ConfigError::RetryLimit => f.write_str("retry limits must be at least 1"),
            ConfigError::ContentionWindow => f.write_str("cw_min must not exceed cw_max"),
            ConfigError::BasicRates => f.write_str("basic_rates must name at least one rate"),
            ConfigError::Rate(mode) => write!(f, "the standard has no {mode}"),
            ConfigError::Queue => f.write_str("queue_packets must be at least 1"),
            ConfigError::Aifsn => f.write_str("edca.aifsn must be at least 1"),
            ConfigError::Aggregation => {
                f.write_str("aggregation does not fit the standard: its window has 1 to 256 MPDUs")
            }
            ConfigError::RateControl(what) => write!(f, "rate_control: {what}"),
        }
    }
}

impl core::error::Error for ConfigError {}

/// The length of a BlockAck, its bitmap as long as the window asks for (IEEE 802.11-2020,
/// 9.3.1.8.2; IEEE 802.11ax-2021, 9.3.1.8.2).
pub(super) const fn block_ack_bytes(window: u16) -> u16 {
    BLOCK_ACK_BYTES + if window > 64 { 32 } else { 8 }
}

impl MacConfig {
    /// Returns whether the values are ones the standard allows.
    pub fn check(&self) -> Result<(), ConfigError> {
        if !(256..=2346).contains(&self.fragmentation_threshold) {
            return Err(ConfigError::FragmentationThreshold(
                self.fragmentation_threshold,
            ));
        }
        if self.short_retry_limit == 0 || self.long_retry_limit == 0 {
            return Err(ConfigError::RetryLimit);
        }
        if self.cw_min > self.cw_max {
            return Err(ConfigError::ContentionWindow);
        }
        if self.basic_rates.is_empty() {
            return Err(ConfigError::BasicRates);
        }
        let has = |mode: Mode| self.phy().modes.contains(&mode);
        let is_rate = match self.standard.format() {
            None => has(self.rate),
            Some(format) => self.rate.format() == format && self.rate.is_allowed(),
        };
        let mut basic = self.basic_rates.iter().copied();
        let lacking = basic.find(|&mode| !has(mode));
        if let Some(mode) = lacking.or((!is_rate).then_some(self.rate)) {
            return Err(ConfigError::Rate(mode));
        }
        let aggregates = self.standard.format().is_some();
        if aggregates != self.aggregation.is_some_and(|own| own.is_allowed()) {
            return Err(ConfigError::Aggregation);
        }
        if self.queue_packets == 0 {
            return Err(ConfigError::Queue);
        }
        if self.edca.is_some_and(|function| function.aifsn == 0) {
            return Err(ConfigError::Aifsn);
        }
        let of_another = match self.rate_control {
            RateControlConfig::MinstrelHt(_) if !aggregates => {
                Some("minstrel-ht is a control of 802.11n and later")
            }
            RateControlConfig::Minstrel(_) if aggregates => {
                Some("minstrel is a control of 802.11b, g and a")
            }
            _ => None,
        };
        if let Some(what) = of_another {
            return Err(ConfigError::RateControl(what.to_string()));
        }
        self.rate_control.check().map_err(ConfigError::RateControl)
    }

    /// The amendment's table.
    pub fn phy(&self) -> &'static Characteristics {
        let band = self.band.unwrap_or(Band::Ghz2_4);
        self.standard.characteristics(band, self.short_slot)
    }

    /// The width in hertz of the channel whose noise a receiver takes in.
    pub fn bandwidth_hz(&self) -> u32 {
        match self.standard.format() {
            None => self.phy().bandwidth_hz,
            Some(_) => u32::from(self.rate.width().mhz()) * 1_000_000,
        }
    }

    /// Returns how often frames are tried.
    pub(super) fn retry_limits(&self) -> RetryLimits {
        RetryLimits {
            short: self.short_retry_limit,
            long: self.long_retry_limit,
        }
    }

    /// The modes of data frames, up to the radio's rate.
    pub(crate) fn ladder(&self) -> Ladder {
        let phy = self.phy();
        let highest = phy.modes.iter().position(|&mode| mode == self.rate);
        let legacy = highest.map_or(phy.modes, |highest| &phy.modes[..=highest]);
        let later = self.rate.ladder();
        Ladder {
            modes: if later.is_empty() { legacy } else { later },
            phy,
        }
    }

    /// The mode of a control frame in answer to a frame.
    pub(crate) fn answer_mode(&self, mode: Mode) -> Mode {
        response(mode.reference(self.phy().ofdm), &self.basic_rates)
    }

    /// Returns how a frame of ours is answered.
    pub(super) fn answer_to(&self, frame: TxVector) -> TxVector {
        TxVector::of(self.answer_mode(frame.mode), frame.preamble)
    }

    /// Returns whether it asks before a PSDU, where MPDUs longer than this are announced.
    pub(super) fn asks_before(&self, psdu_bytes: u32, announced_above: u16) -> bool {
        let is_off = announced_above >= RTS_OFF;
        !is_off && psdu_bytes > u32::from(announced_above)
    }

    /// The length of a BlockAck for what it sends.
    pub(super) fn block_ack_bytes(&self) -> u16 {
        block_ack_bytes(self.aggregation.map_or(0, |own| own.window))
    }

    /// Returns the most MSDUs that go at once, if they are full packets.
    pub(super) fn msdus_at_once(&self) -> usize {
        self.aggregation.map_or(1, |own| {
            let in_mpdu = own.amsdu_bytes / FULL_MSDU;
            usize::from(own.window) * usize::from(in_mpdu.max(1))
        })
    }

    /// Returns how a frame of ours goes on the air.
    pub(super) fn vector(&self, mode: Mode) -> TxVector {
        let usual = TxVector::of(mode, self.preamble);
        let vector = usual.coded(self.coding.unwrap_or(usual.coding));
        match mode.format().is_legacy() || self.phy().ofdm == Format::Ofdm {
            true => vector,
            false => vector.at_2_4_ghz(),
        }
    }

    /// The mode of an RTS, or of a CTS to oneself, in front of a frame: the highest basic rate of its
    /// format not above it, else of any; where that frame is protected, of those that 802.11b has
    /// (IEEE 802.11-2007 §9.6, §9.13).
    pub(crate) fn request_mode(&self, mode: Mode) -> Mode {
        let mode = mode.reference(self.phy().ofdm);
        let highest = |format: Format| {
            let basic = self.basic_rates.iter().copied();
            let slower = basic.filter(|basic| basic.rate() <= mode.rate());
            slower
                .filter(|basic| basic.format() == format)
                .max_by_key(|basic| basic.rate())
        };
        let dsss = || highest(Format::Dsss);
        match self.protection_of(mode) {
            Protection::None => highest(mode.format())
                .or_else(dsss)
                .unwrap_or_else(|| self.answer_mode(mode)),
            Protection::CtsToSelf | Protection::RtsCts => dsss().unwrap_or(Mode::DSSS_1),
        }
    }

    /// Returns what a data MPDU adds to its body, and what the last one of an MSDU adds besides.
    pub(crate) fn overhead(&self) -> [u16; 2] {
        let qos_control = if self.edca.is_some() { QOS_CONTROL } else { 0 };
        [
            MPDU_OVERHEAD + qos_control + self.privacy.mpdu_bytes(),
            self.privacy.msdu_bytes(),
        ]
    }

    /// Returns how long the medium must be idle before the station may transmit: DIFS, or AIFS.
    pub fn space(&self) -> Duration {
        self.edca
            .map_or(self.phy().difs, |function| self.phy().aifs(function.aifsn))
    }

    /// Returns how data frames of a mode are protected.
    pub(crate) fn protection_of(&self, mode: Mode) -> Protection {
        match mode.reference(self.phy().ofdm).format() {
            Format::ErpOfdm => self.protection,
            _ => Protection::None,
        }
    }

    /// The longest MPDU of a mode that no other frame goes before.
    pub(super) fn announced_above(&self, mode: Mode) -> u16 {
        match self.protection_of(mode) {
            Protection::None => self.rts_threshold,
            Protection::CtsToSelf | Protection::RtsCts => 0,
        }
    }

    /// Returns how long after a frame of ours in a mode its answer of so many bytes has ended.
    pub(super) fn answer_time(&self, mode: Mode, bytes: u16) -> Duration {
        const { assert!(ACK_BYTES == CTS_BYTES) };
        let answer = self.answer_to(self.vector(mode));
        self.phy().sifs + answer.duration(u32::from(bytes))
    }

    /// Returns how long after the end of a frame of ours in a mode its response is given up.
    pub(super) fn response_timeout(&self, mode: Mode) -> Duration {
        let answer = self.answer_to(self.vector(mode));
        self.phy().response_timeout(answer)
    }

    /// The mode of broadcasts: the lowest basic rate. The standard asks for a basic rate only;
    /// the lowest is what access points send beacons at (inferred).
    pub(crate) fn broadcast_mode(&self) -> Mode {
        self.basic_rates
            .iter()
            .copied()
            .min_by_key(|mode| mode.rate())
            .unwrap_or(self.rate)
    }
}

/// An IP packet of 1500 bytes behind LLC and SNAP.
const FULL_MSDU: u16 = 1508;

#[cfg(test)]
mod tests {
    use phy::DSSS_MODES;

    use super::*;
    use crate::mac::tests::config;

    /// The formats and the rates, in Mbit/s, of what each mode of OFDM at 2.4 GHz has.
    fn erp_rates(of: impl Fn(Mode) -> Mode) -> Vec<(Format, f64)> {
        let modes = Mode::all_of(Format::ErpOfdm).map(of);
        modes
            .map(|mode| (mode.format(), mode.rate().as_mbps()))
            .collect()
    }

    fn all_of(format: Format, rates: [f64; 8]) -> Vec<(Format, f64)> {
        rates.map(|rate| (format, rate)).to_vec()
    }

    /// A station of 802.11g in the cell that access points set up by default.
    fn erp() -> MacConfig {
        MacConfig {
            standard: Standard::Dot11g,
            short_slot: true,
            basic_rates: DSSS_MODES.to_vec(),
            rate: Mode::ERP_54,
            cw_min: 15,
            ..config()
        }
    }

    #[test]
    fn answers_go_at_the_highest_basic_rate_not_above_the_question() {
        let modes = MacConfig {
            basic_rates: vec![Mode::DSSS_2, Mode::DSSS_1],
            ..config()
        };
        let answers: Vec<Mode> = DSSS_MODES
            .iter()
            .map(|&mode| modes.answer_mode(mode))
            .collect();
        assert_eq!(
            answers,
            [Mode::DSSS_1, Mode::DSSS_2, Mode::DSSS_2, Mode::DSSS_2]
        );
        let only_2 = MacConfig {
            basic_rates: vec![Mode::DSSS_2],
            ..config()
        };
        assert_eq!(
            only_2.answer_mode(Mode::DSSS_1),
            Mode::DSSS_1,
            "no basic rate that slow"
        );
    }

    #[test]
    fn answers_stay_within_the_modulation_of_the_question() {
        // No rate of OFDM is basic, so they go at those that every station has.
        let mandatory = all_of(
            Format::ErpOfdm,
            [6.0, 6.0, 12.0, 12.0, 24.0, 24.0, 24.0, 24.0],
        );
        assert_eq!(erp_rates(|mode| erp().answer_mode(mode)), mandatory);
        let basic_6 = MacConfig {
            basic_rates: vec![Mode::DSSS_1, Mode::ERP_6],
            ..erp()
        };
        let at_6 = all_of(Format::ErpOfdm, [6.0; 8]);
        assert_eq!(erp_rates(|mode| basic_6.answer_mode(mode)), at_6);
    }

    #[test]
    fn an_rts_goes_at_a_basic_rate_whatever_its_modulation() {
        let slow = [5.5, 5.5, 11.0, 11.0, 11.0, 11.0, 11.0, 11.0];
        let requests = erp_rates(|mode| erp().request_mode(mode));
        assert_eq!(requests, all_of(Format::Dsss, slow));
        let with_24 = MacConfig {
            basic_rates: vec![Mode::DSSS_2, Mode::ERP_24],
            ..erp()
        };
        assert_eq!(with_24.request_mode(Mode::ERP_54), Mode::ERP_24);
        let protected = MacConfig {
            protection: Protection::RtsCts,
            ..with_24
        };
        assert_eq!(protected.request_mode(Mode::ERP_54), Mode::DSSS_2);
    }

    #[test]
    fn a_rate_of_another_amendment_is_refused() {
        let error = MacConfig {
            rate: Mode::ERP_54,
            ..config()
        }
        .check()
        .unwrap_err();
        assert_eq!(error.to_string(), "the standard has no 54 Mbit/s");
        let ofdm = MacConfig {
            standard: Standard::Dot11a,
            rate: Mode::OFDM_54,
            ..config()
        };
        assert_eq!(ofdm.check(), Err(ConfigError::Rate(Mode::DSSS_1)));
    }

    #[test]
    fn a_threshold_of_100_bytes_is_refused() {
        let error = MacConfig {
            fragmentation_threshold: 100,
            ..config()
        }
        .check()
        .unwrap_err();
        assert_eq!(
            error.to_string(),
            "fragmentation_threshold of 100 bytes is not in 256 to 2346"
        );
    }

    #[test]
    fn an_unknown_field_and_a_missing_one_are_refused() {
        let good = serde_json::to_value(config()).unwrap();
        assert_eq!(
            serde_json::from_value::<MacConfig>(good.clone()).unwrap(),
            config()
        );

        let mut unknown = good.clone();
        unknown["rts_treshold"] = 100.into();
        assert!(serde_json::from_value::<MacConfig>(unknown).is_err());

        let mut missing = good;
        missing.as_object_mut().unwrap().remove("cw_min");
        assert!(serde_json::from_value::<MacConfig>(missing).is_err());
    }
}
