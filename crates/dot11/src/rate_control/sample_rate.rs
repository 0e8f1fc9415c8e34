//! SampleRate: the rate whose frames took least time of late, and now and then another that might.
//!
//! J. Bicket, "Bit-rate Selection in Wireless Networks" (M.Sc. thesis, MIT, 2005), §5. A frame goes
//! at the rate with the least average transmission time over the last seconds, lost frames
//! included. Every tenth goes at another rate that would be faster if it lost nothing. A rate that
//! has failed four times in a row is not tried until its failures are forgotten.
//!
//! Two attempts at the chosen rate are followed by three at the best one known, or at the lowest
//! where nothing has got through yet, and then by those at the lowest: the retries of Bicket's own
//! driver (MadWifi's `sample`, 2005). A rate that needed them has failed.
//!
//! Frames of every length count as full ones of 1500 bytes, so that one average serves all of
//! them; the thesis keeps some by length. Other rates are tried in turn where the thesis draws.
//! [both inferred]

use phy::Mode;
use units::{Duration, Time};

use super::{Ladder, RateControl, ReceiverTable};
use crate::frame::Address;

units::declare! {
    /// The rate with the least average time per delivered frame, others being sampled.
    pub struct Config = "sample-rate" {
        /// how long results count
        window: Duration = Field::duration().positive()
            .or(Default::Text("10 s"))
            .from("Bicket 2005, §5.1"),
        /// one MSDU in so many samples another rate
        sample_every: u16 = Field::count("MSDUs")
            .within(2.0, 10_000.0)
            .or(Default::Count(10))
            .from("Bicket 2005, §5.1"),
        /// failed MSDUs in a row after which a rate is left alone
        failures: u16 = Field::count("MSDUs")
            .within(1.0, 255.0)
            .or(Default::Count(4))
            .from("Bicket 2005, §5.1"),
    }
}

/// The MPDU whose time is counted: 1500 bytes behind MAC, LLC and SNAP headers.
const MPDU_BYTES: u16 = 1536;

/// Results are forgotten in so many portions.
const PORTIONS: usize = 10;

/// See the [module](self).
#[derive(Clone, Debug)]
pub struct SampleRate {
    config: Config,
    ladder: Ladder,
    /// How long an MSDU takes that is never lost, by rung.
    lossless: Vec<u64>,
    receivers: ReceiverTable<SampleRateState>,
}

#[derive(Clone, Debug)]
struct SampleRateState {
    tracks: Vec<RungStatistics>,
    msdus: u32,
    sampled: usize,
    /// The rungs that the MSDU in service goes at one after another, and how long at each.
    current: Option<[usize; SERIES]>,
    nanos: [u64; SERIES],
    attempts: u8,
}

/// The chosen rate, the best one known, the lowest.
const SERIES: usize = 3;

/// Returns which of them an attempt goes at that so many failed ones precede.
fn series(failures: u8) -> usize {
    match failures {
        0..2 => 0,
        2..5 => 1,
        _ => 2,
    }
}

/// What is known of a rung.
#[derive(Clone, Copy, Debug, Default)]
struct RungStatistics {
    portions: [Portion; PORTIONS],
    failures: u16,
}

#[derive(Clone, Copy, Debug, Default)]
struct Portion {
    number: u64,
    nanos: u64,
    msdus: u32,
    delivered: u32,
}

impl RungStatistics {
    fn recent(&self, number: u64) -> impl Iterator<Item = &Portion> {
        let recent = move |portion: &&Portion| {
            portion.msdus > 0 && portion.number + (PORTIONS as u64) > number
        };
        self.portions.iter().filter(recent)
    }

    /// The average time of a delivered MSDU, if there was any.
    fn average(&self, number: u64) -> Option<u64> {
        let sums = self
            .recent(number)
            .fold((0, 0), |(nanos, delivered), portion| {
                (
                    nanos + portion.nanos,
                    delivered + u64::from(portion.delivered),
                )
            });
        (sums.1 > 0).then(|| sums.0 / sums.1)
    }

