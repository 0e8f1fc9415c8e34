//! Receivers that a station treats apart from others: those with a rate, a rate control and retry
//! limits of their own, and those of an older amendment, to which it sends in their modes.

use phy::{DSSS_MODES, Mode, PerRate, Standard};
use serde::{Deserialize, Serialize};

use super::aggregation::AggregationConfig;
use super::exchange::Exchange;
use super::retry::RetryLimits;
use super::settings::Setting;
use super::{ConfigError, MacConfig};
use crate::frame::Address;
use crate::rate_control::{Ladder, RateControlConfig, RateController};

/// Settings of a station for one receiver instead of what it has for all others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReceiverConfig {
    /// Its amendment, where that is an older one than the station's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standard: Option<Standard>,
    /// How much goes to it at once, where that is less than elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aggregation: Option<AggregationConfig>,
    /// The mode of data frames, the highest that the rate control may choose.
    pub rate: Mode,
    /// How data rates are chosen.
    pub rate_control: RateControlConfig,
    /// Attempts of a frame not longer than the RTS threshold.
    pub short_retry_limit: u8,
    /// Attempts of a frame longer than the RTS threshold.
    pub long_retry_limit: u8,
}

impl ReceiverConfig {
    /// Returns whether a station so configured can have it.
    pub fn check(&self, of: &MacConfig) -> Result<(), ConfigError> {
        self.over(of).check()
    }

    /// The configuration of a station that has it for everybody.
    fn over(&self, of: &MacConfig) -> MacConfig {
        let standard = self.standard.unwrap_or(of.standard);
        let has_later = standard.format().is_some();
        MacConfig {
            standard,
            aggregation: self.aggregation.or(of.aggregation).filter(|_| has_later),
            // Before 802.11n a station without EDCA has no QoS data.
            edca: of.edca.filter(|_| self.standard.is_none() || has_later),
            rate: self.rate,
            rate_control: self.rate_control.clone(),
            short_retry_limit: self.short_retry_limit,
            long_retry_limit: self.long_retry_limit,
            ..of.clone()
        }
    }
}

/// Who they are, and what is for each.
#[derive(Clone, Debug, Default)]
pub(super) struct ReceiverQueues {
    own: Vec<Own>,
    /// By address, where in that.
    of: Vec<Option<u16>>,
    /// Where in that those of 802.11b are who have nothing of their own.
    dsss: Option<u16>,
}

#[derive(Clone, Debug)]
pub(super) struct Own {
    pub(super) controller: RateController,
    pub(super) limits: RetryLimits,
    pub(super) agreement: Agreement,
    pub(super) exchanges: PerRate<Exchange>,
    /// Configuration that limits and exchanges follow from.
    config: MacConfig,
}

/// How much goes to a receiver in one PPDU, and what answers that.
#[derive(Clone, Copy, Debug)]
pub(super) struct Agreement {
    pub(super) aggregation: AggregationConfig,
    /// Bytes that an MPDU adds to its body.
    pub(super) overhead: u16,
    /// Length of a BlockAck.
    pub(super) block_ack_bytes: u16,
}

impl Agreement {
    pub(super) fn of(config: &MacConfig) -> Agreement {
        Agreement {
            aggregation: config.aggregation.unwrap_or(AggregationConfig::NONE),
            overhead: config.overhead().iter().sum(),
            block_ack_bytes: config.block_ack_bytes(),
        }
    }
}

impl Own {
    fn new(config: &MacConfig, ladder: Ladder) -> Own {
        Own {
            controller: RateController::new(&config.rate_control, ladder),
            limits: config.retry_limits(),
            agreement: Agreement::of(config),
            exchanges: config.exchanges(),
            config: config.clone(),
        }
    }

    /// Takes over a setting of the station, unless it had another value than that before.
    fn follow(&mut self, setting: Setting, before: u16, value: u16) {
        if setting.of(&self.config) != before {
            return;
        }
        setting.put(value, &mut self.config);
        self.limits = self.config.retry_limits();
        self.exchanges = self.config.exchanges();
    }
}

impl ReceiverQueues {
    /// Notes that a receiver is of 802.11b.
    pub(super) fn add_dsss(&mut self, receiver: Address, config: &MacConfig) {
        let at = self.dsss.unwrap_or_else(|| {
            let ladder = without_ofdm(config.ladder());
            self.add(Own::new(config, ladder))
        });
        self.dsss = Some(at);
        self.put(receiver, at);
    }

    /// Gives a receiver what it has of its own, of 802.11b or not.
    pub(super) fn add_own(&mut self, receiver: Address, own: &ReceiverConfig, config: &MacConfig) {
        let is_dsss = self.dsss.is_some() && self.place(receiver) == self.dsss;
        let config = own.over(config);
        let ladder = match is_dsss {
            true => without_ofdm(config.ladder()),
            false => config.ladder(),
        };
        let at = self.add(Own::new(&config, ladder));
        self.put(receiver, at);
    }

    /// Returns what is for a receiver, if that is not what is for all others.
    pub(super) fn find(&self, receiver: Address) -> Option<&Own> {
        self.place(receiver).map(|at| &self.own[usize::from(at)])
    }

    /// The same, to be changed.
    pub(super) fn find_mut(&mut self, receiver: Address) -> Option<&mut Own> {
        self.place(receiver)
            .map(|at| &mut self.own[usize::from(at)])
    }

    /// Lets a setting of the station have another value than before.
    pub(super) fn set(&mut self, setting: Setting, before: u16, value: u16) {
        for own in &mut self.own {
            own.follow(setting, before, value);
        }
    }

    fn place(&self, receiver: Address) -> Option<u16> {
        self.of.get(usize::from(receiver.0)).copied().flatten()
    }

    fn add(&mut self, own: Own) -> u16 {
        self.own.push(own);
        self.own.len() as u16 - 1
    }

    fn put(&mut self, receiver: Address, at: u16) {
        let index = usize::from(receiver.0);
        if index >= self.of.len() {
            self.of.resize(index + 1, None);
        }
        self.of[index] = Some(at);
    }
}

/// The modes of 802.11b up to the fastest of a ladder of 802.11g.
fn without_ofdm(of_802_11g: Ladder) -> Ladder {
    let is_in = |mode: &&Mode| of_802_11g.modes.contains(mode);
    let count = DSSS_MODES.iter().filter(is_in).count();
    Ladder {
        modes: &DSSS_MODES[..count.max(1)],
        ..of_802_11g
    }
}
