//! Minstrel for frames of 802.11b, g and a, as Linux has it from 5.12 on.
//!
//! Since then `net/mac80211/rc80211_minstrel_ht.c` serves all radios, and an older Minstrel is gone: what
//! [`super::minstrel_ht`] does with an MCS, it does with the rates of DSSS and CCK, which are a group, and
//! with those of OFDM, which are another. A frame goes by itself, and its access costs an
//! acknowledgment. Frames of DSSS and CCK are taken to have the long preamble; Linux knows those with the
//! short one as rates of their own. [inferred: a radio here has one preamble for all]

use phy::Mode;
use units::{Duration, Time};

use super::minstrel_ht::{self, MinstrelHt, Rates};
use super::{KnownRates, Ladder, RateControl, TransmitTerms};
use crate::frame::Address;

units::declare! {
    /// That of Linux for 802.11b, g and a: what yields most, others being tried.
    pub struct Config = "minstrel" {
        /// how often probabilities are renewed
        update_interval: Duration = Field::duration().positive()
            .or(Default::Text("50 ms"))
            .from("Linux from 5.12 on, rc80211_minstrel_ht.h"),
        /// least time between frames that try another rate
        probe_interval: Duration = Field::duration().positive()
            .or(Default::Text("20 ms"))
            .from("Linux from 5.12 on, rc80211_minstrel_ht.c"),
    }
}

/// See the [module](self).
#[derive(Clone, Debug)]
pub struct Minstrel {
    control: MinstrelHt,
    /// Whose frame is in service, none of whose tries has been reported.
    serves: Option<Address>,
}

impl Minstrel {
    /// Nothing is known of anybody.
    pub fn new(config: &Config, ladder: Ladder) -> Minstrel {
        let config = minstrel_ht::Config {
            update_interval: config.update_interval,
            probe_interval: config.probe_interval,
        };
        Minstrel {
            control: MinstrelHt::among(&config, Rates::legacy(ladder.modes)),
            serves: None,
        }
    }
}

impl RateControl for Minstrel {
    fn mode(&mut self, now: Time, to: Address, failures: u8) -> Mode {
        // It is asked for the RTS in front of a frame, and again for the frame.
        if failures == 0 && self.serves.replace(to) != Some(to) {
            self.control.begin(now, to);
        }
        self.control.after(to, failures)
    }

    fn on_attempt(&mut self, now: Time, to: Address, mode: Mode, acknowledged: bool) {
        self.control.on_attempt(now, to, mode, acknowledged);
    }

    fn terms(&mut self, to: Address) -> TransmitTerms {
        self.control.terms(to)
    }

    fn on_done(&mut self, _now: Time, _to: Address, _delivered: bool) {
        self.serves = None;
    }

    fn known_rates(&self, to: Address) -> Option<KnownRates> {
        self.control.known_rates(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rate_control::tests::{erp_ladder, ladder};

    const TO: Address = Address(1);

    fn control(ladder: Ladder) -> Minstrel {
        let config = Config {
            update_interval: Duration::from_millis(50),
            probe_interval: Duration::from_millis(20),
        };
        Minstrel::new(&config, ladder)
    }

    /// Sends frames, one a millisecond from a time on, where all arrive up to a rate and none above it; the
    /// rates of first tries in Mbit/s.
    fn sent(control: &mut Minstrel, from_ms: u64, for_ms: u64, highest_mbps: f64) -> Vec<f64> {
        let frames = (from_ms..from_ms + for_ms).map(|ms| {
            let now = Time::ZERO + Duration::from_millis(ms);
            let tries = (0..7).map(|failures| {
                let mode = control.mode(now, TO, failures);
                let arrives = mode.rate().as_mbps() <= highest_mbps;
                control.on_attempt(now, TO, mode, arrives);
                (mode.rate().as_mbps(), arrives)
            });
            let mut first = None;
            for (rate, arrives) in tries {
                first = first.or(Some(rate));
                if arrives {
                    break;
                }
            }
            control.on_done(now, TO, true);
            first.unwrap_or_default()
        });
        frames.collect()
    }

    fn share_at(rates: &[f64], mbps: f64) -> f64 {
        rates.iter().filter(|&&rate| rate == mbps).count() as f64 / rates.len() as f64
    }

    #[test]
    fn the_fastest_that_works_is_found_within_a_second_from_below() {
        for (ladder, highest) in [(ladder(), 5.5), (erp_ladder(), 24.0), (erp_ladder(), 54.0)] {
            let mut control = control(ladder);
            let rates = sent(&mut control, 0, 2_000, highest);
            assert_eq!(rates[1], 1.0, "but for tries the slowest");
            let share = share_at(&rates[1_000..], highest);
            assert!(share > 0.94, "{highest} Mbit/s: {share}");
        }
    }

    #[test]
    fn a_frame_in_need_walks_down_the_chain_behind_an_rts() {
        let mut control = control(erp_ladder());
        sent(&mut control, 0, 2_000, 54.0);
        let now = Time::ZERO + Duration::from_millis(2_001);
        let walk: Vec<(f64, bool)> = (0..7)
            .map(|failures| {
                let mode = control.mode(now, TO, failures);
                (mode.rate().as_mbps(), control.terms(TO).is_announced)
            })
            .collect();
        let expected = [(54.0, false); 5].into_iter().chain([(48.0, true); 2]);
        assert_eq!(walk, expected.collect::<Vec<_>>());
    }

    #[test]
    fn a_frame_that_was_announced_goes_at_the_rate_that_its_rts_said() {
        let mut control = control(ladder());
        for ms in (0..2_000).step_by(25) {
            let now = Time::ZERO + Duration::from_millis(ms);
            let announced = control.mode(now, TO, 0);
            let later = now + Duration::from_micros(700);
            assert_eq!(control.mode(later, TO, 0), announced);
            control.on_attempt(later, TO, announced, true);
            control.on_done(later, TO, true);
        }
        let last = control.mode(Time::ZERO + Duration::from_secs(2), TO, 0);
        assert_eq!(last.rate().as_mbps(), 11.0);
    }
}