    fn has_failed(&self, number: u64, limit: u16) -> bool {
        self.failures >= limit && self.recent(number).next().is_some()
    }

    fn enter(&mut self, number: u64, nanos: u64, delivered: bool) {
        if self.recent(number).next().is_none() {
            self.failures = 0;
        }
        let portion = &mut self.portions[(number % PORTIONS as u64) as usize];
        if portion.number != number {
            *portion = Portion {
                number,
                ..Portion::default()
            };
        }
        portion.nanos += nanos;
        portion.msdus += 1;
        portion.delivered += u32::from(delivered);
        self.failures = if delivered {
            0
        } else {
            self.failures.saturating_add(1)
        };
    }
}

impl SampleRate {
    /// Nothing is known of anybody.
    pub fn new(config: &Config, ladder: Ladder) -> SampleRate {
        let lossless = ladder
            .modes
            .iter()
            .map(|&mode| ladder.attempt_time(mode, MPDU_BYTES, 0));
        let fresh = SampleRateState {
            tracks: vec![RungStatistics::default(); ladder.modes.len()],
            msdus: 0,
            sampled: 0,
            current: None,
            nanos: [0; SERIES],
            attempts: 0,
        };
        SampleRate {
            config: config.clone(),
            ladder,
            lossless: lossless.map(Duration::as_nanos).collect(),
            receivers: ReceiverTable::new(fresh),
        }
    }

    fn portion(&self, now: Time) -> u64 {
        let length = (self.config.window.as_nanos() / PORTIONS as u64).max(1);
        now.as_nanos() / length
    }

    /// The rate with the least average time, and that time.
    fn best(&mut self, number: u64, to: Address) -> Option<(u64, usize)> {
        let tracks = self.receivers.of(to).tracks.iter().enumerate();
        tracks
            .filter_map(|(rung, track)| Some((track.average(number)?, rung)))
            .min_by_key(|&(average, rung)| (average, core::cmp::Reverse(rung)))
    }

    fn choose(&mut self, number: u64, to: Address) -> usize {
        let limit = self.config.failures;
        let best = self.best(number, to);
        let state = self.receivers.of(to);
        let works = |rung: &usize| !state.tracks[*rung].has_failed(number, limit);
        let Some((least, best)) = best else {
            // Nothing has been delivered: the fastest that has not failed over and over.
            return (0..state.tracks.len()).rev().find(works).unwrap_or(0);
        };
        state.msdus = state.msdus.wrapping_add(1);
        if !state
            .msdus
            .is_multiple_of(u32::from(self.config.sample_every))
        {
            return best;
        }
        let rungs = state.tracks.len();
        let in_turn = (1..=rungs).map(|step| (state.sampled + step) % rungs);
        let may_be_faster = |rung: &usize| *rung != best && self.lossless[*rung] < least;
        match in_turn.filter(works).find(may_be_faster) {
            Some(rung) => {
                state.sampled = rung;
                rung
            }
            None => best,
        }
    }
}

impl RateControl for SampleRate {
    fn mode(&mut self, now: Time, to: Address, failures: u8) -> Mode {
        let rungs = match self.receivers.of(to).current {
            Some(rungs) => rungs,
            None => {
                let number = self.portion(now);
                let best = self.best(number, to).map_or(0, |(_, rung)| rung);
                [self.choose(number, to), best, 0]
            }
        };
        self.receivers.of(to).current = Some(rungs);
        self.ladder.modes[rungs[series(failures)]]
    }

    fn on_attempt(&mut self, _now: Time, to: Address, mode: Mode, acknowledged: bool) {
        let state = self.receivers.of(to);
        let time = self.ladder.attempt_time(mode, MPDU_BYTES, state.attempts);
        state.nanos[series(state.attempts)] += time.as_nanos();
        if !acknowledged {
            state.attempts = state.attempts.saturating_add(1);
        }
    }

