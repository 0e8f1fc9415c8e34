//! One mode for everything: what most analytical models assume, and "rate: fixed" on real devices.

use phy::Mode;
use units::Time;

use super::{Ladder, RateControl};
use crate::frame::Address;

units::declare! {
    /// Every data frame goes at the radio's rate.
    pub struct Config = "fixed" {}
}

/// See the [module](self).
#[derive(Clone, Debug)]
pub struct Fixed {
    mode: Mode,
}

impl Fixed {
    /// The radio's rate, for ever.
    pub fn new(_config: &Config, ladder: Ladder) -> Fixed {
        Fixed {
            mode: ladder.modes[ladder.top()],
        }
    }
}

impl RateControl for Fixed {
    #[inline]
    fn mode(&mut self, _now: Time, _to: Address, _failures: u8) -> Mode {
        self.mode
    }

    fn steady(&self) -> Option<Mode> {
        Some(self.mode)
    }

    #[inline]
    fn on_attempt(&mut self, _now: Time, _to: Address, _mode: Mode, _acknowledged: bool) {}
}

#[cfg(test)]
mod tests {
    use phy::DSSS_MODES;

    use super::*;
    use crate::rate_control::tests::ladder;

    #[test]
    fn failures_change_nothing() {
        let mut fixed = Fixed::new(
            &Config {},
            Ladder {
                modes: &DSSS_MODES[..3],
                ..ladder()
            },
        );
        fixed.on_attempt(Time::ZERO, Address(1), Mode::CCK_5_5, false);
        assert_eq!(fixed.mode(Time::ZERO, Address(1), 6), Mode::CCK_5_5);
        assert_eq!(fixed.steady(), Some(Mode::CCK_5_5));
    }
}
