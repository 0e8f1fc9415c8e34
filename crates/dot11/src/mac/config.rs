//! What a station's MAC is configured with.

use core::fmt;

use serde::{Deserialize, Serialize};
use units::Duration;

use crate::frame::{ACK_BYTES, CTS_BYTES};
use crate::mode::{Mode, Preamble};
use crate::ppdu::ppdu_duration;
use crate::rate_control::RateControlConfig;
use crate::timing::Standard;

/// The MAC of one station, as the plan gives it: every field required, no unit left to guess.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MacConfig {
    /// The amendment, which fixes slot and interframe spaces.
    pub standard: Standard,
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
    /// How many MSDUs the interface queue holds, the one in service included; drop tail.
    pub queue_packets: u32,
    /// CWmin.
    pub cw_min: u16,
    /// CWmax.
    pub cw_max: u16,
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
    /// A queue of zero packets.
    Queue,
    /// A value of the rate control is out of range.
    RateControl(String),
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
            ConfigError::Queue => f.write_str("queue_packets must be at least 1"),
            ConfigError::RateControl(what) => write!(f, "rate_control: {what}"),
        }
    }
}

impl core::error::Error for ConfigError {}

impl MacConfig {
    /// Whether the values are ones the standard allows.
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
        if self.queue_packets == 0 {
            return Err(ConfigError::Queue);
        }
        self.rate_control.check().map_err(ConfigError::RateControl)
    }

    /// The mode of a control frame in answer to, or in front of, a frame of each mode: the highest
    /// basic rate not above it; without one, the rate itself, as every rate of 802.11b is
    /// mandatory (IEEE 802.11-2007 §9.6).
    pub(crate) fn control_modes(&self) -> [Mode; Mode::COUNT] {
        Mode::ALL.map(|mode| {
            let basic = self
                .basic_rates
                .iter()
                .copied()
                .filter(|&basic| basic <= mode)
                .max();
            basic.unwrap_or(mode)
        })
    }

    /// How long after a frame of ours in each mode its ACK or CTS has ended.
    pub(crate) fn answer_times(&self) -> [Duration; Mode::COUNT] {
        const { assert!(ACK_BYTES == CTS_BYTES) };
        let modes = self.control_modes();
        let sifs = self.standard.phy().sifs;
        Mode::ALL.map(|mode| {
            let preamble = mode.preamble(self.preamble);
            sifs + ppdu_duration(modes[mode as usize], preamble, ACK_BYTES)
        })
    }

    /// The mode of broadcasts: the lowest basic rate. The standard asks for a basic rate only;
    /// the lowest is what access points send beacons at (inferred).
    pub(crate) fn broadcast_mode(&self) -> Mode {
        self.basic_rates
            .iter()
            .copied()
            .min()
            .unwrap_or(Mode::Dsss1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mac::tests::config;

    #[test]
    fn answers_go_at_the_highest_basic_rate_not_above_the_question() {
        let modes = MacConfig {
            basic_rates: vec![Mode::Dsss2, Mode::Dsss1],
            ..config()
        };
        assert_eq!(
            modes.control_modes(),
            [Mode::Dsss1, Mode::Dsss2, Mode::Dsss2, Mode::Dsss2]
        );
        let only_2 = MacConfig {
            basic_rates: vec![Mode::Dsss2],
            ..config()
        };
        assert_eq!(
            only_2.control_modes()[0],
            Mode::Dsss1,
            "no basic rate that slow"
        );
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