    fn on_done(&mut self, now: Time, to: Address, delivered: bool) {
        let number = self.portion(now);
        let state = self.receivers.of(to);
        let nanos = core::mem::take(&mut state.nanos);
        state.attempts = 0;
        let Some(rungs) = state.current.take() else {
            return;
        };
        let last = nanos.iter().rposition(|&spent| spent > 0).unwrap_or(0);
        // What the retries took is the price of the rate that made them necessary.
        state.tracks[rungs[0]].enter(number, nanos.iter().sum(), delivered && last == 0);
        for at in 1..=last {
            state.tracks[rungs[at]].enter(number, nanos[at], delivered && last == at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rate_control::tests::{erp_ladder, ladder};

    const TO: Address = Address(1);

    fn config() -> Config {
        Config {
            window: Duration::from_secs(10),
            sample_every: 10,
            failures: 4,
        }
    }

    /// Sends MSDUs, one a millisecond from a second on, over a channel that loses all above a mode
    /// and nothing else; how many go at each rate.
    fn sent(control: &mut SampleRate, second: u64, msdus: u64, highest: Mode) -> Vec<(f64, u32)> {
        let mut counts = vec![0; control.ladder.modes.len()];
        for number in 0..msdus {
            let now = Time::ZERO + Duration::from_secs(second) + Duration::from_millis(number);
            let first = control.mode(now, TO, 0);
            let rung = control
                .ladder
                .modes
                .iter()
                .position(|&each| each == first)
                .unwrap();
            counts[rung] += 1;
            let mut works = false;
            for failures in 0..7 {
                let mode = control.mode(now, TO, failures);
                works = mode.half_mbps() <= highest.half_mbps();
                control.on_attempt(now, TO, mode, works);
                if works {
                    break;
                }
            }
            control.on_done(now, TO, works);
        }
        let rates = control
            .ladder
            .modes
            .iter()
            .map(|mode| mode.rate().as_mbps());
        rates.zip(counts).filter(|&(_, count)| count > 0).collect()
    }

    #[test]
    fn the_fastest_that_works_is_found_from_above() {
        let mut control = SampleRate::new(&config(), ladder());
        let counts = sent(&mut control, 0, 100, Mode::DSSS_2);
        // The first one got through at 1 Mbit/s, which serves until the tenth samples 2. Four
        // failures each of 11 and 5.5 Mbit/s, and nothing faster is left to try.
        assert_eq!(counts, [(1.0, 9), (2.0, 83), (5.5, 4), (11.0, 4)]);
    }

    #[test]
    fn the_first_msdu_gets_through_at_the_lowest_rate() {
        let mut control = SampleRate::new(&config(), erp_ladder());
        let modes: Vec<f64> = (0..7)
            .map(|failures| control.mode(Time::ZERO, TO, failures).rate().as_mbps())
            .collect();
        assert_eq!(modes, [54.0, 54.0, 1.0, 1.0, 1.0, 1.0, 1.0]);
    }

    #[test]
    fn a_rate_that_failed_is_tried_again_when_that_is_forgotten() {
        let mut control = SampleRate::new(&config(), ladder());
        sent(&mut control, 0, 100, Mode::DSSS_2);
        let counts = sent(&mut control, 11, 1000, Mode::CCK_11);
        assert!(counts.last().unwrap().1 > 900, "{counts:?}");
    }

    #[test]
    fn one_in_ten_samples_what_may_be_faster() {
        let mut control = SampleRate::new(&config(), erp_ladder());
        // 24 Mbit/s is known to work, and all above fails.
        sent(&mut control, 0, 60, Mode::ERP_24);
        let counts = sent(&mut control, 1, 1000, Mode::ERP_24);
        let at_24 = counts.iter().find(|&&(rate, _)| rate == 24.0).unwrap().1;
        assert!(at_24 >= 900, "{counts:?}");
    }
}
