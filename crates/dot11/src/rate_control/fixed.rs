//! One mode for everything: what most analytical models assume, and "rate: fixed" on real devices.

use serde::{Deserialize, Serialize};
use units::Time;

use super::RateControl;
use crate::frame::Address;
use crate::mode::Mode;

/// Parameters of the fixed rate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The mode of every data frame.
    pub mode: Mode,
}

/// See the [module](self).
#[derive(Clone, Debug)]
pub struct Fixed {
    mode: Mode,
}

impl Fixed {
    /// A fixed rate as configured.
    pub fn new(config: &Config) -> Fixed {
        Fixed { mode: config.mode }
    }
}

impl RateControl for Fixed {
    #[inline]
    fn mode(&mut self, _now: Time, _to: Address, _failures: u8) -> Mode {
        self.mode
    }

    #[inline]
    fn on_attempt(&mut self, _now: Time, _to: Address, _mode: Mode, _acknowledged: bool) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_change_nothing() {
        let mut fixed = Fixed::new(&Config { mode: Mode::Cck5_5 });
        fixed.on_attempt(Time::ZERO, Address(1), Mode::Cck5_5, false);
        assert_eq!(fixed.mode(Time::ZERO, Address(1), 6), Mode::Cck5_5);
    }
}
