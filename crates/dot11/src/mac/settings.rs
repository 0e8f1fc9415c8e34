//! Settings of a station that may change while it works: those of dot11OperationTable that one may
//! write (IEEE 802.11-2007 Annex D).

use core::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use super::fragmentation::Fragmentation;
use super::{Mac, MacConfig};

/// A setting that may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Setting {
    /// dot11RTSThreshold.
    RtsThreshold,
    /// dot11ShortRetryLimit.
    ShortRetryLimit,
    /// dot11LongRetryLimit.
    LongRetryLimit,
    /// dot11FragmentationThreshold.
    FragmentationThreshold,
}

impl Setting {
    /// All there are, in the order of the table.
    pub const ALL: [Setting; 4] = [
        Setting::RtsThreshold,
        Setting::ShortRetryLimit,
        Setting::LongRetryLimit,
        Setting::FragmentationThreshold,
    ];

    /// The values that it may have.
    pub const fn range(self) -> RangeInclusive<u16> {
        match self {
            Setting::RtsThreshold => 0..=2347,
            Setting::ShortRetryLimit | Setting::LongRetryLimit => 1..=255,
            Setting::FragmentationThreshold => 256..=2346,
        }
    }

    /// The value that a configuration gives it.
    pub(super) fn of(self, config: &MacConfig) -> u16 {
        match self {
            Setting::RtsThreshold => config.rts_threshold,
            Setting::ShortRetryLimit => u16::from(config.short_retry_limit),
            Setting::LongRetryLimit => u16::from(config.long_retry_limit),
            Setting::FragmentationThreshold => config.fragmentation_threshold,
        }
    }

    /// Gives it a value of its range in a configuration.
    pub(super) fn put(self, value: u16, config: &mut MacConfig) {
        let limit = value.min(255) as u8;
        match self {
            Setting::RtsThreshold => config.rts_threshold = value,
            Setting::ShortRetryLimit => config.short_retry_limit = limit,
            Setting::LongRetryLimit => config.long_retry_limit = limit,
            Setting::FragmentationThreshold => config.fragmentation_threshold = value,
        }
    }
}

impl Mac {
    /// The value of a setting.
    pub fn setting(&self, setting: Setting) -> u16 {
        setting.of(&self.config)
    }

    /// Gives a setting another value; false, and nothing has changed, if it may not have that.
    ///
    /// It holds from the next frame on: one that is on the air, or that was cut already, stays as it
    /// is. Receivers that have a value of their own keep it.
    pub fn set(&mut self, setting: Setting, value: u16) -> bool {
        if !setting.range().contains(&value) {
            return false;
        }
        let before = setting.of(&self.config);
        setting.put(value, &mut self.config);
        self.exchanges = self.config.exchanges();
        self.fragmentation = Fragmentation::new(self.config.fragmentation_threshold);
        if let Some(receivers) = &mut self.receivers {
            receivers.set(setting, before, value);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use units::{Duration, Time};

    use super::*;
    use crate::frame::FrameKind;
    use crate::mac::ReceiverConfig;
    use crate::mac::harness::Channel;
    use crate::mac::tests::config;

    /// The MPDUs of a full TCP segment that a station sends once it is set so.
    fn mpdus(setting: Setting, value: u16) -> Vec<(FrameKind, u16)> {
        let mut channel = Channel::new(2, &config());
        assert!(channel.stations[0].mac.set(setting, value));
        assert_eq!(channel.stations[0].mac.setting(setting), value);
        channel.enqueue(0, 0, 1, 1508);
        channel.run(Time::ZERO + Duration::from_millis(50));
        let sent = channel.sent.iter().map(|sent| sent.frame);
        let own = sent.filter(|frame| matches!(frame.kind, FrameKind::Data | FrameKind::Rts));
        own.map(|frame| (frame.kind, frame.bytes)).collect()
    }

    #[test]
    fn frames_are_cut_by_the_threshold_that_was_set() {
        let lengths = [1024, 540].map(|bytes| (FrameKind::Data, bytes));
        assert_eq!(mpdus(Setting::FragmentationThreshold, 1024), lengths);
    }

    #[test]
    fn an_rts_goes_before_frames_above_the_threshold_that_was_set() {
        let kinds = |threshold| {
            let sent = mpdus(Setting::RtsThreshold, threshold);
            sent.into_iter().map(|(kind, _)| kind).collect::<Vec<_>>()
        };
        assert_eq!(kinds(1535), [FrameKind::Rts, FrameKind::Data]);
        assert_eq!(kinds(1536), [FrameKind::Data]);
    }

    #[test]
    fn a_frame_that_nobody_answers_is_tried_as_often_as_was_set() {
        let mut channel = Channel::new(2, &config());
        let mac = &mut channel.stations[0].mac;
        assert!(mac.set(Setting::ShortRetryLimit, 3));
        channel.lost = (0..10).collect();
        channel.enqueue(0, 0, 1, 1508);
        channel.run(Time::ZERO + Duration::from_millis(200));
        assert_eq!(channel.sent.len(), 3);
        let counters = channel.stations[0].mac.counters();
        assert_eq!(counters.short_retry_drops, 1);
    }

    #[test]
    fn what_is_out_of_range_changes_nothing() {
        let mut channel = Channel::new(2, &config());
        let mac = &mut channel.stations[0].mac;
        for setting in Setting::ALL {
            let before = mac.setting(setting);
            let above = setting.range().end() + 1;
            assert!(!mac.set(setting, above), "{setting:?}");
            assert_eq!(mac.setting(setting), before);
        }
        assert!(!mac.set(Setting::FragmentationThreshold, 255));
        assert!(!mac.set(Setting::LongRetryLimit, 0));
    }

    #[test]
    fn a_receiver_keeps_a_limit_of_its_own() {
        let mut channel = Channel::new(3, &config());
        let own = ReceiverConfig {
            standard: None,
            aggregation: None,
            rate: config().rate,
            rate_control: config().rate_control,
            short_retry_limit: 2,
            long_retry_limit: config().long_retry_limit,
        };
        let to = channel.stations[1].mac.address();
        let mac = &mut channel.stations[0].mac;
        mac.treat_apart(to, &own);
        assert!(mac.set(Setting::ShortRetryLimit, 3));
        assert!(mac.set(Setting::LongRetryLimit, 9));
        let limits = mac.limits_of(to);
        assert_eq!((limits.short, limits.long), (2, 9));
    }
}
